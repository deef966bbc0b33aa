#ifndef NEARFAR_LOADS_H
#define NEARFAR_LOADS_H

/* The loads of whole words of shared memory in a block, and what stands before
   each of them and must stay there: for merge.h. */
#include "backend_sim/flow/flat.h"

#define NO_LOAD UINT32_MAX

/* Places are those of the text; of what stands before it 1 + the place, 0:
   nothing of the block does. */
struct load {
	uint32_t at;             /* its place */
	uint32_t effect;         /* the last that may change what it loads */
	uint32_t address_writer; /* that wrote what it reads */
	uint32_t writer;         /* that wrote its register */
	uint32_t reader;   /* 1 + place in loads.readers: of its register */
	uint32_t group;    /* for merge.c, as the next */
	uint32_t follower; /* the load that goes by with it next; NO_LOAD */
};

/* Who reads a register, from one write to the next. */
struct reader {
	uint32_t at, before; /* 1 + the place of the one before it */
};

struct loads {
	const struct flat *f;
	struct load *list; /* in the order of the text; owned, as the others */
	uint32_t count;
	uint32_t *load_of; /* [instruction]: 1 + the load that it is */
	uint32_t *writer;  /* [register]: 1 + the last one's place */
	uint32_t *reader;  /* [register]: 1 + its place in readers */
	struct reader *readers;
	uint32_t reader_count, reader_capacity;
};

/* Room for blocks of at most so many instructions; ERR_FAILED without memory,
   loads_free() then, too. */
int loads_make(struct loads *l, const struct flat *f, uint32_t most_insns);
void loads_free(struct loads *l);

/* Those of instructions `first` to before `end`; ERR_FAILED without memory. */
int loads_find(struct loads *l, uint32_t first, uint32_t end);

/* Where the load's address stands. */
const struct ptx_operand *loads_address(const struct flat_insn *flat);

#endif
