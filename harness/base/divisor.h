#ifndef NEARFAR_DIVISOR_H
#define NEARFAR_DIVISOR_H

#include <stdint.h>

/* The greatest common divisor; of 0 and a number the number. */
static inline uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
