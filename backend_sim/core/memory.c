#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "backend_sim/core/memory.h"

#define HOST_LINE_BYTES ((size_t)64)
#define HUGE_PAGE_BYTES ((size_t)2 << 20)

/* Only a wish: small pages give the same results. */
static void ask_for_huge_pages(void *table, size_t bytes)
{
	uintptr_t at = (uintptr_t)table, end = at + bytes;

	at = (at + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
	if (at < end)
		madvise((void *)at, end - at, MADV_HUGEPAGE);
}

void *memory_zeros(size_t count, size_t size)
{
	void *table = calloc(count, size);

	if (table)
		ask_for_huge_pages(table, count * size);
	return table;
}

void *memory_table(size_t count, size_t size)
{
	size_t bytes = count * size;
	size_t align =
		bytes > HUGE_PAGE_BYTES / 2 ? HUGE_PAGE_BYTES : HOST_LINE_BYTES;
	void *table;

	bytes = (bytes + align - 1) / align * align;
	table = aligned_alloc(align, bytes);
	if (table)
		ask_for_huge_pages(table, bytes);
	return table;
}
