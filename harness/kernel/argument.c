#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kernel/words.h"

/* ---- printing ---- */

/* The shortest decimal that has these bits in its type. */
static void float_print(FILE *out, enum element_type type, uint64_t bits)
{
	const double value = element_float_value(type, bits);
	char text[32];
	int digits;

	for (digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (element_float_bits(type, strtod(text, NULL)) == bits)
			break;
	}
	fputs(text, out);
}

static void scalar_print(FILE *out, const struct job_argument *a)
{
	const struct element *e = &elements[a->type];
	const unsigned unused = 64 - 8u * e->bytes;

	fprintf(out, "%s:", e->name);
	if (e->kind == ELEMENT_FLOAT)
		float_print(out, a->type, a->value);
	else if (e->kind == ELEMENT_SIGNED)
		fprintf(out, "%" PRId64,
			(int64_t)(a->value << unused) >> unused);
	else
		fprintf(out, "%" PRIu64, a->value);
}

static void argument_print(
	FILE *out, const struct job *job, const struct job_argument *a)
{
	if (a->kind == JOB_SCALAR) {
		scalar_print(out, a);
		return;
	}
	if (a->kind != JOB_ADDRESS) {
		fprintf(out, "%smap:%s", a->kind == JOB_MAP ? "" : "&",
			job->maps[a->of].name);
		return;
	}
	fputs(job->buffers[a->of].name, out);
	if (a->value) {
		fputc('+', out);
		bytes_print(out, a->value);
	}
}

void arguments_print(
	FILE *out, const struct job *job, const struct job_launch *launch)
{
	const struct job_argument *a = launch->arguments;
	size_t i, count = launch->argument_count;

	for (i = 0; i < count; i++) {
		bool begins = !i || a[i].parameter != a[i - 1].parameter;
		bool ends =
			i + 1 == count || a[i + 1].parameter != a[i].parameter;

		fputs(i ? "," : " args=", out);
		if (a[i].in_struct && begins)
			fputc('{', out);
		argument_print(out, job, &a[i]);
		if (a[i].in_struct && ends)
			fputc('}', out);
	}
}

/* ---- parsing ---- */

struct arguments {
	struct scan *scan;
	const struct word *word;
	const struct job *job;
	struct job_launch *launch;
	size_t parameter, offset; /* where the next one goes */
	bool in_struct;
};

static int fail(struct arguments *p, const char *at, const char *what)
{
	const size_t column = p->word->column + (size_t)(at - p->word->text);

	return scan_fail(p->scan, (unsigned)column, "expected %s", what);
}

static int add(struct arguments *p, const struct job_argument *argument)
{
	struct job_launch *launch = p->launch;
	const size_t alignment = job_argument_alignment(argument);
	struct job_argument *a = reallocarray(launch->arguments,
		launch->argument_count + 1, sizeof(*launch->arguments));

	if (!a)
		return error_set(p->scan->error, ERR_FAILED, "out of memory");
	launch->arguments = a;
	a += launch->argument_count++;
	*a = *argument;
	a->in_struct = p->in_struct;
	a->parameter = (uint16_t)p->parameter;
	a->offset =
		(uint16_t)((p->offset + alignment - 1) / alignment * alignment);
	p->offset = a->offset + job_argument_bytes(a);
	return 0;
}

/* "a+64" */
static int address(struct arguments *p, const char *at, char *text)
{
	struct job_argument a = {.kind = JOB_ADDRESS, .type = ELEMENT_U64};
	char *plus = strchr(text, '+');
	int index;

	if (plus)
		*plus++ = '\0';
	index = job_buffer_find(p->job, text);
	if (index < 0)
		return fail(p, at, "a buffer of the job, or TYPE:NUMBER");
	a.of = (uint32_t)index;
	if (plus) {
		int status = scan_bytes(p->scan, p->word, plus,
			p->job->buffers[index].bytes, &a.value);

		if (status)
			return status;
	}
	return add(p, &a);
}

/* A whole number of so many bits: decimal, or hexadecimal for bit patterns. */
static bool whole(const struct element *e, const char *text, uint64_t *bits)
{
	const unsigned unused = 64 - 8u * e->bytes;
	const bool negative = *text == '-';
	const bool hexadecimal =
		text[negative] == '0' && (text[negative + 1] | 0x20) == 'x';
	const char *digits = text + negative + (hexadecimal ? 2 : 0);
	const char *known =
		hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
	uint64_t most = UINT64_MAX >> unused, value;

	if (!*digits || digits[strspn(digits, known)] || strlen(digits) > 20)
		return false;
	if (e->kind == ELEMENT_SIGNED && !(hexadecimal && !negative))
		most = (most >> 1) + negative;
	else if (negative)
		return false;
	value = strtoull(digits, NULL, hexadecimal ? 16 : 10);
	/* strtoull() answers the greatest number for greater ones. */
	if (value > most || (value == UINT64_MAX && strlen(digits) >= 20 &&
				    strcmp(digits, "18446744073709551615")))
		return false;
	*bits = (negative ? 0 - value : value) << unused >> unused;
	return true;
}

static int scalar(struct arguments *p, const char *at, char *text)
{
	char *number = strchr(text, ':');
	struct job_argument a = {.kind = JOB_SCALAR};
	const struct element *e;
	double value = 0;
	int type;

	*number++ = '\0';
	type = element_find(text);
	if (type < 0)
		return fail(p, at, "a type such as u32, s32, u64 or f32");
	e = &elements[type];
	a.type = (uint8_t)type;
	if (e->kind != ELEMENT_FLOAT)
		return whole(e, number, &a.value)
			       ? add(p, &a)
			       : fail(p, at, "a whole number of that type");
	if (scan_real(p->scan, p->word, number, &value))
		return ERR_USAGE;
	a.value = element_float_bits((enum element_type)type, value);
	if (isinf(element_float_value((enum element_type)type, a.value)))
		return fail(p, at, "a smaller number of that type");
	return add(p, &a);
}

/* "map:ma", "&map:ma"; `name` follows the colon. */
static int map(struct arguments *p, const char *at, const char *name,
	enum job_argument_kind kind)
{
	const int index = job_map_find(p->job, name);
	struct job_argument a = {.kind = (uint8_t)kind, .type = ELEMENT_U64};

	if (index < 0)
		return fail(p, at, "a tensormap of the job behind map:");
	a.of = (uint32_t)index;
	return add(p, &a);
}

static int one(struct arguments *p, const char *at, size_t length)
{
	char text[SCAN_WORD_BYTES];

	memcpy(text, at, length);
	text[length] = '\0';
	if (!strncmp(text, "map:", 4))
		return map(p, at, text + 4, JOB_MAP);
	if (!strncmp(text, "&map:", 5))
		return map(p, at, text + 5, JOB_MAP_ADDRESS);
	return strchr(text, ':') ? scalar(p, at, text) : address(p, at, text);
}

/* After an argument: the end of a struct, and a comma or the end. */
static int separate(struct arguments *p, const char **at)
{
	if (p->in_struct && **at == '}') {
		p->in_struct = false;
		++*at;
	}
	if (!p->in_struct) {
		p->parameter++;
		p->offset = 0;
	}
	if (!**at && !p->in_struct)
		return 0;
	if (**at != ',')
		return fail(p, *at, p->in_struct ? "',' or '}'" : "','");
	++*at;
	return **at ? 0 : fail(p, *at, "an argument");
}

int arguments_parse(struct scan *scan, const struct word *word,
	const char *text, const struct job *job, struct job_launch *launch)
{
	struct arguments p = {scan, word, job, launch, 0, 0, false};
	int status = *text ? 0 : fail(&p, text, "an argument");

	while (!status && *text) {
		size_t length;

		if (*text == '{' && !p.in_struct) {
			p.in_struct = true;
			text++;
		}
		length = strcspn(text, ",{}");
		if (!length)
			return fail(&p, text, "an argument");
		status = one(&p, text, length);
		text += length;
		if (!status)
			status = separate(&p, &text);
	}
	return status;
}
