#ifndef NEARFAR_READER_H
#define NEARFAR_READER_H

/*
 * Reads the log of books in a thread of its own, part by part in the order in
 * which they are handed over, while the model fills the next one. What is read
 * is the same without it. Nobody else looks at a book meanwhile.
 */
#include <stdbool.h>

#include "backend_sim/core/server.h"

struct reader;

/* Takes up what happened, from `entries` to `end`. */
typedef void reader_fn(void *books, const struct server_entry *entries,
	const struct server_entry *end);

/* NULL without memory or a thread; reader_stop() ends it. Parts have `room`
   entries. */
struct reader *reader_start(reader_fn *read, void *books, size_t room);
/* A part to be filled: waits until one is free. */
struct server_entry *reader_part(struct reader *r);
/* The part that reader_part() gave, filled until `end`. */
void reader_give(struct reader *r, const struct server_entry *end);
/* Waits until all that was given is read. */
void reader_wait(struct reader *r);
void reader_stop(struct reader *r);

#endif
