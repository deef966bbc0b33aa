#ifndef NEARFAR_PROGRAM_H
#define NEARFAR_PROGRAM_H

/*
 * The access program: what a benchmark asks of a memory system.
 *
 * A program is a plain value without pointers: copy it, compare it, print it
 * (text.h), check it (legality.h), count it (account.h). Both backends
 * execute the same value and nothing else.
 *
 *   program = buffers + steps; a step is a host action or a launch
 *   launch  = roles that run at the same time, each on its own SMs
 *   role    = a body of instructions, executed by every thread of the role
 *
 * Execution, the same on both backends:
 * - A warp issues its instructions in order and does not wait for the value
 *   of a load until something needs it: the next link of a chase, the end of
 *   an iteration (of the unrolled body), or a timed iteration.
 * - Stores and reductions are not waited for, except by a fence and by an
 *   iteration that is timed for itself. A region that is timed as a whole ends
 *   for a warp when its last access is issued and its values are there. Its
 *   span ends when what it wrote has arrived; instructions behind it begin
 *   then. Prefetches and discards are waited for by fences only.
 * - The blocks of a launch start together if it has several roles or names
 *   SMs: they wait for each other. A plain grid starts as its blocks come
 *   (`start=` says otherwise). A background role repeats its body
 *   until every other role has finished. With `turns`, the SMs of the launch's
 *   only role take turns, one at a time, in the order of their ids.
 * - L1 starts empty in every launch (CUDA drops it between dependent grids).
 *   L2, TLBs and DRAM keep their state from step to step, until a flush.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRAM_NAME_BYTES   32
#define PROGRAM_BUFFERS_MAX  8
#define PROGRAM_STEPS_MAX    16
#define PROGRAM_ROLES_MAX    16
#define PROGRAM_INSNS_MAX    128
#define PROGRAM_DEPTH_MAX    3  /* nested repeats */
#define PROGRAM_REGIONS_MAX  12 /* timed repeats, in program order */
#define PROGRAM_POLICIES_MAX 4
#define PROGRAM_WARP_LANES   32
#define PROGRAM_SECTOR_BYTES 32
#define PROGRAM_LINE_BYTES   128

/* ---- buffers ---- */

enum fill { FILL_ZERO, FILL_RANDOM, FILL_RING, FILL_COUNT };
enum ring_order { ORDER_SEQUENTIAL, ORDER_SHUFFLE, ORDER_COUNT };
/* The GPU's own memory, plain or compressible; far memory: another GPU's, or
   the host's, pinned and mapped. */
enum memory_kind {
	MEMORY_PLAIN,
	MEMORY_COMPRESSIBLE,
	MEMORY_PEER,
	MEMORY_HOST,
	MEMORY_COUNT
};

static inline bool memory_is_far(unsigned memory)
{
	return memory == MEMORY_PEER || memory == MEMORY_HOST;
}

/*
 * A ring buffer is cut into `rings` equal parts. Each part holds slots of
 * `slot_bytes`, the first element of which points to the next slot in the
 * part's order, so a chase of `bytes / rings / slot_bytes` steps visits every
 * slot of the part once. Part r is shuffled with seed + r.
 *
 * A ring may go through several buffers in turn, each in a memory of its own:
 * that of a buffer with `through` N is made of it and the N - 1 buffers behind
 * it, which are cut and ordered alike. A slot then points to the same slot of
 * the next buffer, one of the last buffer to the next slot of the first. The
 * links of a round stand together, in the order of the buffers.
 */
struct buffer {
	char name[PROGRAM_NAME_BYTES];
	uint64_t bytes;
	uint8_t memory;        /* enum memory_kind */
	uint8_t peer;          /* MEMORY_PEER only: the GPU so many behind the
				  own one, in a ring; 0: the peer of the run */
	uint8_t fill;          /* enum fill */
	uint8_t order;         /* enum ring_order; rings only */
	uint8_t element_bytes; /* rings only: 4 (the next slot's offset in
				  the buffer) or 8 (its address) */
	uint8_t random_bytes;  /* FILL_RANDOM: so many bytes at the start of
				  each 32 are random, the rest is zero; a
				  multiple of 4; 0: all are random */
	uint32_t seed;         /* FILL_RANDOM and shuffled rings */
	uint32_t slot_bytes;   /* rings only */
	uint32_t rings;        /* rings only, >= 1 */
	uint8_t through;       /* rings only: so many buffers; 0: this one */
};

/* ---- addresses ---- */

enum address_mode {
	ADDRESS_NONE,   /* the instruction has no address */
	ADDRESS_AFFINE, /* see address_offset() in address.h */
	ADDRESS_CHASE,  /* the thread's current slot of a ring, + offset */
	ADDRESS_RANDOM, /* affine plus a seeded draw of a slot */
	ADDRESS_SHARED, /* affine, in the block's shared memory */
};

enum draw_per { DRAW_PER_LANE, DRAW_PER_WARP };

/*
 * offset = base_bytes + lane * lane_bytes + warp * warp_bytes
 *        + block * block_bytes + sum over loops of counter * loop_bytes
 *        [+ slot_bytes * draw(seed, thread or warp, counters)]
 *        modulo wrap_bytes (0: the buffer's size)
 * where warp is the warp's index in its block, block the block's index in
 * its role, and loop 0 the outermost repeat around the instruction.
 *
 * A chase with base_bytes 0 is a link: it reads the pointer at the start of
 * the thread's current slot, and the next slot becomes the current one. With
 * another base it is a plain load inside the current slot. A chase that is an
 * atomic uses the operand that leaves the value as it is (add 0, or 0, xor 0,
 * max 0, min all ones, cas 0 by 0).
 */
struct address {
	uint8_t mode;   /* enum address_mode */
	uint8_t buffer; /* index; not for ADDRESS_SHARED */
	uint8_t per;    /* enum draw_per; ADDRESS_RANDOM only */
	uint64_t base_bytes;
	uint64_t lane_bytes, warp_bytes, block_bytes;
	uint64_t loop_bytes[PROGRAM_DEPTH_MAX];
	uint64_t wrap_bytes;
	uint64_t slot_bytes; /* ADDRESS_RANDOM only */
};

/* ---- instructions ---- */

/*
 * Operations, with their PTX spelling (repeat, end and delay are ours).
 */
#define PROGRAM_OPS(O)                                                         \
	O(LD, "ld")                                                            \
	O(ST, "st")                                                            \
	O(ATOM, "atom")                                                        \
	O(RED, "red")                                                          \
	O(PREFETCH, "prefetch")                                                \
	O(PREFETCHU, "prefetchu")                                              \
	O(DISCARD, "discard")                                                  \
	O(APPLYPRIORITY, "applypriority")                                      \
	O(CREATEPOLICY, "createpolicy")                                        \
	O(FENCE, "fence")                                                      \
	O(BARRIER, "barrier")                                                  \
	O(DELAY, "delay")                                                      \
	O(REPEAT, "repeat")                                                    \
	O(END, "end")

enum op {
#define PROGRAM_OP_ENUM(name, text) OP_##name,
	PROGRAM_OPS(PROGRAM_OP_ENUM)
#undef PROGRAM_OP_ENUM
		OP_COUNT
};

/*
 * Qualifiers. Each instruction holds at most one value of each class; 0 is
 * "not written". Classes stand in the order in which PTX writes them. The
 * table of values (spelling, minimum SM and PTX version, operations, rule)
 * is in qualifiers.def and nowhere else.
 */
#define QUALIFIER_CLASSES(C)                                                   \
	C(KIND)      /* createpolicy: fractional range cvt */                  \
	C(SEM)       /* weak relaxed acquire release acq_rel sc volatile */    \
	C(SCOPE)     /* cta cluster gpu sys */                                 \
	C(SPACE)     /* global shared local */                                 \
	C(COP)       /* ca cg cs lu cv | wb cg cs wt */                        \
	C(NC)        /* nc */                                                  \
	C(ATOMIC)    /* add exch cas min max and or xor inc dec */             \
	C(LEVEL)     /* L1 L2 tensormap */                                     \
	C(L1)        /* L1::evict_* L1::no_allocate */                         \
	C(L2)        /* L2::evict_*; createpolicy: the primary priority */     \
	C(SECONDARY) /* createpolicy: the secondary priority */                \
	C(HINT)      /* L2::cache_hint */                                      \
	C(SIZE)      /* L2::64B L2::128B L2::256B */                           \
	C(VEC)       /* v2 v4 v8 */                                            \
	C(TYPE)      /* b8 .. f64 */

enum qualifier_class {
#define QUALIFIER_CLASS_ENUM(name) Q_##name,
	QUALIFIER_CLASSES(QUALIFIER_CLASS_ENUM)
#undef QUALIFIER_CLASS_ENUM
		Q_COUNT
};

/* Every qualifier value, as QV_<class>_<name>; 0 is absent in its class. */
enum qualifier_value {
	QV_NONE,
#define QUALIFIER(class, name, text, sm, ptx, ops) QV_##class##_##name,
#include "harness/program/qualifiers.def"
	QV_COUNT
};

/* Which threads execute an instruction. */
enum guard { GUARD_ALL, GUARD_LANE0, GUARD_THREAD0, GUARD_COUNT };

enum timing {
	TIMING_NONE,
	TIMING_REGION, /* one sample a warp: the cycles of the whole repeat */
	TIMING_EACH,   /* one sample a warp and iteration */
	TIMING_COUNT
};

struct insn {
	uint8_t op;         /* enum op */
	uint8_t guard;      /* enum guard */
	uint8_t q[Q_COUNT]; /* enum qualifier_value */
	uint8_t policy;     /* createpolicy: destination; with HINT: source */
	uint8_t timing;     /* REPEAT: enum timing */
	uint8_t unroll;     /* REPEAT: copies of the body an iteration waits
			       for; divides `count`; 0 means 1 */
	struct address address;
	uint64_t count;  /* REPEAT: iterations; DELAY: cycles;
			    APPLYPRIORITY, DISCARD: size_bytes;
			    CREATEPOLICY range: primary size_bytes */
	uint64_t total;  /* CREATEPOLICY range: total size_bytes;
			    CREATEPOLICY cvt: the access property */
	double fraction; /* CREATEPOLICY fractional, (0, 1] */
	char region[PROGRAM_NAME_BYTES]; /* timed REPEAT: its name;
			    OP_COUNT: the spelling that was not understood */
};

/* ---- steps ---- */

enum place {
	PLACE_BLOCKS, /* `blocks` blocks, wherever the hardware puts them */
	PLACE_SMS,    /* SMs first, first + stride, ... (count of them) */
	PLACE_OTHERS, /* every SM that no other role of the launch names */
	PLACE_COUNT
};

struct role {
	char name[PROGRAM_NAME_BYTES];
	uint8_t place; /* enum place */
	bool background;
	uint32_t blocks; /* PLACE_BLOCKS: in all; else blocks on each SM */
	uint32_t sm_first, sm_count, sm_stride; /* PLACE_SMS; count 0: all */
	uint32_t threads;                       /* a block, 1 .. 1024 */
	uint32_t lanes;        /* active lanes of each warp, 1 .. 32 */
	uint32_t shared_bytes; /* dynamic shared memory a block */
	uint32_t insn_first, insn_count; /* in program.insns */
};

/* Warps of a block of the role. */
static inline uint32_t role_warps(const struct role *role)
{
	return (role->threads + PROGRAM_WARP_LANES - 1) / PROGRAM_WARP_LANES;
}

enum step_kind {
	STEP_LAUNCH,
	STEP_FLUSH,       /* write back and drop everything in L1 and L2 */
	STEP_RESET,       /* turn persisting lines back to normal */
	STEP_GRANULARITY, /* the device limit on L2 fetches: 32, 64, 128 B */
	STEP_CARVEOUT,    /* bytes of L2 set aside for persisting lines */
	STEP_WINDOW,      /* the access-policy window of later launches */
	STEP_COPY,        /* the copy engine moves the start of a buffer to
			     another one's; copies that follow each other go
			     at the same time */
	STEP_COUNT
};

/* Whether the blocks of a launch wait for each other before their roles begin,
   so that no start and no launch is in a region; or begin as they come. */
enum start {
	/* Free for a single role that names no SMs, in a launch without turns.
	 */
	START_AUTO,
	START_TOGETHER,
	START_FREE,
	START_COUNT
};

enum access_property {
	PROPERTY_NORMAL,
	PROPERTY_STREAMING,
	PROPERTY_PERSISTING,
	PROPERTY_COUNT
};

struct step {
	uint8_t kind;                  /* enum step_kind */
	char name[PROGRAM_NAME_BYTES]; /* STEP_LAUNCH */
	bool turns;                    /* STEP_LAUNCH */
	uint8_t start;                 /* STEP_LAUNCH: enum start */
	uint32_t registers; /* STEP_LAUNCH: a thread has, at most; 0: by rule */
	uint32_t role_first, role_count; /* STEP_LAUNCH */
	uint64_t bytes; /* GRANULARITY, CARVEOUT, WINDOW (0: no window), COPY */
	uint16_t buffer;     /* WINDOW; COPY: from there */
	uint16_t target;     /* COPY: to there */
	uint64_t base_bytes; /* WINDOW: offset in the buffer */
	double hit_ratio;    /* WINDOW, [0, 1] */
	uint8_t hit, miss;   /* WINDOW: enum access_property */
};

/* What a builder was asked and could not do; program_check reports it. */
enum program_fault {
	FAULT_NONE,
	FAULT_BUFFERS, /* more than PROGRAM_BUFFERS_MAX, and so on */
	FAULT_STEPS,
	FAULT_ROLES,
	FAULT_INSNS,
	FAULT_NAME,   /* longer than PROGRAM_NAME_BYTES - 1 */
	FAULT_ORPHAN, /* a role outside a launch, or an instruction outside
			 a role */
	FAULT_COUNT
};

struct program {
	char name[PROGRAM_NAME_BYTES];
	uint8_t fault; /* enum program_fault: the first mistake in building */
	uint32_t seed; /* of random addresses and fractional policies */
	uint32_t buffer_count, step_count, role_count, insn_count;
	struct buffer buffers[PROGRAM_BUFFERS_MAX];
	struct step steps[PROGRAM_STEPS_MAX];
	struct role roles[PROGRAM_ROLES_MAX];
	struct insn insns[PROGRAM_INSNS_MAX];
};

/* ---- building ----
 * Each call appends and returns the new item (never NULL: past a maximum the
 * last item is returned, and program_check reports the `fault`). Steps, roles
 * and instructions belong to the step and role appended last.
 *
 * What is not set is zero, except: a buffer has one ring of 8-byte elements
 * (for 0), a role one block of 32 threads with 32 lanes
 * and an SM stride of 1, and program_ptx sets a fractional policy's fraction
 * to 1 and the size of discard and applypriority to 128.
 */
void program_init(struct program *p, const char *name, uint32_t seed);
unsigned program_buffer(struct program *p, const struct buffer *buffer);
struct step *program_step(struct program *p, enum step_kind kind);
struct step *program_launch(struct program *p, const char *name);
struct role *program_role(struct program *p, const char *name);
struct insn *program_insn(struct program *p, enum op op);
struct insn *program_repeat(struct program *p, uint64_t count);
struct insn *program_timed(struct program *p, uint64_t count,
	enum timing timing, const char *region);
void program_end(struct program *p);

/*
 * An instruction from its PTX spelling ("ld.global.cg.b64"); the address is
 * left for the caller. The spelling comes from a bench, so a wrong one is a
 * bug: its operation is OP_COUNT, `region` keeps the words, and program_check
 * refuses it.
 */
struct insn *program_ptx(struct program *p, const char *spelling);

/* ---- reading ---- */

/* The ring a chase through `buffer` follows: slots of one part. */
static inline uint64_t buffer_ring_slots(const struct buffer *b)
{
	return b->bytes / b->rings / b->slot_bytes;
}

/* Bytes one lane moves: element width times vector width; 4 if untyped. */
uint32_t insn_lane_bytes(const struct insn *insn);

/* Bytes of one element, without the vector width; 4 if untyped. */
uint32_t insn_type_bytes(const struct insn *insn);

/* Timed repeats in program order; the index is the region's number. */
struct region {
	const struct insn *repeat;
	const struct role *role;
	uint32_t role_index, step_index, insn_index;
};
size_t program_regions(
	const struct program *p, struct region regions[PROGRAM_REGIONS_MAX]);

/* The number of the region called `name`, or -1. */
int program_region(const struct program *p, const char *name);

/*
 * Bytes that the address of a lane must be a multiple of: those of a load,
 * store, atomic or reduction, 128 for discard and applypriority, else 1.
 */
uint32_t insn_access_bytes(const struct insn *insn);

/* Whether no L1 may answer it: an atomic, or a load that is .cg, .cv, volatile
   or ordered beyond its block, and not .nc. */
bool insn_passes_l1(const struct insn *insn);

/* The role whose body holds `insn`, or NULL. */
const struct role *program_role_of(
	const struct program *p, const struct insn *insn);

/* The index of the END that closes the REPEAT at `repeat`; without one,
   insn_count. */
uint32_t program_matching_end(const struct program *p, uint32_t repeat);

#endif
