#ifndef NEARFAR_CONTRACT_INSTRUCTIONS_H
#define NEARFAR_CONTRACT_INSTRUCTIONS_H

/* The operations of PTX that a backend knows, and what each costs there. */
#include <stddef.h>
#include <stdint.h>

struct model_instruction {
	char operation[64]; /* "rcp.approx"; of cvt with the type it makes */
	char types[128];    /* apart by blanks; empty: it has none */
	uint16_t sm;        /* the least compute capability, 90: 9.0 */
	const char *pipe;   /* static; NULL: the backend refuses it */
	uint16_t slots;     /* of a scheduler */
	uint16_t pipe_cycles, latency_cycles; /* of a warp */
	const char *note; /* static: what the pipe is, or why it is refused */
};

struct model_instructions {
	struct model_instruction *items; /* owned */
	size_t count;
};

/* Appends a copy; ERR_FAILED without memory. */
int model_instructions_add(struct model_instructions *list,
	const struct model_instruction *instruction);
/* Leaves the list empty. */
void model_instructions_free(struct model_instructions *list);

#endif
