/* The 128 bytes of a tensor map: where its fields are. */
#include <string.h>

#include "harness/tensor/map.h"

/* A field: its first bit, the bits of one, and how far the next one is. */
struct place {
	uint16_t bit;
	uint8_t bits, next;
};

static const struct place address = {0, 64, 0};
static const struct place rank = {68, 3, 0}; /* less 1 */
static const struct place type = {71, 4, 0};
static const struct place interleave = {75, 2, 0};
static const struct place swizzle = {77, 2, 0};
static const struct place fill = {79, 1, 0};
static const struct place is_tf32 = {80, 1, 0};
static const struct place promotion = {81, 2, 0};
/* In units of 16 bytes, 36 bits. */
static const struct place stride = {96, 32, 32};
static const struct place stride_high = {224, 4, 4};
static const struct place dim = {256, 32, 32};   /* less 1 */
static const struct place element = {416, 3, 3}; /* less 1 */
static const struct place box = {440, 8, 8};     /* less 1 */
/* What a driver notes for itself: bytes of a box, and what its address in
   shared memory is a multiple of. */
static const struct place box_bytes = {512, 64, 0};
static const struct place box_align = {576, 32, 0};

/* Types by their numbers there; tf32 is f32 with a mark. */
static const uint8_t type_codes[TENSOR_TYPE_COUNT] = {
	[TENSOR_U8] = 0,
	[TENSOR_U16] = 1,
	[TENSOR_U32] = 2,
	[TENSOR_S32] = 3,
	[TENSOR_U64] = 4,
	[TENSOR_S64] = 5,
	[TENSOR_F16] = 6,
	[TENSOR_F32] = 7,
	[TENSOR_F32_FTZ] = 8,
	[TENSOR_F64] = 9,
	[TENSOR_BF16] = 10,
	[TENSOR_TF32] = 7,
	[TENSOR_TF32_FTZ] = 8,
};

static void put(unsigned char *bytes, const struct place *p, uint32_t index,
	uint64_t value)
{
	uint32_t bit = p->bit + index * p->next, i;

	for (i = 0; i < p->bits; i++, bit++) {
		const unsigned char mask = (unsigned char)(1u << bit % 8);

		if (value >> i & 1)
			bytes[bit / 8] |= mask;
		else
			bytes[bit / 8] &= (unsigned char)~mask;
	}
}

static void put_stride(unsigned char *bytes, uint32_t index, uint64_t value)
{
	put(bytes, &stride, index, value >> 4);
	put(bytes, &stride_high, index, value >> 36);
}

static void put_type(unsigned char *bytes, uint8_t number)
{
	put(bytes, &type, 0, type_codes[number]);
	if (number == TENSOR_TF32 || number == TENSOR_TF32_FTZ)
		put(bytes, &is_tf32, 0, 1);
}

uint64_t tensor_map_noted_bytes(const struct tensor_map *m)
{
	uint64_t bytes = tensor_types[m->type].bytes;
	uint32_t i;

	for (i = 0; i < m->rank; i++)
		bytes *= m->box[i] / m->elements[i];
	return bytes;
}

void tensor_map_encode(
	const struct tensor_map *m, unsigned char bytes[TENSOR_MAP_BYTES])
{
	static const uint16_t aligns[TENSOR_SWIZZLE_COUNT] = {
		16, 256, 512, 1024};
	uint32_t i;

	memset(bytes, 0, TENSOR_MAP_BYTES);
	put(bytes, &address, 0, m->address);
	put(bytes, &rank, 0, m->rank - 1u);
	put_type(bytes, m->type);
	put(bytes, &interleave, 0, m->interleave);
	put(bytes, &swizzle, 0, m->swizzle);
	put(bytes, &fill, 0, m->fill);
	put(bytes, &promotion, 0, m->promotion);
	put(bytes, &box_bytes, 0, tensor_map_noted_bytes(m));
	put(bytes, &box_align, 0, aligns[m->swizzle]);
	for (i = 0; i < m->rank; i++) {
		put(bytes, &dim, i, m->dims[i] - 1);
		put(bytes, &element, i, m->elements[i] - 1u);
		put(bytes, &box, i, m->box[i] - 1u);
		if (i + 1 < m->rank)
			put_stride(bytes, i, m->strides[i]);
	}
}

/* ---- back ---- */

static uint64_t get(
	const unsigned char *bytes, const struct place *p, uint32_t index)
{
	uint32_t bit = p->bit + index * p->next, i;
	uint64_t value = 0;

	for (i = 0; i < p->bits; i++, bit++)
		value |= (uint64_t)(bytes[bit / 8] >> bit % 8 & 1) << i;
	return value;
}

/* The type, or TENSOR_TYPE_COUNT. */
static uint8_t get_type(const unsigned char *bytes)
{
	const uint64_t code = get(bytes, &type, 0);
	const bool is_short = get(bytes, &is_tf32, 0);
	unsigned i;

	if (is_short)
		return code == type_codes[TENSOR_TF32] ? TENSOR_TF32
		       : code == type_codes[TENSOR_TF32_FTZ]
			       ? TENSOR_TF32_FTZ
			       : TENSOR_TYPE_COUNT;
	for (i = 0; i < TENSOR_TF32; i++)
		if (type_codes[i] == code)
			return (uint8_t)i;
	return TENSOR_TYPE_COUNT;
}

bool tensor_map_decode(
	const unsigned char bytes[TENSOR_MAP_BYTES], struct tensor_map *m)
{
	uint32_t i;

	*m = (struct tensor_map){
		.address = get(bytes, &address, 0),
		.rank = (uint8_t)(get(bytes, &rank, 0) + 1),
		.type = get_type(bytes),
		.interleave = (uint8_t)get(bytes, &interleave, 0),
		.swizzle = (uint8_t)get(bytes, &swizzle, 0),
		.promotion = (uint8_t)get(bytes, &promotion, 0),
		.fill = (uint8_t)get(bytes, &fill, 0),
	};
	if (m->rank > TENSOR_RANK_MAX || m->type == TENSOR_TYPE_COUNT ||
		m->interleave == TENSOR_INTERLEAVE_COUNT)
		return false;
	for (i = 0; i < m->rank; i++) {
		m->dims[i] = get(bytes, &dim, i) + 1;
		m->elements[i] = (uint32_t)get(bytes, &element, i) + 1;
		m->box[i] = (uint32_t)get(bytes, &box, i) + 1;
		if (i + 1 < m->rank)
			m->strides[i] =
				(get(bytes, &stride, i) |
					get(bytes, &stride_high, i) << 32)
				<< 4;
	}
	return true;
}

/* ---- tensormap.replace ---- */

/* Types by their numbers in PTX. */
static const uint8_t ptx_types_of[TENSOR_TYPE_COUNT] = {TENSOR_U8, TENSOR_U16,
	TENSOR_U32, TENSOR_S32, TENSOR_U64, TENSOR_S64, TENSOR_F16, TENSOR_F32,
	TENSOR_F32_FTZ, TENSOR_F64, TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ};

void tensor_map_replace(unsigned char bytes[TENSOR_MAP_BYTES],
	enum tensor_field field, uint32_t ordinal, uint64_t value)
{
	static const struct place swizzle_high = {86, 1, 0};

	switch (field) {
	case TENSOR_FIELD_ADDRESS:
		put(bytes, &address, 0, value);
		break;
	case TENSOR_FIELD_RANK:
		put(bytes, &rank, 0, value);
		break;
	case TENSOR_FIELD_BOX:
		put(bytes, &box, ordinal, value - 1);
		break;
	case TENSOR_FIELD_DIM:
		put(bytes, &dim, ordinal, value - 1);
		break;
	case TENSOR_FIELD_STRIDE:
		put_stride(bytes, ordinal, value);
		break;
	case TENSOR_FIELD_ELEMENT:
		put(bytes, &element, ordinal, value - 1);
		break;
	case TENSOR_FIELD_TYPE:
		put_type(bytes, ptx_types_of[value]);
		break;
	case TENSOR_FIELD_INTERLEAVE:
		put(bytes, &interleave, 0, value);
		break;
	case TENSOR_FIELD_SWIZZLE:
		put(bytes, &swizzle, 0, value);
		put(bytes, &swizzle_high, 0, 0);
		break;
	case TENSOR_FIELD_FILL:
		put(bytes, &fill, 0, value);
		break;
	}
}
