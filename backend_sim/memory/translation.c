#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/memory/translation.h"
#include "harness/program/permute.h"

static int tlb_init(struct tlb *tlb, uint32_t entries, uint32_t ways,
	uint64_t access_bytes, uint64_t page_bytes)
{
	tlb->ways = ways;
	tlb->entries = entries;
	tlb->in_sets = divider_of(entries / ways);
	tlb->shift = 0;
	while (page_bytes << (tlb->shift + 1) <= access_bytes)
		tlb->shift++;
	tlb->pages = calloc(entries, sizeof(*tlb->pages));
	return tlb->pages ? 0 : -1;
}

static void tlb_clear(struct tlb *tlb)
{
	memset(tlb->pages, 0, tlb->entries * sizeof(*tlb->pages));
}

static uint32_t first_line(const struct translation *t, uint32_t page)
{
	return page < t->page_end ? page << (t->page_shift - LINE_SHIFT)
				  : UINT32_MAX;
}

/* Behind the chip's own pages stand the peer's, as many, and the host's. */
static void number_far_pages(struct translation *t)
{
	const struct costs *cost = &t->core->cost;

	t->host_page = t->page_count + (cost->link_loads ? t->page_count : 0);
	t->page_end = t->host_page;
	if (cost->host_loads)
		t->page_end +=
			(uint32_t)(cost->host_memory_bytes >> t->page_shift);
	t->core->far_line = first_line(t, t->page_count);
	t->core->host_line = first_line(t, t->host_page);
}

static void order_pages(struct translation *t)
{
	const struct costs *cost = &t->core->cost;
	struct permutation order = {0};
	uint32_t i;

	for (i = t->page_count; i < t->page_end; i++)
		t->page[i] = i;
	if (cost->page_seed)
		permutation_init(&order, t->page_count, cost->page_seed);
	for (i = 0; i < t->page_count; i++) {
		const uint64_t slot =
			cost->page_seed ? permutation_slot(&order, i) : i;

		t->page[i] =
			(uint32_t)((cost->page_first + slot) % t->page_count);
	}
}

static int make_pages(struct translation *t)
{
	t->page_count = (uint32_t)(t->core->cost.memory_bytes >> t->page_shift);
	number_far_pages(t);
	t->page = calloc(t->page_end, sizeof(*t->page));
	if (!t->page)
		return -1;
	order_pages(t);
	return 0;
}

int translation_init(struct translation *t, struct core *core)
{
	const struct costs *cost = &core->cost;
	uint32_t sm;

	t->core = core;
	t->page_shift = 0;
	while (UINT64_C(1) << (t->page_shift + 1) <= cost->page_bytes)
		t->page_shift++;
	t->first = calloc(cost->sm_count, sizeof(*t->first));
	if (!t->first || make_pages(t) ||
		tlb_init(&t->second, cost->tlb2_entries, cost->tlb2_ways,
			cost->tlb2_reach_bytes, cost->page_bytes))
		return -1;
	for (sm = 0; sm < cost->sm_count; sm++)
		if (tlb_init(&t->first[sm], cost->tlb_entries, cost->tlb_ways,
			    cost->tlb_reach_bytes, cost->page_bytes))
			return -1;
	return 0;
}

void translation_free(struct translation *t)
{
	uint32_t sm;

	for (sm = 0; t->first && sm < t->core->cost.sm_count; sm++)
		free(t->first[sm].pages);
	free(t->first);
	free(t->second.pages);
	free(t->page);
	free(t->names);
}

void translation_cold(struct translation *t)
{
	uint32_t sm;

	tlb_clear(&t->second);
	for (sm = 0; sm < t->core->cost.sm_count; sm++)
		tlb_clear(&t->first[sm]);
	if (t->moved)
		order_pages(t);
	t->moved = false;
	free(t->names);
	t->names = NULL;
}

bool translation_is_settled(const struct translation *t)
{
	(void)t; /* a translation is over at once */
	return true;
}

void translation_servers(struct translation *t, struct books *books)
{
	(void)t;
	(void)books;
}

/* Of a kind of memory so many bytes from `*page` on, which goes on behind them.
   False: it has not so many. */
static bool take_pages(
	struct translation *t, unsigned memory, uint64_t bytes, uint32_t *page)
{
	const uint64_t page_bytes = UINT64_C(1) << t->page_shift;
	const uint32_t end[MEMORY_COUNT] = {
		t->page_count, t->page_count, t->host_page, t->page_end};

	*page = (uint32_t)t->next[memory];
	t->next[memory] += (bytes + page_bytes - 1) / page_bytes;
	return t->next[memory] <= end[memory];
}

int translation_place(struct translation *t, const struct program *p)
{
	uint32_t i;

	memset(t->next, 0, sizeof(t->next));
	t->next[MEMORY_PEER] = t->page_count;
	t->next[MEMORY_HOST] = t->host_page;
	for (i = 0; i < p->buffer_count; i++) {
		/* compressible memory is the chip's, as plain memory is */
		const unsigned memory = memory_is_far(p->buffers[i].memory)
						? p->buffers[i].memory
						: MEMORY_PLAIN;

		if (p->buffers[i].peer > 1) /* of one peer alone */
			return (int)i;
		if (!take_pages(
			    t, memory, p->buffers[i].bytes, &t->page_base[i]))
			return (int)i;
	}
	return -1;
}

int translation_move(struct translation *t, uint32_t buffer, uint64_t offset,
	uint64_t bytes, unsigned memory)
{
	const uint32_t first = translation_page(t, buffer, offset);
	const uint32_t end = translation_page(t, buffer, offset + bytes - 1);
	uint32_t page, i;

	if (!take_pages(t, memory, bytes, &page))
		return -1;
	t->moved = true;
	for (i = first; i <= end; i++)
		t->page[i] = page++;
	return 0;
}

int translation_name(struct translation *t, uint32_t buffer, uint64_t offset,
	uint64_t bytes, unsigned name)
{
	const uint32_t first = translation_page(t, buffer, offset);
	const uint32_t end = translation_page(t, buffer, offset + bytes - 1);

	if (!t->names)
		t->names = calloc(t->page_end, sizeof(*t->names));
	if (!t->names)
		return -1;
	memset(t->names + first, (int)name, end - first + 1);
	return 0;
}

/* Whether a TLB has what translates the page; it has from now on. */
static bool tlb_hit(struct tlb *tlb, uint32_t virtual_page)
{
	uint32_t page = (virtual_page >> tlb->shift) + 1;
	uint32_t ways = tlb->ways, before = page, way;
	uint32_t set = divider_remainder(&tlb->in_sets, permute_mix(page));
	uint32_t *first = tlb->pages + (size_t)set * ways;

	if (first[0] == page)
		return true;
	for (way = 0; way < ways; way++) {
		uint32_t other = first[way];

		first[way] = before;
		if (other == page)
			break;
		before = other;
	}
	return way < ways;
}

uint32_t translation_cycles(struct translation *t, uint32_t sm, uint32_t page)
{
	struct core *core = t->core;

	if (tlb_hit(&t->first[sm], page))
		return 0;
	core->counts.tlb_misses++;
	if (tlb_hit(&t->second, page))
		return core->cost.tlb_miss_cycles;
	core->counts.tlb2_misses++;
	return core->cost.tlb_miss_cycles + core->cost.tlb2_miss_cycles;
}
