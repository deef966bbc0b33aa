#include <stdlib.h>

#include "backend_sim/engine.h"
#include "backend_sim/sm/residency.h"

static int compare_samples(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	if (a->warp != b->warp)
		return a->warp < b->warp ? -1 : 1;
	return (a->iteration > b->iteration) - (a->iteration < b->iteration);
}

static void collect_spans(const struct execution *x, struct result *result)
{
	size_t i;

	for (i = 0; i < x->region_count; i++) {
		double cycles = x->region_last[i] > x->region_first[i]
					? (double)(x->region_last[i] -
						   x->region_first[i])
					: 0;

		result->spans[i].cycles = cycles;
		result->spans[i].ns = cycles / result->clock_hz * 1e9;
	}
}

void collect_counts(const struct counts *counts, struct result *result)
{
	result->counter_count = 0;
#define COUNTER(field, called, ...)                                            \
	result->counters[result->counter_count++] =                            \
		(struct counter){called, (double)counts->field};
#include "harness/contract/counters.def"
}

static void add(struct result *result, const char *name, double value)
{
	result->counters[result->counter_count++] =
		(struct counter){name, value};
}

/* Of the last launch, if there is one. */
static void collect_launch(const struct execution *x, struct result *result)
{
	const struct role *role;
	uint32_t blocks;

	if (!x->step)
		return;
	role = launch_role(x->p, x->step, 0);
	blocks = role->blocks;
	if (role->place == PLACE_BLOCKS)
		blocks = residency_blocks(x, role);
	add(result, COUNTER_REGISTERS, launch_registers(x->p, x->step));
	add(result, COUNTER_BLOCKS, blocks);
}

void collect(struct engine *e, struct result *result)
{
	result->clock_hz = e->core.cost.clock_hz;
	collect_spans(&e->execution, result);
	collect_counts(&e->core.counts, result);
	collect_launch(&e->execution, result);
	if (result->sample_count)
		qsort(result->samples, result->sample_count,
			sizeof(*result->samples), compare_samples);
}
