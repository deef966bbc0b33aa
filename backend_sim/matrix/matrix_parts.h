#ifndef NEARFAR_MATRIX_PARTS_H
#define NEARFAR_MATRIX_PARTS_H

/* What the files of the room share. */
#include "backend_sim/matrix/matrix.h"

#define TILE_ROWS    16u
#define TILE_COLUMNS 8u
#define TILE_DEPTH   32u

/* A product of m x 8 sums of k products each: the bits of the elements, of f64
   all 64. */
struct tile {
	unsigned m, k;
	_Alignas(32) uint32_t a[TILE_ROWS][TILE_DEPTH];
	_Alignas(32) uint32_t b[TILE_DEPTH][TILE_COLUMNS];
	_Alignas(32) uint32_t c[TILE_ROWS][TILE_COLUMNS];
	_Alignas(32) uint32_t d[TILE_ROWS][TILE_COLUMNS];
};

/* Operands of 16 bits of a product of 16 rows: A, and of each eight columns B,
   for each k what they have. */
#define TILE_HALVES 16u
#define TILE_PARTS  32u

struct halves {
	_Alignas(32) uint16_t a[TILE_ROWS][TILE_HALVES];
	_Alignas(32) uint16_t b[TILE_PARTS][TILE_HALVES][TILE_COLUMNS];
};

/* What the elements of a tile are: A, B, and sums. */
struct tile_types {
	uint8_t a, b, sum; /* enum matrix_type */
};

/* How a type has its bits. */
struct matrix_format {
	uint8_t mantissa, exponent; /* bits */
	bool has_infinity;
	uint8_t unused; /* low bits that count for nothing, below those */
};
extern const struct matrix_format matrix_formats[MATRIX_TYPES];

/* ---- fused.c: the hardware's sums ---- */

/*
 * Each sum is of the exact products and the element of C at once. All of them
 * are cut to so many bits behind the point of the largest one's exponent; of
 * the sum of f32 `kept` bits behind its first one are left, the others are cut
 * off; that of f16 is rounded to the nearest.
 */
struct fused {
	uint8_t bits, kept;
};

void fused_sums(
	const struct fused *f, const struct tile_types *types, struct tile *t);

/* ---- plain.c: other sums ---- */

/* Of whole numbers; `saturates`: at the ends of s32. */
void plain_whole(
	const struct tile_types *types, bool saturates, struct tile *t);
/* Of reals, by the host's additions of f32. */
void plain_reals(const struct tile_types *types, struct tile *t);
/* Of halves of one type, sums of f32: `d` are the registers, four of each eight
   columns, which are added to if `keeps`. */
void plain_halves(uint8_t type, const struct halves *h, unsigned parts,
	bool keeps, void *const *d);
/* D = D + C, rounded to the nearest. */
void plain_add(uint8_t type, struct tile *t);
/* An element of two bytes or one as f16, which has all of its values. */
uint16_t plain_half(uint8_t type, uint32_t bits);

/* An element as a float, and the bits of one, rounded to the nearest. */
float plain_real(uint8_t type, uint32_t bits);
uint32_t plain_bits(uint8_t type, float value);

/* ---- quarters.c ---- */

/* m8n8k4 of f16, as matrix_multiply() takes it. */
void quarters_multiply(const struct matrix_product *p, const void *const *a,
	const void *const *b, const void *const *c, void *const *d);

/* ---- matrix.c ---- */

/* A of a fragment; one of 16 rows of 16 halves. */
void tile_take_a(const struct matrix_product *p, const void *const *rows,
	struct tile *t);
void tile_take_halves(const void *const *rows, struct halves *h);
/* C of registers, and D to registers, as sums of the type. */
void tile_take_sums(uint8_t type, const void *const *rows, struct tile *t);
void tile_give_sums(uint8_t type, const struct tile *t, void *const *rows);
/* D of the tile, by its product's types; not of f64. */
void tile_multiply(const struct matrix_product *p, struct tile *t);

#endif
