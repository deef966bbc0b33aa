/* The counters of L2, as Nsight Compute counts. */
#include "backend_sim/core/unused.h"
#include "backend_sim/memory/l2_parts.h"

/* As Nsight counts: at each slice that a request comes to, so that what goes to
   a far home counts twice; `sectors` of it, an atomic's in each of its passes.
   What it stores is found. */
void l2_count_request(struct l2 *l, struct request *r, unsigned sectors)
{
	struct core *core = l->core;
	uint64_t count = sector_count(sectors);

	r->looked = false;
	switch (r->kind) {
	case REQUEST_LOAD:
		core->counts.l2_reads += count;
		break;
	case REQUEST_STORE:
		core->counts.l2_writes += count;
		core->counts.l2_hits += count;
		break;
	case REQUEST_ATOMIC:
		core->counts.l2_atomics += count * r->passes;
		break;
	case REQUEST_REDUCTION:
		core->counts.l2_reductions += count * r->passes;
		break;
	default:
		break;
	}
}

/* Once a slice, where it looks first: what a miss brings has missed. */
void l2_count_lookup(
	struct l2 *l, struct request *r, unsigned sectors, unsigned valid)
{
	struct core *core = l->core;
	unsigned missing = sectors & ~valid & SECTORS_ALL;
	uint64_t passes = request_is_atomic(r) ? r->passes : 1;

	if (core->unused && (r->kind == REQUEST_LOAD || request_is_atomic(r)))
		unused_asked(core->unused, r->line, sectors);
	if (r->looked)
		return;
	r->looked = true;
	core->counts.l2_hits +=
		sector_count(sectors) * passes - sector_count(missing);
	if (missing)
		core->counts.l2_misses += sector_count(
			l2_widen(l, r, missing) & ~valid & SECTORS_ALL);
}

void l2_count_rest(struct l2 *l, const struct request *r)
{
	l->core->counts.l2_misses += sector_count(r->fetch);
	l->core->counts.l2_writes += sector_count(r->fetch);
}
