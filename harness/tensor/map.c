#include "harness/tensor/map.h"

#include <inttypes.h>

#define DIM_MAX       (UINT64_C(1) << 32)
#define STRIDE_END    (UINT64_C(1) << 40)
#define ADDRESS_END   (UINT64_C(1) << 57)
#define BOX_BYTES_MAX 232448u
#define PIECE         16u /* bytes: of addresses, strides and boxes */

const struct tensor_type_info tensor_types[TENSOR_TYPE_COUNT] = {
#define TENSOR_TYPE_ROW(name, text, bytes, real)                               \
	[TENSOR_##name] = {(text), (bytes), (real)},
	TENSOR_TYPES(TENSOR_TYPE_ROW)
#undef TENSOR_TYPE_ROW
};

/* What addresses and strides are multiples of. */
static uint32_t unit_of(const struct tensor_map *m)
{
	return m->interleave == TENSOR_INTERLEAVE_32B ? 2 * PIECE : PIECE;
}

static int check_tensor(
	const struct tensor_map *m, uint32_t i, struct error *error)
{
	if (!m->dims[i] || m->dims[i] > DIM_MAX)
		return error_set(error, ERR_USAGE,
			"its dimension %u has %" PRIu64
			" elements, expected 1 to %" PRIu64,
			i, m->dims[i], DIM_MAX);
	if (i + 1 == m->rank)
		return 0;
	if (m->strides[i] % unit_of(m))
		return error_set(error, ERR_USAGE,
			"its stride of %" PRIu64
			" bytes is not a multiple of %u",
			m->strides[i], unit_of(m));
	if (m->strides[i] >= STRIDE_END)
		return error_set(error, ERR_USAGE,
			"its stride of %" PRIu64
			" bytes is too long, expected less than %" PRIu64,
			m->strides[i], STRIDE_END);
	return 0;
}

static int check_box(
	const struct tensor_map *m, uint32_t i, struct error *error)
{
	if (!m->box[i] || m->box[i] > TENSOR_BOX_MAX)
		return error_set(error, ERR_USAGE,
			"its box has %u elements in dimension %u, expected 1 "
			"to %u",
			m->box[i], i, TENSOR_BOX_MAX);
	if (!m->elements[i] || m->elements[i] > TENSOR_ELEMENT_MAX)
		return error_set(error, ERR_USAGE,
			"its box takes every %u-th element of dimension %u, "
			"expected 1 to %u",
			m->elements[i], i, TENSOR_ELEMENT_MAX);
	return 0;
}

/* Rules of a row of the box, and of where it goes. */
static int check_row(const struct tensor_map *m, struct error *error)
{
	static const uint32_t spans[TENSOR_SWIZZLE_COUNT] = {
		UINT32_MAX, 32, 64, 128};
	const uint32_t bytes = m->box[0] * tensor_types[m->type].bytes;

	if (bytes % PIECE)
		return error_set(error, ERR_USAGE,
			"its box has rows of %u bytes, expected a multiple of "
			"%u",
			bytes, PIECE);
	if (!m->interleave && bytes > spans[m->swizzle])
		return error_set(error, ERR_USAGE,
			"its box has rows of %u bytes, a swizzle of %u bytes "
			"has at most as many",
			bytes, spans[m->swizzle]);
	return 0;
}

int tensor_map_check_layout(const struct tensor_map *m, struct error *error)
{
	if (m->interleave && m->rank < 3)
		return error_set(error, ERR_USAGE,
			"an interleaved tensor has at least 3 dimensions, not "
			"%u",
			m->rank);
	if (m->fill == TENSOR_FILL_NAN && !tensor_types[m->type].is_real)
		return error_set(error, ERR_USAGE,
			"fill=nan belongs to reals, not to %s",
			tensor_types[m->type].name);
	return check_row(m, error);
}

int tensor_map_check(const struct tensor_map *m, struct error *error)
{
	uint32_t i;
	int code = 0;

	if (m->address % unit_of(m))
		return error_set(error, ERR_USAGE,
			"its address 0x%" PRIx64 " is not a multiple of %u",
			m->address, unit_of(m));
	if (m->address >= ADDRESS_END)
		return error_set(error, ERR_USAGE,
			"its address 0x%" PRIx64 " has more than 57 bits",
			m->address);
	for (i = 0; !code && i < m->rank; i++)
		code = check_tensor(m, i, error);
	for (i = 0; !code && i < m->rank; i++)
		code = check_box(m, i, error);
	if (!code)
		code = tensor_map_check_layout(m, error);
	if (!code && tensor_map_noted_bytes(m) > BOX_BYTES_MAX)
		return error_set(error, ERR_USAGE,
			"its box has %" PRIu64
			" bytes, a block has at most %u of shared memory",
			tensor_map_noted_bytes(m), BOX_BYTES_MAX);
	return code;
}
