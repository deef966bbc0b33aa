#include <string.h>

#include "bench/memory.h"

enum memory_kind memory_named(const char *word)
{
	return !strcmp(word, "peer")   ? MEMORY_PEER
	       : !strcmp(word, "host") ? MEMORY_HOST
				       : MEMORY_PLAIN;
}

enum memory_kind memory_option(const struct bench_args *args)
{
	return memory_named(bench_text(args, "memory"));
}

uint64_t memory_cache_bytes(
	const struct bench_args *args, const struct device *device)
{
	return !strcmp(bench_text(args, "memory"), "host") ? device->l1_bytes
							   : device->l2_bytes;
}
