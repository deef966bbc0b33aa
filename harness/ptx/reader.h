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
	char mark; /* TOKEN_MARK */
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
	SYMBOL_UNMODELLED, /* a variable of a kind that is not modelled */
};

struct symbol {
	struct ptx_name name;
	uint32_t index;
	uint32_t shadowed; /* symbol that it hides, + 1 */
	uint8_t kind;
	bool is_extern;
};

/* A spelling that is a form of PTX, and the types of its operands. */
struct form_seen {
	struct ptx_name spelling;
	const char *operands;
};

#define READER_FORMS 64u

struct reader {
	const char *file;
	const char *at, *end;
	struct ptx_place place; /* of `at` */
	struct token token;     /* the one to be looked at */
	struct error *error;
	struct ptx_module *module;
	struct ptx_function *function; /* whose body is read, or NULL */
	uint32_t source_file, source_line;
	bool stays_rolled;       /* what the next instruction is in */
	bool is_extern;          /* the declaration that is read */
	uint32_t depth;          /* of scopes */
	uint32_t register_count; /* of all functions */
	uint32_t scope;          /* the first symbol of the innermost one */
	struct reader_place directive; /* the last one of a body */

	struct form_seen forms[READER_FORMS]; /* by hash of spellings */

	struct symbol *symbols; /* owned; the last one of a name holds */
	uint32_t symbol_count, symbol_capacity;
	uint32_t *buckets; /* owned: symbol + 1 */

	/* uses of labels that may stand further down; owned */
	struct ptx_use {
		struct token token;
		uint32_t insn, operand;
	} * uses;
	uint32_t use_count, use_capacity;
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
int reader_take_number(struct reader *r, const char *what, uint64_t *number);

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
const struct symbol *names_find(
	const struct reader *r, const struct ptx_name *name);
/* A scope is the number of symbols before it. */
void names_leave(struct reader *r, uint32_t scope);
void names_free(struct reader *r);

/* ---- variable.c ---- */

/* The type that a token `.u32` names; PTX_UNTYPED: none. */
enum ptx_type reader_type(const struct ptx_name *name);
/* The token is no type of `what` that is modelled, or none at all. */
int reader_no_type(struct reader *r, const char *what);
/* `.align 4 .b8 name[16] = {...}`: behind its space. */
int reader_variable(struct reader *r, enum ptx_space space, bool is_extern,
	uint32_t *index);
/* The variables of a space of a function or of the module, one after the
   other. */
int reader_variables(struct reader *r, enum ptx_space space, bool is_extern);

/* ---- module.c ---- */

/* A copy that lives as long as the module; NULL without memory. */
const char *ptx_keep(struct ptx_module *m, const char *text, size_t length);

/* ---- function.c ---- */

/* Behind its `.entry` or `.func`. */
int reader_function(struct reader *r, bool is_entry);
/* Keeps the sentence that is there, if it is the function's first. */
int reader_keep_unmodelled(struct reader *r, struct ptx_function *f);
/* The function that a call names. */
int ptx_find_callee(struct reader *r, const struct ptx_use *use);

/* ---- body.c, insn.c, operand.c ---- */

/* `{ ... }` */
int reader_body(struct reader *r);
int reader_insn(struct reader *r);
int reader_operand(struct reader *r, struct ptx_operand *operand);
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

#endif
