/* The statement `tensormap` of a job. */
#include <inttypes.h>
#include <string.h>

#include "harness/kernel/parsing.h"

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

/* What the statement says; the map is made of it at the end. */
struct statement {
	struct tensor_map tensor; /* for job_map_fields: the first member */
	struct numbers dims, strides, box, elements;
	int buffer, type; /* -1: not said */
};

static int numbers_parse(struct parsing *p, const struct word *word,
	const char *text, uint64_t most, struct numbers *n)
{
	int status = 0;

	n->column = word->column;
	do {
		char number[24];
		size_t length = strcspn(text, ",");

		if (length >= sizeof(number) || n->count == TENSOR_RANK_MAX)
			return scan_fail(&p->scan, word->column,
				"expected one to %u numbers", TENSOR_RANK_MAX);
		memcpy(number, text, length);
		number[length] = '\0';
		status = scan_count(
			&p->scan, word, number, most, &n->at[n->count++]);
		text += length;
	} while (!status && *text++);
	return status;
}

static int dims_parse(struct parsing *p, const struct word *word,
	const char *text, void *object)
{
	struct statement *s = object;

	return numbers_parse(p, word, text, UINT64_MAX, &s->dims);
}

static int strides_parse(struct parsing *p, const struct word *word,
	const char *text, void *object)
{
	struct statement *s = object;

	return numbers_parse(p, word, text, UINT64_MAX, &s->strides);
}

static int box_parse(struct parsing *p, const struct word *word,
	const char *text, void *object)
{
	struct statement *s = object;

	return numbers_parse(p, word, text, UINT32_MAX, &s->box);
}

static int elements_parse(struct parsing *p, const struct word *word,
	const char *text, void *object)
{
	struct statement *s = object;

	return numbers_parse(p, word, text, UINT32_MAX, &s->elements);
}

static int buffer_parse(struct parsing *p, const struct word *word,
	const char *text, void *object)
{
	struct statement *s = object;

	s->buffer = job_buffer_find(p->job, text);
	return s->buffer >= 0 ? 0
			      : scan_fail(&p->scan, word->column,
					"expected a buffer of the job, found "
					"'%.40s'",
					text);
}

static int type_parse(struct parsing *p, const struct word *word,
	const char *text, void *object)
{
	struct statement *s = object;

	s->type = choice_index(job_map_types, text);
	return s->type >= 0 ? 0
			    : scan_fail(&p->scan, word->column,
				      "expected type=u8|u16|u32|s32|u64|s64|"
				      "f16|f32|f64|bf16|f32.ftz|tf32|tf32.ftz");
}

static const struct special map_specials[] = {
	{"buffer=", buffer_parse},
	{"type=", type_parse},
	{"dims=", dims_parse},
	{"strides=", strides_parse},
	{"box=", box_parse},
	{"elements=", elements_parse},
	{NULL, NULL},
};

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

static int check_statement(struct parsing *p, const struct statement *s)
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

static void take_statement(const struct statement *s, struct job_map *map)
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
	struct statement s = {.buffer = -1, .type = -1};
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
	status = parsing_words(p, map_specials, job_map_fields, &s);
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
