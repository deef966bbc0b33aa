#ifndef NEARFAR_KERNEL_ENTRY_H
#define NEARFAR_KERNEL_ENTRY_H

/*
 * The kernels that a module's text defines: `.entry NAME` outside of comments
 * and strings. The rest of the text is not looked at.
 */
#include <stdbool.h>
#include <stddef.h>

struct entries {
	struct entry_name {
		const char *text; /* in the module's text; not terminated */
		size_t bytes;
	} * items; /* by name; owned */
	size_t count;
};

/* ERR_FAILED without memory. Names point into the text. */
int entries_read(struct entries *e, const char *ptx);
void entries_free(struct entries *e);
bool entries_have(const struct entries *e, const char *name);

/* "'_Z5triadPf' (triad), 'copy' and 7 more": as many names as there is room
   for, those of C++ as far as they are plain. */
void entries_words(const struct entries *e, char *words, size_t bytes);

/*
 * The name in C++ of a mangled one, without its parameters: "ns::triad",
 * "sum<...>". False: it is no plain name of C++, as the Itanium ABI mangles it.
 */
bool entry_plain_name(
	const char *mangled, size_t mangled_bytes, char *name, size_t bytes);

#endif
