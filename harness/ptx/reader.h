#ifndef NEARFAR_PTX_READER_H
#define NEARFAR_PTX_READER_H

/* What the files of the PTX reader share: tokens, names and growing arrays. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/ptx/ptx.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,   /* add %r1 $L__BB0_2 main */
	TOKEN_DOT,    /* .u32 .L1::no_allocate: text without the dot */
	TOKEN_NUMBER, /* value in `bits` */
	TOKEN_STRING, /* text without the quotes */
	TOKEN_MARK,   /* one character */
};

struct token {
	uint8_t kind; /* enum token_kind */
	bool is_float, is_single;
	bool is_unsigned; /* TOKEN_NUMBER: 1U */
	char mark;        /* TOKEN_MARK */
	struct ptx_name text;
	uint64_t bits;
	struct ptx_place place;
	bool spaced; /* white space before it */
};

/* Where a reader is, so that it can go back there. */
struct reader_place {
	const char *at;
	struct ptx_place place;
	struct token token;
};

/* What a name stands for. */
enum symbol_kind {
	SYMBOL_VARIABLE,
	SYMBOL_REGISTER,
	SYMBOL_LABEL,
	SYMBOL_WHOLE, /* a register of 128 bits: two of 64, the first */
	SYMBOL_PAIR,  /* a vector of two registers, and of four: the first */
	SYMBOL_FOUR,
	SYMBOL_LIST, /* labels or functions: an operand among the items */
	SYMBOL_PROTOTYPE,
	SYMBOL_SECTION,    /* a label of debugging data */
	SYMBOL_UNMODELLED, /* a variable of a kind that is not modelled */
};

struct symbol {
	struct ptx_name name;
	uint32_t index;
	uint32_t shadowed; /* symbol that it hides, + 1 */
	uint8_t kind;
};

/* Where a variable is declared. */
enum reader_where {
	IN_MODULE,
	IN_BODY,
	OF_ENTRY, /* a parameter, as the next ones */
	OF_FUNCTION,
	RETURNED,
	OF_PROTOTYPE,
};

/* What a function returns and takes: variables of the module. */
struct signature {
	uint32_t return_first, return_count;
	uint32_t parameter_first, parameter_count;
};

#define WORDS_MAX 16

/* The words of a spelling: the first is the operation's. */
struct spelling {
	struct ptx_name all; /* as it is written */
	struct ptx_name words[WORDS_MAX];
	uint32_t count;
	struct ptx_place place;
};

/* A spelling that is a form of PTX, and the types of its operands. */
struct form_seen {
	struct ptx_name spelling;
	const char *operands;
};

#define READER_FORMS 64u

/* What .loc has said, by hash, and the labels that it has named. */
struct sources {
	struct source {
		bool is_there;
		uint32_t file, line, column;
		/* of what another file has, and is inlined: where */
		uint32_t outer_file, outer_line;
	} * seen; /* owned, as the labels */
	uint32_t count, capacity;
	struct token *labels;
	uint32_t label_count, label_capacity;
};

struct reader {
	const char *file;
	const char *at, *end;
	struct ptx_place place; /* of `at` */
	struct token token;     /* the one to be looked at */
	struct error *error;
	struct ptx_module *module;
	struct ptx_function *function; /* whose body is read, or NULL */
	uint32_t source_file, source_line;
	bool stays_rolled; /* what the next instruction is in */
	uint32_t depth;    /* of scopes */
	uint8_t linkage; /* of the declaration that is read: enum ptx_linkage */
	uint8_t where;   /* enum reader_where */
	bool has_samplers;       /* .target texmode_independent */
	uint32_t register_count; /* of all functions */
	uint32_t scope;          /* the first symbol of the innermost one */
	struct reader_place directive;        /* the last one of a body */
	struct form_seen forms[READER_FORMS]; /* by hash of spellings */

	struct symbol *symbols; /* owned; the last one of a name holds */
	uint32_t symbol_count, symbol_capacity;
	uint32_t *buckets; /* owned: symbol + 1 */

	/* uses of labels that may stand further down; owned */
	struct ptx_use {
		struct token token;
		uint32_t insn, operand;
		bool is_item; /* `operand` counts the function's items */
	} * uses;
	uint32_t use_count, use_capacity;
	struct sources sources;
	struct signature *prototypes; /* owned */
	uint32_t prototype_count, prototype_capacity;
};

/* ---- lex.c ---- */

/* Where it is, and back to there. */
struct reader_place reader_tell(const struct reader *r);
void reader_go_back(struct reader *r, const struct reader_place *to);

/* Goes on to the next token. ERR_USAGE for what is none. */
int reader_next(struct reader *r);
/* "FILE:LINE:COLUMN: expected WHAT, not 'TOKEN'"; ERR_USAGE. */
int reader_expected(struct reader *r, const char *what);
/* A sentence about a place; ERR_USAGE. What PTX has and the model has not is
   ERR_SKIPPED: it is refused where a launch comes to it. */
int reader_refuse(struct reader *r, const struct ptx_place *place,
	const char *format, ...) __attribute__((format(printf, 3, 4)));
int reader_unmodelled(struct reader *r, const struct ptx_place *place,
	const char *format, ...) __attribute__((format(printf, 3, 4)));
/* To behind the next ';'. */
int reader_skip_statement(struct reader *r);
bool reader_is_mark(const struct reader *r, char mark);
bool reader_is_dot(const struct reader *r, const char *text);
/* Takes the mark, or says what was expected. */
int reader_take_mark(struct reader *r, char mark);
/* Takes the mark if it is there. */
int reader_skip_mark(struct reader *r, char mark, bool *was);

/* ---- names.c ---- */

/* Room for one more; ERR_FAILED without memory. */
int reader_grow(struct reader *r, void *items, uint32_t *capacity,
	uint32_t count, size_t size);
uint32_t ptx_hash(const struct ptx_name *name);
int names_init(struct reader *r);
/* From now on, until the names of an outer scope hold again. ERR_USAGE where
   the scope has the name; `place` is where it stands. */
int names_add(struct reader *r, const struct ptx_name *name,
	const struct ptx_place *place, uint8_t kind, uint32_t index);
/* Whether the scope has the name or not. */
int names_shadow(struct reader *r, const struct ptx_name *name, uint8_t kind,
	uint32_t index);
const struct symbol *names_find(
	const struct reader *r, const struct ptx_name *name);
/* A scope is the number of symbols before it. */
void names_leave(struct reader *r, uint32_t scope);
void names_free(struct reader *r);

/* ---- shape.c ---- */

/* Whether the word is a shape or a layout of an operation that has one. */
bool reader_shape(struct ptx_insn *insn, const struct ptx_name *word);
/* Whether a matrix instruction may be spelled with so many types, of which the
   others follow; they are filled in. And the space of one that has memory. */
bool reader_matrix_types(struct ptx_insn *insn, uint32_t types);
void reader_matrix_space(struct ptx_insn *insn);
/* Where type number `i` of the spelling is kept. */
uint8_t *reader_place_of_type(struct ptx_insn *insn, uint32_t i);

/* ---- variable.c ---- */

/* The type that a token `.u32` names; PTX_UNTYPED: none. */
enum ptx_type reader_type(const struct ptx_name *name);
/* `.align 4 .shared .align 4 .b8 name[16] = {...};`: variables of a function or
   of the module. ERR_SKIPPED, back where it began, for what is not modelled. */
int reader_variables(struct reader *r);
/* `[4][8]` of what is not modelled. */
int reader_skip_bounds(struct reader *r);
/* `.param .align 4 .b8 name[16]`, of a register behind its `.reg`. */
int reader_parameter(struct reader *r, bool is_register, uint32_t *index);
/* Whether such a declaration begins here. */
bool reader_is_variable(const struct reader *r);

/* ---- module.c ---- */

/* A copy that lives as long as the module; NULL without memory. */
const char *ptx_keep(struct ptx_module *m, const char *text, size_t length);

/* ---- head.c ---- */

/* `.maxntid 256` and so on, up to the body. */
int reader_limits(struct reader *r, struct ptx_function *f);

/* ---- function.c ---- */

/* Behind its `.entry` or `.func`. */
int reader_function(struct reader *r, bool is_entry);
/* One more function of the module. */
int ptx_add_function(
	struct reader *r, const struct ptx_function *f, uint32_t *index);
/* Keeps the sentence that is there, if it is the function's first. */
int reader_keep_unmodelled(struct reader *r, struct ptx_function *f);
/* The function of that name; -1: none. */
int ptx_find_function(const struct ptx_module *m, const struct ptx_name *name);
/* Whether a call of what a register holds fits its list or prototype. */
int reader_check_pointed(struct reader *r, const struct ptx_insn *call);
/* The function that a call names. */
int ptx_find_callee(struct reader *r, const struct ptx_use *use);

/* ---- parameters.c ---- */

/* `(.param .u64 a, .reg .f32 b)`: variables of the module. */
int reader_parameters(struct reader *r, uint32_t *first, uint32_t *count);
/* Whether a function can return them: one variable, or registers. */
bool reader_are_returned(
	const struct reader *r, uint32_t first, uint32_t count);
/* Parameters that are registers get theirs where the body begins; what a
   function returns in a register leaves it before `ret`, whose guard is that
   of `like`. */
int reader_enter(struct reader *r);
int reader_leave(struct reader *r, const struct ptx_insn *like);
/* A call takes and returns variables: registers and numbers go there and come
   from there. Before the call, and behind it. */
int reader_pass(struct reader *r, const struct ptx_insn *call);
int reader_return(struct reader *r, const struct ptx_insn *call);

/* ---- narrow.c ---- */

/* Whether atomics of narrow reals have the word, and access programs don't. */
bool narrow_word(struct ptx_insn *insn, const struct ptx_name *word);
/* As in the assembler: of an atomic, its type and its vector. */
int narrow_check(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s);
/* Spellings that are others: bar.cta.sync is bar.sync, ldu is ld. */
void reader_respell(struct spelling *s);

/* ---- emit.c ---- */

/* One more instruction of the function. */
int reader_add(struct reader *r, const struct ptx_insn *insn);
/* Before it is checked: operands that were left out, and 128 bits as two of 64.
 */
int reader_prepare(struct reader *r, struct ptx_insn *insn);
/* The same, with all that stands for it: `use` is the first of its labels. */
int reader_emit(struct reader *r, struct ptx_insn *insn, uint32_t use);

/* ---- list.c ---- */

/* `.alias NAME, FUNCTION;`: behind its directive. */
int reader_alias(struct reader *r);

/* `.branchtargets`, `.calltargets`, `.callprototype`: what a label is of. */
bool reader_is_list(const struct reader *r);
int reader_list(struct reader *r, const struct ptx_name *name);

/* ---- body.c, insn.c, operand.c ---- */

/* `{ ... }` */
int reader_body(struct reader *r);
/* A name that the module keeps: the stem and the number. */
int reader_numbered(struct reader *r, const struct ptx_name *stem,
	uint32_t number, struct ptx_name *name);
/* One more register of the function. */
int reader_register(struct reader *r, const struct ptx_name *name,
	enum ptx_type type, uint32_t *index);
int reader_insn(struct reader *r);
/* One more of the function's items. */
int reader_item(struct reader *r, const struct ptx_operand *item);
/* A label that may stand further down. */
int reader_label(struct reader *r, struct ptx_operand *operand);
/* A special register, if `*was`; ERR_USAGE for a name that only one could have,
   and ERR_SKIPPED. */
int reader_special(
	struct reader *r, uint8_t op, struct ptx_operand *o, bool *was);
/* The element that a token `.x` names, of so many; `count`: none. */
uint32_t reader_letter(const struct reader *r, uint32_t count);
/* One of the operation. */
int reader_operand(struct reader *r, uint8_t op, struct ptx_operand *operand);
/* Holds the operands to what the operation takes. */
int reader_check(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling);

/* ---- access.c: what says what caches do ---- */

/* Holds the spelling, and numbers that have a range, to PTX as the module's
   target and version have it. */
int reader_check_access(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling);
/* Holds the operands of such an access, and of createpolicy, to the types that
   they have. */
int reader_check_access_operands(struct reader *r, const struct ptx_insn *insn,
	const struct ptx_name *spelling);

/* ---- expression.c ---- */

/* Constant expressions: what stands where PTX has a number. */

/* Whether one begins here. */
bool reader_is_expression(const struct reader *r);
/* A PTX_NUMBER. */
int reader_expression(struct reader *r, struct ptx_operand *operand);
/* An integer, in 64 bits. */
int reader_whole(struct reader *r, uint64_t *bits);
/* A number that is no expression. */
int reader_take_number(struct reader *r, const char *what, uint64_t *number);
/* The same, of 32 bits, or WARP_SZ. */
int reader_take_count(struct reader *r, const char *what, uint64_t *number);

/* ---- initial.c ---- */

/* What variables hold at first. */

#define DIMENSIONS_MAX 16u

/* The elements of a variable, the outermost dimension first; the innermost is
   that of a vector. */
struct shape {
	uint32_t depth;
	bool is_open; /* as many of the outermost as there are values */
	uint64_t count[DIMENSIONS_MAX];
	uint64_t stride[DIMENSIONS_MAX]; /* bytes */
};

/* `{1, {2, 3}, x+4}`, behind the '='. Fills v->initial, whoever fails, too; an
   open shape gives v->bytes. The variable will be the module's next one. */
int reader_initial(
	struct reader *r, struct ptx_variable *v, const struct shape *shape);

/* ---- form.c, form_check.c, form_rules.c, form_matrix.c ---- */

/* What can be written, as forms.def, accesses.def and matrix.def say it. */

/*
 * The form of an operation that the spelling has, whose first `used` words are
 * the operation's: `*operands` are the types of its operands as forms.def has
 * them, NULL: the operation has no forms. ERR_USAGE: it is no form of PTX, or
 * not of the module's version and target.
 */
int form_find(struct reader *r, const struct spelling *s, uint8_t op,
	uint32_t used, const char **operands);

/* Whether the operands are of the form's types; ERR_USAGE. */
int form_check(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s, const char *operands);
/* Whether the address is one of the space that the instruction accesses. */
int form_check_address(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s, const struct ptx_operand *o);
/* What is of single operations. */
int form_check_rules(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s);
/* The registers of matrix instructions. */
int form_check_tensors(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s);
int form_check_matrices(struct reader *r, const struct ptx_insn *insn,
	const struct spelling *s);

#endif
