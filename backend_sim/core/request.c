/* The pool of requests. */
#include "backend_sim/core/core.h"
#include "harness/program/permute.h"

/* Of those that are free, how far ahead one is fetched for the host. */
#define FREE_AHEAD 4u

uint32_t request_take(struct core *core)
{
	core->counts.requests++;
	if (core->free_count) {
		uint32_t *top = &core->free_requests[--core->free_count];

		if (core->free_count >= FREE_AHEAD)
			memory_prefetch(&core->requests[*(top - FREE_AHEAD)]);
		return *top;
	}
	if (core->request_top < core->request_count)
		return core->request_top++;
	core_fail(core); /* engine_run() reports it */
	return 0;
}

uint32_t request_new(struct core *core, enum request_kind kind, uint32_t line)
{
	uint32_t index = request_take(core);

	core->requests[index] = (struct request){
		.line = line,
		.warp = NONE,
		.kind = kind,
		.buffer = PROGRAM_BUFFERS_MAX,
		.l2_class = CLASS_NORMAL,
		.wait_next = NONE,
	};
	return index;
}

void request_free(struct core *core, uint32_t request)
{
	core->free_requests[core->free_count++] = request;
}

/* Lines alike trade places by a hash of their round, so that strides, too,
   come by all sets. Copies of contiguous memory are in the sets of what is at
   home between them: measured on an H200 and an H100 (evict_first.tsv), where
   64 KiB that one SM has loaded to be evicted first are gone, and on the other
   side not. */
void request_place(const struct core *core, struct request *r)
{
	const struct slices *s = &core->slices;
	struct slices_place place = slices_find(s, r->line);
	uint32_t turned =
		place.copy_round << s->alike_shift |
		(place.position ^ (permute_mix(place.copy_round) & s->alike));

	r->home = place.home & 1;
	r->slice = (uint8_t)place.slice;
	r->set = place.slice * s->in_sets.by +
		 divider_remainder(&s->in_sets, turned);
}
