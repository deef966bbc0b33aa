#include "backend_sim/memory/store_turns.h"
#include "backend_sim/rules/rules.h"

void store_turns_cold(struct store_turns *t)
{
	size_t i;

	*t = (struct store_turns){.sector = t->sector, .head = t->head};
	for (i = 0; i < GPCS_MAX * GPC_CPCS; i++)
		t->gpcs[i / GPC_CPCS].cpcs[i % GPC_CPCS].requests =
			REQUEST_QUEUE_EMPTY;
}

/* All stand in one line without turns. */
static int gpc_of(const struct request *r)
{
	return RULE(STORE_TURNS) ? r->gpc : 0;
}

void store_turns_add(struct store_turns *t, struct core *core, uint32_t request)
{
	const struct request *r = &core->requests[request];
	unsigned cpc = RULE(STORE_TURNS) ? request_cpc(core, r) : 0;
	struct store_gpc *gpc = &t->gpcs[gpc_of(r)];

	request_queue_add(core, &gpc->cpcs[cpc].requests, request);
	gpc->waiting |= 1u << cpc;
	t->waiting |= 1u << gpc_of(r);
}

struct store_turn store_turns_next(const struct store_turns *t)
{
	uint32_t g = (uint32_t)__builtin_ctz(t->waiting), c, rest;
	const struct store_gpc *gpc;

	for (rest = t->waiting & (t->waiting - 1); rest; rest &= rest - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(rest);

		g = t->gpcs[i].turn < t->gpcs[g].turn ? i : g;
	}
	gpc = &t->gpcs[g];
	c = (uint32_t)__builtin_ctz(gpc->waiting);
	for (rest = gpc->waiting & (gpc->waiting - 1); rest; rest &= rest - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(rest);

		c = gpc->cpcs[i].turn < gpc->cpcs[c].turn ? i : c;
	}
	return (struct store_turn){g, c, gpc->cpcs[c].requests.head};
}

void store_turns_take(struct store_turns *t, const struct core *core,
	const struct store_turn *turn)
{
	struct store_gpc *gpc = &t->gpcs[turn->gpc];
	struct store_queue *queue = &gpc->cpcs[turn->cpc];

	queue->turn = gpc->turn = ++t->count;
	request_queue_take(core, &queue->requests);
	if (queue->requests.head == NONE)
		gpc->waiting &= ~(1u << turn->cpc);
	if (!gpc->waiting)
		t->waiting &= ~(1u << turn->gpc);
}
