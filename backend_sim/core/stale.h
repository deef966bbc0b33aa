#ifndef NEARFAR_STALE_H
#define NEARFAR_STALE_H

/*
 * Words that SMs' L1 caches hold though another SM has written them since: on a
 * chip a load that hits there may return what they were before. One table for
 * all SMs, with the words of a line as a set of 32.
 */
#include <stdint.h>

struct stale;

/* NULL without memory; stale_free() ends it. */
struct stale *stale_make(uint32_t sms);
void stale_free(struct stale *s); /* and NULL */

/* Adds words to those of a line in an SM's L1. */
void stale_add(struct stale *s, uint32_t sm, uint32_t line, uint32_t words);
/* The SM has these words new. */
void stale_renew(struct stale *s, uint32_t sm, uint32_t line, uint32_t words);
/* The SM's L1 has nothing any more. */
void stale_empty(struct stale *s, uint32_t sm);
/* The stale ones of a line. */
uint32_t stale_words(const struct stale *s, uint32_t sm, uint32_t line);

/* The words of a set of sectors. */
uint32_t stale_of_sectors(unsigned sectors);

#endif
