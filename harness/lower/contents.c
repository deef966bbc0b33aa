/* Rings and random data, piece by piece. */
#include <string.h>

#include "harness/lower/contents.h"
#include "harness/program/address.h"

/* A part of a ring buffer: an order of its own. */
struct part {
	const struct buffer *b;
	uint64_t first; /* offset in the buffer */
	uint32_t slots;
	uint32_t step; /* positions that a link goes on */
	struct permutation order;
};

static void open_part(
	struct part *part, const struct program *p, uint32_t buffer, uint64_t i)
{
	const struct buffer *b = &p->buffers[buffer];

	*part = (struct part){
		.b = b,
		.first = i * (b->bytes / b->rings),
		.slots = (uint32_t)buffer_ring_slots(b),
		.step = program_ring_next(p, buffer) <= buffer,
	};
	if (b->order == ORDER_SHUFFLE)
		permutation_init(
			&part->order, part->slots, b->seed + (uint32_t)i);
}

/* The slot that slot `i` of the part points to. */
static uint32_t following(const struct part *part, uint32_t i)
{
	const bool shuffled = part->b->order == ORDER_SHUFFLE;
	uint32_t position =
		shuffled ? permutation_position(&part->order, i) : i;

	position += part->step;
	if (position >= part->slots)
		position = 0;
	return shuffled ? permutation_slot(&part->order, position) : position;
}

static void write_slot(const struct part *part, uint32_t slot, uint64_t next,
	unsigned char *to)
{
	uint64_t link = part->first +
			(uint64_t)following(part, slot) * part->b->slot_bytes;

	if (part->b->element_bytes == 8)
		link += next;
	memcpy(to, &link, part->b->element_bytes);
}

static void write_ring(const struct program *p, uint32_t buffer, uint64_t next,
	uint64_t offset, uint64_t bytes, unsigned char *to)
{
	const struct buffer *b = &p->buffers[buffer];
	const uint64_t each = b->bytes / b->rings, end = offset + bytes;
	uint64_t i = offset / each, at;
	struct part part;
	uint32_t slot;

	for (; i < b->rings && i * each < end; i++) {
		open_part(&part, p, buffer, i);
		at = offset > part.first ? offset - part.first : 0;
		slot = (uint32_t)((at + b->slot_bytes - 1) / b->slot_bytes);
		for (; slot < part.slots; slot++) {
			at = part.first + (uint64_t)slot * b->slot_bytes;
			if (at >= end)
				return;
			write_slot(&part, slot, next, to + (at - offset));
		}
	}
}

/* A word of 8 bytes of seeded noise for each index; zero beyond the random
   bytes of each sector. */
static void write_random(const struct buffer *b, uint64_t offset,
	uint64_t bytes, unsigned char *to)
{
	const uint32_t random =
		b->random_bytes ? b->random_bytes : PROGRAM_SECTOR_BYTES;
	uint64_t index = offset / 8, end = (offset + bytes) / 8;
	uint32_t words[2];

	for (; index < end && index < b->bytes / 8; index++, to += 8) {
		const uint32_t place = (uint32_t)index % 4 * 8;

		words[0] = permute_mix((uint32_t)index ^ b->seed);
		words[1] = permute_mix(words[0] + 0x9e3779b9u);
		if (place >= random)
			words[0] = 0;
		if (place + 4 >= random)
			words[1] = 0;
		memcpy(to, words, sizeof(words));
	}
}

void contents_write(const struct program *p, uint32_t buffer, uint64_t next,
	uint64_t offset, uint64_t bytes, unsigned char *to)
{
	const struct buffer *b = &p->buffers[buffer];

	if (b->fill == FILL_RING)
		write_ring(p, buffer, next, offset, bytes, to);
	else if (b->fill == FILL_RANDOM)
		write_random(b, offset, bytes, to);
}
