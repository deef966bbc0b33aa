#ifndef NEARFAR_MATRIX_H
#define NEARFAR_MATRIX_H

/*
 * Products of matrices that a warp's registers hold, D = A B + C, as the tensor
 * cores of compute capability 9.0 make them. Nothing here knows of a kernel.
 *
 * A row of registers is what the 32 lanes of a warp have of one register: 32
 * words, of 64 bits where elements are f64.
 */
#include <stdbool.h>
#include <stdint.h>

#define MATRIX_LANES     32u
#define MATRIX_REGISTERS 128u /* of a thread at most, for one matrix */

enum matrix_type {
	MATRIX_F16,
	MATRIX_BF16,
	MATRIX_TF32,
	MATRIX_E4M3,
	MATRIX_E5M2,
	MATRIX_F32,
	MATRIX_F64,
	MATRIX_S8,
	MATRIX_U8,
	MATRIX_S32,
	MATRIX_TYPES
};

struct matrix_product {
	uint8_t d, a, b, c; /* enum matrix_type */
	uint16_t m, n, k;
	uint8_t columns; /* a bit for A and one for B: .col; of four products
			    of 8 x 8 x 4 alone */
	bool saturates;  /* sums of whole numbers, at the ends of s32 */
	bool by_ieee;    /* sums of f32 and f16 by the host's additions, one
			    after the other, instead of the hardware's */
};

/* What a fragment of wmma is of. */
enum matrix_which { MATRIX_OF_A, MATRIX_OF_B, MATRIX_OF_C };

struct matrix_fragment {
	uint8_t which, type; /* enum matrix_which, enum matrix_type */
	uint16_t m, n, k;
};

/* How many elements a thread has of it, and where element `i` of a lane is: of
   f16 elements i and up share a register. */
unsigned matrix_elements(const struct matrix_fragment *f);
void matrix_place(const struct matrix_fragment *f, unsigned lane, unsigned i,
	unsigned *row, unsigned *column);

/* As matrix_multiply(), of fragments of wmma. */
void matrix_multiply_fragments(const struct matrix_product *p,
	const void *const *a, const void *const *b, const void *const *c,
	void *const *d);

/* Bits of an element. */
uint32_t matrix_bits(uint8_t type);

/*
 * `a`, `b`, `c` and `d` are the rows of the fragments, as PTX ISA 9.0, section
 * 9.7.14.5, lays them out. D may share rows with the others.
 */
void matrix_multiply(const struct matrix_product *p, const void *const *a,
	const void *const *b, const void *const *c, void *const *d);

/* Shared memory, as its addresses count. */
struct matrix_memory {
	const uint8_t *bytes;
	uint64_t size;
};

struct matrix_operand {
	uint64_t descriptor;
	bool by_columns; /* M or N goes along a row of memory, not K */
	bool negated;
};

/* A product of 64 rows, 16 of each warp. */
struct matrix_shared {
	struct matrix_product product;
	const struct matrix_memory *memory;
	struct matrix_operand a, b;
	const void *const *a_rows; /* A is in registers; or NULL */
	bool keeps;                /* D is added to, else it is new */
};

/* The rows of D that warp 0 to 3 has. False: an operand is at `*beyond`, which
   is not all in the memory; D is then of no use. */
bool matrix_multiply_shared(const struct matrix_shared *s, unsigned warp,
	void *const *d, uint32_t *beyond);

/* Where in the memory the warp's operands are, in pieces: how many. */
#define MATRIX_CHUNK_BYTES 16u
#define MATRIX_CHUNKS      544u
uint32_t matrix_chunks(const struct matrix_shared *s, unsigned warp,
	uint32_t places[MATRIX_CHUNKS]);

#endif
