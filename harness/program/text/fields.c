#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/text/fields.h"
#include "harness/base/units.h"

static const char *const fill_names[] = {
	[FILL_ZERO] = "zero",
	[FILL_RANDOM] = "random",
	[FILL_RING] = "ring",
	[FILL_COUNT] = NULL,
};
static const char *const order_names[] = {
	[ORDER_SEQUENTIAL] = "sequential",
	[ORDER_SHUFFLE] = "shuffle",
	[ORDER_COUNT] = NULL,
};
const char *const memory_names[MEMORY_COUNT + 1] = {
	[MEMORY_PLAIN] = "plain",
	[MEMORY_COMPRESSIBLE] = "compressible",
	[MEMORY_PEER] = "peer",
	[MEMORY_HOST] = "host",
	[MEMORY_COUNT] = NULL,
};
static const char *const timing_names[] = {
	[TIMING_NONE] = "none",
	[TIMING_REGION] = "region",
	[TIMING_EACH] = "each",
	[TIMING_COUNT] = NULL,
};
static const char *const start_names[] = {
	[START_AUTO] = "auto",
	[START_TOGETHER] = "together",
	[START_FREE] = "free",
	[START_COUNT] = NULL,
};
const char *const property_names[PROPERTY_COUNT + 1] = {
	[PROPERTY_NORMAL] = "normal",
	[PROPERTY_STREAMING] = "streaming",
	[PROPERTY_PERSISTING] = "persisting",
	[PROPERTY_COUNT] = NULL,
};

#define AT(type, member)                                                       \
	sizeof(((struct type *)0)->member), offsetof(struct type, member)

/* clang-format off */
const struct field buffer_fields[] = {
	{"bytes", FIELD_BYTES, AT(buffer, bytes), true, 0, NULL,
		"its size"},
	{"fill", FIELD_CHOICE, AT(buffer, fill), false, 0, fill_names,
		"the first content"},
	{"slot", FIELD_BYTES, AT(buffer, slot_bytes), false, 0, NULL,
		"ring: distance of its slots"},
	{"order", FIELD_CHOICE, AT(buffer, order), false, 0, order_names,
		"ring: order in which the slots are chained"},
	{"seed", FIELD_COUNT, AT(buffer, seed), false, 0, NULL,
		"of random content and shuffled rings"},
	{"random_bytes", FIELD_COUNT, AT(buffer, random_bytes), false, 0, NULL,
		"random: so many of each 32 bytes are random, the others zero; 0: all of them"},
	{"rings", FIELD_COUNT, AT(buffer, rings), false, 1, NULL,
		"ring: equal parts, a ring each"},
	{"element", FIELD_COUNT, AT(buffer, element_bytes), false, 8, NULL,
		"ring: bytes of a link, 4 (an offset in the buffer) or 8 (an address)"},
	{"memory", FIELD_CHOICE, AT(buffer, memory), false, 0, memory_names,
		"where the buffer is"},
	{"peer", FIELD_COUNT, AT(buffer, peer), false, 0, NULL,
		"peer: the GPU so many behind the own one; 0: the peer of the run"},
	{"through", FIELD_COUNT, AT(buffer, through), false, 0, NULL,
		"ring: goes through so many buffers in turn, this one and those behind it; 0: this one"},
	{0},
};
const struct field launch_fields[] = {
	{"turns", FIELD_FLAG, AT(step, turns), false, 0, NULL,
		"the SMs of the only role take turns, in the order of their numbers"},
	{"start", FIELD_CHOICE, AT(step, start), false, 0, start_names,
		"whether blocks wait for each other before they begin; auto: unless there is one role that names no SMs"},
	{"registers", FIELD_COUNT, AT(step, registers), false, 0, NULL,
		"registers of a thread, at most; 0: as the instructions need"},
	{0},
};
const struct field window_fields[] = {
	{"base", FIELD_BYTES, AT(step, base_bytes), false, 0, NULL,
		"its place in the buffer"},
	{"bytes", FIELD_BYTES, AT(step, bytes), true, 0, NULL,
		"its size"},
	{"ratio", FIELD_REAL, AT(step, hit_ratio), true, 0, NULL,
		"share of its accesses that hit, 0 to 1"},
	{"hit", FIELD_CHOICE, AT(step, hit), false, 0, property_names,
		"what those are for L2"},
	{"miss", FIELD_CHOICE, AT(step, miss), false, 0, property_names,
		"what the others are for L2"},
	{0},
};
const struct field copy_fields[] = {
	{"bytes", FIELD_BYTES, AT(step, bytes), true, 0, NULL,
		"from the first byte on"},
	{0},
};
const struct field repeat_fields[] = {
	{"unroll", FIELD_COUNT, AT(insn, unroll), false, 0, NULL,
		"copies of the body that an iteration waits for; 0: one"},
	{"time", FIELD_CHOICE, AT(insn, timing), false, 0, timing_names,
		"a sample for the whole loop of a warp, or for each iteration"},
	{"region", FIELD_NAME, AT(insn, region), false, 0, NULL,
		"name of what is timed; metrics are of the region measure"},
	{0},
};
/* clang-format on */

int choice_index(const char *const *choices, const char *text)
{
	int i;

	for (i = 0; choices[i]; i++)
		if (!strcmp(choices[i], text))
			return i;
	return -1;
}

void real_print(FILE *out, double value)
{
	char text[32];
	int digits;

	for (digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, out);
}

void bytes_print(FILE *out, uint64_t bytes)
{
	char text[32];

	units_format_bytes(bytes, text, sizeof(text));
	fputs(text, out);
}

/* ---- members of 1, 4 or 8 bytes ---- */

static uint64_t member_max(const struct field *field)
{
	return UINT64_MAX >> (64 - 8 * field->width);
}

static uint64_t member_get(const struct field *field, const void *object)
{
	const char *at = (const char *)object + field->offset;
	uint32_t u32;
	uint64_t u64;

	if (field->width == 1)
		return *(const uint8_t *)at;
	if (field->width == 4) {
		memcpy(&u32, at, sizeof(u32));
		return u32;
	}
	memcpy(&u64, at, sizeof(u64));
	return u64;
}

static void member_set(const struct field *field, void *object, uint64_t value)
{
	char *at = (char *)object + field->offset;
	uint32_t u32 = (uint32_t)value;

	if (field->width == 1)
		*(uint8_t *)at = (uint8_t)value;
	else if (field->width == 4)
		memcpy(at, &u32, sizeof(u32));
	else
		memcpy(at, &value, sizeof(value));
}

/* ---- printing ---- */

static void value_print(
	FILE *out, const struct field *field, const void *object)
{
	const char *at = (const char *)object + field->offset;
	uint64_t value;
	size_t count = 0;
	double real;

	if (field->type == FIELD_NAME) {
		fputs(at, out);
		return;
	}
	if (field->type == FIELD_REAL) {
		memcpy(&real, at, sizeof(real));
		real_print(out, real);
		return;
	}
	value = member_get(field, object);
	if (field->type == FIELD_BYTES) {
		bytes_print(out, value);
		return;
	}
	while (field->choices && field->choices[count])
		count++;
	if (field->choices && value < count)
		fputs(field->choices[value], out);
	else
		fprintf(out, "%" PRIu64, value);
}

static bool at_default(const struct field *field, const void *object)
{
	if (field->type == FIELD_NAME)
		return !((const char *)object)[field->offset];
	return member_get(field, object) == field->initial;
}

void fields_print(FILE *out, const struct field *fields, const void *object)
{
	const struct field *field;

	for (field = fields; field->name; field++) {
		if (field->type == FIELD_OWN ||
			(!field->always && at_default(field, object)))
			continue;
		fprintf(out, " %s", field->name);
		if (field->type == FIELD_FLAG)
			continue;
		fputc('=', out);
		value_print(out, field, object);
	}
}

/* ---- parsing ---- */

int name_parse(struct scan *scan, const struct word *word, const char *text,
	char name[PROGRAM_NAME_BYTES])
{
	size_t length = strlen(text);

	if (!length || length >= PROGRAM_NAME_BYTES)
		return scan_fail(scan, word->column,
			"expected a name of 1 to %d bytes",
			PROGRAM_NAME_BYTES - 1);
	memset(name, 0, PROGRAM_NAME_BYTES);
	memcpy(name, text, length);
	return 0;
}

static int choice_fail(
	struct scan *scan, const struct word *word, const struct field *field)
{
	char list[128] = "";
	size_t length = 0;
	int i;

	for (i = 0; field->choices[i]; i++) {
		snprintf(list + length, sizeof(list) - length, "%s%s",
			i ? "|" : "", field->choices[i]);
		length = strlen(list);
	}
	return scan_fail(
		scan, word->column, "expected %s=%s", field->name, list);
}

static int value_parse(struct scan *scan, const struct field *field,
	const struct word *word, const char *text, void *object)
{
	char *at = (char *)object + field->offset;
	uint64_t value = 1;
	int status = 0;
	double real;

	if (field->type == FIELD_OWN)
		return field->parse(scan, word, text, object);
	if (field->type == FIELD_NAME)
		return name_parse(scan, word, text, at);
	if (field->type == FIELD_REAL) {
		status = scan_real(scan, word, text, &real);
		if (!status)
			memcpy(at, &real, sizeof(real));
		return status;
	}
	if (field->type == FIELD_CHOICE) {
		int choice = choice_index(field->choices, text);

		if (choice < 0)
			return choice_fail(scan, word, field);
		value = (uint64_t)choice;
	} else if (field->type == FIELD_BYTES) {
		status =
			scan_bytes(scan, word, text, member_max(field), &value);
	} else if (field->type == FIELD_COUNT) {
		status =
			scan_count(scan, word, text, member_max(field), &value);
	}
	if (!status)
		member_set(field, object, value);
	return status;
}

int field_parse(struct scan *scan, const struct field *fields,
	const struct word *word, void *object, uint32_t *seen)
{
	size_t length = strcspn(word->text, "=");
	const struct field *field;
	uint32_t bit = 1;

	for (field = fields; field->name; field++, bit <<= 1) {
		bool flag = field->type == FIELD_FLAG;

		if (strlen(field->name) != length ||
			memcmp(field->name, word->text, length))
			continue;
		if (flag != !word->text[length])
			return scan_fail(scan, word->column, "expected '%s%s'",
				field->name, flag ? "" : "=");
		if (*seen & bit)
			return scan_fail(scan, word->column,
				"expected '%s' once", field->name);
		*seen |= bit;
		return value_parse(
			scan, field, word, word->text + length + !flag, object);
	}
	return scan_fail(scan, word->column, "expected another word than '%s'",
		word->text);
}

int fields_parse(struct scan *scan, const struct field *fields, void *object)
{
	struct word word;
	uint32_t seen = 0;
	int status = 0;

	while (!status && scan_peek(scan)) {
		status = scan_word(scan, "", "key=value", &word);
		if (!status)
			status =
				field_parse(scan, fields, &word, object, &seen);
	}
	return status;
}
