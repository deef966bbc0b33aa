/* The floor plan, and where a line lives. */
#include <math.h>
#include <stdlib.h>

#include "tests/reference/ref.h"

#define VALUE(r, name) ((r)->machine->value[PARAMETER_##name])

/* ---- distances ---- */

/* A number from -1 to 1 that belongs to something on the floor. */
static double spot(uint32_t seed, uint32_t thing)
{
	return permute_draw(seed, 17, thing, 65536) / 32767.5 - 1;
}

/* TPCs, neighbouring SMs, are dealt to GPCs in turn; a GPC that has as many as
   its hexadecimal digit says is passed over, and what is left when all have
   goes to one. */
static void deal_tpcs(struct reference *r)
{
	uint64_t digits = (uint64_t)VALUE(r, gpc_tpcs);
	uint32_t per_tpc = (uint32_t)VALUE(r, sms_per_tpc);
	uint32_t has[REF_GPCS] = {0}, gpc = 0, passed = 0, sm = 0;

	while (sm < r->sm_count) {
		bool left_over = passed == r->gpc_count;
		uint32_t to = left_over ? (uint32_t)VALUE(r, gpc_of_rest) : gpc;

		if (!left_over) {
			gpc = (gpc + 1) % r->gpc_count;
			if (digits && has[to] >= (digits >> (4 * to)) % 16) {
				passed++;
				continue;
			}
			passed = 0;
		}
		for (uint32_t i = 0; i < per_tpc && sm < r->sm_count; i++) {
			r->sms[sm].gpc = to;
			r->sms[sm].tpc = has[to];
			r->sms[sm++].left_over = left_over;
		}
		has[to]++;
	}
}

uint32_t ref_plan_route(const struct reference *r, const struct ref_request *q)
{
	double out[3] = {VALUE(r, floor_cpc_0_share),
		VALUE(r, floor_cpc_1_share), VALUE(r, floor_cpc_2_share)};
	uint32_t seed = (uint32_t)VALUE(r, floor_seed);
	uint32_t sides = (uint32_t)VALUE(r, gpc_side_mask);
	uint32_t tpc = q->sm->number / (uint32_t)VALUE(r, sms_per_tpc);
	uint32_t slice = q->side * r->slice_count + q->slice;
	double sm_at = out[q->sm->tpc % 3];
	double slice_at =
		VALUE(r, floor_slice_mean_share) +
		VALUE(r, floor_slice_spread_share) * spot(seed, 4000 + slice);
	double cycles;

	for (uint32_t i = 0; i < q->sm->gpc; i++) /* of its side, in turn */
		if ((sides >> i) % 2 == (sides >> q->sm->gpc) % 2)
			sm_at = -sm_at;
	if (slice % 2)
		slice_at = -slice_at;
	cycles = VALUE(r, l2_near_cycles) +
		 VALUE(r, floor_sm_cycles) * spot(seed, 1000 + tpc) +
		 VALUE(r, floor_slice_cycles) * spot(seed, 2000 + slice) +
		 VALUE(r, floor_product_cycles) * sm_at * slice_at;
	return ref_whole(cycles > 2 ? cycles : 2);
}

uint32_t ref_plan_peer_cycles(
	const struct reference *r, const struct ref_request *q)
{
	uint32_t number = q->home * r->slice_count + q->slice;

	unsigned crossed = r->side_count == 2 ? !q->home + !q->side : 0;

	return ref_whole(crossed * ref_whole(VALUE(r, link_side_cycles)) +
			 ref_whole(VALUE(r, link_slice_cycles)) *
				 (1 + spot((uint32_t)VALUE(r, floor_seed),
					      6000 + number)) /
				 2);
}

uint32_t ref_plan_bank_cycles(const struct reference *r, uint32_t bank)
{
	uint32_t seed = (uint32_t)VALUE(r, floor_seed) + 5000;

	return ref_whole(VALUE(r, dram_spread_cycles) * (1 + spot(seed, bank)));
}

/* ---- pages ---- */

static uint64_t page_bytes(const struct reference *r)
{
	return UINT64_C(1) << ilogb(VALUE(r, page_bytes)); /* a power of two */
}

static uint32_t page_count(const struct reference *r)
{
	return (uint32_t)(VALUE(r, memory_bytes) / page_bytes(r));
}

uint32_t ref_plan_page(
	const struct reference *r, uint32_t buffer, uint64_t offset)
{
	return r->page_first[buffer] + (uint32_t)(offset / page_bytes(r));
}

uint32_t ref_plan_line(
	const struct reference *r, uint32_t page, uint64_t offset)
{
	uint64_t bytes = page_bytes(r), physical = page;
	bool own = page < page_count(r);

	if (own && VALUE(r, page_seed) != 0)
		physical = permutation_slot(&r->pages, page);
	if (own)
		physical = (physical + (uint64_t)VALUE(r, page_first)) %
			   page_count(r);
	return (uint32_t)((physical * bytes + offset % bytes) /
			  PROGRAM_LINE_BYTES);
}

/* The peer's pages follow the chip's, if there is a peer: as many. The host's
   follow those. */
static uint64_t first_page_of(const struct reference *r, unsigned owner)
{
	uint64_t own = page_count(r);
	uint64_t peers = VALUE(r, link_loads) > 0 ? own : 0;

	return owner == MEMORY_PLAIN  ? 0
	       : owner == MEMORY_PEER ? own
	       : owner == MEMORY_HOST
		       ? own + peers
		       : own + peers +
				 (uint64_t)(VALUE(r, host_memory_bytes) /
					    page_bytes(r));
}

static uint32_t first_line_of(const struct reference *r, unsigned owner)
{
	return (uint32_t)(first_page_of(r, owner) * page_bytes(r) /
			  PROGRAM_LINE_BYTES);
}

uint32_t ref_plan_far_line(const struct reference *r)
{
	return first_line_of(r, MEMORY_PEER);
}

unsigned ref_plan_owner(const struct reference *r, uint32_t line)
{
	return line < first_line_of(r, MEMORY_PEER)   ? MEMORY_PLAIN
	       : line < first_line_of(r, MEMORY_HOST) ? MEMORY_PEER
						      : MEMORY_HOST;
}

int ref_plan_buffers(struct reference *r, struct error *error)
{
	static const unsigned owners[MEMORY_COUNT] = {
		[MEMORY_PEER] = MEMORY_PEER, [MEMORY_HOST] = MEMORY_HOST};
	uint64_t taken[MEMORY_COUNT] = {0}, bytes = page_bytes(r);

	for (uint32_t i = 0; i < r->p->buffer_count; i++) {
		const struct buffer *b = &r->p->buffers[i];
		unsigned owner = owners[b->memory];
		uint64_t first = first_page_of(r, owner);
		uint64_t end =
			owner == MEMORY_PLAIN  ? first_page_of(r, MEMORY_PEER)
			: owner == MEMORY_PEER ? first_page_of(r, MEMORY_HOST)
					       : first_page_of(r, MEMORY_COUNT);

		if (b->peer > 1)
			return error_set(error, ERR_SKIPPED,
				"there is one peer at most");
		r->page_first[i] = (uint32_t)(first + taken[owner]);
		taken[owner] += (b->bytes + bytes - 1) / bytes;
		if (first + taken[owner] > end)
			return error_set(error, ERR_SKIPPED,
				"the buffers do not fit in memory");
		if (b->fill != FILL_RING)
			continue;
		r->rings[i] = calloc(b->rings, sizeof(*r->rings[i]));
		for (uint32_t k = 0; k < b->rings; k++)
			permutation_init(&r->rings[i][k],
				(uint32_t)buffer_ring_slots(b), b->seed + k);
	}
	permutation_init(
		&r->pages, page_count(r), (uint32_t)VALUE(r, page_seed));
	return 0;
}

/* The share of its time on the bus that reading a buffer takes, by how many of
   each 32 bytes are not zero. */
double ref_plan_compressed(const struct reference *r, int buffer)
{
	const struct buffer *b;
	uint32_t filled = 32;

	if (buffer < 0)
		return 1;
	b = &r->p->buffers[buffer];
	if (b->memory != MEMORY_COMPRESSIBLE)
		return 1;
	if (b->fill == FILL_ZERO)
		filled = 0;
	else if (b->fill == FILL_RANDOM && b->random_bytes)
		filled = b->random_bytes;
	return filled < 8    ? VALUE(r, compressed_share)
	       : filled < 16 ? VALUE(r, compressed_half_share)
			     : 1;
}

/* ---- lines ---- */

static unsigned parity(uint64_t bits)
{
	unsigned odd = 0;

	for (; bits; bits /= 2)
		odd ^= bits % 2;
	return odd;
}

struct hashed {
	uint32_t home, hash;
};

static struct hashed hash_line(const struct reference *r, uint64_t line)
{
	const double *masks = &r->machine->value[PARAMETER_slice_hash_mask_0];
	uint64_t address = line * PROGRAM_LINE_BYTES;
	struct hashed h = {0, 0};

	if (r->side_count == 2)
		h.home = parity(address & (uint64_t)VALUE(r, home_hash_mask));
	for (int bit = 5; bit >= 0; bit--)
		h.hash = 2 * h.hash + parity(address & (uint64_t)masks[bit]);
	return h;
}

/*
 * A block of 128 KiB has 64 hash values, and is dealt to the slices of the two
 * sides by them. Of lines with the same home and value the first comes first,
 * as in the block at address 0.
 */
void ref_plan_place(const struct reference *r, struct ref_request *q)
{
	uint32_t block = q->line / REF_BLOCK, turn, before;
	uint32_t sets = r->sides[0].cache.sets * r->side_count /
			REF_CYCLES_OF(r, l2_slices);
	struct hashed h = hash_line(r, q->line);
	uint32_t ahead = (uint32_t)VALUE(r, slice_pair), numbered, round;

	before = r->alike_before[q->line % REF_BLOCK];
	numbered = block * 64 + h.hash;
	round = numbered / r->slice_count; /* before they are moved */
	while (h.home == 1 && ahead++ % r->slice_count)
		numbered++;
	turn = numbered / r->slice_count;
	q->home = h.home;
	q->slice = numbered % r->slice_count;
	q->slot = turn * r->alike + before;
	q->set = q->slice * sets +
		 (round * r->alike + (before ^ permute_mix(round) % r->alike)) %
			 sets;
}

static void plan_alike(struct reference *r)
{
	uint32_t count[2][64] = {{0}};

	for (uint32_t line = 0; line < REF_BLOCK; line++) {
		struct hashed h = hash_line(r, line);

		r->alike_before[line] = count[h.home][h.hash]++;
	}
	r->alike = count[0][0];
}

/* ---- the chip ---- */

static void plan_cache(struct ref_cache *c, double bytes, double ways)
{
	c->ways = ref_whole(ways);
	c->sets = (uint32_t)(bytes / ways / PROGRAM_LINE_BYTES);
	c->lines = calloc((size_t)c->sets * c->ways, sizeof(*c->lines));
}

/* A power of two of sets, with ways for all lines, of which it holds so many.
 */
static void plan_l1(struct ref_cache *c, double bytes, double ways)
{
	uint32_t sets = 1;

	c->lines_max = (uint32_t)(bytes / PROGRAM_LINE_BYTES);
	while (sets * ways < c->lines_max)
		sets *= 2;
	plan_cache(c, sets * ways * PROGRAM_LINE_BYTES, ways);
}

static void plan_tlb(const struct reference *r, struct ref_tlb *tlb,
	double entries, double ways, double reach_bytes)
{
	tlb->entries = ref_whole(entries);
	tlb->ways = ref_whole(ways);
	tlb->reach_pages = 1;
	while (2 * tlb->reach_pages * VALUE(r, page_bytes) <= reach_bytes)
		tlb->reach_pages *= 2;
}

static void plan_sm(struct reference *r, uint32_t number)
{
	struct ref_sm *sm = &r->sms[number];

	sm->number = number;
	sm->side = r->side_count == 2 &&
		   (REF_CYCLES_OF(r, gpc_side_mask) >> sm->gpc) % 2;
	plan_l1(&sm->l1, VALUE(r, l1_cache_bytes), VALUE(r, l1_ways));
	sm->l1.random_share = ref_whole(VALUE(r, l1_random_share) * 65536);
	sm->l1.random_state = number + 1;
	for (uint32_t i = 0; i < REF_CYCLES_OF(r, texture_caches); i++)
		plan_l1(&sm->texture[i], VALUE(r, texture_cache_bytes),
			VALUE(r, texture_ways));
	plan_tlb(r, &sm->tlb, VALUE(r, tlb_entries), VALUE(r, tlb_ways),
		VALUE(r, tlb_reach_bytes));
}

void ref_plan(struct reference *r)
{
	r->sm_count = REF_CYCLES_OF(r, sm_count);
	r->gpc_count = REF_CYCLES_OF(r, gpc_count);
	r->side_count = REF_CYCLES_OF(r, l2_partitions);
	r->slice_count = REF_CYCLES_OF(r, l2_slices_used) / r->side_count;
	plan_alike(r);
	deal_tpcs(r);
	for (uint32_t i = 0; i < r->sm_count; i++)
		plan_sm(r, i);
	for (uint32_t i = 0; i < r->side_count; i++) {
		struct ref_cache *c = &r->sides[i].cache;

		plan_cache(c, VALUE(r, l2_bytes) / r->side_count,
			VALUE(r, l2_ways));
		c->random_share = ref_whole(VALUE(r, l2_random_share) * 65536);
		c->random_state = i + 1;
		c->first_most = (uint32_t)VALUE(r, l2_first_ways);
	}
	plan_cache(&r->peer_l2, VALUE(r, l2_bytes), VALUE(r, l2_ways));
	r->peer_l2.random_share = ref_whole(VALUE(r, l2_random_share) * 65536);
	r->peer_l2.random_state = 1;
	plan_tlb(r, &r->tlb2, VALUE(r, tlb2_entries), VALUE(r, tlb2_ways),
		VALUE(r, tlb2_reach_bytes));
	r->fetch_bytes = REF_CYCLES_OF(r, l2_fetch_bytes);
}
