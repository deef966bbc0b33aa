#ifndef NEARFAR_MAN_H
#define NEARFAR_MAN_H

/*
 * Manual pages in roff (man(7)).
 *
 *   man_head -> man_section, man_text, man_item, man_code ... -> man_statuses
 *
 * What is written comes out of man as it is: no character of a text is taken
 * for a request. What the stream does shows in ferror().
 */
#include <stdio.h>

#include "harness/options/options.h"

struct man_page {
	const char *name; /* "nearfar-show" */
	int section;
	const char *summary; /* of NAME */
	const char *version;
};

void man_head(const struct man_page *page, FILE *out);
void man_section(const char *name, FILE *out);

/* A paragraph; its lines are joined. */
void man_text(const char *text, FILE *out);

/* What is in bold, and what it is. `tag` may hold roff: see man_escape(). */
void man_item(const char *tag, const char *text, FILE *out);

/* A line as it stands; several come between man_code(true) and (false). */
void man_code(bool begins, FILE *out);
void man_line(const char *line, FILE *out);

/* The text without what roff would read. */
void man_escape(const char *text, size_t length, FILE *out);

/* EXIT STATUS. */
void man_statuses(FILE *out);

/* The page of a command, down to FILES. */
void man_command(
	const struct options_table *table, const char *version, FILE *out);

#endif
