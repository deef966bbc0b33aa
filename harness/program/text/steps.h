#ifndef NEARFAR_TEXT_STEPS_H
#define NEARFAR_TEXT_STEPS_H

/* Host actions, which programs and jobs write alike: a statement each. */
#include <stdio.h>

#include "harness/program/program.h"
#include "harness/program/text/scan.h"

/* How the text calls the buffers of its owner. */
struct step_names {
	const void *owner;
	/* The index of a buffer, or -1; and its name. */
	int (*find)(const void *owner, const char *name);
	const char *(*name)(const void *owner, unsigned index);
};

/* The enum step_kind of the host action that begins with the word, or -1. */
int step_kind_find(const char *word);
/* The word of a host action. */
const char *step_word(enum step_kind kind);

/* All host actions, as a page shows them: statement_put(). */
void step_statements_put(FILE *out);

/* Reads what follows the word, up to the end of the line, into a step whose
   kind is set and all else zero. 0, or less than 0 with scan_fail()'s sentence.
 */
int step_parse(
	struct scan *scan, const struct step_names *names, struct step *step);

/* The statement, with the end of its line. */
void step_print(
	FILE *out, const struct step_names *names, const struct step *step);

#endif
