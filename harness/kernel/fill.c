#include <string.h>

#include "harness/kernel/fill.h"
#include "harness/program/permute.h"
#include "harness/program/program.h"

/* What the elements of a fill need that is the same for all of them. */
struct pattern {
	const struct job_buffer *b;
	const struct element *e;
	uint64_t slot_elements; /* ring */
	struct permutation order;
};

static uint64_t cut(const struct element *e, uint64_t value)
{
	const unsigned unused = 64 - 8u * e->bytes;

	return value << unused >> unused;
}

/* 64 random bits of an element. */
static uint64_t bits_of(const struct job_buffer *b, uint64_t index)
{
	const uint32_t stream =
		permute_mix(b->seed ^ permute_mix((uint32_t)(index >> 32)));
	const uint32_t low = permute_mix(stream ^ (uint32_t)index);

	return (uint64_t)low << 32 | permute_mix(low + 0x9e3779b9u);
}

/* A draw in [0, below), or with a power a smaller one. */
static uint64_t draw(const struct job_buffer *b, uint64_t index)
{
	const uint64_t unit = bits_of(b, index) >> 32;
	uint64_t powered = unit;
	int i;

	for (i = 1; i < b->power; i++)
		powered = powered * unit >> 32;
	return powered * b->below >> 32;
}

/* count * 2^-significant bits, which the type holds exactly. */
static uint64_t fraction_bits(const struct element *e, uint64_t count)
{
	const int digits = e->significant_bits;
	const int exponent_bits = 8 * e->bytes - digits;
	const uint64_t bias = (UINT64_C(1) << (exponent_bits - 1)) - 1;
	int high;

	if (!count)
		return 0;
	high = 63 - __builtin_clzll(count);
	count <<= digits - 1 - high;
	return ((bias - (uint64_t)(digits - high)) << (digits - 1)) +
	       (count & ((UINT64_C(1) << (digits - 1)) - 1));
}

static uint64_t random_element(const struct pattern *p, uint64_t index)
{
	const uint64_t bits = bits_of(p->b, index);

	if (p->e->kind == ELEMENT_FLOAT)
		return fraction_bits(
			p->e, bits >> (64 - p->e->significant_bits));
	return p->b->below ? draw(p->b, index) : cut(p->e, bits);
}

static uint64_t iota_element(const struct pattern *p, uint64_t index)
{
	const struct job_buffer *b = p->b;
	const uint64_t jitter = b->below ? draw(b, index) : 0;

	if (p->e->kind == ELEMENT_FLOAT)
		return element_float_bits((enum element_type)b->type,
			b->first + (double)index * b->step + (double)jitter);
	return cut(p->e, (uint64_t)(int64_t)b->first +
				 index * (uint64_t)(int64_t)b->step + jitter);
}

static uint64_t index_element(const struct pattern *p, uint64_t index)
{
	if (p->e->kind == ELEMENT_FLOAT)
		return element_float_bits(
			(enum element_type)p->b->type, (double)index);
	return index;
}

static uint64_t permuted_element(const struct pattern *p, uint64_t index)
{
	return index_element(p, permutation_slot(&p->order, (uint32_t)index));
}

static uint64_t ring_element(const struct pattern *p, uint64_t index)
{
	const uint32_t count = p->order.count;
	uint32_t slot = (uint32_t)(index / p->slot_elements);

	if (index % p->slot_elements)
		return 0;
	if (p->b->order == ORDER_SHUFFLE) {
		slot = permutation_position(&p->order, slot);
		slot = permutation_slot(
			&p->order, slot + 1 < count ? slot + 1 : 0);
	} else {
		slot = slot + 1 < count ? slot + 1 : 0;
	}
	return index_element(p, slot * p->slot_elements);
}

static uint64_t zero_element(const struct pattern *p, uint64_t index)
{
	(void)p;
	(void)index;
	return 0;
}

typedef uint64_t element_of(const struct pattern *p, uint64_t index);

static element_of *const fills[JOB_FILL_COUNT] = {
	[JOB_FILL_ZERO] = zero_element,
	[JOB_FILL_IOTA] = iota_element,
	[JOB_FILL_RANDOM] = random_element,
	[JOB_FILL_PERMUTATION] = permuted_element,
	[JOB_FILL_RING] = ring_element,
	[JOB_FILL_FILE] = zero_element,
};

static void pattern_init(struct pattern *p, const struct job_buffer *b)
{
	uint64_t count = job_buffer_elements(b);

	p->b = b;
	p->e = &elements[b->type];
	p->slot_elements = b->slot_bytes ? b->slot_bytes / p->e->bytes : 1;
	if (b->fill == JOB_FILL_RING)
		count /= p->slot_elements;
	if (b->fill == JOB_FILL_RING || b->fill == JOB_FILL_PERMUTATION)
		permutation_init(&p->order, (uint32_t)count, b->seed);
}

uint64_t fill_element(const struct job_buffer *buffer, uint64_t index)
{
	struct pattern p;

	pattern_init(&p, buffer);
	return fills[buffer->fill](&p, index);
}

/* As random_element() of f32, which has 24 significant bits, many at a time:
   whole numbers of so many bits are exact, and so are 2^-24 of them. */
static void write_random_f32(const struct job_buffer *b, uint64_t index,
	uint64_t count, unsigned char *to)
{
	const uint32_t stream =
		permute_mix(b->seed ^ permute_mix((uint32_t)(index >> 32)));
	const uint32_t first = (uint32_t)index;
	float values[64];
	uint32_t i, k, some;

	for (i = 0; i < count; i += some) {
		some = count - i < 64 ? (uint32_t)(count - i) : 64;
		for (k = 0; k < some; k++)
			values[k] =
				(float)(int32_t)(permute_mix(stream ^
							     (first + i + k)) >>
						 8) *
				0x1p-24f;
		memcpy(to + (size_t)i * sizeof(float), values,
			some * sizeof(float));
	}
}

/* Whether all of them are elements of one stream, which has 2^32. */
static bool is_one_stream(uint64_t index, uint64_t end)
{
	return index < end && index >> 32 == (end - 1) >> 32;
}

void fill_write(const struct job_buffer *buffer, uint64_t offset,
	uint64_t bytes, void *to)
{
	element_of *element = fills[buffer->fill];
	unsigned char *at = to;
	struct pattern p;
	uint64_t index, end;

	if (buffer->fill == JOB_FILL_ZERO) {
		memset(to, 0, bytes);
		return;
	}
	if (buffer->fill == JOB_FILL_FILE) {
		memcpy(to, buffer->file_content + offset, bytes);
		return;
	}
	pattern_init(&p, buffer);
	index = offset / p.e->bytes;
	end = index + bytes / p.e->bytes;
	if (buffer->fill == JOB_FILL_RANDOM && p.e->kind == ELEMENT_FLOAT &&
		p.e->significant_bits == 24 && is_one_stream(index, end)) {
		write_random_f32(buffer, index, end - index, at);
		return;
	}
	for (; index < end; index++, at += p.e->bytes) {
		uint64_t value = element(&p, index);

		memcpy(at, &value, p.e->bytes);
	}
}
