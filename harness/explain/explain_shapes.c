/* What another launch would gain: as many threads as other blocks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explain/explain_again.h"

/* The launch in x alone, as blocks of so many threads: as many threads as
   before. */
struct shape {
	uint32_t grid, block;
};

static int try_shape(
	struct again *a, size_t launch, struct shape shape, struct error *error)
{
	const struct job *own = a->runs->job;
	struct explain_what_if *w = &a->e->what_ifs[a->e->what_if_count];
	struct job_launch *launches =
		calloc(own->launch_count, sizeof(*launches));
	struct job job = *own;
	int code;

	if (!launches)
		return error_set(error, ERR_FAILED, "out of memory");
	memcpy(launches, own->launches, own->launch_count * sizeof(*launches));
	launches[launch].grid[0] = shape.grid;
	launches[launch].block[0] = shape.block;
	job.launches = launches;
	*w = (struct explain_what_if){0};
	snprintf(w->change, sizeof(w->change),
		"grid=%" PRIu32 " block=%" PRIu32, shape.grid, shape.block);
	snprintf(w->what, sizeof(w->what),
		"%" PRIu32 " blocks of %" PRIu32 " threads", shape.grid,
		shape.block);
	code = again_run(a, a->runs->config, &job, w, error);
	a->e->what_if_count += !code;
	free(launches);
	return code;
}

/* Blocks of other sizes with as many threads in all; more blocks, where the
   grid leaves room on the chip: kernels that go on by the grid's size bear
   that. */
static size_t shapes_of(const struct job_launch *l,
	const struct job_occupancy *o, struct shape shapes[SHAPES_MOST])
{
	const uint64_t threads = (uint64_t)l->grid[0] * l->block[0];
	const double waves = explain_waves(o);
	size_t count = 0;

	if (l->grid[1] > 1 || l->grid[2] > 1 || l->block[1] > 1 ||
		l->block[2] > 1 || o->cluster_blocks > 1)
		return 0;
	if (l->block[0] * 2u <= 1024 && !(l->grid[0] % 2))
		shapes[count++] =
			(struct shape){l->grid[0] / 2, l->block[0] * 2};
	if (l->block[0] >= 64 && !(l->block[0] % 64) &&
		threads / (l->block[0] / 2) <= INT32_MAX)
		shapes[count++] =
			(struct shape){l->grid[0] * 2, l->block[0] / 2};
	if (waves > 0 && waves <= 0.5)
		shapes[count++] = (struct shape){
			l->grid[0] * (uint32_t)(1 / waves), l->block[0]};
	return count;
}

int again_shapes(struct again *a, struct error *error)
{
	const struct profile *p = a->e->profile;
	const struct job_launch *l = &a->runs->job->launches[p->launch];
	struct shape shapes[SHAPES_MOST];
	size_t count = shapes_of(l, &p->where->occupancy, shapes), i;
	int code = 0;

	if (a->runs->fixed)
		return 0;
	for (i = 0; !code && i < count; i++)
		code = try_shape(a, p->launch, shapes[i], error);
	return code;
}
