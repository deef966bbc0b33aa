#ifndef NEARFAR_OPTIONS_H
#define NEARFAR_OPTIONS_H

/*
 * The words of a command, as one table: what it is for, its options and their
 * values, its operands, examples, files. The command line, --help (below), the
 * manual page (man.h) and completion (harness/command/help) follow from the
 * table; no other place of the program reads a command line.
 *
 * An option's value goes into a struct of the command's own, at `at`. A wrong
 * word is a sentence and ERR_USAGE. What argp itself finds (an option that is
 * not there, a value that is missing) ends the process with status 2, as
 * --help ends it with 0.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

enum options_kind {
	TAKES_NOTHING, /* a bool that becomes true */
	TAKES_TEXT,    /* const char *: the word as it is */
	TAKES_CHOICE,  /* int: the index of the word in `choices` */
	TAKES_COUNT,   /* unsigned or uint64_t: from `least` to `most` */
	TAKES_OWN,     /* what `take` makes of it */
};

/* What a word may be, for completion. */
enum options_values {
	VALUES_NONE,
	VALUES_CHOICES, /* those of `choices` */
	VALUES_FILES,
	VALUES_FOLDERS,
	VALUES_BACKENDS,
	VALUES_BENCHES,
	VALUES_MACHINES, /* or files */
	VALUES_WORKS,    /* benches, or files of programs and jobs */
	VALUES_METRICS,
	VALUES_PARAMETERS,
	VALUES_SETTINGS, /* a parameter, = and its value */
	VALUES_COUNT
};

struct options_row {
	const char *name; /* of --name; NULL: has a letter only */
	int letter;       /* of -f; 0: none */
	enum options_kind kind;
	const char *argument; /* "FILE"; NULL: the option takes no value */
	const char *help;     /* a choice's words go before it */
	size_t at, bytes;     /* OPTIONS_AT */
	const char *choices;  /* "a|b|c" */
	uint64_t least, most;
	/* May change the text. ERR_USAGE; the sentence names the option. */
	int (*take)(void *into, const struct options_row *row, char *text,
		struct error *error);
	const char *example; /* a value, where `argument` does not show one */
	const char *was;     /* the name that it had; works, with a hint */
	enum options_values values;
	bool hidden; /* from --help */
};

#define OPTIONS_AT(type, member)                                               \
	.at = offsetof(type, member), .bytes = sizeof(((type *)0)->member)

/* The words that are no options. They borrow from the command line. */
struct options_words {
	char **items;
	size_t count;
};

/* What an operand may be. */
struct options_operand {
	enum options_values values;
	const char *choices;
};

struct options_table {
	const char *name;     /* "show" */
	const char *summary;  /* a line of `nearfar --help` */
	const char *operands; /* "FILE..."; each further form in a line */
	const char *about;    /* a paragraph */
	const char *notes;    /* behind the options; or NULL */
	const struct options_row *rows; /* ends with `help` NULL */
	const struct options_row *more; /* under a heading; or NULL */
	const char *more_heading;
	size_t words; /* where the operands go: of a struct options_words */
	size_t least, most;
	const char *needed; /* what is said where there are fewer or more */
	struct options_operand first, rest;
	const char *const *examples; /* commands; end with NULL */
	const char *const *files;    /* pairs of a name and what it is */
};

/* What is asked before each word of the command line, whose row is NULL for an
   operand; ERR_USAGE refuses it. */
typedef int options_before(
	void *into, const struct options_row *row, struct error *error);

/* `into`: the command's struct, with its defaults. `before` may be NULL.
   ERR_USAGE; ERR_FAILED without memory. */
int options_parse(const struct options_table *table, int argc, char **argv,
	options_before *before, void *into, struct error *error);

/* The same of words that are no command line (rows of a suite): nothing ends
   the process. */
int options_parse_words(const struct options_table *table, int argc,
	char **argv, options_before *before, void *into, struct error *error);

/* What --help says of the row; the caller frees it. NULL without memory. */
char *options_help(const struct options_row *row);

/* "a, b or c" of "a|b|c"; the caller frees it. NULL without memory. */
char *options_list(const char *choices, const char *last);

#endif
