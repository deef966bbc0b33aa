#include <stdlib.h>
#include <sys/mman.h>

#include "backend_sim/core/memory.h"

#define HOST_LINE_BYTES ((size_t)64)
#define HUGE_PAGE_BYTES ((size_t)2 << 20)

void *memory_table(size_t count, size_t size)
{
	size_t bytes = count * size;
	size_t align =
		bytes > HUGE_PAGE_BYTES / 2 ? HUGE_PAGE_BYTES : HOST_LINE_BYTES;
	void *table;

	bytes = (bytes + align - 1) / align * align;
	table = aligned_alloc(align, bytes);
	/* Only a wish: small pages give the same results. */
	if (table && align == HUGE_PAGE_BYTES)
		madvise(table, bytes, MADV_HUGEPAGE);
	return table;
}
