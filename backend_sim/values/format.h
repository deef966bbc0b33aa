#ifndef NEARFAR_FORMAT_H
#define NEARFAR_FORMAT_H

/*
 * printf as a kernel has it: a format, and arguments side by side, each on a
 * multiple of its size: 4 bytes for whole numbers, 8 for long ones, for real
 * numbers and addresses.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text that grows up to a limit, beyond which it is left out. */
#define PRINTED_BYTES_MAX                                                      \
	(1u << 20) /* as the driver's buffer has by default                    \
		    */

struct printed {
	char *text; /* owned */
	size_t bytes, capacity;
	bool is_full;
};

/* Appends; false without memory. */
bool printed_add(struct printed *p, const char *text, size_t bytes);

/* Where arguments and strings are. */
struct format_source {
	/* `bytes` of the argument at an offset; false: they are nowhere. */
	bool (*argument)(
		void *context, uint64_t offset, void *to, unsigned bytes);
	/* The byte at an address; -1: it is nowhere. */
	int (*byte)(void *context, uint64_t address);
	void *context;
};

/* Why format_print() prints nothing. */
enum format_end { FORMAT_DONE, FORMAT_MEMORY, FORMAT_NOWHERE };

/* Appends what the format at an address makes of the arguments: how many there
   were, and how many bytes they took. */
enum format_end format_print(struct printed *out,
	const struct format_source *from, uint64_t format, uint32_t *count,
	uint64_t *bytes);

#endif
