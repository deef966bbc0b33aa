#ifndef NEARFAR_FACTS_H
#define NEARFAR_FACTS_H

#include <stddef.h>

/* Provenance: an ordered list of key and value, both owned by the list. */
struct fact {
	char *key, *value;
};

struct facts {
	struct fact *items;
	size_t count;
};

/* Appends; ERR_FAILED without memory. */
int facts_add(struct facts *facts, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The value of the first fact with that key, or NULL. */
const char *facts_find(const struct facts *facts, const char *key);
/* Leaves the list empty. */
void facts_free(struct facts *facts);

#endif
