#include <stdlib.h>
#include <string.h>

#include "harness/run/levels.h"
#include "harness/stats/stats.h"

enum { DRAM, NEAR, HOME, MEASURE, REGIONS };

static const char *const region_names[REGIONS] = {
	"dram", "near", "home", "measure"};

/* cycles[region][line]; `lines` is the shortest region's count. */
struct lines {
	double *cycles[REGIONS];
	size_t count;
	bool *far;   /* the line's home is on the other side */
	bool cached; /* by anything beyond L1: a second touch is faster */
	double near, far_hit, dram_near, dram_far; /* medians */
};

static void lines_free(struct lines *l)
{
	int i;

	for (i = 0; i < REGIONS; i++)
		free(l->cycles[i]);
	free(l->far);
}

static int gather(const struct program *p, const struct result *result,
	struct lines *l, struct error *error)
{
	size_t counts[REGIONS] = {0}, i;
	int region, r;

	l->count = SIZE_MAX;
	for (r = 0; r < REGIONS; r++) {
		region = program_region(p, region_names[r]);
		if (region < 0)
			return error_set(error, ERR_FAILED,
				"program '%s' has no region '%s' to tell the "
				"levels by",
				p->name, region_names[r]);
		l->cycles[r] =
			calloc(result->sample_count + 1, sizeof(*l->cycles[r]));
		if (!l->cycles[r])
			return error_set(error, ERR_FAILED, "out of memory");
		for (i = 0; i < result->sample_count; i++)
			if (result->samples[i].region == region)
				l->cycles[r][counts[r]++] =
					result->samples[i].cycles;
		if (counts[r] < l->count)
			l->count = counts[r];
	}
	if (l->count == 0)
		return error_set(error, ERR_FAILED,
			"program '%s' took no samples to tell the levels by",
			p->name);
	l->far = calloc(l->count, sizeof(*l->far));
	return l->far ? 0 : error_set(error, ERR_FAILED, "out of memory");
}

/* The median of a region over the lines on one side; 0 if there are none. */
static double median_of(const struct lines *l, int region, bool far)
{
	double *chosen = malloc((l->count + 1) * sizeof(*chosen)), median;
	size_t count = 0, i;

	if (!chosen)
		return 0;
	for (i = 0; i < l->count; i++)
		if (l->far[i] == far)
			chosen[count++] = l->cycles[region][i];
	median = count ? stats_median(chosen, count) : 0;
	free(chosen);
	return median;
}

/* The atomic against the near hit, line by line: a far home adds the way over
   the bridge and back, which is more than a third of the near hit. */
static void split_sides(struct lines *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		l->far[i] = l->cycles[HOME][i] > 1.3 * l->cycles[NEAR][i];
	l->near = median_of(l, NEAR, false);
	if (l->near == 0)
		l->near = median_of(l, NEAR, true);
	l->far_hit = median_of(l, HOME, true);
	l->dram_near = median_of(l, DRAM, false);
	l->dram_far = median_of(l, DRAM, true);
	/* The least of what caches save: a sixth, of a peer's L2. Of the host's
	   memory both touches take as long. */
	l->cached = !l->dram_near || l->dram_near > 1.05 * l->near;
}

static enum level level_of(const struct lines *l, size_t i)
{
	double cycles = l->cycles[MEASURE][i], near = l->cycles[NEAR][i];

	if (cycles < 0.5 * l->near)
		return LEVEL_L1;
	if (!l->cached)
		return LEVEL_DRAM;
	if (!l->far[i])
		return cycles < (near + l->dram_near) / 2 ? LEVEL_NEAR
							  : LEVEL_DRAM;
	if (cycles < (near + l->cycles[HOME][i]) / 2)
		return LEVEL_NEAR;
	return cycles < (l->far_hit + l->dram_far) / 2 ? LEVEL_FAR : LEVEL_DRAM;
}

int levels_share(const struct program *p, const struct result *result,
	double share[LEVEL_COUNT], struct error *error)
{
	struct lines l = {0};
	size_t found[LEVEL_COUNT] = {0}, i;
	int code = gather(p, result, &l, error);

	if (!code) {
		split_sides(&l);
		for (i = 0; i < l.count; i++)
			found[level_of(&l, i)]++;
		for (i = 0; i < LEVEL_COUNT; i++)
			share[i] = (double)found[i] / (double)l.count;
	}
	lines_free(&l);
	return code;
}
