#ifndef NEARFAR_YAML_CHECK_H
#define NEARFAR_YAML_CHECK_H

/* What is refused before a document is made of it. */
#include <stddef.h>
#include <yaml.h>

#include "harness/base/error.h"

/* ERR_USAGE with FILE:LINE:COLUMN for what is no YAML, for a second document,
   for aliases, and for what is deeper or longer than a machine can be. */
int yaml_check(const char *text, size_t length, const char *source,
	struct error *error);

/* The sentence of a parser that failed; returns ERR_USAGE. */
int yaml_fail(
	const yaml_parser_t *parser, const char *source, struct error *error);

#endif
