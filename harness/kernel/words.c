#include "harness/kernel/words.h"

#define BITS_OF_ONE UINT64_C(0x3ff0000000000000) /* of 1.0 */

static const char *const type_names[] = {
#define TYPE_NAME(name, text, bytes, kind, digits) [ELEMENT_##name] = (text),
	ELEMENT_TYPES(TYPE_NAME)
#undef TYPE_NAME
		[ELEMENT_TYPE_COUNT] = NULL,
};
static const char *const fill_names[] = {
	[JOB_FILL_ZERO] = "zero",
	[JOB_FILL_IOTA] = "iota",
	[JOB_FILL_RANDOM] = "random",
	[JOB_FILL_PERMUTATION] = "permutation",
	[JOB_FILL_RING] = "ring",
	[JOB_FILL_FILE] = "file",
	[JOB_FILL_COUNT] = NULL,
};
static const char *const order_names[] = {
	[ORDER_SEQUENTIAL] = "sequential",
	[ORDER_SHUFFLE] = "shuffle",
	[ORDER_COUNT] = NULL,
};
const char *const job_compare_names[JOB_COMPARE_COUNT + 1] = {
	[JOB_COMPARE_EXACT] = "exact",
	[JOB_COMPARE_ULP] = "ulp",
	[JOB_COMPARE_MULTISET] = "multiset",
	[JOB_COMPARE_NONE] = "none",
	[JOB_COMPARE_COUNT] = NULL,
};

const char *const job_map_types[TENSOR_TYPE_COUNT + 1] = {
#define MAP_TYPE(name, text, bytes, real) [TENSOR_##name] = (text),
	TENSOR_TYPES(MAP_TYPE)
#undef MAP_TYPE
		[TENSOR_TYPE_COUNT] = NULL,
};
static const char *const interleave_names[] = {
	[TENSOR_INTERLEAVE_NONE] = "none",
	[TENSOR_INTERLEAVE_16B] = "16B",
	[TENSOR_INTERLEAVE_32B] = "32B",
	[TENSOR_INTERLEAVE_COUNT] = NULL,
};
static const char *const swizzle_names[] = {
	[TENSOR_SWIZZLE_NONE] = "none",
	[TENSOR_SWIZZLE_32B] = "32B",
	[TENSOR_SWIZZLE_64B] = "64B",
	[TENSOR_SWIZZLE_128B] = "128B",
	[TENSOR_SWIZZLE_COUNT] = NULL,
};
static const char *const promotion_names[] = {
	[TENSOR_PROMOTION_NONE] = "none",
	[TENSOR_PROMOTION_64B] = "64B",
	[TENSOR_PROMOTION_128B] = "128B",
	[TENSOR_PROMOTION_256B] = "256B",
	[TENSOR_PROMOTION_COUNT] = NULL,
};
static const char *const outside_names[] = {
	[TENSOR_FILL_ZERO] = "zero",
	[TENSOR_FILL_NAN] = "nan",
	[TENSOR_FILL_COUNT] = NULL,
};

static const char *const after_names[JOB_AFTER_COUNT + 1] = {
	[JOB_AFTER_END] = "end",
	[JOB_AFTER_PROGRAMMATIC] = "programmatic",
	[JOB_AFTER_COUNT] = NULL,
};

#define AT(type, member)                                                       \
	sizeof(((struct type *)0)->member), offsetof(struct type, member)

/* clang-format off */
const struct field job_buffer_fields[] = {
	{"bytes", FIELD_BYTES, AT(job_buffer, bytes), true, 0, NULL},
	{"type", FIELD_CHOICE, AT(job_buffer, type), false, 0, type_names},
	{"fill", FIELD_CHOICE, AT(job_buffer, fill), false, 0, fill_names},
	{"first", FIELD_REAL, AT(job_buffer, first), false, 0, NULL},
	{"step", FIELD_REAL, AT(job_buffer, step), false, BITS_OF_ONE, NULL},
	{"below", FIELD_COUNT, AT(job_buffer, below), false, 0, NULL},
	{"power", FIELD_COUNT, AT(job_buffer, power), false, 1, NULL},
	{"seed", FIELD_COUNT, AT(job_buffer, seed), false, 0, NULL},
	{"slot", FIELD_BYTES, AT(job_buffer, slot_bytes), false, 0, NULL},
	{"order", FIELD_CHOICE, AT(job_buffer, order), false, 0, order_names},
	{"memory", FIELD_CHOICE, AT(job_buffer, memory), false, 0, memory_names},
	{"peer", FIELD_COUNT, AT(job_buffer, peer), false, 0, NULL},
	{0},
};
const struct field job_map_fields[] = {
	{"swizzle", FIELD_CHOICE, AT(tensor_map, swizzle), false, 0, swizzle_names},
	{"promotion", FIELD_CHOICE, AT(tensor_map, promotion), false, 0, promotion_names},
	{"interleave", FIELD_CHOICE, AT(tensor_map, interleave), false, 0, interleave_names},
	{"fill", FIELD_CHOICE, AT(tensor_map, fill), false, 0, outside_names},
	{0},
};
const struct field job_launch_fields[] = {
	{"shared", FIELD_BYTES, AT(job_launch, shared_bytes), false, 0, NULL},
	{"registers", FIELD_COUNT, AT(job_launch, registers), false, 0, NULL},
	{"warmups", FIELD_COUNT, AT(job_launch, warmups), false, 0, NULL},
	{"repeats", FIELD_COUNT, AT(job_launch, repeats), false, 1, NULL},
	{"flush", FIELD_FLAG, AT(job_launch, flush), false, 0, NULL},
	{"stream", FIELD_COUNT, AT(job_launch, stream), false, 0, NULL},
	{"after", FIELD_CHOICE, AT(job_launch, after), false, 0, after_names},
	{"cooperative", FIELD_FLAG, AT(job_launch, cooperative), false, 0, NULL},
	{0},
};
/* clang-format on */
