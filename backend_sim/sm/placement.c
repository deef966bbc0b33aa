#include <stdlib.h>

#include "backend_sim/sm/placement.h"

/* An SM that may have blocks, and what shares of the round it comes to. */
struct seat {
	uint16_t sm;
	uint16_t gpc, tpc;
	bool taken; /* in this round */
};

struct table {
	struct seat *seats; /* GPC by GPC, by number within */
	uint32_t count;
	uint32_t *of_gpc, *of_tpc; /* blocks of this round */
	uint32_t tpcs, gpcs;
};

/* Does no role name the SM? */
static bool is_free(const struct execution *x, uint32_t sm)
{
	uint32_t role = x->slots[sm].role_plus_1;

	return !role ||
	       launch_role(x->p, x->step, role - 1)->place == PLACE_OTHERS;
}

static void add_seat(const struct execution *x, struct table *t, uint32_t sm)
{
	t->seats[t->count++] = (struct seat){
		.sm = (uint16_t)sm,
		.gpc = x->core->floor.sms[sm].gpc,
		.tpc = (uint16_t)(sm / x->core->cost.sms_per_tpc),
	};
}

/* Without a free SM, the last one takes all. */
static int lay(const struct execution *x, struct table *t)
{
	const struct floor *floor = &x->core->floor;
	uint32_t gpc, sm;

	t->gpcs = floor->gpc_count;
	t->tpcs = floor->sm_count / x->core->cost.sms_per_tpc + 1;
	t->seats = calloc(floor->sm_count, sizeof(*t->seats));
	t->of_gpc = calloc(t->gpcs, sizeof(*t->of_gpc));
	t->of_tpc = calloc(t->tpcs, sizeof(*t->of_tpc));
	if (!t->seats || !t->of_gpc || !t->of_tpc)
		return ERR_FAILED;
	for (gpc = 0; gpc < t->gpcs; gpc++)
		for (sm = 0; sm < floor->sm_count; sm++)
			if (floor->sms[sm].gpc == gpc && is_free(x, sm))
				add_seat(x, t, sm);
	if (!t->count)
		add_seat(x, t, floor->sm_count - 1);
	return 0;
}

static void table_free(struct table *t)
{
	free(t->seats);
	free(t->of_gpc);
	free(t->of_tpc);
}

/* Whether seat `a` has a smaller share than `b`. */
static bool comes_first(
	const struct table *t, const struct seat *a, const struct seat *b)
{
	if (t->of_gpc[a->gpc] != t->of_gpc[b->gpc])
		return t->of_gpc[a->gpc] < t->of_gpc[b->gpc];
	if (a->gpc != b->gpc)
		return a->gpc < b->gpc;
	if (t->of_tpc[a->tpc] != t->of_tpc[b->tpc])
		return t->of_tpc[a->tpc] < t->of_tpc[b->tpc];
	return a->sm < b->sm;
}

static void take_seat(struct table *t)
{
	struct seat *best = NULL;
	uint32_t i;

	for (i = 0; i < t->count; i++)
		if (!t->seats[i].taken &&
			(!best || comes_first(t, &t->seats[i], best)))
			best = &t->seats[i];
	best->taken = true;
	t->of_gpc[best->gpc]++;
	t->of_tpc[best->tpc]++;
}

int placement_deal(const struct execution *x, uint32_t blocks, uint16_t *sms)
{
	struct table t = {0};
	uint32_t given = 0, rest, i;
	int code = lay(x, &t);

	while (!code && given < blocks) {
		rest = blocks - given < t.count ? blocks - given : t.count;
		for (i = 0; rest < t.count && i < rest; i++)
			take_seat(&t);
		for (i = 0; i < t.count; i++)
			if (rest == t.count || t.seats[i].taken)
				sms[given++] = t.seats[i].sm;
	}
	table_free(&t);
	return code;
}
