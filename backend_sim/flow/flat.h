#ifndef NEARFAR_FLAT_H
#define NEARFAR_FLAT_H

/*
 * An entry with the functions that it calls in place of the calls. Each
 * expansion of a function is an instance, with registers and variables of its
 * own.
 */
#include "harness/ptx/ptx.h"

struct flat_instance {
	const struct ptx_function *function;
	uint32_t register_base; /* of its registers among all */
	uint64_t shared_base, local_base, frame_base; /* of its variables */
	/* of an expanded call: the caller, and the call's own parameters and
	   results, as operands of the caller's items */
	uint32_t caller;
	const struct ptx_insn *call; /* NULL: the entry */
};

struct flat_insn {
	const struct ptx_insn *insn;
	uint32_t instance;
	uint32_t target; /* of a branch */
	bool is_return;  /* a `ret` of an expanded function: a branch */
	uint8_t leads;   /* loads that go by at once, this one the first */
	bool follows;    /* goes by with the one before it */
	bool gathered;   /* an atomic that one lane makes for all */
};

struct flat {
	const char *file;
	const struct ptx_module *module;
	struct flat_insn *insns; /* owned */
	uint32_t count, capacity;
	struct flat_instance *instances; /* owned */
	uint32_t instance_count, instance_capacity;
	uint32_t register_count;
	uint64_t shared_bytes, local_bytes, frame_bytes;
	uint64_t *module_shared; /* [variable]: its offset; owned */
	struct ptx_insn *made;   /* by the assembler from others; owned */
};

/* ERR_USAGE for what can't be expanded; flat_free() then, too. */
int flat_make(struct flat *f, const char *file, const struct ptx_module *module,
	const struct ptx_function *entry, struct error *error);
void flat_free(struct flat *f);

/* The register of an operand of the instance among all. */
static inline uint32_t flat_register(
	const struct flat *f, uint32_t instance, uint32_t index)
{
	return f->instances[instance].register_base + index;
}

/* The type of a register among all of the instance. */
static inline uint8_t flat_type(
	const struct flat *f, uint32_t instance, uint32_t index)
{
	return f->instances[instance].function->registers[index].type;
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
