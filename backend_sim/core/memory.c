#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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

/* A small one is cheaper where others were before. */
static bool is_mapped(size_t bytes)
{
	return bytes > HUGE_PAGE_BYTES / 2;
}

void *memory_zeroed(size_t bytes)
{
	void *table;

	if (!is_mapped(bytes)) {
		table = memory_table(1, bytes);
		return table ? memset(table, 0, bytes) : NULL;
	}
	table = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (table == MAP_FAILED)
		return NULL;
	madvise(table, bytes, MADV_HUGEPAGE);
	return table;
}

void memory_zeroed_free(void *table, size_t bytes)
{
	if (table && is_mapped(bytes))
		munmap(table, bytes);
	else
		free(table);
}
