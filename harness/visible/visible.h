#ifndef NEARFAR_VISIBLE_H
#define NEARFAR_VISIBLE_H

/*
 * Text of others where people read it. Names, options and provenance come from
 * files, and what they hold must neither steer a terminal nor become markup:
 * control characters, marks of writing direction and bytes that are no UTF-8
 * are shown as \n, \x1b or \u202e.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* For a terminal or a plain file. */
void visible_put(FILE *out, const char *text);

/* For Markdown: what would be markup or HTML has a backslash before it. */
void visible_put_md(FILE *out, const char *text);

/* For `code` in Markdown: a backtick would end it and becomes \x60. */
void visible_put_code(FILE *out, const char *text);

/* For HTML and SVG: markup becomes text, control characters become blanks. */
void visible_put_html(FILE *out, const char *text);

/* For a terminal, in a buffer of `size` bytes; what has no room is cut. */
void visible_copy(const char *text, char *to, size_t size);

/* Whether all of it is UTF-8. */
bool visible_is_utf8(const char *text);

/* The bytes of visible_copy(), its end not counted. */
size_t visible_length(const char *text);

#endif
