#ifndef NEARFAR_PTX_INITIAL_H
#define NEARFAR_PTX_INITIAL_H

/* What variables hold at first. */
#include "harness/ptx/reader.h"

#define DIMENSIONS_MAX 16u

/* The elements of a variable, the outermost dimension first; the innermost is
   that of a vector. */
struct shape {
	uint32_t depth;
	bool is_open; /* as many of the outermost as there are values */
	uint64_t count[DIMENSIONS_MAX];
	uint64_t stride[DIMENSIONS_MAX]; /* bytes */
};

/* `{1, {2, 3}, x+4}`, behind the '='. Fills v->initial, whoever fails, too; an
   open shape gives v->bytes. The variable will be the module's next one. */
int reader_initial(
	struct reader *r, struct ptx_variable *v, const struct shape *shape);

#endif
