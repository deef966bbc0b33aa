#ifndef NEARFAR_JOB_RESULT_H
#define NEARFAR_JOB_RESULT_H

/*
 * What a backend says of a job that it ran (backend.h): cycles and counters of
 * each launch, and what was asked for besides: the buffers' last content, and
 * where the time went.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/contract/counter.h"
#include "harness/contract/timeline.h"
#include "harness/contract/job_occupancy.h"
#include "harness/kernel/job.h"

/* ---- where the time went ---- */

/*
 * What a resident warp waits for. Each cycle of each resident warp has one
 * class: a wait belongs to the request that ended it. The classes of a launch
 * add up to job_profile.warp_cycles. `drain` is what Nsight Compute calls so;
 * for `dependence` it has no name.
 */
#define JOB_WAITS(W)                                                           \
	W(ISSUE, "issue", "a scheduler or a pipe that serves other warps")     \
	W(CODE, "code", "instructions of the kernel that the SM fetches")      \
	W(ARITHMETIC, "arithmetic", "the value of an arithmetic operation")    \
	W(SHARED, "shared_memory", "shared memory")                            \
	W(BARRIER, "barrier", "other warps of the block")                      \
	W(L1, "l1", "a load that L1 answered")                                 \
	W(NEAR, "near_l2", "a load that the near half of L2 answered")         \
	W(FAR, "far_l2", "a load that the far half of L2 answered")            \
	W(DRAM, "dram", "a load that DRAM answered")                           \
	W(TLB, "tlb", "a translation that missed the TLBs")                    \
	W(ROOM, "request_queue", "room for a load among its SM's requests")    \
	W(ATOMIC, "atomic_unit", "the answer of an atomic unit")               \
	W(WRITE, "write_queue", "room for a store, or its arrival")            \
	W(DRAIN, "drain", "the way out of its stores, behind its end")         \
	W(DEPENDENCE, "dependence", "launches that the launch depends on")

enum job_wait {
#define JOB_WAIT_ENUM(name, text, what) JOB_WAIT_##name,
	JOB_WAITS(JOB_WAIT_ENUM)
#undef JOB_WAIT_ENUM
		JOB_WAIT_COUNT
};

/* Where the sectors of a line were found. */
#define JOB_LEVELS(L)                                                          \
	L(L1, "l1")                                                            \
	L(NEAR, "near_l2")                                                     \
	L(FAR, "far_l2")                                                       \
	L(DRAM, "dram")

enum job_level {
#define JOB_LEVEL_ENUM(name, text) JOB_LEVEL_##name,
	JOB_LEVELS(JOB_LEVEL_ENUM)
#undef JOB_LEVEL_ENUM
		JOB_LEVEL_COUNT
};

/* Who answered a request: for a load where the last of its sectors was. */
#define JOB_ANSWERS(A)                                                         \
	A(L1, "l1")                                                            \
	A(NEAR, "near_l2")                                                     \
	A(FAR, "far_l2")                                                       \
	A(DRAM, "dram")                                                        \
	A(ATOMIC, "atomic_unit")                                               \
	A(WRITE, "write")

enum job_answer {
#define JOB_ANSWER_ENUM(name, text) JOB_ANSWER_##name,
	JOB_ANSWERS(JOB_ANSWER_ENUM)
#undef JOB_ANSWER_ENUM
		JOB_ANSWER_COUNT
};

/* What requests took, from their instruction to their answer, in three parts. A
   cycle in which a request is at two servers belongs to the first of them. */
struct job_parts {
	uint64_t requests;     /* stores included, for which nobody waits */
	double way_cycles;     /* wires and pipelines, and what another request
				  brings, too */
	double queue_cycles;   /* in line at servers, or for room */
	double service_cycles; /* served */
};

extern const char *const job_answer_names[JOB_ANSWER_COUNT];
extern const char *const job_wait_names[JOB_WAIT_COUNT];
extern const char *const job_wait_whats[JOB_WAIT_COUNT];
extern const char *const job_level_names[JOB_LEVEL_COUNT];

/* A line of PTX that was executed. */
struct job_line {
	uint32_t line;        /* of the launch's module, from 1 */
	uint32_t source;      /* 1 + index in job_profile.sources; 0: none */
	uint32_t source_line; /* as the last `.loc` says; of what is inlined
				 from another file where that is; 0: none */
	uint64_t executions;  /* instructions of warps */
	uint64_t lanes;       /* of them that were active */
	uint64_t requests;    /* to memory, shared memory included */
	uint64_t sectors;     /* of 32 bytes, that these asked for */
	uint64_t bytes;       /* of these that lanes wanted, each by its own */
	uint64_t found[JOB_LEVEL_COUNT]; /* sectors, by where they were */
	uint64_t answered;    /* requests that came back beyond the SM's pipe */
	uint64_t stale_words; /* of 4 bytes that L1 served, though another SM
				 had written them since; job_wishes.races */
	double latency_cycles;              /* the sum over these */
	double wait_cycles[JOB_WAIT_COUNT]; /* of warps that waited to issue it,
					       or for its answer */
	double stalled_cycles[JOB_WAIT_COUNT]; /* the same waits by the line
						  that could not be issued */
	struct job_parts took;                 /* its requests */
};

/* What servers of one kind did in a launch: requests or instructions stand in
   line for a server, and it does one job after the other. */
struct job_server {
	char name[24];
	char of[12];     /* what has one: "SM", "slice", ... */
	char unit[16];   /* what it carries: "sectors", ... */
	char nsight[48]; /* its counter in Nsight Compute; "": there is none */
	bool is_room;    /* no server but room for so many: it is busy while
			    something waits for room, and has served what has
			    waited */
	uint32_t count;  /* how many the chip has */
	double rate; /* units that one carries in a cycle; 0: no fixed rate */
	double busy_cycles;    /* the sum over all of them */
	double busiest_cycles; /* of the one that was busy the longest */
	uint32_t busiest;      /* its number, from 0 */
	uint64_t served;
	double waited_cycles;  /* the sum over what was served */
	uint64_t longest_line; /* that one of these found there when it came */
};

/*
 * A line of code at the servers of a kind. What stands in line suffers: the
 * requests and the instructions of the line, and what these leave behind, as
 * write-backs of lines that they displace. The cycle is caused by the line that
 * is served in it; where something waits for room, by the line that has had its
 * room for the longest. Both columns add up to the same, for each kind of
 * server. Of two servers at which one stands at once the first counts.
 */
#define JOB_NO_LINE UINT32_MAX /* none of this launch, but a refresh, say */

struct job_queue {
	uint32_t line;   /* index in job_profile.lines, or JOB_NO_LINE */
	uint32_t server; /* index in job_profile.servers */
	double suffered_cycles, caused_cycles;
};

struct job_profile {
	double warp_cycles; /* resident warps, summed over the cycles */
	double wait_cycles[JOB_WAIT_COUNT];
	struct job_parts took[JOB_ANSWER_COUNT];
	struct job_line *lines; /* ascending by line; owned */
	size_t line_count;
	char **sources; /* the files that `.file` names; owned */
	size_t source_count;
	double server_cycles;       /* in which servers can be busy: the launch
				       until nothing is under way */
	struct job_server *servers; /* those that did something, the busiest
				       first, room last; owned */
	size_t server_count;
	struct job_occupancy occupancy;
	uint64_t fetched_sectors; /* that L2 fetched from DRAM, */
	uint64_t unused_sectors;  /* and those of them that nobody asked for
				     before they were fetched again or the
				     launch ended */
	struct job_queue *queues; /* ascending by line, then by server; owned */
	size_t queue_count;
};

/* ---- launches ---- */

#define JOB_NOTE_BYTES 256

/* One execution of a launch that is reported; warm-ups are not. */
struct job_launch_result {
	uint32_t launch; /* in the job */
	uint32_t repeat; /* of this launch, from 0 */
	double cycles;   /* sm__cycles_elapsed.max, or as near as the backend
			    comes to it */
	double ns;
	uint32_t registers; /* of a thread */
	bool registers_estimated;
	uint32_t blocks_per_sm;    /* that an SM holds at once */
	const char *assumed;       /* an operation whose time the model has not
				      fitted yet; static; NULL: there is none */
	char note[JOB_NOTE_BYTES]; /* what the model has done beside what the
				      text says: a sentence; "": nothing */
	struct counter counters[BACKEND_COUNTERS_MAX];
	size_t counter_count;
	struct job_profile *profile; /* owned; NULL: not asked for, or not
					known */
};

/* Which values of a kernel are computed, and how. */
enum job_values {
	JOB_VALUES_HARDWARE, /* all, as the hardware does */
	JOB_VALUES_IEEE,     /* all; products of matrices are summed in f32, one
				after the other */
	JOB_VALUES_NONE,     /* only those that decide what happens when: what
				buffers hold afterwards is not defined */
};

extern const char *const job_values_names[JOB_VALUES_NONE + 1];

/* What to report besides the launches. */
struct job_wishes {
	bool contents;       /* of all buffers */
	bool profile;        /* where the backend has one */
	uint64_t max_cycles; /* of a launch, on the model; 0: no limit */
	bool races;          /* count stale words; needs the profile */
	bool unchecked;      /* nobody looks whether kernels wait for their
				bulk copies */
	bool as_written;     /* on the model: code is as its text, without what
				it does for the assembler */
	enum job_values values; /* on the model */
	bool even_banks;        /* on the model: an access to shared memory goes
				   through its banks as often as its bytes need */
	bool side_by_side; /* on the model: lanes that are equally far apart
			      in global memory are at the places that a
			      layout by fields would give them */
	struct timeline *timeline; /* to be recorded, where the backend can; or
				      NULL */
};

/* Copies that went at the same time: all their bytes, from the start of the
   first to the end of the last. */
struct copied {
	double bytes, ns; /* 0: there are none */
};

struct job_result {
	struct job_launch_result *launches; /* job_runs() of them; owned */
	size_t launch_count;
	double clock_hz;          /* SM clock over this run */
	struct copied copied;     /* of the job's last copies */
	unsigned char **contents; /* a buffer's bytes each, or NULL; owned */
	size_t content_count;     /* 0: not asked for */
	char *printed; /* by the kernels, whether the job failed or not; owned
			*/
	size_t printed_bytes;
	bool printed_more; /* than was kept */
	bool all_values;   /* with JOB_VALUES_NONE: all of them decide, and were
			      computed as with JOB_VALUES_IEEE */
};

/* Appends a zeroed launch; NULL without memory. What was returned before
   moves. */
struct job_launch_result *job_result_add(struct job_result *result);

/* Makes room for every buffer's bytes; ERR_FAILED without memory. */
int job_result_contents(struct job_result *result, const struct job *job);

void job_parts_add(struct job_parts *to, const struct job_parts *from);

/* The numbers of `from` on top of those of `to`, whose place stays. */
void job_line_add(struct job_line *to, const struct job_line *from);

void job_profile_free(struct job_profile *profile); /* and `profile` */

/* Leaves the result empty. */
void job_result_free(struct job_result *result);

#endif
