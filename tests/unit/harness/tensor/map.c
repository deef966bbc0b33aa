/* Tensor maps against a driver's encodings, and fields that a kernel replaces.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "harness/tensor/map.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t digest(const unsigned char *bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	unsigned i;

	for (i = 0; i < TENSOR_MAP_BYTES; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

struct encoded {
	uint8_t type, rank, interleave, swizzle, promotion, fill;
	uint64_t address, dims[5], strides[4];
	uint32_t box[5], elements[5];
	uint64_t digest;
};

static const struct encoded encoded[] = {
#include "tests/unit/harness/tensor/maps.inc"
};

static struct tensor_map map_of(const struct encoded *e)
{
	struct tensor_map m = {.address = e->address,
		.rank = e->rank,
		.type = e->type,
		.interleave = e->interleave,
		.swizzle = e->swizzle,
		.promotion = e->promotion,
		.fill = e->fill};

	memcpy(m.dims, e->dims, sizeof(m.dims));
	memcpy(m.strides, e->strides, sizeof(m.strides));
	memcpy(m.box, e->box, sizeof(m.box));
	memcpy(m.elements, e->elements, sizeof(m.elements));
	return m;
}

Test(tensor_map, verdicts_and_bytes_are_a_drivers)
{
	unsigned char bytes[TENSOR_MAP_BYTES];
	size_t i;

	for (i = 0; i < COUNT(encoded); i++) {
		const struct tensor_map m = map_of(&encoded[i]);
		struct error e = {""};
		const int code = tensor_map_check(&m, &e);

		cr_expect_eq(code, encoded[i].digest ? 0 : ERR_USAGE,
			"row %zu: %s", i, e.text);
		if (code || !encoded[i].digest)
			continue;
		tensor_map_encode(&m, bytes);
		cr_expect_eq(digest(bytes), encoded[i].digest, "row %zu", i);
	}
}

Test(tensor_map, what_is_encoded_is_decoded)
{
	unsigned char bytes[TENSOR_MAP_BYTES];
	struct tensor_map back;
	size_t i;

	for (i = 0; i < COUNT(encoded); i++) {
		const struct tensor_map m = map_of(&encoded[i]);

		if (!encoded[i].digest)
			continue;
		tensor_map_encode(&m, bytes);
		cr_assert(tensor_map_decode(bytes, &back), "row %zu", i);
		cr_expect_eq(memcmp(&m, &back, sizeof(m)), 0, "row %zu", i);
	}
}

Test(tensor_map, what_hardware_has_not_is_no_map)
{
	unsigned char bytes[TENSOR_MAP_BYTES] = {0};
	struct tensor_map m;

	cr_expect(tensor_map_decode(bytes, &m));
	tensor_map_replace(bytes, TENSOR_FIELD_RANK, 0, 5);
	cr_expect_not(tensor_map_decode(bytes, &m));
	tensor_map_replace(bytes, TENSOR_FIELD_RANK, 0, 4);
	cr_expect(tensor_map_decode(bytes, &m));
	tensor_map_replace(bytes, TENSOR_FIELD_INTERLEAVE, 0, 3);
	cr_expect_not(tensor_map_decode(bytes, &m));
	memset(bytes, 0xff, sizeof(bytes));
	cr_expect_not(tensor_map_decode(bytes, &m));
}

Test(tensor_map, fields_are_replaced_as_on_an_h200)
{
	static const struct {
		enum tensor_field field;
		uint32_t ordinal;
		uint64_t value;
		unsigned char before;
		uint64_t digest;
	} rows[] = {
#include "tests/unit/harness/tensor/replaced.inc"
	};
	unsigned char bytes[TENSOR_MAP_BYTES];
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		memset(bytes, rows[i].before, sizeof(bytes));
		tensor_map_replace(
			bytes, rows[i].field, rows[i].ordinal, rows[i].value);
		cr_expect_eq(digest(bytes), rows[i].digest,
			"row %zu: field %d, ordinal %u, value 0x%llx", i,
			(int)rows[i].field, rows[i].ordinal,
			(unsigned long long)rows[i].value);
	}
}
