#ifndef NEARFAR_EXPLAIN_H
#define NEARFAR_EXPLAIN_H

/*
 * Why a launch takes as long as it does: what its profile amounts to, and what
 * other machines or launches would make of it.
 *
 *   explain_make -> explain_what_ifs, if they are asked for -> explain_put_* ->
 *   explain_free
 *
 * A *bind* is a cause of waiting: a server in whose line warps' requests stand
 * behind those of a line of code, or, where nothing stands in line, what else
 * takes the time (EXPLAIN_CAUSES). Its share is of all cycles of resident
 * warps, and the shares add up to 1; but that of the tail is of the time of SMs
 * that had blocks, and that of starts and ends of blocks is of the time of
 * slots.
 */
#include <stdbool.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/contract/backend.h"
#include "harness/profile/profile.h"

#define EXPLAIN_SCHEMA "nearfar-explain/1"

/* ---- binds ---- */

/* What binds besides servers: name as results have it, and what it means. */
#define EXPLAIN_CAUSES(C)                                                      \
	C(WAY_SHARED, "latency of shared_memory")                              \
	C(WAY_ARITHMETIC, "latency of arithmetic")                             \
	C(WAY_L1, "latency of l1")                                             \
	C(WAY_NEAR, "latency of near_l2")                                      \
	C(WAY_FAR, "latency of far_l2")                                        \
	C(WAY_DRAM, "latency of dram")                                         \
	C(WAY_ATOMIC, "latency of atomic_unit")                                \
	C(WAY_WRITE, "latency of write")                                       \
	C(TLB, "tlb")                                                          \
	C(CODE, "instruction_fetch")                                           \
	C(BARRIER, "barrier")                                                  \
	C(DIVERGENCE, "divergence")                                            \
	C(TAIL, "tail")                                                        \
	C(DRAIN, "drain")                                                      \
	C(OTHER, "issue")

enum explain_cause {
#define EXPLAIN_CAUSE_ENUM(name, text) EXPLAIN_##name,
	EXPLAIN_CAUSES(EXPLAIN_CAUSE_ENUM)
#undef EXPLAIN_CAUSE_ENUM
		EXPLAIN_CAUSE_COUNT
};

extern const char *const explain_cause_names[EXPLAIN_CAUSE_COUNT];

struct explain_bind {
	const char *server;          /* a server's name, or a cause's */
	const struct job_line *line; /* of PTX, the most important of the place;
					NULL: none */
	double share;
};

/* ---- where sectors were found, by operator ---- */

struct explain_operator {
	char name[40]; /* "ld.global.nc" */
	uint64_t executions, requests, sectors, bytes;
	uint64_t found[JOB_LEVEL_COUNT];
};

/* ---- what-ifs ---- */

#define EXPLAIN_RUNS_MOST      10u
#define EXPLAIN_SENTENCES_MOST 5u

struct explain_what_if {
	char change[768]; /* "--set bridge_cycles=41", "block=128 grid=64" */
	char what[256];   /* "the atomic units took half the time" */
	char advice[160]; /* what to do about it; "" */
	const struct explain_bind *of; /* or NULL: a change of the launch */
	double cycles;
	double gain; /* share of the cycles that it saves; negative: it costs */
	char failed[160]; /* why it was not run, or proves nothing; "" */
	bool proposed;    /* the gain is more than the model's error */
	bool at_most;     /* what the change itself takes is left out */
};

/* The model's error in cycles on such launches, in percent. */
struct explain_error {
	char kind[64]; /* of results/limits.tsv: "kernels, never looked at" */
	double percent;
	bool known; /* for this machine */
};

struct explanation {
	struct profile_list profiles; /* one; owned */
	const struct profile *profile;
	char *assumed; /* an operation whose time is not fitted; owned; NULL */
	bool placed;   /* the launch is of a program, which says what each SM
			  does: those that do nothing are no tail */
	struct explain_bind *binds; /* most important first; owned */
	size_t bind_count;
	struct explain_operator *operators; /* owned */
	size_t operator_count;
	struct explain_what_if what_ifs[EXPLAIN_RUNS_MOST];
	size_t what_if_count;
	bool asked; /* for what-ifs */
	struct explain_error error;
};

/* Of the first profile of the list, which moves to the explanation also after
   an error. ERR_FAILED without memory. */
int explain_make(struct explanation *e, struct profile_list *profiles,
	const char *assumed, bool placed, struct error *error);
/* The same of a profile that stays the caller's, and is of a job. */
int explain_borrow(struct explanation *e, const struct profile *profile,
	struct error *error);
void explain_free(struct explanation *e);

/* What is run again: the launch that the profile is of. */
struct explain_runs {
	const struct backend_ops *ops;
	const struct backend_config *config; /* that it ran with */
	const struct job *job;
	const struct program *program; /* whose kernels the job has, or NULL */
	const struct program_places *places;
	size_t run;               /* of job_runs() */
	const char *machine;      /* its name; NULL: the default */
	bool fixed;               /* the launch can't be another one */
	struct job_wishes wishes; /* that it ran with */
	unsigned char **contents; /* of the buffers, as it left them */
	double cycles;
};

/* Runs the job, which may be another one than theirs, or the program whose
   kernels it has. As run_job() of the backend. */
int explain_run(const struct explain_runs *runs, struct backend *backend,
	const struct job *job, const struct job_wishes *wishes,
	struct job_result *result, struct error *error);

/* Runs the model again, EXPLAIN_RUNS_MOST times at most. ERR_INTERRUPTED, or
   ERR_FAILED without memory; a run that fails otherwise is said in its
   place. */
int explain_what_ifs(struct explanation *e, const struct explain_runs *runs,
	struct error *error);

/* ---- parts ---- */

/* explain_binds.c; ERR_FAILED without memory. */
int explain_find_binds(struct explanation *e, struct error *error);
/* explain_operators.c */
int explain_find_operators(struct explanation *e, struct error *error);
/* explain_error.c: `binds` are there. */
void explain_find_error(struct explanation *e);

/* "FILE:LINE" of a bind: the source where it is known, else the module; "-"
   without a line. */
void explain_place(const struct explanation *e, const struct explain_bind *bind,
	char *text, size_t bytes);
/* The two apart, the file without its folder. `file` NULL: there is no line. */
void explain_file(const struct explanation *e, const struct explain_bind *bind,
	const char **file, uint32_t *line);

/* Rows of the lines that warps wait for, most first: of the source, or of PTX
   where it has no `.loc`, which have `line`. The caller frees them; NULL
   without memory. */
struct job_line *explain_lines(const struct explanation *e, size_t *count);
/* "FILE:LINE" of a row, and what stands there; "" where nobody knows. */
void explain_line_place(const struct explanation *e, const struct job_line *row,
	char *text, size_t bytes);
const char *explain_line_text(
	const struct explanation *e, const struct job_line *row);

/* The statement of a line of PTX, without a guard and a label, until one of
   the characters in `ends`. */
void explain_operation(
	const char *ptx, const char *ends, char *text, size_t bytes);

/* Units that one server of the kind carried in a cycle, on the mean: of its
   ceiling as much as it was busy; without one, what it served. */
double explain_reached(
	const struct explanation *e, const struct job_server *server);
/* Warps of the chip that could be resident at once, as a share of those that it
   has room for; those that were. */
double explain_occupancy_most(const struct job_occupancy *o);
double explain_occupancy(const struct job_occupancy *o);
/* How often the grid fills the chip. */
double explain_waves(const struct job_occupancy *o);
/* The limits that an SM's blocks come to, as words; `text` has 96 bytes. */
void explain_limited(const struct job_occupancy *o, char *text);
/* Times that an access to shared memory goes through the banks; 0: there is
   none. */
double explain_passes(const struct explanation *e, const struct job_line *line);

/* ---- files ---- */

void explain_put_text(const struct explanation *e, FILE *out);
/* explain_queues.c: a part of it, how many stand in line over time. */
void explain_put_queue_rows(const struct explanation *e, FILE *out);
void explain_put_json(const struct explanation *e, FILE *out);

#endif
