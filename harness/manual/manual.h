#ifndef NEARFAR_MANUAL_H
#define NEARFAR_MANUAL_H

/* Lines of a page of the manual: words in columns, 80 wide. */
#include <stddef.h>
#include <stdio.h>

#define MANUAL_INDENT 4  /* of what stands as it is */
#define MANUAL_COLUMN 34 /* of what a name is */
#define MANUAL_WIDTH  80

/* Words from `column` on, in as many lines as they need, with the end of the
   last; the first begins where the line is. */
void manual_put_words(FILE *out, const char *words, size_t column);

/* A name behind `indent` blanks, and what it is in the other column; on the
   next line where the name is too long. */
void manual_put_row(
	FILE *out, size_t indent, const char *name, const char *what);

#endif
