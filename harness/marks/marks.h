#ifndef NEARFAR_MARKS_H
#define NEARFAR_MARKS_H

/*
 * Marks: what a reader must know of a point before trusting it. A point without
 * marks is the rule. The marks that there are stand in one table (marks.def);
 * a point has a set of them, 1 << MARK_*, which every format shows: JSON and
 * CSV by name, tables as letters with footnotes.
 */
#include <stdint.h>
#include <stdio.h>

enum mark {
#define MARK(name, text, rule, sentence) MARK_##name,
#include "harness/marks/marks.def"
#undef MARK
	MARK_COUNT
};

extern const char *const mark_names[MARK_COUNT];
extern const char *const mark_sentences[MARK_COUNT];

/* The enum mark of a name, or -1. */
int mark_find(const char *name);

/* "[a,c]", or "" without marks. */
#define MARKS_LETTERS_BYTES (2 * MARK_COUNT + 2)
void marks_letters(uint32_t marks, char text[MARKS_LETTERS_BYTES]);

/* "clock-moved shared" */
void marks_put_names(uint32_t marks, FILE *out);

/* ["clock-moved", "shared"] */
void marks_put_json(uint32_t marks, FILE *out);

/* A line for each mark, "a: SENTENCE", after an empty one; nothing without
   marks. */
void marks_put_footnotes(uint32_t marks, const char *bullet, FILE *out);

#endif
