#ifndef NEARFAR_MEMORY_OPTION_H
#define NEARFAR_MEMORY_OPTION_H

/* The option of benches that says whose memory they use. */
#include "harness/contract/bench.h"

#define MEMORY_CHOICES "device|peer|host"
#define MEMORY_OPTION                                                          \
	{                                                                      \
		"memory", OPTION_CHOICE, "device", MEMORY_CHOICES,             \
			"memory in use: the GPU's own, another GPU's, or the " \
			"host's",                                              \
			0, 0                                                   \
	}

/* The kind of memory that a word of MEMORY_CHOICES names. */
enum memory_kind memory_named(const char *word);

/* That of the option. */
enum memory_kind memory_option(const struct bench_args *args);

/* Of the largest cache that keeps lines of that memory: L2, this GPU's or the
   other one's; of the host's memory only L1 does. */
uint64_t memory_cache_bytes(
	const struct bench_args *args, const struct device *device);

#endif
