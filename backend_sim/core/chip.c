/* The machine file as tables; the chip's state between launches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/engine.h"
#include "backend_sim/core/memory.h"

#define GET(e, name) ((e)->machine->value[PARAMETER_##name])

static void set_shape(struct engine *e)
{
	e->sm_count = machine_whole(GET(e, sm_count));
	e->gpc_count = machine_whole(GET(e, gpc_count));
	e->partitions = machine_whole(GET(e, l2_partitions));
	e->slices = machine_whole(GET(e, l2_slices_used)) / e->partitions;
	e->channels_per_slice = machine_whole(GET(e, dram_channels_per_slice));
	e->banks = machine_whole(GET(e, dram_banks));
	e->row_shift = 0;
	while ((PROGRAM_LINE_BYTES << (e->row_shift + 1)) <=
		GET(e, dram_row_bytes))
		e->row_shift++;
	e->in_channels = divider_of(e->channels_per_slice);
	e->in_banks = divider_of(e->banks);
	e->in_refreshes = divider_of(
		e->cost.refresh_interval ? e->cost.refresh_interval : 1);
	e->page_count = (uint32_t)(GET(e, memory_bytes) /
				   ldexp(1, (int)e->cost.page_shift));
}

/* The largest power of two that is not larger. */
static uint32_t power_of_two(double value)
{
	uint32_t power = 1;

	while (2 * power <= value)
		power *= 2;
	return power;
}

static int cache_init(
	struct cache *c, uint32_t sets, double ways, double random_share)
{
	c->ways = machine_whole(ways);
	c->sets = divider_of(sets);
	c->random_share = (uint32_t)lround(random_share * 65536);
	c->random_state = 1;
	c->entries =
		memory_table((size_t)c->sets.by * c->ways, sizeof(cache_entry));
	if (!c->entries)
		return -1;
	cache_clear(c);
	return 0;
}

static uint32_t lines_of(double bytes)
{
	return (uint32_t)(bytes / PROGRAM_LINE_BYTES);
}

/* Sets are a power of two, of this degree, that has ways for all lines. */
static unsigned l1_degree(double bytes, double ways)
{
	unsigned degree = 0;

	while (ways * (1u << degree) < lines_of(bytes))
		degree++;
	return degree;
}

static int l1_init(struct cache *c, const struct remainders *index,
	double bytes, double ways, double random_share)
{
	c->index = index;
	c->lines_max = lines_of(bytes);
	return cache_init(c, 1u << l1_degree(bytes, ways), ways, random_share);
}

static int tlb_init(struct tlb *tlb, double entries, double ways,
	double reach_bytes, double page_bytes)
{
	tlb->ways = machine_whole(ways);
	tlb->entries = machine_whole(entries);
	tlb->in_sets = divider_of(tlb->entries / tlb->ways);
	tlb->shift = 0;
	while (ldexp(page_bytes, (int)tlb->shift + 1) <= reach_bytes)
		tlb->shift++;
	tlb->pages = calloc(tlb->entries, sizeof(*tlb->pages));
	return tlb->pages ? 0 : -1;
}

static void tlb_clear(struct tlb *tlb)
{
	memset(tlb->pages, 0, tlb->entries * sizeof(*tlb->pages));
}

static int set_texture_caches(struct engine *e, struct sm *sm)
{
	uint32_t i;

	for (i = 0; i < e->cost.texture_caches; i++)
		if (l1_init(&sm->texture[i], &e->texture_index,
			    GET(e, texture_cache_bytes), GET(e, texture_ways),
			    0))
			return -1;
	return 0;
}

static int set_caches(struct engine *e)
{
	uint32_t i;

	if (tlb_init(&e->tlb2, GET(e, tlb2_entries), GET(e, tlb2_ways),
		    GET(e, tlb2_reach_bytes), GET(e, page_bytes)))
		return -1;
	for (i = 0; i < e->partitions; i++)
		if (cache_init(&e->l2[i],
			    (uint32_t)(lines_of(GET(e, l2_bytes) /
						e->partitions) /
				       GET(e, l2_ways)),
			    GET(e, l2_ways), GET(e, l2_random_share)))
			return -1;
	for (i = 0; i < e->partitions; i++)
		e->l2[i].first_ways = power_of_two(GET(e, l2_first_ways));
	remainders_init(&e->l1_index,
		l1_degree(GET(e, l1_cache_bytes), GET(e, l1_ways)));
	remainders_init(&e->texture_index,
		l1_degree(GET(e, texture_cache_bytes), GET(e, texture_ways)));
	e->in_slice_sets = divider_of(e->l2[0].sets.by * e->partitions /
				      machine_whole(GET(e, l2_slices)));
	for (i = 0; i < e->sm_count; i++) {
		struct sm *sm = &e->sms[i];

		if (tlb_init(&sm->tlb, GET(e, tlb_entries), GET(e, tlb_ways),
			    GET(e, tlb_reach_bytes), GET(e, page_bytes)) ||
			l1_init(&sm->l1, &e->l1_index, GET(e, l1_cache_bytes),
				GET(e, l1_ways), GET(e, l1_random_share)) ||
			set_texture_caches(e, sm))
			return -1;
	}
	return 0;
}

static int allocate(struct engine *e)
{
	size_t slices = (size_t)e->slices * e->partitions;
	size_t channels = slices * e->channels_per_slice;
	int i;

	e->sms = aligned_alloc(
		_Alignof(struct sm), e->sm_count * sizeof(*e->sms));
	if (!e->sms)
		return -1;
	memset(e->sms, 0, e->sm_count * sizeof(*e->sms));
	e->route = calloc((size_t)e->sm_count * e->slices, sizeof(*e->route));
	e->gpc_free = calloc(e->gpc_count, sizeof(*e->gpc_free));
	e->gpc_reply_free = calloc(e->gpc_count, sizeof(*e->gpc_reply_free));
	e->slice_free = calloc(slices, sizeof(*e->slice_free));
	e->data_free = calloc(slices, sizeof(*e->data_free));
	e->write_free = calloc(slices, sizeof(*e->write_free));
	e->pending =
		calloc((size_t)e->sm_count * e->slices, sizeof(*e->pending));
	e->atomic_units = calloc(slices, sizeof(*e->atomic_units));
	e->writes = calloc(slices, sizeof(*e->writes));
	e->channels = calloc(channels, sizeof(*e->channels));
	e->bank = calloc(channels * e->banks, sizeof(*e->bank));
	e->bank_extra = calloc(channels * e->banks, sizeof(*e->bank_extra));
	e->page = calloc(e->page_count, sizeof(*e->page));
	for (i = 0; i < FETCH_TABLES; i++) {
		e->table[i] =
			memory_table(1u << TABLE_BITS_MAX, sizeof(**e->table));
		if (!e->table[i])
			return -1;
	}
	if (!e->route || !e->gpc_free || !e->gpc_reply_free || !e->slice_free ||
		!e->data_free || !e->write_free || !e->pending ||
		!e->atomic_units || !e->writes || !e->channels || !e->bank ||
		!e->bank_extra || !e->page)
		return -1;
	return set_caches(e);
}

/* A number in [-1, 1] that belongs to a seed and an index. */
static double place(uint32_t seed, uint32_t index)
{
	return permute_draw(seed, 17, index, 65536) / 32767.5 - 1;
}

/*
 * The floor plan, as the SM x line matrix of an H200 shows it: TPCs (pairs of
 * SMs) are dealt to GPCs in turn, and within a GPC to its CPCs in turn. A side
 * has GPCs and slices left and right of its middle; an SM sits the farther out
 * the higher its CPC. The round trip to a near slice is the mean plus an SM
 * term, a slice term, and the product of the two positions.
 */
static uint32_t gpc_of(const struct engine *e, uint32_t tpc)
{
	return tpc % e->gpc_count;
}

/* The GPCs of a side lie right and left of its middle in turn. */
static bool is_left(uint32_t sides, uint32_t gpc)
{
	uint32_t before = (1u << gpc) - 1;
	uint32_t same = sides >> gpc & 1 ? sides : ~sides;

	return __builtin_parity(same & before);
}

/* -1.2 to 1.2: left or right by the GPC, 0.7, 1 or 1.2 out by the CPC. */
static double sm_position(const struct engine *e, uint32_t sides, uint32_t sm)
{
	static const double out[] = {0.7, 1.0, 1.2};
	uint32_t tpc = sm / 2;

	return (is_left(sides, gpc_of(e, tpc)) ? -1 : 1) *
	       out[tpc / e->gpc_count % 3];
}

/* Slices, too, leave the middle free: 0.65 to 1.25 out. */
static double slice_position(uint32_t seed, uint32_t slice)
{
	double where = place(seed, 4000 + slice);

	return (slice & 1 ? -1 : 1) * (0.95 + 0.3 * where);
}

static void set_floor_plan(struct engine *e)
{
	uint32_t seed = (uint32_t)GET(e, floor_seed);
	uint32_t sides = (uint32_t)GET(e, gpc_side_mask);
	uint32_t sm, slice;

	for (sm = 0; sm < e->sm_count; sm++) {
		uint32_t gpc = gpc_of(e, sm / 2);

		e->sms[sm].gpc = (uint8_t)gpc;
		e->sms[sm].side = e->partitions == 2 && sides >> gpc & 1;
		for (slice = 0; slice < e->slices; slice++) {
			uint32_t there = slice + e->sms[sm].side * e->slices;
			double cycles = GET(e, l2_near_cycles) +
					GET(e, floor_sm_cycles) *
						place(seed, 1000 + sm / 2) +
					GET(e, floor_slice_cycles) *
						place(seed, 2000 + there) +
					GET(e, floor_product_cycles) *
						sm_position(e, sides, sm) *
						slice_position(seed, there);

			e->route[sm * e->slices + slice] =
				(uint16_t)lround(cycles > 2 ? cycles : 2);
		}
	}
}

static void set_dram_spread(struct engine *e)
{
	size_t banks = (size_t)e->slices * e->partitions *
		       e->channels_per_slice * e->banks;
	double spread = GET(e, dram_spread_cycles);
	size_t i;

	for (i = 0; i < banks; i++)
		e->bank_extra[i] = (uint16_t)lround(
			spread * (1 + place((uint32_t)GET(e, floor_seed) + 5000,
					      (uint32_t)i)));
}

static void set_pages(struct engine *e)
{
	struct permutation order;
	uint32_t i;

	if (GET(e, page_seed) == 0) {
		for (i = 0; i < e->page_count; i++)
			e->page[i] = i;
		return;
	}
	permutation_init(&order, e->page_count, (uint32_t)GET(e, page_seed));
	for (i = 0; i < e->page_count; i++)
		e->page[i] = permutation_slot(&order, i);
}

int chip_init(struct engine *e, struct error *error)
{
	(void)slices_init(
		&e->where, e->machine); /* machine_check() has asked */
	costs_init(&e->cost, e->machine);
	set_shape(e);
	if (allocate(e))
		return error_set(error, ERR_FAILED,
			"out of memory for the model's tables");
	set_floor_plan(e);
	set_dram_spread(e);
	set_pages(e);
	return 0;
}

void chip_free(struct engine *e)
{
	uint32_t i, cache;

	for (i = 0; e->sms && i < e->sm_count; i++) {
		free(e->sms[i].tlb.pages);
		free(e->sms[i].l1.entries);
		for (cache = 0; cache < e->cost.texture_caches; cache++)
			free(e->sms[i].texture[cache].entries);
	}
	for (i = 0; i < 2; i++)
		free(e->l2[i].entries);
	for (i = 0; i < FETCH_TABLES; i++)
		free(e->table[i]);
	free(e->tlb2.pages);
	free(e->sms);
	free(e->route);
	free(e->gpc_free);
	free(e->gpc_reply_free);
	free(e->slice_free);
	free(e->data_free);
	free(e->write_free);
	free(e->pending);
	free(e->atomic_units);
	free(e->writes);
	free(e->channels);
	free(e->bank);
	free(e->bank_extra);
	free(e->page);
}

/* An L2 is never empty: a flush reads other memory until nothing of the
   program's is left. */
void chip_flush(struct engine *e)
{
	size_t banks = (size_t)e->slices * e->partitions *
		       e->channels_per_slice * e->banks;
	uint32_t i;
	size_t k;

	for (i = 0; i < e->partitions; i++)
		for (k = 0; k < (size_t)e->l2[i].sets.by * e->l2[i].ways; k++)
			e->l2[i].entries[k] = ENTRY_FOREIGN;
	memset(e->bank, 0, banks * sizeof(*e->bank));
}

void chip_launch(struct engine *e)
{
	uint32_t i, cache;

	for (i = 0; i < e->sm_count; i++) {
		struct sm *sm = &e->sms[i];

		sm->dealt = 0;
		if (!sm->l1_used)
			continue;
		cache_clear(&sm->l1);
		for (cache = 0; cache < e->cost.texture_caches; cache++)
			cache_clear(&sm->texture[cache]);
		sm->l1_used = false;
	}
}

void chip_cold(struct engine *e)
{
	size_t slices = (size_t)e->slices * e->partitions;
	size_t channels = slices * e->channels_per_slice;
	uint32_t i;

	chip_flush(e);
	chip_launch(e);
	tlb_clear(&e->tlb2);
	for (i = 0; i < e->sm_count; i++) {
		struct sm *sm = &e->sms[i];

		tlb_clear(&sm->tlb);
		sm->lsu_free = sm->l1_free = sm->port_free = 0;
		sm->reply_free = 0;
		memset(sm->issue_free, 0, sizeof(sm->issue_free));
		memset(sm->data_free, 0, sizeof(sm->data_free));
		memset(sm->texture_free, 0, sizeof(sm->texture_free));
		sm->inflight = sm->held = 0;
		sm->credit_head = sm->credit_tail = NONE;
		sm->l1.random_state = i + 1;
	}
	memset(e->gpc_free, 0, e->gpc_count * sizeof(*e->gpc_free));
	memset(e->gpc_reply_free, 0, e->gpc_count * sizeof(*e->gpc_free));
	memset(e->slice_free, 0, slices * sizeof(*e->slice_free));
	memset(e->data_free, 0, slices * sizeof(*e->data_free));
	memset(e->write_free, 0, slices * sizeof(*e->write_free));
	memset(e->pending, 0,
		(size_t)e->sm_count * e->slices * sizeof(*e->pending));
	e->active = 0;
	memset(e->atomic_units, 0, slices * sizeof(*e->atomic_units));
	for (i = 0; i < slices; i++)
		e->writes[i] = (struct write_queue){0, NONE, NONE};
	memset(e->channels, 0, channels * sizeof(*e->channels));
	memset(e->bridge_free, 0, sizeof(e->bridge_free));
	e->crossbar_free = 0;
	e->l2[0].random_state = 1;
	e->l2[1].random_state = 2;
	e->fetch_bytes = machine_whole(GET(e, l2_fetch_bytes));
	e->window = NULL;
	chip_carveout(e, 0);
}

void chip_carveout(struct engine *e, uint64_t bytes)
{
	double ways = (double)bytes / GET(e, l2_bytes) * GET(e, l2_ways);
	double least = GET(e, l2_last_ways);

	e->last_max = (uint32_t)ceil(ways > least ? ways : least);
}

void chip_reset_persisting(struct engine *e)
{
	uint32_t side;
	size_t i;

	for (side = 0; side < e->partitions; side++)
		for (i = 0; i < (size_t)e->l2[side].sets.by * e->l2[side].ways;
			i++) {
			cache_entry *entry = &e->l2[side].entries[i];

			if (ENTRY_CLASS(*entry) == CLASS_LAST)
				*entry ^= (uint64_t)(CLASS_LAST ^ CLASS_NORMAL)
					  << ENTRY_CLASS_SHIFT;
		}
}

/* The virtual page of an offset in a buffer. */
uint32_t chip_page(const struct engine *e, uint32_t buffer, uint64_t offset)
{
	return e->page_base[buffer] + (uint32_t)(offset >> e->cost.page_shift);
}

/* The physical line of an offset on a virtual page. */
uint32_t chip_line(const struct engine *e, uint32_t page, uint64_t offset)
{
	uint64_t within = offset & ((UINT64_C(1) << e->cost.page_shift) - 1);

	return (e->page[page] << (e->cost.page_shift - LINE_SHIFT)) |
	       (uint32_t)(within >> LINE_SHIFT);
}

/* Lines alike trade places by a hash of their round, so that strides, too,
   come by all sets. */
void chip_place(const struct engine *e, struct request *r)
{
	struct slices_place place = slices_find(&e->where, r->line);
	uint32_t turned =
		place.number ^ (permute_mix(place.round) & e->where.alike);

	r->home = place.home & 1;
	r->slice = (uint8_t)place.slice;
	r->set = place.slice * e->in_slice_sets.by +
		 divider_remainder(&e->in_slice_sets, turned);
}
