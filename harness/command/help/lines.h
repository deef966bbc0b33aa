#ifndef NEARFAR_HELP_LINES_H
#define NEARFAR_HELP_LINES_H

/* Text in lines of 79 columns at most. */
#include <stdio.h>

/* A name in a column of that width (NULL: none), and the text beside it; a name
   that is too long has a line of its own. A word that is longer than a line
   stands alone. */
void lines_put(FILE *out, const char *indent, int columns, const char *name,
	const char *text);

#endif
