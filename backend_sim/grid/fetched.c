/* When the instructions of a kernel are on an SM. */
#include "backend_sim/grid/fetched.h"

#include <stdlib.h>

#include "backend_sim/code/code.h"
#include "backend_sim/core/server.h"
#include "backend_sim/sm/execution.h"

/* The parts of the code, in instructions of the SM. */
static uint32_t number(struct code *code, uint32_t part_instructions)
{
	uint64_t before = 0;
	uint32_t i, last = 1;

	for (i = 0; i < code->count; i++) {
		struct code_insn *c = &code->insns[i];

		if (c->slots)
			last = (uint32_t)(before / part_instructions) + 1;
		c->part = last;
		before += c->slots;
	}
	return last;
}

bool fetched_make(struct fetched *p, struct code *code,
	const struct execution *x, bool is_there)
{
	const struct costs *cost = &x->core->cost;
	const uint32_t part = cost->code_part_instructions;
	uint32_t count = part ? number(code, part) : 0;
	size_t all = (size_t)count * cost->sm_count;

	p->kept = part ? cost->code_kept_instructions / part : 0;
	/* The one that a warp is in, and the next. */
	if (p->kept < 2)
		p->kept = 2;
	if (count < 2 || (is_there && count <= p->kept))
		return true;
	p->count = count;
	p->there = calloc(all, sizeof(*p->there));
	p->order = calloc(all, sizeof(*p->order));
	p->asked = calloc(cost->sm_count, sizeof(*p->asked));
	p->gpcs = calloc(x->core->floor.gpc_count, sizeof(*p->gpcs));
	return p->there && p->order && p->asked && p->gpcs;
}

void fetched_free(struct fetched *p)
{
	free(p->there);
	free(p->order);
	free(p->asked);
	free(p->gpcs);
	*p = (struct fetched){0};
}

/* The SM asks for the part, unless it has it or has asked: the cycle from which
   it is there. The first one came with the launch. */
uint64_t fetched_reach(const struct execution *x, struct fetched *p,
	uint32_t sm, struct sender sender, uint32_t part)
{
	const struct costs *cost = &x->core->cost;
	size_t at = (size_t)sm * p->count + part - 1;
	uint64_t now = core_now(x->core), there = now;

	if (p->there[at] && p->asked[sm] - p->order[at] < p->kept)
		return p->there[at];
	if (p->asked[sm])
		there = serve(&p->gpcs[x->core->floor.sms[sm].gpc], sender, now,
				cost->code_gpc_ticks) +
			cost->code_fetch_cycles;
	p->order[at] = p->asked[sm]++;
	p->there[at] = there;
	return there;
}

void fetched_next(const struct execution *x, struct fetched *p, uint32_t sm,
	uint32_t line, uint32_t part)
{
	if (part < p->count)
		fetched_reach(x, p, sm, sender_of_line(line), part + 1);
}
