#ifndef NEARFAR_GRID_TURNS_H
#define NEARFAR_GRID_TURNS_H

/*
 * Blocks of a program that take turns (lower.h): each looks again and again at
 * a word that says whose turn it is. A warp that has found that it is not its
 * block's sleeps until the word is written, and then until it would have looked
 * again.
 */
#include <stdint.h>

struct turns {
	const uint8_t *place; /* of the word; NULL: nobody takes turns */
	uint64_t written;     /* when it was last */
	uint32_t asleep;      /* a list of warps */
};

#endif
