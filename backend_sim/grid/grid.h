#ifndef NEARFAR_GRID_H
#define NEARFAR_GRID_H

/*
 * A launch of a kernel while the model executes it: its code, the memory it
 * works on, and the blocks and warps that are resident. A block has a slot of
 * an SM, and a warp the slot's place in execution.warps; both are used again
 * when a block ends. What programs and kernels share of a warp is in struct
 * warp, the rest is here.
 *
 * Values are bound when an instruction is issued: a load finds, and a store or
 * an atomic leaves, what the engine's order of events says.
 */
#include <stdarg.h>
#include <stddef.h>

#include "backend_sim/code/atomic.h"
#include "backend_sim/core/beside.h"
#include "backend_sim/flow/needs.h"
#include "backend_sim/grid/fetched.h"
#include "backend_sim/grid/turns.h"
#include "backend_sim/space/space.h"
#include "backend_sim/sm/execution.h"
#include "harness/contract/job_result.h"

#define BOARDS    6u /* scoreboards of a warp, as in silicon */
#define GROUPS    (WAITS_END - WAITS_COPY) /* of copies under way */
#define PATHS_MAX 64u
#define BARRIERS  16u

#define TOLD_MAX       4u
#define PRODUCT_GROUPS 8u /* of wgmma, whose ends are kept */

struct grid;

/* What a warp sleeps for: lanes of an instruction that it is past. */
struct nap {
	uint32_t pc, lanes;
	uint32_t number; /* of its naps: events of earlier ones are void */
	uint32_t failed; /* waits in a row that were in vain, */
	uint64_t hash;   /* and what its registers were then */
	uint64_t stuck;  /* the cycle at which they were the same; 0: not */
};

/* Lanes that wait for a barrier's result, which their instruction writes. */
struct told {
	uint32_t pc, lanes;
};

/* What a warp of a trace executes next. */
struct replay {
	struct trace_reader at;
	uint32_t left; /* instructions to read */
	bool has_insn; /* `insn` has not been issued */
	struct trace_insn insn;
};

/* A warp executes its instructions, of code or of a trace, until it waits or
   none is left. ON: it goes on; OFF: it waits; WAITED: it has waited, as no
   other event comes before. */
enum pace { ON, OFF, WAITED };
typedef enum pace (*go_fn)(struct execution *x, uint32_t warp);

#define STANDING_BYTES 512 /* of a sentence where warps stand */

/* Lanes that go their own way until `meets`, where those below go on. */
struct path {
	uint32_t pc, meets, mask;
	bool yielded; /* it let others go first */
	bool waits;   /* for lanes elsewhere, as meet.h has it */
};

/* Of a slot of registers. */
struct mark {
	uint64_t ready : 56; /* the cycle from which it can be read */
	uint64_t board : 4;  /* scoreboard + 1 that it waits for, or that of a
				group of products, as BOARD_OF_PRODUCTS has it */
	uint64_t cause : 4;  /* enum job_wait of who waits for it */
};

_Static_assert(JOB_WAIT_COUNT <= 16, "mark.cause has four bits");

/* What each event of a warp looks at is in the second line of the host's cache,
   what accesses and branches look at in the first. */
struct kernel_warp {
	_Alignas(64) uint64_t run_first; /* run_pc's first address */
	uint32_t run_pc; /* whose run of bytes is known; 0: none's */
	/* branches back since the warp had one path, or another one went on:
	   all, and those of rounds that polled */
	uint32_t spins, polls;
	uint32_t carry;
	uint8_t *local; /* of a thread `local_bytes`, one after the other */
	uint64_t resident_since;
	uint64_t read_over, accessed; /* its stores' reads, its last access */
	_Alignas(64) struct mark *marks; /* [slot]; then the registers' rows */
	/* what it waits for now, since when, and for whom */
	uint64_t since;
	uint32_t why_pc;
	uint8_t why; /* enum job_wait */
	uint8_t next_board : 4, waits_board : 4;
	uint8_t pipe_booked : 1;
	uint8_t begun : 1;   /* its special registers have their values */
	uint8_t stored : 1;  /* it has not let its stores leave it */
	uint8_t polled : 1;  /* it has read what others change */
	uint8_t awaited : 1; /* it has asked for the part that comes next */
	uint8_t depth;
	uint32_t part;     /* of the code, which it has reached */
	uint32_t computed; /* values are there up to this instruction; 0: as far
			      as instructions are issued */
	uint32_t known;    /* its rows are there when the warp goes on: of this
			      instruction + 1; 0: none's */
	uint16_t boards[BOARDS]; /* requests under way */
	struct path paths[PATHS_MAX];
	uint32_t goes[PATHS_MAX]; /* of a path: lanes that go on with those of
				     the top one, as meet.h has it */
	uint32_t copies[GROUPS];  /* as boards, by group */
	uint32_t group;           /* the one that is filled now */
	uint32_t told_count;
	struct told told[TOLD_MAX];
	/* wgmma: how many groups were committed, the cycle in which the last
	   product will be over, and those of the last groups */
	uint32_t products_group;
	uint64_t product_over, products_over[PRODUCT_GROUPS];
	uint8_t products_pending; /* a bit for each of the last groups that was
				     not waited for, by its number modulo */
	uint32_t product_pc[PRODUCT_GROUPS]; /* of its last product */
	/* lanes that have arrived at barrier.cluster, and that may pass it */
	uint32_t arrived, passes;
	uint16_t registers;   /* of a thread, since setmaxnreg */
	uint64_t remote_over; /* when its last store to another SM's shared
				 memory is there */
	struct nap nap;
	uint32_t group_copies; /* a list: those of its bulk groups */
};

_Static_assert(offsetof(struct kernel_warp, paths) + sizeof(struct path) <= 128,
	"the first path is in the second line");
_Static_assert(SM_REQUESTS_MAX <= UINT16_MAX, "boards count requests");

struct kernel_block {
	uint8_t *shared;            /* owned by the grid */
	uint64_t number;            /* of the block in its grid */
	uint32_t arrived[BARRIERS]; /* warps */
	uint32_t wanted[BARRIERS];  /* warps; 0: all that have not ended */
	uint32_t threads[BARRIERS]; /* at barriers with a result: lanes, */
	uint32_t truths[BARRIERS];  /* and those whose predicate holds */
	uint32_t waiting[BARRIERS]; /* lists of warps */
	uint64_t met[BARRIERS];     /* the cycle of the last arrival */
	/* what setmaxnreg has left over: registers of a thread, times warps;
	   a list of warps that wait for some */
	uint32_t spare, wanting;
	uint32_t asleep;        /* a list of warps */
	bool triggered, waited; /* griddepcontrol was executed */
	bool is_told;           /* it may know what other launches do */
};

struct grid {
	/* the launch */
	const char *file; /* of the module */
	const struct job_launch *launch;
	struct space *space;
	const struct trace_kernel *trace; /* that is replayed, or NULL */
	go_fn go;
	struct code code;    /* of a trace: the trace's */
	uint64_t words;      /* address of its grid's words (space.h); or 0 */
	uint8_t *parameters; /* owned */
	uint32_t parameter_bytes, block_warps, block_threads;
	uint64_t block_count, next_block;
	uint32_t cluster[3], cluster_blocks; /* 1: there are no clusters */
	uint64_t shared_bytes;               /* of a block, dynamic included, */
	uint64_t shared_own_bytes; /* without the system's behind it */
	uint64_t max_cycles;       /* 0: no limit */
	uint32_t registers;        /* of a thread */
	uint32_t blocks_per_sm;
	bool is_explicit; /* %is_explicit_cluster */
	bool registers_estimated;
	bool has_pool;   /* setmaxnreg counts: registers are known */
	bool as_written; /* as code_make() has it */
	bool values_ieee, even_banks, side_by_side, summed_first;
	struct turns turns;
	struct needs needs; /* needs.memory: 0: all values are computed */
	enum finds finds;
	uint32_t number;             /* among those that are alive; 0: alone */
	const struct beside *beside; /* NULL: it has the chip to itself */
	struct run *run;             /* of streams.h, or NULL */
	uint64_t first_cycle;
	uint64_t last_cycle; /* the chip has taken the end of the last block */
	uint64_t seen_cycle; /* all that was asked for has been answered */
	struct server *ends, own_ends; /* of blocks, which the chip takes */
	uint64_t executed;             /* instructions of warps */
	const char *assumed;           /* as job_result.h has it: of a table */
	char note[JOB_NOTE_BYTES];

	/* an access of each instruction of memory: as qualifiers.h takes it */
	struct insn *accesses; /* [instruction]; owned */
	struct asks *asks;     /* [instruction]; owned */
	struct asks *promoted; /* [tensor copy][promotion]; owned */
	uint64_t print_at;     /* bytes that were printed before */

	/* what is resident; owned */
	struct kernel_warp *warps;       /* [warp of the execution] */
	struct kernel_block *blocks;     /* [block of the execution] */
	struct kernel_cluster *clusters; /* [slot / cluster_blocks], or NULL */
	struct kernel_sm *sms;           /* not owned beside others */
	struct fetched fetched;
	struct calls *calls;    /* of code that has them, or NULL; owned */
	struct copies *copies;  /* of a kernel that has some, or NULL; owned */
	struct spins *spins;    /* spin.h; owned, or NULL */
	struct order *order;    /* of one that is checked, or NULL; owned */
	uint64_t stuck_cycle;   /* all its warps waited in vain then; 0: not */
	struct replay *replays; /* [warp of the execution], of a trace */
	uint8_t *memory; /* marks, rows, local and shared memory of all slots */
	size_t memory_bytes, warps_bytes; /* of these tables */
	size_t warp_bytes;                /* of a warp in it; */
	size_t marks_bytes;               /* its marks, which are first */
	uint32_t slot_count, first_slot, end_slot; /* warps: * block_warps */
	uint16_t *placed; /* [slot - first_slot]: its SM at first */

	struct job_profile *profile; /* or NULL; owned, as these: */
	struct job_line *lines;      /* [instruction] */
	struct request_note *notes;  /* [request]; NULL: those of others */
	struct residents *residents;

	struct error *error; /* says why, when the core has failed */
};

/* The registers of D of a group of products are marked so. */
#define BOARD_OF_PRODUCTS(group) (BOARDS + 1u + (group) % PRODUCT_GROUPS)
_Static_assert(BOARDS + PRODUCT_GROUPS < 16, "mark.board has four bits");

/* Whether what the mark's board stands for is under way. */
static inline bool kernel_board_waits(
	const struct kernel_warp *k, unsigned board)
{
	return board <= BOARDS
		       ? k->boards[board - 1]
		       : k->products_pending >> (board - BOARDS - 1) & 1;
}

/* A store: no scoreboard waits for it. */
static inline bool kernel_is_loose(const struct request *r)
{
	return r->waits == WAITS_STORE || r->waits == WAITS_OTHER_STORE;
}

/* ---- grid.c ---- */

/* Makes the code and the parameters of a launch and nothing else of it. The
   caller has set .launch, .space, .file and .as_written. Errors of
   code_make().
 */
int grid_compile(struct grid *g, struct error *error);
/* Makes a launch: its code, and how much room a block needs. ERR_USAGE for what
   the model does not know, ERR_SKIPPED for what its SM has no room for,
   ERR_FAILED without memory. It is x->grid from here on; grid_end() always. */
int grid_make(struct grid *g, struct execution *x, struct space *space,
	const struct job *job, const struct job_launch *launch,
	const struct job_wishes *wishes, enum finds finds, struct error *error);
/* Its slots, from g->first_slot on; all else that it holds. */
int grid_hold(struct grid *g, struct execution *x,
	const struct job_wishes *wishes, struct error *error);
/* On a chip that nothing else runs on. */
void grid_start(struct grid *g, struct execution *x);
/* What it reads beside what its warps ask for is counted. */
void grid_count_code(const struct grid *g, struct core *core);
void grid_end(struct grid *g);
/* Stops the run: the sentence is about instruction `pc`. */
void grid_fail(struct execution *x, uint32_t warp, uint32_t pc,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- block.c ---- */

/* The next block of the grid takes the slot on an SM. */
void block_open(
	struct execution *x, uint32_t slot, uint32_t sm, uint64_t earliest);
/* The next block in the place of one that has ended. */
void block_refill(struct execution *x, uint32_t slot, uint64_t earliest);
/* A warp begins: its special registers get their values. */
void block_begin_warp(const struct execution *x, uint32_t warp);
/* A warp of the block has ended. */
void grid_warp_ended(struct execution *x, uint32_t warp);

/* ---- ask.c ---- */

/* Once the code is there: accesses and asks. */
void grid_ask(struct grid *g, const struct execution *x);

/* ---- stand.c ---- */

/* Where the warps stand that have not ended: "64 warps at m.ptx:22, ...", those
   with the most warps first. */
void standing_words(const struct execution *x, char *text, size_t bytes);
/* Where the lanes of a warp stand: "20 at m.ptx:22, ...". */
void standing_lanes(
	const struct execution *x, uint32_t warp, char *text, size_t bytes);
/* Stops the run: the kernel has gone on for more than `cycles`. */
void standing_fail(struct execution *x, uint64_t cycles);

/* ---- run.c ---- */
extern const struct sequencer sequencer_kernel;
enum pace run_insns(struct execution *x, uint32_t warp);

/* ---- replay.c: warps of a trace ---- */
enum pace replay_insns(struct execution *x, uint32_t warp);
/* The block's warps begin with what the trace has of its number. */
void replay_open(struct grid *g, uint32_t slot);

/* ---- paths.c: paths.h ---- */

static inline struct path *kernel_path(struct kernel_warp *k)
{
	return &k->paths[k->depth - 1];
}

/* ---- operate.c: instructions that move no memory ---- */
void operate(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t mask);
/* One that is CODE_VALUE. */
void operate_value(const struct grid *g, struct kernel_warp *k,
	const struct code_insn *c, uint32_t mask);
/* The warp's registers. */
static inline uint8_t *kernel_rows(
	const struct grid *g, const struct kernel_warp *k)
{
	return (uint8_t *)k->marks + g->marks_bytes;
}
/* Where a row is: of the warp, or of the constants. */
static inline void *kernel_row(
	const struct grid *g, const struct kernel_warp *k, const struct row *r)
{
	return (r->is_constant ? g->code.constants : kernel_rows(g, k)) +
	       r->offset;
}
/* ---- ahead.c: values before their instructions are issued ---- */

/* How far values can be computed ahead from each instruction on. */
void ahead_prepare(struct grid *g);
/* Computes them, from `pc` on, of an instruction that ahead_prepare() found to
   be such. */
void ahead_compute(struct execution *x, uint32_t warp, uint32_t pc);

/* ---- across.c: what lanes of a warp say to each other ---- */
void operate_across(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask);

/* ---- memory.c ---- */

/* What an instruction takes of the SM's pipe for memory, and where its requests
   wait. */
void memory_access(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask);
void memory_copy(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t pc, uint32_t mask);
/* Will it send requests beyond the SM? */
bool memory_is_global(const struct code_insn *c);

/* ---- profile.c ---- */

/* The warp waited, or will have waited, until a cycle for `why`, of instruction
   `pc`. */
void profile_tell(struct execution *x, uint32_t warp, uint64_t until,
	uint8_t why, uint32_t pc);
static inline void profile_until(struct execution *x, uint32_t warp,
	uint64_t cycle, uint8_t why, uint32_t pc)
{
	if (__builtin_expect(x->grid->profile != NULL, 0))
		profile_tell(x, warp, cycle, why, pc);
	x->grid->warps[warp].since = cycle;
}
/* From now on it waits for `why`, of instruction `pc`. */
static inline void profile_why(struct kernel_warp *k, uint8_t why, uint32_t pc)
{
	k->why = why;
	k->why_pc = pc;
}
/* A request of the warp has come back. */
void profile_answer(struct execution *x, const struct request *r);
/* The request's life is over: its time has three parts. */
void profile_end(const struct execution *x, const struct request *r);
/* It is what the warp waited for: until the request's page was translated, and
   then for what answered it. */
void profile_waited_for(struct execution *x, const struct request *r);
/* servers.c: opens a book for each of the launch's own servers (books.h):
   pipes, copy engines, caches of instructions, the ends of blocks. */
void grid_servers(struct grid *g, const struct core *core);
/* Work of the pipe, a server's name, takes half the time. */
void grid_hasten(struct grid *g, const char *pipe);
int profile_make(
	struct grid *g, struct execution *x, bool races, struct error *error);
/* Lines of instructions become lines of text. */
int profile_collect(
	struct grid *g, const struct execution *x, struct error *error);

#endif
