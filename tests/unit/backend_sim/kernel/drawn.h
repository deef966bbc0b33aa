#ifndef NEARFAR_DRAWN_H
#define NEARFAR_DRAWN_H

/*
 * Kernels that are drawn, with loops, branches and lanes that talk to each
 * other, and what they leave: each statement is executed as it is written, lane
 * by lane, and rounds of a loop by drawing its body once more from where it
 * began. Nothing of the model is in it. All threads have words of their own.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRAWN_THREADS 128u
#define DRAWN_BLOCK   64u

typedef bool lane_set[DRAWN_THREADS];

struct drawn {
	uint64_t state;
	unsigned labels, depth, loops;
	bool together; /* all lanes that are left come here */
	bool ended;    /* some have ended */
	bool quiet;    /* a further round of a loop: it is written already */
	char text[32768];
	size_t used;
	lane_set mask;
	uint32_t r[20][DRAWN_THREADS];
	bool p[8][DRAWN_THREADS];
	uint32_t b[1024]; /* the buffer */
};

/* Draws a kernel "k" of the fixture's HEAD and TAIL: its text, and what
   DRAWN_THREADS threads in blocks of DRAWN_BLOCK leave in b. */
void drawn_kernel(struct drawn *d, unsigned seed);

#endif
