#ifndef NEARFAR_WORDS_H
#define NEARFAR_WORDS_H

/* Search in a few words at once, as the SIMD units of all hosts do it. */
#include <stdint.h>
#include <string.h>

typedef uint32_t words_four __attribute__((vector_size(16)));

/* Of 16 words those that agree with one in the bits of `mask`, as a set. */
static inline uint32_t words_like(
	const void *words, uint32_t word, uint32_t mask)
{
	const words_four masks = {mask, mask, mask, mask};
	const words_four key = masks & word;
	const words_four bits = {1, 2, 4, 8};
	words_four four[4], found = {0};
	uint64_t half[2];
	unsigned i;

	memcpy(four, words, sizeof(four));
	for (i = 0; i < 4; i++)
		found |= (words_four)((four[i] & masks) == key) &
			 (bits << 4 * i);
	memcpy(half, &found, sizeof(half));
	half[0] |= half[1];
	return (uint32_t)(half[0] | half[0] >> 32);
}

#endif
