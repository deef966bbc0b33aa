#ifndef NEARFAR_MEMORY_H
#define NEARFAR_MEMORY_H

#include <stddef.h>

/*
 * Memory for a table that is looked up at random, aligned to the lines of the
 * host's cache, a large one to its huge pages, which it asks for: with small
 * ones each lookup would also miss the host's TLB. It is not cleared, and what
 * is never touched takes no memory. NULL without memory; free() ends it.
 */
void *memory_table(size_t count, size_t size);
/* The same, of zeros, aligned only as calloc() aligns. */
void *memory_zeros(size_t count, size_t size);

/* The same, of zeros, aligned as memory_table() aligns, and a large one mapped:
   memory_zeroed_free() ends it, with the same number of bytes. */
void *memory_zeroed(size_t bytes);
void memory_zeroed_free(void *table, size_t bytes);

/*
 * The host's caches shall have what is there. The empty statement is for GCC,
 * which takes a function that does nothing but prefetch for one without effect,
 * and drops the calls of it.
 */
static inline void memory_prefetch(const void *at)
{
	__builtin_prefetch(at);
	__asm__ volatile("");
}

#endif
