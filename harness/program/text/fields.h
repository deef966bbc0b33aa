#ifndef NEARFAR_TEXT_FIELDS_H
#define NEARFAR_TEXT_FIELDS_H

/*
 * The statements of a text form, and their `key=value` words. One table a
 * statement drives the parser, the printer and the page of the manual; a field
 * at its default is not printed.
 */
#include <stddef.h>
#include <stdio.h>

#include "harness/program/program.h"
#include "harness/program/text/scan.h"

enum field_type {
	FIELD_BYTES,
	FIELD_COUNT,
	FIELD_REAL,
	FIELD_CHOICE, /* a word of `choices`; the value is its index */
	FIELD_FLAG,   /* present or not, without '=' */
	FIELD_NAME,
	FIELD_OWN, /* reads itself, and is printed by its statement */
	FIELD_TYPES
};

struct field {
	const char *name;
	uint8_t type;  /* enum field_type */
	uint8_t width; /* of the member, in bytes */
	uint16_t offset;
	bool always;      /* printed at its default too */
	uint64_t initial; /* the default */
	const char *const *choices;
	const char *help; /* a phrase, for the page */
	/* FIELD_OWN: what follows "NAME=", as the page writes it, and its
	   reader; `text` is what follows in `word`. */
	const char *form;
	int (*parse)(struct scan *scan, const struct word *word,
		const char *text, void *object);
};

/* A statement, as its page tells it. */
struct statement {
	const char *word;
	const char *form; /* what stands between it and its fields; "" */
	const char *help;
	const struct field *fields; /* NULL: none */
};

/* How many fields a statement may have. */
#define FIELDS_MAX 32

/* Each ends with name == NULL. */
extern const struct field buffer_fields[];
extern const struct field launch_fields[];
extern const struct field role_fields[];
extern const struct field window_fields[];
extern const struct field copy_fields[];
extern const struct field repeat_fields[];

extern const char *const memory_names[MEMORY_COUNT + 1];
extern const char *const property_names[PROPERTY_COUNT + 1];

/* The index of `text` among `choices`, which end with NULL, or -1. */
int choice_index(const char *const *choices, const char *text);

/* " key=value" for each field that is not at its default. */
void fields_print(FILE *out, const struct field *fields, const void *object);

/* Reads one word into its field; *seen has a bit for each field read. */
int field_parse(struct scan *scan, const struct field *fields,
	const struct word *word, void *object, uint32_t *seen);

/* Reads fields up to the end of the line. */
int fields_parse(struct scan *scan, const struct field *fields, void *object);

/* A statement's part of a page: the statement, and a line for each field. */
void statement_put(FILE *out, const struct statement *statement);

/* The shortest decimal that reads back as `value`. */
void real_print(FILE *out, double value);

/* A size, as units.h writes it. */
void bytes_print(FILE *out, uint64_t bytes);

/* Copies a name; ERR_USAGE if it is too long. */
int name_parse(struct scan *scan, const struct word *word, const char *text,
	char name[PROGRAM_NAME_BYTES]);

#endif
