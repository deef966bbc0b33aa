#ifndef NEARFAR_VALUE_H
#define NEARFAR_VALUE_H

/*
 * What an instruction makes of values, for the 32 lanes of a warp at once.
 *
 * A row holds one register of a warp: 32 words of 4 bytes, or of 8 for 64-bit
 * types. Narrower types are kept in 4 bytes, zero-extended. A predicate is a
 * word of 32 bits, a bit a lane.
 *
 * Integer operations, floating-point ones that PTX gives a rounding, and what
 * the special function unit does (unit.h) give the hardware's bits. Of other
 * approximations the words of an H200 are so far from what is computed in
 * double precision and rounded once, by a scan of all operands of f32, f16 and
 * bf16:
 *
 *   sin, cos of f32             2^-21, for any angle
 *   lg2                         2 steps of the result's format, or 2^-22
 *   tanh of f32                 134 steps
 *   tanh of f16 and bf16        1 step
 *
 * Source: PTX ISA 9.0, sections 9.7.1 to 9.7.9.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "harness/ptx/ptx.h"

#define LANES 32u

/* How many lanes there are: mostly all, or one. */
static inline uint32_t lane_count(uint32_t mask)
{
	return mask == UINT32_MAX  ? LANES
	       : mask & (mask - 1) ? (uint32_t)__builtin_popcount(mask)
				   : mask != 0;
}

typedef uint32_t __attribute__((may_alias)) row_u32;
typedef uint64_t __attribute__((may_alias)) row_u64;
typedef float __attribute__((may_alias)) row_f32;
typedef double __attribute__((may_alias)) row_f64;

struct value {
	void *d;          /* row, or word of a predicate */
	uint32_t *e;      /* the second predicate, or NULL */
	const void *s[4]; /* rows */
	uint32_t mask;    /* lanes that execute */
	uint32_t p;       /* the predicate that is read */
	uint32_t *carry;  /* of the warp */
	const struct ptx_insn *insn;
};

typedef void (*value_fn)(const struct value *v);

/* The function of an instruction without effects on memory or control; NULL if
   it has none. */
value_fn value_function(const struct ptx_insn *insn);

/* ---- by file ---- */
value_fn value_integer(const struct ptx_insn *insn);
value_fn value_bits(const struct ptx_insn *insn);
value_fn value_real(const struct ptx_insn *insn);
value_fn value_approximate(const struct ptx_insn *insn); /* of value_real() */
value_fn value_half(const struct ptx_insn *insn);
value_fn value_compare(const struct ptx_insn *insn);
value_fn value_convert(const struct ptx_insn *insn);
value_fn value_small(const struct ptx_insn *insn);
value_fn value_rare(const struct ptx_insn *insn);
value_fn value_pairs(const struct ptx_insn *insn);
value_fn value_policy(const struct ptx_insn *insn);
value_fn value_address(const struct ptx_insn *insn);

/* A conversion between registers of so many bytes, which may have more than its
   types: what is read is the low part, and a number that is written is extended
   to the register, by its sign if it has one. */
value_fn value_between(const struct ptx_insn *insn, unsigned source_bytes,
	unsigned destination_bytes);

/* The value of an f16 or bf16, and the bits of a value, rounded once as FE_*
   says whatever the host's mode is. */
double narrow_value(uint8_t type, uint16_t bits);
uint16_t narrow_bits(uint8_t type, double value, int rounding);

/* The lesser or the greater of two, -0 below +0; of one that is no number the
   other. */
uint16_t narrow_bound(uint8_t type, uint16_t a, uint16_t b, bool least);

/* a + b; what a double does not hold is made odd in its last bit: rounded again
   to fewer bits, it becomes what the exact sum becomes. */
double value_sum(double a, double b);

/* An f32 so small that it has no exponent of its own becomes 0. */
static inline uint32_t value_flushed(uint32_t bits)
{
	return bits & 0x7f800000u ? bits : bits & 0x80000000u;
}

static inline uint32_t value_blend(
	uint32_t mask, unsigned lane, uint32_t yes, uint32_t no)
{
	return mask >> lane & 1 ? yes : no;
}

/* Does a lane alone execute? */
static inline bool value_is_lone(const struct value *v)
{
	return !(v->mask & (v->mask - 1)) && v->mask;
}

/* Writes the lanes that execute. */
static inline void value_put32(const struct value *v, const uint32_t *r)
{
	row_u32 *d = v->d;
	unsigned l;

	if (v->mask == UINT32_MAX) {
		memcpy(d, r, LANES * sizeof(*r));
		return;
	}
	for (l = 0; l < LANES; l++)
		d[l] = v->mask >> l & 1 ? r[l] : d[l];
}

static inline void value_put64(const struct value *v, const uint64_t *r)
{
	row_u64 *d = v->d;
	unsigned l;

	if (v->mask == UINT32_MAX) {
		memcpy(d, r, LANES * sizeof(*r));
		return;
	}
	for (l = 0; l < LANES; l++)
		d[l] = v->mask >> l & 1 ? r[l] : d[l];
}

static inline void value_put_predicate(const struct value *v, uint32_t bits)
{
	uint32_t *d = v->d;

	*d = (*d & ~v->mask) | (bits & v->mask);
}

/* ---- how the files read operand `i` in lane `l` ---- */
#define IN_u32(i) (((const row_u32 *)v->s[i])[l])
#define IN_s32(i) ((int32_t)IN_u32(i))
#define IN_u64(i) (((const row_u64 *)v->s[i])[l])
#define IN_s64(i) ((int64_t)IN_u64(i))
#define IN_u16(i) ((uint16_t)IN_u32(i))
#define IN_s16(i) ((int16_t)IN_u32(i))
#define IN_f32(i) (((const row_f32 *)v->s[i])[l])
#define IN_f64(i) (((const row_f64 *)v->s[i])[l])

/* A function that writes `expression` of each lane. */
#define VALUE32(name, expression)                                              \
	static void name(const struct value *v)                                \
	{                                                                      \
		uint32_t r[LANES];                                             \
		unsigned l = (unsigned)__builtin_ctz(v->mask | 1u << 31);      \
                                                                               \
		if (value_is_lone(v)) {                                        \
			((row_u32 *)v->d)[l] = (uint32_t)(expression);         \
			return;                                                \
		}                                                              \
		for (l = 0; l < LANES; l++)                                    \
			r[l] = (uint32_t)(expression);                         \
		value_put32(v, r);                                             \
	}

#define VALUE16(name, expression) VALUE32(name, (uint16_t)(expression))

#define VALUE64(name, expression)                                              \
	static void name(const struct value *v)                                \
	{                                                                      \
		uint64_t r[LANES];                                             \
		unsigned l = (unsigned)__builtin_ctz(v->mask | 1u << 31);      \
                                                                               \
		if (value_is_lone(v)) {                                        \
			((row_u64 *)v->d)[l] = (uint64_t)(expression);         \
			return;                                                \
		}                                                              \
		for (l = 0; l < LANES; l++)                                    \
			r[l] = (uint64_t)(expression);                         \
		value_put64(v, r);                                             \
	}

/* The FE_* mode that its words ask for. */
int value_rounding(const struct ptx_insn *insn);

#endif
