#ifndef NEARFAR_EMIT_H
#define NEARFAR_EMIT_H

/*
 * Numbers and strings as the files spell them. The same value always gives
 * the same bytes: a number has as few digits as read back to the same double
 * and whole numbers have no fraction. Stream errors show in ferror().
 */
#include <stdbool.h>
#include <stdio.h>

#include "harness/base/facts.h"

#define EMIT_NUMBER_BYTES 32

/* `value` is finite. */
void emit_format(double value, char text[EMIT_NUMBER_BYTES]);

/* JSON and CSV: what is not finite becomes `null` or an empty field. */
void emit_json_number(FILE *out, double value);
void emit_csv_number(FILE *out, double value);

bool emit_is_utf8(const char *text);

/* Quoted and escaped. Text that is not UTF-8 loses its bytes past ASCII. */
void emit_json_string(FILE *out, const char *text);

/* A further member of an object, `, "KEY": VALUE`; the key needs no escape. */
void emit_json_number_member(FILE *out, const char *key, double value);
void emit_json_string_member(FILE *out, const char *key, const char *text);

/* An object of strings; a key that occurs more than once becomes an array
   where it occurs first. */
void emit_json_facts(FILE *out, const struct facts *facts, const char *gap);

/* What stands between the quotes of a label of OpenMetrics 1.0. */
void emit_openmetrics_string(FILE *out, const char *text);

/* RFC 4180: quoted only where necessary. */
void emit_csv_string(FILE *out, const char *text);

#endif
