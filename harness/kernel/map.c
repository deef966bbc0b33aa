/* The statement `tensormap` of a job. */
#include <inttypes.h>
#include <string.h>

#include "harness/kernel/parsing.h"

static const char *const type_names[TENSOR_TYPE_COUNT + 1] = {
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

/* ---- printing ---- */

static void numbers_print(
	FILE *out, const char *key, const uint64_t *numbers, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		fprintf(out, "%s%s%" PRIu64, i ? "," : " ", i ? "" : key,
			numbers[i]);
}

static void counts_print(
	FILE *out, const char *key, const uint32_t *counts, uint32_t count)
{
	uint64_t numbers[TENSOR_RANK_MAX];
	uint32_t i;

	for (i = 0; i < count; i++)
		numbers[i] = counts[i];
	numbers_print(out, key, numbers, count);
}

void map_print(FILE *out, const struct job *job, const struct job_map *map)
{
	const struct tensor_map *m = &map->tensor;
	bool steps = false;
	uint32_t i;

	fprintf(out, "tensormap %s buffer=%s type=%s", map->name,
		job->buffers[map->buffer].name, tensor_types[m->type].name);
	numbers_print(out, "dims=", m->dims, m->rank);
	numbers_print(out, "strides=", m->strides, m->rank - 1u);
	counts_print(out, "box=", m->box, m->rank);
	fields_print(out, job_map_fields, m);
	for (i = 0; i < m->rank; i++)
		steps |= m->elements[i] != 1;
	if (steps)
		counts_print(out, "elements=", m->elements, m->rank);
	fputc('\n', out);
}

/* ---- parsing ---- */

/* A list of numbers: how many there are, and where it stands. */
struct numbers {
	uint64_t at[TENSOR_RANK_MAX];
	uint32_t count;
	unsigned column;
};

/* What a statement says; the map is made of it at the end. */
struct said {
	struct tensor_map tensor; /* for job_map_fields: the first member */
	struct numbers dims, strides, box, elements;
	int buffer, type; /* -1: not said */
};

static int numbers_parse(struct scan *scan, const struct word *word,
	const char *text, uint64_t most, struct numbers *n)
{
	int status = 0;

	n->column = word->column;
	do {
		char number[24];
		size_t length = strcspn(text, ",");

		if (length >= sizeof(number) || n->count == TENSOR_RANK_MAX)
			return scan_fail(scan, word->column,
				"expected one to %u numbers", TENSOR_RANK_MAX);
		memcpy(number, text, length);
		number[length] = '\0';
		status = scan_count(
			scan, word, number, most, &n->at[n->count++]);
		text += length;
	} while (!status && *text++);
	return status;
}

static int dims_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	struct said *s = object;

	return numbers_parse(scan, word, text, UINT64_MAX, &s->dims);
}

static int strides_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	struct said *s = object;

	return numbers_parse(scan, word, text, UINT64_MAX, &s->strides);
}

static int box_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	struct said *s = object;

	return numbers_parse(scan, word, text, UINT32_MAX, &s->box);
}

static int elements_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	struct said *s = object;

	return numbers_parse(scan, word, text, UINT32_MAX, &s->elements);
}

static int buffer_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	struct said *s = object;

	s->buffer = job_buffer_find(scan->owner, text);
	return s->buffer >= 0 ? 0
			      : scan_fail(scan, word->column,
					"expected a buffer of the job, found "
					"'%.40s'",
					text);
}

static int type_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	struct said *s = object;

	s->type = choice_index(type_names, text);
	return s->type >= 0 ? 0
			    : scan_fail(scan, word->column,
				      "expected type=u8|u16|u32|s32|u64|s64|"
				      "f16|f32|f64|bf16|f32.ftz|tf32|tf32.ftz");
}

#define AT(member)                                                             \
	sizeof(((struct tensor_map *)0)->member),                              \
		offsetof(struct tensor_map, member)

/* clang-format off */
const struct field job_map_fields[] = {
	{"buffer", FIELD_OWN, 0, 0, true, 0, NULL,
		"the tensor's first byte is the buffer's", "BUFFER", buffer_parse},
	{"type", FIELD_OWN, 0, 0, true, 0, NULL,
		"what an element is", "u8|u16|u32|s32|u64|s64|f16|f32|f64|bf16|f32.ftz|tf32|tf32.ftz",
		type_parse},
	{"dims", FIELD_OWN, 0, 0, true, 0, NULL,
		"elements in each dimension", "N[,N...]", dims_parse},
	{"strides", FIELD_OWN, 0, 0, false, 0, NULL,
		"bytes, from the second dimension on", "N[,N...]", strides_parse},
	{"box", FIELD_OWN, 0, 0, true, 0, NULL,
		"elements that a copy moves, in each dimension", "N[,N...]", box_parse},
	{"elements", FIELD_OWN, 0, 0, false, 0, NULL,
		"a box takes every N-th element of a dimension; default: ones",
		"N[,N...]", elements_parse},
	{"swizzle", FIELD_CHOICE, AT(swizzle), false, 0, swizzle_names,
		"how a box lies in shared memory"},
	{"promotion", FIELD_CHOICE, AT(promotion), false, 0, promotion_names,
		"the size of what L2 fetches"},
	{"interleave", FIELD_CHOICE, AT(interleave), false, 0, interleave_names,
		"the layout of channels"},
	{"fill", FIELD_CHOICE, AT(fill), false, 0, outside_names,
		"what is read outside of the tensor"},
	{0},
};
/* clang-format on */

/* As many numbers as the rank says. */
static int check_count(struct parsing *p, const char *key,
	const struct numbers *n, uint32_t wanted)
{
	if (n->count == wanted)
		return 0;
	if (!wanted)
		return scan_fail(&p->scan, n->column,
			"expected no %s: dims= has one number", key);
	return scan_fail(&p->scan, n->count ? n->column : scan_column(&p->scan),
		"expected %u number%s of %s, for dims= has %u", wanted,
		wanted > 1 ? "s" : "", key, wanted + !strcmp(key, "strides="));
}

static int check_statement(struct parsing *p, const struct said *s)
{
	const uint32_t rank = s->dims.count;
	int status;

	if (s->buffer < 0 || s->type < 0 || !rank || !s->box.count)
		return scan_fail(&p->scan, scan_column(&p->scan),
			"expected buffer=, type=, dims= and box= of the "
			"tensormap");
	status = check_count(p, "strides=", &s->strides, rank - 1);
	if (!status)
		status = check_count(p, "box=", &s->box, rank);
	if (!status && s->elements.count)
		status = check_count(p, "elements=", &s->elements, rank);
	return status;
}

static void take_statement(const struct said *s, struct job_map *map)
{
	struct tensor_map *m = &map->tensor;
	uint32_t i;

	*m = s->tensor;
	map->buffer = (uint32_t)s->buffer;
	m->type = (uint8_t)s->type;
	m->rank = (uint8_t)s->dims.count;
	for (i = 0; i < m->rank; i++) {
		m->dims[i] = s->dims.at[i];
		m->box[i] = (uint32_t)s->box.at[i];
		m->elements[i] =
			s->elements.count ? (uint32_t)s->elements.at[i] : 1;
		if (i + 1 < m->rank)
			m->strides[i] = s->strides.at[i];
	}
}

int map_parse(struct parsing *p)
{
	struct said s = {.buffer = -1, .type = -1};
	struct job_map *map;
	char name[JOB_BUFFER_BYTES];
	unsigned column;
	int status;

	scan_peek(&p->scan);
	column = scan_column(&p->scan);
	status = parsing_name(p, "the tensormap's name", name, sizeof(name));
	if (status)
		return status;
	if (job_map_find(p->job, name) >= 0)
		return scan_fail(&p->scan, column,
			"expected another name: there is a tensormap '%s'",
			name);
	if (p->job->map_count == JOB_MAPS_MAX)
		return scan_fail(&p->scan, column,
			"expected at most %u tensormaps", JOB_MAPS_MAX);
	status = fields_parse(&p->scan, job_map_fields, &s);
	if (!status)
		status = check_statement(p, &s);
	if (status)
		return status;
	map = parsing_grow(
		(void **)&p->job->maps, &p->job->map_count, sizeof(*map));
	if (!map)
		return parsing_no_memory(p);
	strcpy(map->name, name);
	take_statement(&s, map);
	return 0;
}
