#ifndef NEARFAR_PTX_EXPRESSION_H
#define NEARFAR_PTX_EXPRESSION_H

/* Constant expressions: what stands where PTX has a number. */
#include "harness/ptx/reader.h"

/* Whether one begins here. */
bool reader_is_expression(const struct reader *r);
/* A PTX_NUMBER. */
int reader_expression(struct reader *r, struct ptx_operand *operand);
/* An integer, in 64 bits. */
int reader_whole(struct reader *r, uint64_t *bits);

#endif
