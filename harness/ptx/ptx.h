#ifndef NEARFAR_PTX_H
#define NEARFAR_PTX_H

/*
 * A module of PTX as a value: what compilers emit for kernels, read into
 * functions, variables and instructions. Nothing is executed here; the tables
 * types.def, words.def, specials.def and ops.def say what is understood.
 *
 * Invariants of a module that ptx_parse() returns:
 * - every instruction is of a known operation, its operands are of the kinds
 *   that the operation takes, and names stand for registers, variables, labels
 *   and functions of the module;
 * - a function that holds what is not modelled says so (`unmodelled`), and no
 *   other function is the worse for it;
 * - labels are indices of instructions of the same function, at most the number
 *   of instructions;
 * - names and text point into the module's own copy of the text.
 *
 * Source: PTX ISA 9.0.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/program/program.h"

/* ---- what the tables name ---- */

enum ptx_type {
	PTX_UNTYPED,
#define PTX_TYPE(name, bytes, kind) PTX_##name,
#include "harness/ptx/types.def"
#undef PTX_TYPE
	PTX_TYPE_COUNT
};

struct ptx_type_info {
	const char *name;
	uint8_t bytes;
	char kind; /* u s f h H t T b x e m p; types.def */
};
extern const struct ptx_type_info ptx_types[PTX_TYPE_COUNT];

#define PTX_CLASSES(C)                                                         \
	C(MODE)                                                                \
	C(ROUND)                                                               \
	C(APPROX)                                                              \
	C(FTZ)                                                                 \
	C(SAT)                                                                 \
	C(RELU)                                                                \
	C(BOUND)                                                               \
	C(FINITE)                                                              \
	C(NAN)                                                                 \
	C(XORSIGN)                                                             \
	C(ABS)                                                                 \
	C(CC)                                                                  \
	C(COMPARE)                                                             \
	C(BOOL)                                                                \
	C(SHIFT)                                                               \
	C(CLAMP)                                                               \
	C(AMOUNT)                                                              \
	C(SHUFFLE)                                                             \
	C(VOTE)                                                                \
	C(REDUCE)                                                              \
	C(SYNC)                                                                \
	C(ALIGNED)                                                             \
	C(UNIFORM)                                                             \
	C(TO)                                                                  \
	C(SPACE)                                                               \
	C(FROM)                                                                \
	C(LEVEL)                                                               \
	C(GROUP)                                                               \
	C(CACHE)                                                               \
	C(HINT)                                                                \
	C(SIZE)                                                                \
	C(SHAPE)                                                               \
	C(NUM)                                                                 \
	C(TRANS)                                                               \
	C(ORDER)                                                               \
	C(SCOPE)                                                               \
	C(ARRIVAL)                                                             \
	C(DONE)                                                                \
	C(MULTICAST)                                                           \
	C(READ)                                                                \
	C(PROXY)                                                               \
	C(WEAK)                                                                \
	C(VECTOR)                                                              \
	C(DIMENSION)                                                           \
	C(BOX)                                                                 \
	C(FIELD)

enum ptx_class {
#define PTX_CLASS_ENUM(name) PTX_CLASS_##name,
	PTX_CLASSES(PTX_CLASS_ENUM)
#undef PTX_CLASS_ENUM
		PTX_CLASS_COUNT
};

/* PTXW_<class>_<name>; 0 is absent. */
enum ptx_word {
	PTXW_NONE,
#define PTX_WORD(class, name, text) PTXW_##class##_##name,
#include "harness/ptx/words.def"
#undef PTX_WORD
	PTXW_COUNT
};

struct ptx_word_info {
	const char *text;
	uint8_t class; /* enum ptx_class */
};
extern const struct ptx_word_info ptx_words[PTXW_COUNT];

enum ptx_special {
#define PTX_SPECIAL(name, text, bits) PTXS_##name,
#include "harness/ptx/specials.def"
#undef PTX_SPECIAL
	PTXS_COUNT
};

struct ptx_special_info {
	const char *name;
	uint8_t bits;
};
extern const struct ptx_special_info ptx_specials[PTXS_COUNT];

enum ptx_op {
#define PTX_OP(name, ...)     PTXO_##name,
#define PTX_MEMORY(name, ...) PTXO_##name,
#define PTX_KNOWN(name, ...)  PTXO_##name,
#include "harness/ptx/ops.def"
	PTXO_COUNT
};

/* The letters of operands that are written, and of those that are read. */
#define PTX_WRITTEN      "dDqQwab"
#define PTX_READ_WRITTEN "b"

struct ptx_op_info {
	const char *text;
	const char *operands, *kinds; /* ops.def */
	uint8_t types;
	uint8_t sm;         /* the least compute capability, 90: 9.0 */
	bool memory;        /* spelled by harness/program/spelling.h */
	uint64_t classes;   /* a bit for each class that it takes */
	const char *reason; /* why it is not modelled, or NULL */
};
extern const struct ptx_op_info ptx_ops[PTXO_COUNT];

/* A floating-point type, or a pair of them; a pair. */
bool ptx_is_real(uint8_t type);
bool ptx_is_pair(uint8_t type);

/* A type that registers have, not a conversion alone. */
bool ptx_is_plain(uint8_t type);
/* Whether `kinds` of an operation have the type. */
bool ptx_takes_kind(const char *kinds, enum ptx_type type);

struct ptx_refusal {
	const char *text, *reason;
	uint8_t sm;
};
/* Of the operations that are not modelled, with forms and without. */
extern const struct ptx_refusal ptx_refusals[]; /* ends with NULL */

/* ---- a module ---- */

/* A piece of the module's text; not terminated. */
struct ptx_name {
	const char *text;
	uint32_t length;
};

struct ptx_place {
	uint32_t line, column; /* from 1 */
};

enum ptx_space {
	PTX_GENERIC,
	PTX_GLOBAL,
	PTX_SHARED,
	PTX_LOCAL,
	PTX_CONST,
	PTX_PARAM,
	PTX_SPACE_COUNT
};

/* What stands before a variable or a function. */
enum ptx_linkage { PTX_STATIC, PTX_EXTERN, PTX_VISIBLE, PTX_WEAK, PTX_COMMON };

/* A variable of the module, a parameter of a function, or a variable of a
   function. Offsets are in bytes, in its space: of .param the launch's or the
   call's parameters, of .shared and .local what the function takes. */
struct ptx_variable {
	struct ptx_name name;
	uint8_t space;    /* enum ptx_space */
	uint8_t type;     /* of an element */
	uint8_t vector;   /* elements of a vector, 0: none */
	uint8_t linkage;  /* enum ptx_linkage */
	bool of_function; /* its own, not the module's */
	bool is_register; /* a parameter that is one: `reg` of its function */
	uint32_t reg;
	uint32_t align;
	uint64_t bytes; /* 0: an array without a size */
	uint64_t offset;
	/* Initial bytes, or NULL: zero; owned. */
	uint8_t *initial;
	struct ptx_place place;
};

struct ptx_register {
	struct ptx_name name;
	uint8_t type;
};

enum ptx_operand_kind {
	PTX_NOTHING,  /* `_`, or left out */
	PTX_REGISTER, /* index: of the function's registers */
	PTX_NUMBER,   /* bits */
	PTX_SPECIAL,  /* index: enum ptx_special */
	PTX_VARIABLE, /* the address of variable `index`, + bits */
	PTX_ADDRESS,  /* [register index + bits], [bits] if `is_absolute` */
	PTX_PLACED,   /* [variable index + bits] */
	PTX_LABEL,    /* index: of an instruction of the function */
	PTX_VECTOR, /* `count` operands from `index` of the function's items */
	PTX_FUNCTION, /* index: of the module's functions; its address */
};

struct ptx_operand {
	uint8_t kind;          /* enum ptx_operand_kind */
	bool negated;          /* !p */
	bool is_float;         /* PTX_NUMBER: written as one; bits: of a double,
				  unless `is_single` */
	bool is_single;        /* PTX_NUMBER: 0f...: bits of a float */
	bool is_absolute;      /* PTX_ADDRESS */
	bool is_element : 1;   /* PTX_VARIABLE: name[2] */
	bool is_prototype : 1; /* PTX_NOTHING: of a call */
	bool has_place : 1;    /* PTX_ADDRESS, PTX_PLACED: [a, {x, y}] of a
				  tensor; the next operand is the vector */
	bool is_whole : 1; /* PTX_VECTOR: 128 bits, one register or number */
	uint16_t count;    /* PTX_VECTOR */
	uint32_t index;
	uint64_t bits;
};

/* What the spelling of a matrix instruction says of its matrices: .m16n8k16,
   and .row.col. */
struct ptx_shape {
	uint16_t m, n, k;     /* 0: not said */
	uint8_t layout_count; /* how many of .row and .col there are */
	uint8_t columns;      /* a bit for each that is .col */
};

/* A call has three: what it returns, the function, what it takes; of what a
   register holds a fourth: a list of functions, or a prototype. */
#define PTX_OPERANDS_MAX 8

struct ptx_insn {
	uint8_t op;         /* enum ptx_op */
	uint8_t type, from; /* the last type of the spelling; cvt, set: .to is
			       `type`, the other one `from`; of four types the
			       first two */
	uint8_t more[2];    /* of four types the last two */
	struct ptx_shape shape;
	uint8_t word[PTX_CLASS_COUNT]; /* enum ptx_word */
	uint8_t space;                 /* memory: enum ptx_space */
	bool is_cluster; /* memory: .shared::cluster, of any block of it */
	uint8_t vector;  /* memory: 1, 2, 4, 8 */
	uint8_t operand_count;
	bool guarded, guard_negated;
	bool stays_rolled; /* behind a `.pragma "nounroll";` */
	uint32_t guard;    /* register */
	struct ptx_operand operands[PTX_OPERANDS_MAX];
	struct ptx_operand second; /* the other register of d|p; of a call of
				      what a register holds, and of a branch
				      through a table, a predicate for whoever
				      takes it apart */
	/* Memory: its qualifiers. */
	uint8_t qualifiers[Q_COUNT]; /* enum qualifier_value */
	uint8_t access;              /* memory: enum op of program.h */
	struct ptx_place place;
	/* The last .loc before it: number of a .file, 0: none; debug.c. */
	uint32_t source_file, source_line;
};

struct ptx_function {
	struct ptx_name name;
	bool is_entry, has_body;
	bool is_pointed; /* its address is taken */
	bool is_noreturn;
	uint8_t linkage; /* enum ptx_linkage */
	uint32_t alias;  /* 1 + the function that it is another name of */
	uint32_t parameter_first, parameter_count; /* module.variables */
	uint32_t return_first, return_count;
	uint32_t maxntid[3], reqntid[3]; /* 0: not said */
	uint32_t maxnreg, minnctapersm;
	uint32_t reqnctapercluster[3]; /* 0: not said */
	uint32_t maxclusterrank;       /* 0: not said */
	bool explicitcluster;
	struct ptx_register *registers; /* owned, as the others */
	uint32_t register_count, register_capacity;
	struct ptx_insn *insns;
	uint32_t insn_count, insn_capacity;
	struct ptx_operand *items; /* of vectors and calls */
	uint32_t item_count, item_capacity;
	uint64_t shared_bytes, local_bytes, param_bytes; /* own variables */
	bool uses_dynamic_shared;
	uint32_t same_bucket; /* function + 1, for looking up names */
	/* "FILE:LINE:COLUMN: " and the first thing in it that PTX has and the
	   model has not; NULL: nothing. Its instructions are not all there. */
	const char *unmodelled;
	bool head_unmodelled; /* nothing but its name is known */
};

/* Whether its last operand is a cache policy. */
static inline bool ptx_has_policy(const struct ptx_insn *insn)
{
	return insn->qualifiers[Q_HINT] || insn->word[PTX_CLASS_HINT];
}

/* An address among the initial bytes of a variable. */
struct ptx_pointer {
	uint32_t owner; /* variable */
	uint64_t at;    /* byte of it */
	uint8_t bytes;
	bool is_function, is_generic;
	uint32_t index;  /* function or variable */
	uint64_t offset; /* that is added */
	uint8_t shift;   /* bits of the address that are left out */
};

struct ptx_file_name {
	uint32_t number;
	struct ptx_name name;
};

/* A name that the module made itself. */
struct ptx_kept {
	struct ptx_kept *next;
	char text[];
};

struct ptx_module {
	char *text; /* owned, as the others */
	struct ptx_kept *kept;
	size_t length;
	uint32_t version;     /* 90: .version 9.0 */
	uint32_t target;      /* 90: sm_90 */
	bool target_is_exact; /* sm_90a: no other has what it has */
	struct ptx_place target_place;
	struct ptx_variable *variables;
	uint32_t variable_count, variable_capacity;
	struct ptx_function *functions;
	uint32_t function_count, function_capacity;
	uint32_t *function_buckets; /* function + 1, by hash of names; owned */
	struct ptx_pointer *pointers;
	uint32_t pointer_count, pointer_capacity;
	struct ptx_file_name *files;
	uint32_t file_count, file_capacity;
	uint64_t global_bytes, const_bytes; /* of its variables */
};

/*
 * Reads `length` bytes. ERR_USAGE: "NAME:LINE:COLUMN: " and what was expected;
 * ERR_FAILED without memory. Then nothing is to be freed.
 */
int ptx_parse(const char *name, const char *text, size_t length,
	struct ptx_module *module, struct error *error);
void ptx_free(struct ptx_module *module);

/* The entry called `name`, or NULL. */
const struct ptx_function *ptx_entry(
	const struct ptx_module *module, const char *name);

/* 1 + the index of the file to which `.file` gave the number; 0: none. */
uint32_t ptx_file(const struct ptx_module *module, uint32_t number);

/* How many registers of a thread hold matrix `i` of an mma: D, A, B, C. */
uint32_t ptx_matrix_registers(const struct ptx_insn *insn, uint32_t i);

/* A list of functions, that of `.calltargets`. */
static inline bool ptx_is_targets(
	const struct ptx_function *f, const struct ptx_operand *o)
{
	return o->kind == PTX_VECTOR && o->count &&
	       f->items[o->index].kind == PTX_FUNCTION;
}

static inline bool ptx_name_is(const struct ptx_name *name, const char *text)
{
	uint32_t i;

	for (i = 0; i < name->length; i++)
		if (!text[i] || text[i] != name->text[i])
			return false;
	return !text[i];
}

#endif
