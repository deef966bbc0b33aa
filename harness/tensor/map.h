#ifndef NEARFAR_TENSOR_MAP_H
#define NEARFAR_TENSOR_MAP_H

/*
 * A tensor map: what a tensor in global memory looks like, and which box of it
 * a copy moves. Hardware reads it as 128 bytes; here are its fields, the rules
 * that a driver holds them to, and the way from one to the other.
 *
 * Shapes: dimension 0 is the innermost one. `strides` are in bytes, from
 * dimension 1 on; that of dimension 0 is an element. `dims` and `box` are in
 * elements. A box takes every elements[i]-th element of dimension i.
 *
 * Fields are wider than hardware has them, so that what a user writes can be
 * held to the rules.
 *
 * Source: the manual of cuTensorMapEncodeTiled; the bytes, and what is refused,
 * from 15,142 maps that a driver (CUDA 13.0) encoded or refused on an H100.
 */
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"

#define TENSOR_MAP_BYTES   128u
#define TENSOR_RANK_MAX    5u
#define TENSOR_BOX_MAX     256u
#define TENSOR_ELEMENT_MAX 8u /* of `elements` */

/* Name, bytes, and whether the elements are reals; numbers are those of
   CUtensorMapDataType. */
#define TENSOR_TYPES(T)                                                        \
	T(U8, "u8", 1, false)                                                  \
	T(U16, "u16", 2, false)                                                \
	T(U32, "u32", 4, false)                                                \
	T(S32, "s32", 4, false)                                                \
	T(U64, "u64", 8, false)                                                \
	T(S64, "s64", 8, false)                                                \
	T(F16, "f16", 2, true)                                                 \
	T(F32, "f32", 4, true)                                                 \
	T(F64, "f64", 8, true)                                                 \
	T(BF16, "bf16", 2, true)                                               \
	T(F32_FTZ, "f32.ftz", 4, true)                                         \
	T(TF32, "tf32", 4, true)                                               \
	T(TF32_FTZ, "tf32.ftz", 4, true)

enum tensor_type {
#define TENSOR_TYPE_ENUM(name, text, bytes, real) TENSOR_##name,
	TENSOR_TYPES(TENSOR_TYPE_ENUM)
#undef TENSOR_TYPE_ENUM
		TENSOR_TYPE_COUNT
};

struct tensor_type_info {
	const char *name;
	uint8_t bytes;
	bool is_real;
};
extern const struct tensor_type_info tensor_types[TENSOR_TYPE_COUNT];

/* Numbers as in CUtensorMapInterleave, CUtensorMapSwizzle,
   CUtensorMapL2promotion and CUtensorMapFloatOOBfill. */
enum tensor_interleave {
	TENSOR_INTERLEAVE_NONE,
	TENSOR_INTERLEAVE_16B,
	TENSOR_INTERLEAVE_32B,
	TENSOR_INTERLEAVE_COUNT
};
enum tensor_swizzle {
	TENSOR_SWIZZLE_NONE,
	TENSOR_SWIZZLE_32B,
	TENSOR_SWIZZLE_64B,
	TENSOR_SWIZZLE_128B,
	TENSOR_SWIZZLE_COUNT
};
enum tensor_promotion {
	TENSOR_PROMOTION_NONE,
	TENSOR_PROMOTION_64B,
	TENSOR_PROMOTION_128B,
	TENSOR_PROMOTION_256B,
	TENSOR_PROMOTION_COUNT
};
enum tensor_fill { TENSOR_FILL_ZERO, TENSOR_FILL_NAN, TENSOR_FILL_COUNT };

struct tensor_map {
	uint64_t address; /* of element 0 */
	uint64_t dims[TENSOR_RANK_MAX];
	uint64_t strides[TENSOR_RANK_MAX - 1];
	uint32_t box[TENSOR_RANK_MAX];
	uint32_t elements[TENSOR_RANK_MAX];
	uint8_t rank;
	uint8_t type;       /* enum tensor_type */
	uint8_t interleave; /* enum tensor_interleave */
	uint8_t swizzle;    /* enum tensor_swizzle */
	uint8_t promotion;  /* enum tensor_promotion */
	uint8_t fill;       /* enum tensor_fill */
};

/* ERR_USAGE with the rule that the map breaks, if a driver refuses it. */
int tensor_map_check(const struct tensor_map *m, struct error *error);

/* The same of the rules that hardware has, too: a copy by a map that breaks one
   is an illegal instruction on an H100 and an H200. */
int tensor_map_check_layout(const struct tensor_map *m, struct error *error);

/* The bytes of a box as a driver counts them: of elements that are taken by
   steps it leaves out the last, shorter one. */
uint64_t tensor_map_noted_bytes(const struct tensor_map *m);

/* The bytes of a map that tensor_map_check() takes: a driver's. */
void tensor_map_encode(
	const struct tensor_map *m, unsigned char bytes[TENSOR_MAP_BYTES]);

/* The fields of any bytes, which a kernel may have written; what a driver notes
   for itself is not looked at. False: hardware has no such type, rank or
   interleave. */
bool tensor_map_decode(
	const unsigned char bytes[TENSOR_MAP_BYTES], struct tensor_map *m);

/* What `tensormap.replace` replaces. */
enum tensor_field {
	TENSOR_FIELD_ADDRESS,
	TENSOR_FIELD_RANK, /* less 1 */
	TENSOR_FIELD_BOX,
	TENSOR_FIELD_DIM,
	TENSOR_FIELD_STRIDE, /* bytes */
	TENSOR_FIELD_ELEMENT,
	TENSOR_FIELD_TYPE, /* the number that PTX gives it, up to 12 */
	TENSOR_FIELD_INTERLEAVE,
	TENSOR_FIELD_SWIZZLE,
	TENSOR_FIELD_FILL,
};

/* The field, of dimension or stride `ordinal`, becomes the lowest bits of the
   value that it has room for: as an H200 does with each field of bytes that
   are all zeros and all ones. */
void tensor_map_replace(unsigned char bytes[TENSOR_MAP_BYTES],
	enum tensor_field field, uint32_t ordinal, uint64_t value);

#endif
