#ifndef NEARFAR_CODE_H
#define NEARFAR_CODE_H

/*
 * A kernel as the model's SM executes it: one list of instructions, calls
 * expanded in place, registers given rows, branches with the place where their
 * paths meet again.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/values/value.h"
#include "harness/base/error.h"
#include "harness/contract/instructions.h"
#include "harness/ptx/ptx.h"

enum code_kind {
	CODE_VALUE,     /* run() does it */
	CODE_NOTHING,   /* nothing is left of it: cvta, moves of the same */
	CODE_CLOCK,     /* reads a clock */
	CODE_PACK,      /* mov {a, b}, c and mov c, {a, b} */
	CODE_PREDICATE, /* and, or, xor, not, mov of predicates */
	CODE_WARP,      /* shfl vote match redux activemask elect */
	CODE_MEMORY,    /* ld st atom red prefetch discard ... */
	CODE_COPY,      /* cp.async */
	CODE_GROUP,     /* cp.async.commit_group, wait_group, wait_all */
	CODE_BRANCH,
	CODE_EXIT,
	CODE_BARRIER, /* of the block */
	CODE_FENCE,
	CODE_SLEEP,
	CODE_TRAP,
	CODE_PRINT,     /* a function that the driver has */
	CODE_CALL,      /* of a function by itself, and the way back */
	CODE_MATRIX,    /* mma wmma.mma wgmma.mma_async movmatrix */
	CODE_TILES,     /* ldmatrix stmatrix */
	CODE_FRAGMENT,  /* wmma.load wmma.store */
	CODE_PRODUCTS,  /* wgmma.commit_group, wait_group */
	CODE_MBARRIER,  /* mbarrier.*, cp.async.mbarrier.arrive */
	CODE_BULK,      /* cp.async.bulk, cp.reduce.async.bulk, their groups */
	CODE_PROXY,     /* fence.proxy, fence.mbarrier_init */
	CODE_TENSOR,    /* cp.async.bulk.tensor and the like */
	CODE_MAP,       /* tensormap.*, prefetch.tensormap */
	CODE_CLUSTER,   /* barrier.cluster */
	CODE_DEPENDENT, /* griddepcontrol */
	CODE_REGISTERS, /* setmaxnreg */
};

/*
 * The pipes of a scheduler, as rates measured on an H200 show them. A pipe
 * takes 16 lanes a cycle. Products of integers go to the heavier of two that do
 * f32, f32 to either; sums of integers to it or to that of comparisons and
 * logic, for the assembler spreads them.
 */
enum code_pipe {
	PIPE_NONE, /* nothing is left of it after the assembler */
	PIPE_ALU,  /* comparisons, logic, shifts */
	PIPE_HEAVY,
	PIPE_LITE,
	PIPE_F64,
	PIPE_SPECIAL, /* square roots, sines, conversions */
	PIPE_CONTROL, /* branches, barriers */
	PIPE_TENSOR,  /* products of matrices */
	PIPE_COUNT,
	PIPE_MEMORY = PIPE_COUNT, /* the load/store unit, of the whole SM */
	PIPE_FMA,                 /* f32: PIPE_HEAVY or PIPE_LITE */
	PIPE_SUM,                 /* sums: PIPE_ALU or PIPE_HEAVY */
	PIPE_QUEUE, /* behind the load/store unit's other work, while the warp
		       goes on */
};

/* Where an operand is: a row of the warp's registers or of the constants. */
struct row {
	uint32_t offset;
	uint16_t slot; /* of the registers; NO_SLOT: a constant */
	bool is_constant;
};
#define NO_SLOT UINT16_MAX

#define CODE_ROWS_MAX 12

struct code_insn {
	uint8_t kind;  /* enum code_kind */
	uint8_t pipe;  /* enum code_pipe */
	uint8_t slots; /* of the scheduler; 0: it costs nothing */
	uint16_t pipe_cycles;
	uint16_t latency_cycles; /* until what it writes can be used */
	uint32_t plain_end; /* up to here none needs more than registers and
			       parameters, from itself on; 0: it does. Who
			       executes the code says so */
	uint32_t part;      /* of the code, from 1 on, as fetched.h has it */
	uint8_t spin; /* 1 + which loop of spin.h it is in; 0: in none. Who
			 executes the code says so */
	bool guarded, guard_negated, p_negated, p_constant;
	bool rewrites;      /* it writes what a store of a loop reads */
	uint8_t read_words; /* of 32 bits, that a store or atomic reads; 0: it
			       is none */
	bool idle;       /* it computes nothing, but takes its time: needs.h; */
	bool is_told;    /* though what it would write may decide */
	uint8_t sources; /* of s[] that there are */
	bool wide_rows;  /* CODE_MEMORY: the rows of its elements are of 64 bits
			  */
	bool is_wide;    /* the type of what it reads or writes has 64 bits */
	uint8_t space;   /* CODE_MEMORY: enum ptx_space */
	uint8_t bytes;   /* CODE_MEMORY: of an element */
	uint8_t count;   /* CODE_MEMORY, CODE_PACK: elements */
	uint8_t moved;   /* CODE_MEMORY: bytes of a lane that go by at once,
			    those of loads behind it, too; 0: with one before */
	bool gathered;   /* CODE_MEMORY: one lane's access stands for all */
	bool gathers;    /* lanes of a warp wait there for each other */
	bool has_base;   /* CODE_MEMORY: s[0] is an address */
	bool is_reduction; /* CODE_BARRIER: with a result */
	bool only_arrives; /* CODE_BARRIER: and does not wait */
	bool time_assumed; /* by TIMING_ASSUMED of timing.def */
	bool has_policy;   /* CODE_MEMORY, CODE_COPY: s[3] is a cache policy */
	uint8_t wait_count, write_count;
	/* slots that it waits for: what it reads, and what it writes */
	uint16_t writes[CODE_ROWS_MAX];
	uint16_t waits[2 * CODE_ROWS_MAX];
	const struct ptx_insn *insn;
	value_fn run;
	struct row guard, d, s[4], e, p;
	struct row rows[8];    /* of elements, CODE_MEMORY and CODE_PACK */
	struct row results[8]; /* of an atomic of a vector; of one that compares
				  two words rows[] has those that it stores,
				  too */
	/* CODE_CALL: offset is its site, fragments the first of code.moved and
	   tensor how many there are; count FLAT_ENTER or FLAT_LEAVE, which
	   leave in p that lanes call, or whether they go back to the site.
	   CODE_MATRIX: the rows of D, A, B and C among code.fragments, and how
	   many there are of each; CODE_TILES: of what is loaded or stored */
	uint32_t fragments;
	uint8_t fragment_counts[4];
	uint64_t offset;        /* CODE_MEMORY: added to s[0], if it has one */
	uint64_t second_offset; /* CODE_COPY: added to s[1] */
	uint64_t third_offset;  /* CODE_BULK, CODE_TENSOR: added to rows[0] */
	uint32_t tensor;        /* CODE_TENSOR: how many are before it */
	uint32_t target;        /* CODE_BRANCH */
	uint32_t reconverge;    /* CODE_BRANCH: where its paths meet again */
};

/* A row that a special register fills when a warp starts. */
struct code_special {
	uint8_t special; /* enum ptx_special */
	uint32_t offset;
};

/* A row that holds the address of shared memory that a block has, which its
   rank is a part of. */
struct code_home {
	uint64_t bits; /* of rank 0 */
	uint32_t offset;
	bool is_wide;
};

/* Bytes of a thread's local memory that a call passes or returns. */
struct code_moved {
	uint32_t from, to, bytes;
};

/* A row of a register, as calls keep it. */
struct code_kept {
	uint32_t offset;
	uint8_t bytes; /* of a lane; 0: a bit */
};

struct code {
	const struct ptx_module *module;
	const struct ptx_function *function;
	struct code_insn *insns; /* owned, as the others */
	uint32_t count;
	struct row *fragments; /* of matrices; owned, as the others */
	uint32_t fragment_count, fragment_capacity;
	uint8_t *constants;
	uint32_t constant_bytes;
	struct code_special specials[PTXS_COUNT];
	uint32_t special_count;
	uint32_t tensor_count;   /* instructions that are CODE_TENSOR */
	bool in_cluster;         /* its blocks may have other ranks than 0 */
	struct code_home *homes; /* owned */
	uint32_t home_count;
	struct code_moved *moved; /* of CODE_CALL; owned */
	uint32_t moved_count;
	struct code_kept *kept; /* owned; none without CODE_CALL */
	uint32_t kept_count;
	uint32_t slot_count;
	uint32_t register_bytes; /* of a warp's rows */
	uint32_t registers;    /* 32-bit registers of a thread at most alive */
	uint64_t shared_bytes; /* static, of a block */
	uint64_t local_bytes;  /* of a thread: local variables, and parameters
				  of calls from `frame` on */
	uint64_t frame;
	const uint64_t *variables;   /* address of each of the module's */
	struct ptx_insn *made;       /* of a trace, instead of a text */
	struct made_insn *assembled; /* what the text has otherwise */
};

/* Addresses that are not of memory: windows for generic addresses. */
#define WINDOW_SHARED UINT64_C(0x7f00000000000000)
#define WINDOW_LOCAL  UINT64_C(0x7e00000000000000)
#define WINDOW_CONST  UINT64_C(0x7d00000000000000)
#define WINDOW_PARAM  UINT64_C(0x7c00000000000000)
#define WINDOW_CODE   UINT64_C(0x7b00000000000000)
#define WINDOW_BITS   UINT64_C(0xff00000000000000)

/* The address of a function of a module. */
static inline uint64_t code_address(uint32_t function)
{
	return WINDOW_CODE + 16 * (UINT64_C(1) + function);
}

/*
 * Makes the code of an entry. `variables` has the address of each variable of
 * the module that is in .global or .const, and the offset of the others; it
 * must live as long as the code, as the module must. `as_written`: the
 * instructions are those of the text, in its order. `in_cluster`: a block has
 * its shared memory at an address that its rank is a part of. `needs`: values
 * that decide nothing are left out, as needs.h has it; NULL: none. ERR_USAGE
 * names the place and what is not modelled; ERR_FAILED without memory;
 * code_free() is not needed then.
 */
struct needs;
int code_make(const char *file, const struct ptx_module *module,
	const struct ptx_function *entry, const uint64_t *variables,
	bool as_written, bool in_cluster, struct needs *needs,
	struct code *code, struct error *error);
void code_free(struct code *code);

/* Appends every operation of ops.def with what it costs, as the contract lists
   it; ERR_FAILED without memory. */
int code_list(struct model_instructions *list, struct error *error);

#endif
