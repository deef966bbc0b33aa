#ifndef NEARFAR_KERNEL_JOB_H
#define NEARFAR_KERNEL_JOB_H

/* clang-format off: the grammar has lines of its own */
/*
 * A job: a user's own kernels, with the memory they work on.
 *
 *   job = modules (at most 4096) + buffers (at most 16384) + tensor maps (at
 *         most 4096) + launches + host actions (at most 4096) between them
 *
 * A module is a PTX file, held as it is. Both backends execute it unchanged:
 * the model reads it, a GPU's driver compiles it. A buffer is an allocation
 * with its first content, of device memory unless it says otherwise. Launches
 * run on the same memory, on streams: those of one stream in order, each when
 * the one before has ended; those of different streams may run at the same
 * time.
 *
 * Execution, the same on both backends:
 * - Each buffer is an allocation of its own that begins at a 2 MiB page, and
 *   holds what fill.h says.
 * - The device is cold before the first launch: L1, L2 and TLBs are empty. L2,
 *   TLBs and DRAM keep their state from launch to launch; `flush` makes the
 *   device cold again. L1 starts empty in every launch.
 * - A launch is executed `warmups` + `repeats` times in a row, on the memory as
 *   the one before left it. `flush` stands before each of them, and waits until
 *   nothing runs on any stream. Warm-ups are not reported.
 * - An execution of a launch that is after=programmatic need not wait for the
 *   end of the one before in its stream: it may begin when each block of that
 *   one has executed griddepcontrol.launch_dependents or has ended. What that
 *   one writes is there behind griddepcontrol.wait. Executions of one launch
 *   are after each other so, too.
 * - What launches begin with that nothing orders is no part of a job: all that
 *   wait for nothing are handed to the device together.
 * - A host action stands before the first execution, warm-ups included, of the
 *   launch that follows it. It waits until nothing runs on any stream. A window
 *   is no action by itself: each launch has that of the last `window` before
 *   it, or none, and launches go on beside each other.
 * - Copies in a row go at the same time: none writes what another one has.
 * - The buffers' last content is compared as each one's `compare` says
 *   (compare.h).
 *
 * - Tensor maps that launches take by their addresses lie in global memory, 128
 *   bytes each, behind the buffers.
 *
 * A job owns its arrays and texts: job_free(). Nothing in it depends on where
 * its files lie, so that its digest is the same on every machine.
 *
 * The text form: one statement a line, `#` comments, indentation free; words
 * hold no blanks. job_parse(job_print(j)) is j, and job_print(job_parse(t)) is
 * the canonical form of t, which leaves out what is at its default.
 *
 *   nearfar-kernel 1
 *   module triad.ptx
 *   buffer a bytes=64MiB type=f32 fill=random seed=1
 *   buffer b bytes=64MiB type=f32 fill=random seed=2
 *   buffer c bytes=64MiB type=f32
 *   launch triad grid=65536 block=256 args=a,b,c,f32:3,s32:16777216
 *
 * What each statement takes stands in the table that reads it, from which
 * `nearfar help jobs` is made (statement_put in fields.h).
 *
 * ENTRY is a `.entry` of exactly one of the modules. `cluster` is how many
 * blocks are a cluster, which has at most 16 of them and divides the grid;
 * without it the kernel's .reqnctapercluster counts. `shared` is the dynamic
 * shared memory of a block. `registers` is what the assembler gives a thread,
 * where it is known: the model takes it instead of its own estimate, a GPU's
 * driver knows better and ignores it. Streams are numbered from 0 to 127. The
 * blocks of a `cooperative` launch may wait for each other, as grid groups do
 * (grid.sync()): all of them fit on the device at once, or none runs.
 * `shared_carveout` is the share of an SM's shared memory that the kernel
 * prefers to have, 0 to 100: L1 has the rest. Without it the driver chooses.
 *
 * `memory` is where a buffer is: the GPU's own memory, plain or compressible,
 * another GPU's (`peer` is the GPU so many behind the own one, in a ring; 0:
 * the peer of the run), or the host's, pinned and mapped. `flush` as a
 * statement writes back and drops all in L1 and L2, once; `reset` turns
 * persisting lines back to normal; `granularity` is the device limit on L2
 * fetches: 32, 64 or 128 bytes; `carveout` sets bytes of L2 aside for
 * persisting lines; `window` is the access-policy window of the launches behind
 * it. Granularity and carve-out are the device's own again after the job.
 *
 * A tensor map (map.h) describes a buffer, from its first byte on, as a tensor
 * of 1 to 5 dimensions: TYPE is u8, u16, u32, s32, u64, s64, f16, f32, f64,
 * bf16, f32.ftz, tf32 or tf32.ftz. `dims` is its extent and `box` what a copy
 * moves, in elements, the innermost dimension first. `strides` are in bytes,
 * from the second dimension on: a tensor of one dimension has none. A box takes
 * every elements[i]-th element of dimension i. The other words are those of
 * cuTensorMapEncodeTiled, which says what each may be. On a GPU the driver
 * encodes the map, the model does it by itself: the bytes are the same.
 *
 *   ARGUMENT = BUFFER                 its address
 *            | BUFFER+SIZE            SIZE bytes into it
 *            | map:NAME               a tensor map by value: 128 bytes,
 *                                     aligned to 64
 *            | &map:NAME              the address of these bytes in global
 *                                     memory
 *            | TYPE:NUMBER            a scalar; a whole number may be written
 *                                     in hexadecimal, and s32:-1 is negative
 *            | {ARGUMENT,...}         a struct by value, laid out as C does;
 *                                     structs do not nest
 */
/* clang-format on */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/program/program.h"
#include "harness/tensor/map.h"

#define JOB_NAME_BYTES      64
#define JOB_BUFFER_BYTES    32 /* of a buffer's name */
#define JOB_PARAMETER_BYTES 4096
#define JOB_PAGE_BYTES      (UINT64_C(2) << 20)
#define JOB_BUFFERS_MAX     16384u
#define JOB_MODULES_MAX     4096u
#define JOB_CLUSTER_MAX     16u
#define JOB_MAPS_MAX        4096u
#define JOB_STREAMS_MAX     128u
#define JOB_STEPS_MAX       4096u

/* ---- elements ---- */

enum element_kind { ELEMENT_UNSIGNED, ELEMENT_SIGNED, ELEMENT_FLOAT };

/* What a buffer holds, and what a scalar argument is: name, bytes, kind,
   significant bits of a float. */
#define ELEMENT_TYPES(T)                                                       \
	T(U32, "u32", 4, UNSIGNED, 0)                                          \
	T(U8, "u8", 1, UNSIGNED, 0)                                            \
	T(S8, "s8", 1, SIGNED, 0)                                              \
	T(U16, "u16", 2, UNSIGNED, 0)                                          \
	T(S16, "s16", 2, SIGNED, 0)                                            \
	T(S32, "s32", 4, SIGNED, 0)                                            \
	T(U64, "u64", 8, UNSIGNED, 0)                                          \
	T(S64, "s64", 8, SIGNED, 0)                                            \
	T(F16, "f16", 2, FLOAT, 11)                                            \
	T(BF16, "bf16", 2, FLOAT, 8)                                           \
	T(F32, "f32", 4, FLOAT, 24)                                            \
	T(F64, "f64", 8, FLOAT, 53)

enum element_type {
#define ELEMENT_ENUM(name, text, bytes, kind, digits) ELEMENT_##name,
	ELEMENT_TYPES(ELEMENT_ENUM)
#undef ELEMENT_ENUM
		ELEMENT_TYPE_COUNT
};

struct element {
	const char *name;
	uint8_t bytes;
	uint8_t kind;             /* enum element_kind */
	uint8_t significant_bits; /* of a float */
};

extern const struct element elements[ELEMENT_TYPE_COUNT];

/* The type of that name, or -1. */
int element_find(const char *name);

/* Bits of a value in a float type, to the nearest, ties to even; and back. */
uint64_t element_float_bits(enum element_type type, double value);
double element_float_value(enum element_type type, uint64_t bits);

/* ---- modules and buffers ---- */

struct job_module {
	char *path; /* as the job says it */
	char *text; /* its PTX, followed by a zero byte */
	size_t bytes;
	bool is_trace; /* the text is a trace (trace.h), by its name */
	char *file;    /* where it was found; NULL: nowhere. Not digested */
	const char *source; /* the text of the only file that its .loc name;
			       borrowed; NULL: where the file is */
};

enum job_fill {
	JOB_FILL_ZERO,
	JOB_FILL_IOTA,
	JOB_FILL_RANDOM,
	JOB_FILL_PERMUTATION,
	JOB_FILL_RING,
	JOB_FILL_FILE,
	JOB_FILL_COUNT
};

enum job_compare {
	JOB_COMPARE_EXACT,    /* the same bytes */
	JOB_COMPARE_ULP,      /* floats, each at most `ulps` apart */
	JOB_COMPARE_MULTISET, /* the same elements in any order */
	JOB_COMPARE_NONE,     /* may differ from run to run */
	JOB_COMPARE_COUNT
};

struct job_buffer {
	char name[JOB_BUFFER_BYTES];
	uint64_t bytes; /* whole elements */
	uint8_t type;   /* enum element_type */
	uint8_t fill;   /* enum job_fill; its fields as fill.h says: */
	uint8_t order;  /* enum ring_order of program.h */
	uint8_t power;  /* 1 .. 8 */
	uint32_t seed;
	double first, step;
	uint64_t below;
	uint64_t slot_bytes; /* of a ring; 0: an element */
	char *file;          /* JOB_FILL_FILE: the path, as the job says it */
	unsigned char *file_content;       /* `bytes` of it */
	const struct job_content *content; /* of fill.h, in the place of
					      a fill; NULL; not owned */
	uint8_t compare;                   /* enum job_compare */
	uint64_t ulps;
	uint8_t memory; /* enum memory_kind of program.h */
	uint8_t peer;   /* MEMORY_PEER only, as there */
};

static inline uint64_t job_buffer_elements(const struct job_buffer *b)
{
	return b->bytes / elements[b->type].bytes;
}

/* ---- tensor maps ---- */

struct job_map {
	char name[JOB_BUFFER_BYTES];
	uint32_t buffer;          /* that it describes */
	struct tensor_map tensor; /* its address: 0, the buffer's is added */
};

/* ---- launches ---- */

enum job_argument_kind {
	JOB_SCALAR,
	JOB_ADDRESS,     /* in a buffer */
	JOB_MAP,         /* a tensor map's bytes */
	JOB_MAP_ADDRESS, /* where they lie */
};

struct job_argument {
	uint8_t kind;       /* enum job_argument_kind */
	bool in_struct;     /* a member of the struct that is the parameter */
	uint16_t parameter; /* the entry's parameter, from 0 */
	uint16_t offset;    /* in the parameter: 0, or a member's offset */
	uint8_t type;       /* enum element_type; of an address: u64 */
	uint32_t of;        /* the buffer or the tensor map */
	uint64_t value;     /* the scalar's bits, or bytes into the buffer */
};

/* What an execution of a launch waits for, of the one before in its stream. */
enum job_after {
	JOB_AFTER_END,
	JOB_AFTER_PROGRAMMATIC, /* the trigger of all its blocks */
	JOB_AFTER_COUNT
};

struct job_launch {
	char *entry;
	char name[PROGRAM_NAME_BYTES]; /* no other launch's; empty: none */
	const char *program;        /* whose launch it is, or NULL; not owned */
	uint32_t module;            /* the one that has the entry; job_load() */
	uint32_t grid[3], block[3]; /* x, y, z */
	uint32_t cluster[3];        /* blocks; 0: as the kernel says */
	uint64_t shared_bytes;      /* dynamic, of a block */
	uint32_t registers;         /* of a thread; 0: not given */
	uint32_t warmups, repeats;
	bool flush;
	uint32_t stream;
	uint8_t after;                  /* enum job_after */
	uint8_t carveout_plus_1;        /* percent; 0: the driver chooses */
	bool cooperative;               /* its blocks are resident at once */
	struct job_argument *arguments; /* in the order of parameters */
	size_t argument_count;
};

/* A host action, as programs have them. */
struct job_step {
	struct step step; /* no STEP_LAUNCH; of buffers of the job */
	uint32_t before;  /* the launch that it stands before, or all of them */
};

struct job {
	char name[JOB_NAME_BYTES];
	struct job_module *modules;
	size_t module_count;
	struct job_buffer *buffers;
	size_t buffer_count;
	struct job_map *maps;
	size_t map_count;
	struct job_launch *launches;
	size_t launch_count;
	struct job_step *steps; /* in the order of the text */
	size_t step_count;
};

/* As sentences begin: "kernel 'k'", or "launch 'l' of program 'p'". */
#define JOB_SUBJECT_BYTES 128
const char *job_subject(
	const struct job_launch *launch, char text[JOB_SUBJECT_BYTES]);
/* What messages call it: its name, or else its kernel. */
static inline const char *job_launch_name(const struct job_launch *launch)
{
	return launch->name[0] ? launch->name : launch->entry;
}

/* Threads of a block, blocks of the grid, and launches that are reported:
   each launch's repeats. */
uint32_t job_block_threads(const struct job_launch *launch);
uint64_t job_grid_blocks(const struct job_launch *launch);
size_t job_runs(const struct job *job);

/* An execution of a launch of the job. */
struct job_run {
	uint32_t launch;
	int64_t repeat; /* less than 0: a warm-up */
};

/* All of them in the order of the job; the caller frees them. ERR_FAILED
   without memory. */
int job_list_runs(const struct job *job, struct job_run **runs, size_t *count,
	struct error *error);
/* Whether it is the first of its launch. */
bool job_run_is_first(const struct job *job, const struct job_run *run);
/* How many of them, from the first on, are handed to the device together:
   those before the next flush or host action, or one where none of these may
   run at the same time as another. */
size_t job_runs_together(
	const struct job *job, const struct job_run *runs, size_t count);

/* Parameters of a launch; the bytes that one of them needs: of a struct with
   its padding. */
size_t job_parameters(const struct job_launch *launch);
size_t job_parameter_bytes(const struct job_launch *launch, size_t parameter);

/* Where a job's things lie on a device, and what a device makes of them: an
   item for each buffer and each tensor map. Without maps the latter are NULL.
 */
struct job_places {
	const uint64_t *buffers; /* addresses */
	const uint64_t *maps;    /* addresses */
	const unsigned char (*map_bytes)[TENSOR_MAP_BYTES];
};

/* Writes the parameter's bytes. */
void job_parameter_write(const struct job_launch *launch, size_t parameter,
	const struct job_places *places, unsigned char *to);

/* The index of the buffer or the tensor map called `name`, or -1. */
int job_buffer_find(const struct job *job, const char *name);
int job_map_find(const struct job *job, const char *name);

/* ---- reading and writing ---- */

/*
 * Reads the text of a job. An error is ERR_USAGE with "SOURCE:LINE:COLUMN: what
 * was expected". Files are not read, and the job is not checked yet. `job` is
 * written only on success.
 */
int job_parse(const char *text, const char *source, struct job *job,
	struct error *error);

/*
 * Reads a job file with its modules and the files of its buffers, finds each
 * launch's module, and checks the whole. ERR_USAGE for what is wrong in any of
 * them, ERR_FAILED for a file that cannot be read. A file NAME.g is a list of
 * traces, as Accel-Sim's kernelslist.g: a launch each.
 */
int job_load(const char *path, struct job *job, struct error *error);

/* ERR_USAGE with the rule that the job breaks. */
int job_check(const struct job *job, struct error *error);

/* All statements, as the page of the manual shows them. */
void job_statements_put(FILE *out);

/* Writes the canonical text; ERR_FAILED if the stream fails. */
int job_print(const struct job *job, FILE *out);

/* The canonical text as a string; the caller frees it. NULL: no memory. */
char *job_text(const struct job *job);

/* The identity of a job: of its canonical text, its modules' texts and its
   buffers' files. ERR_FAILED without memory. */
int job_digest(const struct job *job, uint64_t *digest);

void job_free(struct job *job); /* which is empty then */

#endif
