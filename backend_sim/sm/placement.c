#include <stdlib.h>

#include "backend_sim/sm/placement.h"

/* An SM that may have blocks. */
struct seat {
	uint16_t sm;
	uint16_t rank; /* among those of its TPC */
	bool rest;     /* of a TPC that the rotation of GPCs leaves over */
	bool taken;    /* in the last round */
};

static bool same_tpc(const struct execution *x, uint32_t a, uint32_t b)
{
	return a / x->core->cost.sms_per_tpc == b / x->core->cost.sms_per_tpc;
}

/* SMs of a TPC have neighbouring numbers. */
static void add_seat(
	const struct execution *x, struct seat *seats, uint32_t at, uint32_t sm)
{
	bool shared = at > 0 && same_tpc(x, seats[at - 1].sm, sm);

	seats[at] = (struct seat){
		.sm = (uint16_t)sm,
		.rank = shared ? seats[at - 1].rank + 1 : 0,
		.rest = x->core->floor.sms[sm].rest,
	};
}

/* In the floor's order. */
static uint32_t lay(const struct execution *x, struct seat *seats)
{
	const struct floor *floor = &x->core->floor;
	uint32_t count = 0, i;

	for (i = 0; i < floor->sm_count; i++)
		add_seat(x, seats, count++, floor->order[i]);
	return count;
}

/* Blocks that do not fill a round go to what the rotation left over, then to
   TPCs that have none, then by number. */
static bool comes_first(const struct seat *a, const struct seat *b)
{
	if (a->rest != b->rest)
		return a->rest;
	return a->rank != b->rank ? a->rank < b->rank : a->sm < b->sm;
}

static void take_seat(struct seat *seats, uint32_t count)
{
	struct seat *best = NULL;
	uint32_t i;

	for (i = 0; i < count; i++)
		if (!seats[i].taken && (!best || comes_first(&seats[i], best)))
			best = &seats[i];
	best->taken = true;
}

/* ---- clusters ---- */

/* SMs that a cluster's blocks may share. */
struct circle {
	uint32_t first, count; /* of the floor's order */
};

static bool same_circle(const struct execution *x, uint32_t a, uint32_t b)
{
	const struct floor_sm *sms = x->core->floor.sms;

	return sms[a].gpc == sms[b].gpc && sms[a].rest == sms[b].rest &&
	       (!sms[a].rest || sms[a].tpc == sms[b].tpc);
}

static uint32_t circles_of(const struct execution *x, struct circle *circles)
{
	const struct floor *floor = &x->core->floor;
	uint32_t count = 0, i;

	for (i = 0; i < floor->sm_count; i++) {
		if (!i || !same_circle(x, floor->order[i - 1], floor->order[i]))
			circles[count++] = (struct circle){.first = i};
		circles[count - 1].count++;
	}
	return count;
}

/* How many SMs of the circle hold at most so many blocks. */
static uint32_t holding(const struct execution *x, const struct circle *c,
	const uint32_t *load, uint32_t at_most)
{
	uint32_t count = 0, i;

	for (i = c->first; i < c->first + c->count; i++)
		count += load[x->core->floor.order[i]] <= at_most;
	return count;
}

/* One more cluster, on SMs that hold at most `level` blocks: first on those
   with fewer. */
static void take_places(const struct execution *x, const struct circle *c,
	uint32_t size, uint32_t level, uint32_t *load, uint16_t *sms)
{
	uint32_t spare = size, given = 0, i;

	if (level)
		spare -= holding(x, c, load, level - 1);
	for (i = c->first; given < size; i++) {
		const uint16_t sm = x->core->floor.order[i];

		if (load[sm] > level || (load[sm] == level && !spare))
			continue;
		spare -= load[sm] == level;
		load[sm]++;
		sms[given++] = sm;
	}
}

int64_t placement_clusters(const struct execution *x, uint32_t size,
	uint32_t per_sm, uint64_t most, uint16_t *sms)
{
	const uint32_t count_sms = x->core->floor.sm_count;
	struct circle *circles = calloc(count_sms, sizeof(*circles));
	uint32_t *load = calloc(count_sms, sizeof(*load));
	uint32_t count = 0, level = 0, i;
	uint64_t given = 0, before;

	if (circles && load)
		count = circles_of(x, circles);
	while (count && level < per_sm && given < most) {
		before = given;
		for (i = 0; i < count && given < most; i++)
			if (holding(x, &circles[i], load, level) >= size)
				take_places(x, &circles[i], size, level, load,
					sms + given++ * size);
		level += given == before;
	}
	free(circles);
	free(load);
	return count ? (int64_t)given : ERR_FAILED;
}

int placement_deal(const struct execution *x, uint32_t blocks, uint16_t *sms)
{
	struct seat *seats = calloc(x->core->floor.sm_count, sizeof(*seats));
	uint32_t given = 0, count, rest, i;

	if (!seats)
		return ERR_FAILED;
	count = lay(x, seats);
	while (given < blocks) {
		rest = blocks - given < count ? blocks - given : count;
		for (i = 0; rest < count && i < rest; i++)
			take_seat(seats, count);
		for (i = 0; i < count; i++)
			if (rest == count || seats[i].taken)
				sms[given++] = seats[i].sm;
	}
	free(seats);
	return 0;
}
