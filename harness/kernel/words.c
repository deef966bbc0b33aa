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
	{0},
};
const struct field job_launch_fields[] = {
	{"shared", FIELD_BYTES, AT(job_launch, shared_bytes), false, 0, NULL},
	{"registers", FIELD_COUNT, AT(job_launch, registers), false, 0, NULL},
	{"warmups", FIELD_COUNT, AT(job_launch, warmups), false, 0, NULL},
	{"repeats", FIELD_COUNT, AT(job_launch, repeats), false, 1, NULL},
	{"flush", FIELD_FLAG, AT(job_launch, flush), false, 0, NULL},
	{0},
};
/* clang-format on */
