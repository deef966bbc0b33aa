#ifndef NEARFAR_LOWER_CONTENTS_H
#define NEARFAR_LOWER_CONTENTS_H

/*
 * The first content of a program's buffers, as the kernels of ptx_fill() write
 * it: any piece of it by itself, so that what nobody touches need not be made.
 */
#include "harness/program/program.h"

/* Writes `bytes` of the buffer's content from `offset` on, both multiples of 8,
   over zeros. `next`: the address of the buffer that its slots point to. */
void contents_write(const struct program *p, uint32_t buffer, uint64_t next,
	uint64_t offset, uint64_t bytes, unsigned char *to);

#endif
