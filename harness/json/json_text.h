#ifndef NEARFAR_JSON_TEXT_H
#define NEARFAR_JSON_TEXT_H

/*
 * JSON as jansson's tree, where memory may run out. jansson does not look
 * whether a string that it reads got the room to grow: it loses characters, or
 * writes behind the end. A lack of memory leaves it by a jump instead.
 */
#include <jansson.h>
#include <stddef.h>

/* Gives jansson its memory: before anything else of jansson is called, and
   before there are threads. Without it json_text_read() is json_loadb(). */
void json_text_begin(void);

/* As json_loadb(); NULL with ENOMEM in errno without memory. */
json_t *json_text_read(
	const char *text, size_t bytes, size_t flags, json_error_t *where);

/* As json_dumps(), but the caller frees it by free(). */
char *json_text_write(const json_t *value, size_t flags);

#endif
