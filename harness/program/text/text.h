#ifndef NEARFAR_TEXT_H
#define NEARFAR_TEXT_H

/*
 * The text form of an access program: one statement a line, `#` comments,
 * indentation free. program_parse(program_print(p)) is p, and
 * program_print(program_parse(t)) is the canonical form of t.
 *
 *   nearfar-program 1
 *   name pointer-chase
 *   seed 1
 *   buffer ring bytes=8MiB fill=ring slot=128 order=shuffle seed=1
 *   granularity 64
 *   flush
 *   launch measure
 *     role chase sms=0:1 threads=32 lanes=1
 *       repeat 65536 unroll=16
 *         ld.global.cg.b64 [ring chase]
 *       end
 *       repeat 4096 time=each region=measure
 *         ld.global.cg.b64 [ring chase]
 *       end
 *
 * What each statement takes stands in the table that reads it, from which
 * `nearfar help programs` is made (statement_put in fields.h).
 *
 * An instruction is its PTX spelling, qualifiers in any order, and operands;
 * registers are left out:
 *   ld, st, atom, red                  [ADDRESS] {, pN}
 *   prefetch, prefetchu                [ADDRESS]
 *   discard, applypriority             [ADDRESS], 128
 *   fence                              none
 *   createpolicy.fractional            pN {, FRACTION}
 *   createpolicy.range                 pN, [ADDRESS], PRIMARY, TOTAL
 *   createpolicy.cvt                   pN, normal|streaming|persisting
 * pN (p0 to p3) stands exactly where .L2::cache_hint does.
 *
 *   ADDRESS = BUFFER {chase | random slot=SIZE {per=lane|warp}} TERMS
 *           | shared TERMS
 *   TERMS   = {+ SIZE} {+ lane*SIZE} {+ warp*SIZE} {+ block*SIZE}
 *             {+ loop0*SIZE} {+ loop1*SIZE} {+ loop2*SIZE} {wrap SIZE}
 *
 * The canonical form leaves out what is at its default. Sizes are written and
 * read as in units.h; tests/golden/ holds more examples.
 */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/program/places.h"

/* All statements, as the page shows them. */
void program_statements_put(FILE *out);
/* All instructions with their operands, and the qualifiers of each. */
void program_instructions_put(FILE *out);
void program_qualifiers_put(FILE *out);

/* Writes the canonical text; ERR_FAILED if the stream fails. */
int program_print(const struct program *p, FILE *out);

/* The canonical text as a string; the caller frees it. NULL: no memory. */
char *program_text(const struct program *p);

/*
 * Reads a program from a string. An error is ERR_USAGE with
 * "SOURCE:LINE:COLUMN: what was expected". The result is not checked yet.
 */
int program_parse(const char *text, const char *source, struct program *p,
	struct error *error);

/* The same, and where the text has what. `places` borrows the text and its
   name. */
int program_parse_places(const char *text, const char *source,
	struct program *p, struct program_places *places, struct error *error);

#endif
