#ifndef NEARFAR_FLAT_H
#define NEARFAR_FLAT_H

/*
 * An entry with the functions that it calls in place of the calls. Each
 * expansion of a function is an instance, with registers and variables of its
 * own; only those in .shared memory are the same in all of a function's.
 */
#include "harness/ptx/ptx.h"

/* A register of a function that has another number in an instance. */
struct flat_name {
	uint32_t index, reg;
};

struct flat_instance {
	const struct ptx_function *function;
	uint32_t register_base; /* of its registers among all */
	uint64_t shared_base, local_base, frame_base; /* of its variables */
	/* of an expanded call: the caller, and the call's own parameters and
	   results, as operands of the caller's items */
	uint32_t caller;
	const struct ptx_insn *call; /* NULL: the entry */
	uint32_t first;              /* its first instruction */
	struct flat_name *names;     /* by index; owned. The others' numbers are
					register_base and up */
	uint32_t name_count;
};

/* A call that a function makes of itself, as recur.h has it. */
struct flat_site {
	uint32_t root, caller; /* instances */
	const struct ptx_insn *call;
	uint32_t behind; /* the instruction to which it returns */
};

struct flat_insn {
	const struct ptx_insn *insn;
	uint32_t instance;
	uint32_t target;  /* of a branch */
	bool is_return;   /* a `ret` of an expanded function: a branch */
	uint8_t leads;    /* loads that go by at once, this one the first */
	bool follows;     /* goes by with the one before it */
	bool gathered;    /* an atomic that one lane makes for all */
	bool behind_exit; /* a parameter that is loaded behind an early exit */
	bool stays;       /* what it writes is read under its guard alone */
	bool idle;        /* its values decide nothing (needs.h); */
	bool is_told;     /* its text's writer says so */
	bool spare;       /* the assembler leaves it out: spare.h */
	bool is_half;     /* of its 64 bits the upper ones cost nothing */
	bool rewrites;    /* it writes what a store of a loop reads */
	uint8_t round;    /* of an unrolled loop */
};

/* Instructions that the assembler makes: a list, so that they stay where they
   are. */
struct made_insn {
	struct made_insn *next;
	struct ptx_insn insn;
};

struct flat {
	const char *file;
	const struct ptx_module *module;
	struct flat_insn *insns; /* owned */
	uint32_t count, capacity;
	struct flat_instance *instances; /* owned */
	uint32_t instance_count, instance_capacity;
	uint8_t *types; /* [register among all]: enum ptx_type; owned */
	uint32_t register_count, type_capacity;
	uint64_t shared_bytes, local_bytes, frame_bytes;
	uint64_t local_most, frame_most; /* while calls are expanded */
	uint32_t recursion_max;          /* a function calls itself so often */
	bool is_deep;            /* a call is deeper than calls are expanded */
	bool is_cut;             /* one would have called itself more often */
	bool keeps;              /* calls of themselves keep registers; */
	bool cannot_keep;        /* which one of them can't */
	struct flat_site *sites; /* owned */
	uint32_t site_count;
	uint64_t *module_shared;   /* [variable]: its offset; owned */
	uint64_t *function_shared; /* [function]: 1 + the place of its .shared
				      variables; 0: none yet; owned */
	struct made_insn *made;    /* owned */
};

/* ERR_USAGE for what can't be expanded; flat_free() then, too. */
int flat_make(struct flat *f, const char *file, const struct ptx_module *module,
	const struct ptx_function *entry, struct error *error);
void flat_free(struct flat *f);

/* Why a trap that no text has stands there. */
enum flat_trap {
	FLAT_TRAP_WRITTEN, /* in the text, in fact */
	FLAT_TRAP_DEEP,    /* a function calls itself too often */
	FLAT_TRAP_POINTER, /* a call of what is no function */
};

/* Functions that the driver has: a call of them stays one, whose
   ptx_insn.from says which; and the two that recur.h makes. */
enum flat_builtin {
	FLAT_NONE,
	FLAT_PRINT,
	FLAT_ASSERT,
	FLAT_ENTER,
	FLAT_LEAVE
};

/* The function that a call names. */
const struct ptx_operand *flat_callee(const struct ptx_insn *call);

/* ---- for expand.c and dispatch.c ---- */

/* One more instance of the function; `call`: that of the caller's that it
   stands for, NULL: the entry. */
int flat_add_instance(struct flat *f, const struct ptx_function *function,
	uint32_t caller, const struct ptx_insn *call, struct error *error);
int flat_emit(struct flat *f, const struct ptx_insn *insn, uint32_t instance,
	struct error *error);
/* The body of the function that the call names. */
int flat_call(struct flat *f, const struct ptx_insn *call, uint32_t caller,
	unsigned depth, struct error *error);

/* A copy of the instruction; NULL without memory. */
const struct ptx_insn *flat_make_insn(
	struct flat *f, const struct ptx_insn *insn);
void flat_free_made(struct made_insn *made);

/* One more register of the type; its number among all, ERR_FAILED without
   memory. */
int64_t flat_new_register(struct flat *f, uint8_t type);

/*
 * The instance once more, with its variables and registers, but for those that
 * `names` gives other numbers: a copy of it is kept, in order of the index. One
 * beyond the function's registers may be among them. The instance has no names.
 * The copy's index; ERR_FAILED without memory.
 */
int64_t flat_copy_instance(struct flat *f, uint32_t instance,
	const struct flat_name *names, uint32_t count);

/* The number among all of a register that the instance has a name for, or of
   another one. */
uint32_t flat_find_name(const struct flat_instance *in, uint32_t index);

/* The register of an operand of the instance among all. */
static inline uint32_t flat_register(
	const struct flat *f, uint32_t instance, uint32_t index)
{
	const struct flat_instance *in = &f->instances[instance];

	return in->name_count ? flat_find_name(in, index)
			      : in->register_base + index;
}

/* The type of a register of the instance. */
static inline uint8_t flat_type(
	const struct flat *f, uint32_t instance, uint32_t index)
{
	return f->types[flat_register(f, instance, index)];
}

/*
 * Where the variable is, seen from the instance: an offset in its space for
 * .shared, .local and .param. Sets `*is_launch` for a parameter of the launch.
 */
uint64_t flat_place(const struct flat *f, uint32_t instance, uint32_t variable,
	bool *is_launch);

/* "FILE:LINE:COLUMN: " and the sentence; ERR_USAGE. */
int flat_refuse(const struct flat *f, const struct ptx_insn *insn,
	struct error *error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
