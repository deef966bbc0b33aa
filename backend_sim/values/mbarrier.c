/* The bits of asynchronous barriers. */
#include "backend_sim/values/mbarrier.h"

#define FIELD(bits, low, width)                                                \
	((uint32_t)((bits) >> (low)) & ((UINT32_C(1) << (width)) - 1))

/* A field of so many bits as a number, where it is kept negated. */
static uint32_t negated(uint32_t value, unsigned width)
{
	return (0u - value) & ((UINT32_C(1) << width) - 1);
}

struct mbarrier mbarrier_read(uint64_t bits)
{
	const uint32_t bytes = negated(FIELD(bits, 21, 21), 21);

	return (struct mbarrier){
		.parity = (uint32_t)(bits >> 63),
		.pending = negated(FIELD(bits, 43, 20), 20),
		.expected = negated(FIELD(bits, 1, 20), 20),
		.bytes = bytes >> 20 ? (int32_t)bytes - (1 << 21)
				     : (int32_t)bytes,
	};
}

uint64_t mbarrier_bits(const struct mbarrier *b)
{
	return (uint64_t)b->parity << 63 |
	       (uint64_t)negated(b->pending, 20) << 43 |
	       (uint64_t)negated((uint32_t)b->bytes, 21) << 21 |
	       (uint64_t)negated(b->expected, 20) << 1;
}

enum mbarrier_fault mbarrier_init(struct mbarrier *b, uint32_t count)
{
	if (!count || count > MBARRIER_MOST)
		return MBARRIER_COUNT;
	*b = (struct mbarrier){.pending = count, .expected = count};
	return MBARRIER_FINE;
}

static bool ends(struct mbarrier *b)
{
	if (b->pending || b->bytes)
		return false;
	b->parity ^= 1;
	b->pending = b->expected;
	return true;
}

enum mbarrier_fault mbarrier_arrive(
	struct mbarrier *b, uint32_t count, bool drops, bool *over)
{
	*over = false;
	if (count > b->pending || (drops && count > b->expected))
		return MBARRIER_ARRIVALS;
	b->pending -= count;
	if (drops)
		b->expected -= count;
	*over = count && ends(b);
	return MBARRIER_FINE;
}

enum mbarrier_fault mbarrier_expect(
	struct mbarrier *b, int64_t bytes, bool *over)
{
	const int64_t sum = b->bytes + bytes;

	*over = false;
	if (sum > (int64_t)MBARRIER_MOST || sum < -(int64_t)MBARRIER_MOST)
		return MBARRIER_BYTES;
	b->bytes = (int32_t)sum;
	*over = bytes && ends(b);
	return MBARRIER_FINE;
}

uint64_t mbarrier_state(const struct mbarrier *b)
{
	return mbarrier_bits(b) & ~UINT64_C(0xffffffff);
}

uint32_t mbarrier_pending(uint64_t state)
{
	return (1u << 20) - FIELD(state, 43, 20);
}

bool mbarrier_is_over(const struct mbarrier *b, uint32_t parity)
{
	return (parity & 1) != b->parity;
}

uint32_t mbarrier_parity(uint64_t state)
{
	return (uint32_t)(state >> 63);
}
