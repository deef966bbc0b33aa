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
 * Statements; {} may be left out, | separates choices, the first of which is
 * the default:
 *   nearfar-program 1                  the first line
 *   name NAME                          letters, digits, '_', '-', '.'
 *   seed NUMBER
 *   buffer NAME bytes=SIZE {fill=zero|random|ring} {slot=SIZE}
 *          {order=sequential|shuffle} {seed=0} {rings=1} {element=8|4}
 *          {memory=plain|compressible|peer|host} {random_bytes=0}
 *          {peer=0} {through=BUFFERS}
 *   flush                              and the other host actions:
 *   reset
 *   granularity SIZE
 *   carveout SIZE
 *   window BUFFER {base=0} bytes=SIZE ratio=REAL
 *          {hit=normal|streaming|persisting} {miss=normal|streaming}
 *   window none
 *   copy BUFFER BUFFER bytes=SIZE      from the first to the second
 *   launch NAME {turns} {start=auto|together|free} {registers=NUMBER}
 *                                      its roles follow
 *   role NAME {blocks=1 | sms=FIRST:COUNT{:STRIDE} | sms=all | sms=others}
 *        {per_sm=1} {threads=32} {lanes=32} {shared=0} {background}
 *   {@lane0|@thread0} INSTRUCTION      of the role above
 *   repeat COUNT {unroll=1} {time=none|region|each} {region=NAME}
 *   end
 *   delay CYCLES
 *   barrier
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
#include "harness/program/program.h"

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

#endif
