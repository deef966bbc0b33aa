#include <inttypes.h>
#include <string.h>

#include "harness/program/text/fields.h"
#include "harness/program/text/parts.h"

#define ADDRESS_STOPS "+[],"
#define MODES         "'chase', 'random', '+', 'wrap' or ']'"

/* The strides of an address, in the order of the text. */
static const struct stride {
	const char *name;
	size_t offset;
} strides[] = {
	{"lane", offsetof(struct address, lane_bytes)},
	{"warp", offsetof(struct address, warp_bytes)},
	{"block", offsetof(struct address, block_bytes)},
	{"loop0", offsetof(struct address, loop_bytes[0])},
	{"loop1", offsetof(struct address, loop_bytes[1])},
	{"loop2", offsetof(struct address, loop_bytes[2])},
};

#define STRIDE_COUNT (sizeof(strides) / sizeof(strides[0]))
#define SEEN_BASE    (1u << STRIDE_COUNT)

static uint64_t *stride_of(struct address *a, size_t index)
{
	return (uint64_t *)((char *)a + strides[index].offset);
}

const char *buffer_name(const struct program *p, unsigned index)
{
	return index < p->buffer_count ? p->buffers[index].name : "?";
}

int buffer_index(const struct program *p, const char *name)
{
	uint32_t i;

	for (i = 0; i < p->buffer_count; i++)
		if (!strcmp(p->buffers[i].name, name))
			return (int)i;
	return -1;
}

static const char *name_of(const void *program, unsigned index)
{
	return buffer_name(program, index);
}

static int index_of(const void *program, const char *name)
{
	return buffer_index(program, name);
}

struct step_names buffer_names(const struct program *p)
{
	return (struct step_names){p, index_of, name_of};
}

void address_print(FILE *out, const struct program *p, const struct address *a)
{
	struct address copy = *a;
	size_t i;

	fprintf(out, "[%s",
		a->mode == ADDRESS_SHARED ? "shared"
					  : buffer_name(p, a->buffer));
	if (a->mode == ADDRESS_CHASE)
		fputs(" chase", out);
	if (a->mode == ADDRESS_RANDOM) {
		fputs(" random slot=", out);
		bytes_print(out, a->slot_bytes);
		if (a->per == DRAW_PER_WARP)
			fputs(" per=warp", out);
	}
	if (a->base_bytes) {
		fputs(" + ", out);
		bytes_print(out, a->base_bytes);
	}
	for (i = 0; i < STRIDE_COUNT; i++) {
		if (!*stride_of(&copy, i))
			continue;
		fprintf(out, " + %s*", strides[i].name);
		bytes_print(out, *stride_of(&copy, i));
	}
	if (a->wrap_bytes) {
		fputs(" wrap ", out);
		bytes_print(out, a->wrap_bytes);
	}
	fputc(']', out);
}

static int target_parse(
	struct scan *scan, const struct program *p, struct address *a)
{
	struct word word;
	int status, index;

	status = scan_word(scan, ADDRESS_STOPS, "a buffer or 'shared'", &word);
	if (status)
		return status;
	if (!strcmp(word.text, "shared")) {
		a->mode = ADDRESS_SHARED;
		return 0;
	}
	index = buffer_index(p, word.text);
	if (index < 0)
		return scan_fail(scan, word.column,
			"expected a buffer or 'shared', found '%s'", word.text);
	a->mode = ADDRESS_AFFINE;
	a->buffer = (uint8_t)index;
	return 0;
}

/* "random slot=32 per=warp" */
static int random_parse(struct scan *scan, struct address *a)
{
	struct word word;
	int status;

	a->mode = ADDRESS_RANDOM;
	status = scan_word(scan, ADDRESS_STOPS, "slot=SIZE", &word);
	if (!status && strncmp(word.text, "slot=", 5))
		return scan_fail(scan, word.column, "expected slot=SIZE");
	if (!status)
		status = scan_bytes(
			scan, &word, word.text + 5, UINT64_MAX, &a->slot_bytes);
	if (status || scan_peek(scan) != 'p')
		return status;
	status = scan_word(scan, ADDRESS_STOPS, "per=lane|warp", &word);
	if (status)
		return status;
	if (!strcmp(word.text, "per=warp"))
		a->per = DRAW_PER_WARP;
	else if (strcmp(word.text, "per=lane"))
		return scan_fail(scan, word.column, "expected per=lane|warp");
	return 0;
}

static int mode_parse(struct scan *scan, struct address *a)
{
	struct word word;
	int status;

	if (a->mode == ADDRESS_SHARED || scan_peek(scan) == ']' ||
		scan_peek(scan) == '+' || scan_peek(scan) == 'w')
		return 0;
	status = scan_word(scan, ADDRESS_STOPS, MODES, &word);
	if (status)
		return status;
	if (!strcmp(word.text, "random"))
		return random_parse(scan, a);
	if (strcmp(word.text, "chase"))
		return scan_fail(scan, word.column, "expected " MODES);
	a->mode = ADDRESS_CHASE;
	return 0;
}

/* "+ 64" or "+ lane*4" */
static int term_parse(struct scan *scan, struct address *a, unsigned *seen)
{
	unsigned bit = SEEN_BASE;
	uint64_t *to = &a->base_bytes;
	struct word word;
	const char *star;
	size_t i;
	int status;

	status = scan_word(
		scan, ADDRESS_STOPS, "a size or a stride 'lane*4'", &word);
	if (status)
		return status;
	star = strchr(word.text, '*');
	for (i = 0; star && i < STRIDE_COUNT; i++) {
		size_t length = (size_t)(star - word.text);

		if (strlen(strides[i].name) != length ||
			memcmp(strides[i].name, word.text, length))
			continue;
		to = stride_of(a, i);
		bit = 1u << i;
	}
	if (star && bit == SEEN_BASE)
		return scan_fail(scan, word.column,
			"expected lane, warp, block, loop0, loop1 or loop2 "
			"before '*'");
	if (*seen & bit)
		return scan_fail(scan, word.column,
			"expected one term of this kind, found a second");
	*seen |= bit;
	return scan_bytes(
		scan, &word, star ? star + 1 : word.text, UINT64_MAX, to);
}

int address_parse(struct scan *scan, const struct program *p, struct address *a)
{
	unsigned seen = 0;
	struct word word;
	int status;

	status = scan_expect(scan, '[');
	if (!status)
		status = target_parse(scan, p, a);
	if (!status)
		status = mode_parse(scan, a);
	while (!status && scan_take(scan, '+'))
		status = term_parse(scan, a, &seen);
	if (status || scan_take(scan, ']'))
		return status;
	status = scan_word(scan, ADDRESS_STOPS, "'+', 'wrap' or ']'", &word);
	if (!status && strcmp(word.text, "wrap"))
		return scan_fail(
			scan, word.column, "expected '+', 'wrap' or ']'");
	if (!status)
		status = scan_word(scan, ADDRESS_STOPS, "a size", &word);
	if (!status)
		status = scan_bytes(
			scan, &word, word.text, UINT64_MAX, &a->wrap_bytes);
	return status ? status : scan_expect(scan, ']');
}
