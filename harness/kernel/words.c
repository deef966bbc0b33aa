#include <string.h>

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

static const char *const after_names[JOB_AFTER_COUNT + 1] = {
	[JOB_AFTER_END] = "end",
	[JOB_AFTER_PROGRAMMATIC] = "programmatic",
	[JOB_AFTER_COUNT] = NULL,
};

/* ---- fields that read themselves ---- */

static int file_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	struct job_buffer *b = object;

	if (!*text)
		return scan_fail(scan, word->column, "expected file=FILE");
	b->file = strdup(text);
	return b->file ? 0
		       : error_set(scan->error, ERR_FAILED, "out of memory");
}

static int compare_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	struct job_buffer *b = object;
	int index;

	if (!strncmp(text, "ulp:", 4)) {
		b->compare = JOB_COMPARE_ULP;
		return scan_count(scan, word, text + 4, UINT32_MAX, &b->ulps);
	}
	index = choice_index(job_compare_names, text);
	if (index < 0 || index == JOB_COMPARE_ULP)
		return scan_fail(scan, word->column,
			"expected compare=exact|ulp:N|multiset|none");
	b->compare = (uint8_t)index;
	return 0;
}

/* "64", "16,16" or "4,4,4" */
static int extent_parse(struct scan *scan, const struct word *word,
	const char *text, uint32_t extent[3])
{
	uint64_t value = 0;
	int i, status;

	extent[1] = extent[2] = 1;
	for (i = 0; i < 3; i++) {
		char number[24];
		size_t length = strcspn(text, ",");

		if (length >= sizeof(number))
			break;
		memcpy(number, text, length);
		number[length] = '\0';
		status = scan_count(scan, word, number, INT32_MAX, &value);
		if (status)
			return status;
		extent[i] = (uint32_t)value;
		text += length;
		if (!*text)
			return 0;
		text++;
	}
	return scan_fail(
		scan, word->column, "expected one to three numbers, X,Y,Z");
}

static int grid_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	struct job_launch *launch = object;

	return extent_parse(scan, word, text, launch->grid);
}

static int block_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	struct job_launch *launch = object;

	return extent_parse(scan, word, text, launch->block);
}

static int cluster_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	struct job_launch *launch = object;

	return extent_parse(scan, word, text, launch->cluster);
}

static int args_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	return arguments_parse(scan, word, text, scan->owner, object);
}

/* "0" to "100" */
static int carveout_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	struct job_launch *launch = object;
	uint64_t percent = 0;
	int status = scan_count(scan, word, text, 100, &percent);

	launch->carveout_plus_1 = (uint8_t)(percent + 1);
	return status;
}

#define AT(type, member)                                                       \
	sizeof(((struct type *)0)->member), offsetof(struct type, member)

/* clang-format off */
const struct field job_buffer_fields[] = {
	{"bytes", FIELD_BYTES, AT(job_buffer, bytes), true, 0, NULL,
		"its size"},
	{"type", FIELD_CHOICE, AT(job_buffer, type), false, 0, type_names,
		"what an element is"},
	{"fill", FIELD_CHOICE, AT(job_buffer, fill), false, 0, fill_names,
		"the first content"},
	{"first", FIELD_REAL, AT(job_buffer, first), false, 0, NULL,
		"iota: the first element"},
	{"step", FIELD_REAL, AT(job_buffer, step), false, BITS_OF_ONE, NULL,
		"iota: from each element to the next"},
	{"below", FIELD_COUNT, AT(job_buffer, below), false, 0, NULL,
		"random: whole numbers below this one, 0: all bits; iota: a random number below it is added, 0: none"},
	{"power", FIELD_COUNT, AT(job_buffer, power), false, 1, NULL,
		"random: the more, the more of the numbers are small"},
	{"seed", FIELD_COUNT, AT(job_buffer, seed), false, 0, NULL,
		"of what is random in the content"},
	{"slot", FIELD_BYTES, AT(job_buffer, slot_bytes), false, 0, NULL,
		"ring: distance of its slots"},
	{"order", FIELD_CHOICE, AT(job_buffer, order), false, 0, order_names,
		"ring: order in which the slots are chained"},
	{"file", FIELD_OWN, 0, 0, false, 0, NULL,
		"file: the content, byte by byte; the path is relative to the job's file",
		"FILE", file_parse},
	{"compare", FIELD_OWN, 0, 0, false, 0, NULL,
		"how the last content is compared with another run's: byte by byte, within N units in the last place, as a bag of elements, or not",
		"exact|ulp:N|multiset|none", compare_parse},
	{"memory", FIELD_CHOICE, AT(job_buffer, memory), false, 0, memory_names,
		"where the buffer is"},
	{"peer", FIELD_COUNT, AT(job_buffer, peer), false, 0, NULL,
		"peer: the GPU so many behind the own one; 0: the peer of the run"},
	{0},
};
const struct field job_launch_fields[] = {
	{"grid", FIELD_OWN, 0, 0, true, 0, NULL,
		"blocks in each dimension", "X[,Y[,Z]]", grid_parse},
	{"block", FIELD_OWN, 0, 0, true, 0, NULL,
		"threads of a block in each dimension", "X[,Y[,Z]]", block_parse},
	{"cluster", FIELD_OWN, 0, 0, false, 0, NULL,
		"blocks of a cluster, at most 16, a divisor of the grid; default: as the kernel says",
		"X[,Y[,Z]]", cluster_parse},
	{"args", FIELD_OWN, 0, 0, false, 0, NULL,
		"one for each parameter of the kernel; see ARGUMENTS",
		"ARGUMENT,...", args_parse},
	{"shared", FIELD_BYTES, AT(job_launch, shared_bytes), false, 0, NULL,
		"dynamic shared memory of a block"},
	{"registers", FIELD_COUNT, AT(job_launch, registers), false, 0, NULL,
		"registers of a thread, where the assembler's number is known; 0: the model estimates"},
	{"warmups", FIELD_COUNT, AT(job_launch, warmups), false, 0, NULL,
		"executions before those that are reported"},
	{"repeats", FIELD_COUNT, AT(job_launch, repeats), false, 1, NULL,
		"executions that are reported, on the memory as the one before left it"},
	{"flush", FIELD_FLAG, AT(job_launch, flush), false, 0, NULL,
		"caches are emptied before each execution"},
	{"stream", FIELD_COUNT, AT(job_launch, stream), false, 0, NULL,
		"0 to 127; launches of other streams may run at the same time"},
	{"after", FIELD_CHOICE, AT(job_launch, after), false, 0, after_names,
		"begins at the end of the launch before it in its stream, or where that one lets it (griddepcontrol)"},
	{"shared_carveout", FIELD_OWN, 0, 0, false, 0, NULL,
		"share of an SM's memory that is shared memory, 0 to 100; default: the driver chooses",
		"PERCENT", carveout_parse},
	{"name", FIELD_NAME, AT(job_launch, name), false, 0, NULL,
		"what tables, profiles and messages call the launch; default: its number and its kernel"},
	{"cooperative", FIELD_FLAG, AT(job_launch, cooperative), false, 0, NULL,
		"all blocks are on the device at once, so that they may wait for each other"},
	{0},
};
/* clang-format on */
