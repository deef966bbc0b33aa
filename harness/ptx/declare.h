#ifndef NEARFAR_PTX_DECLARE_H
#define NEARFAR_PTX_DECLARE_H

/* What the reader holds declarations and debugging directives to. */
#include "harness/ptx/reader.h"

/* ---- declare/type.c ---- */

/* `.align 4 .global .v2 .f32`, up to the name. */
int reader_variable_type(struct reader *r, struct ptx_variable *v);
/* What the space and the place in the module forbid, once the shape is known:
   `dimensions`, the outermost of `outermost` elements. */
int reader_check_variable(struct reader *r, const struct ptx_variable *v,
	uint32_t dimensions, uint64_t outermost);
/* The token is no type of `what` that is modelled, or none at all. */
int reader_no_type(struct reader *r, const char *what);

/* ---- declare/manners.c ---- */

/* `.noreturn .abi_preserve 8`, behind what a function takes. */
int reader_manners(struct reader *r, bool returns);

/* ---- declare/debug.c ---- */

/* `.file 1 "kernel.cu", 12, 34`, `.section .debug_info { ... }`, `.loc 1 2 3`
   and `.pragma "nounroll";`, behind their names. */
int reader_file(struct reader *r);
int reader_section(struct reader *r);
int reader_location(struct reader *r);
int reader_pragma(struct reader *r, bool *stays_rolled);
/* At the module's end: the labels that .loc has named stand in a section. */
int reader_check_sources(struct reader *r);
void reader_free_sources(struct reader *r);

/* ---- declare/declared.c ---- */

/* The function goes among the module's, or takes the place of what declared it.
 */
int reader_new_function(
	struct reader *r, const struct ptx_function *f, uint32_t *index);
/* Whether the variable may stand beside the one that has its name. */
int reader_check_redeclared(struct reader *r, const struct ptx_variable *known,
	const struct ptx_variable *v);
/* Whether both take and return the same number of values. */
bool reader_are_alike(
	const struct ptx_function *a, const struct ptx_function *b);

#endif
