#include <math.h>
#include <stdlib.h>

#include "harness/program/account.h"
#include "harness/program/launch.h"
#include "harness/run/levels.h"
#include "harness/run/metrics.h"

/* What a metric may draw on. */
struct source {
	const struct program *p;
	const struct result *result;
	const struct device *device;
	int measure, latency;   /* regions; latency falls back on measure */
	int load, lone;         /* regions, or -1 */
	struct account account; /* of region "measure" */
};

/* ---- one value a run ---- */

static double span_rate(const struct source *s, double amount)
{
	double cycles = s->result->spans[s->measure].cycles;

	return cycles > 0 ? amount / cycles : 0;
}

static double gb_per_s(const struct source *s, double bytes)
{
	double ns = s->result->spans[s->measure].ns;

	return ns > 0 ? bytes / ns : 0;
}

static double useful_gb_per_s(const struct source *s)
{
	return gb_per_s(s, s->account.useful_bytes);
}

static double moved_gb_per_s(const struct source *s)
{
	return gb_per_s(s, s->account.sectors * PROGRAM_SECTOR_BYTES);
}

static double bytes_per_cycle(const struct source *s)
{
	return span_rate(s, s->account.useful_bytes);
}

static double sectors_per_request(const struct source *s)
{
	return s->account.requests > 0
		       ? s->account.sectors / s->account.requests
		       : 0;
}

static double loads_per_cycle(const struct source *s)
{
	return span_rate(s, s->account.lanes);
}

static double atomics_per_cycle(const struct source *s)
{
	return span_rate(s, s->account.shared_atomics > 0
				    ? s->account.shared_atomics
				    : s->account.atomics);
}

static double useful_share(const struct source *s)
{
	double moved = s->account.sectors * PROGRAM_SECTOR_BYTES;

	return moved > 0 ? s->account.useful_bytes / moved : 0;
}

/* Warps of the background roles of a region's launch, over its own. */
static double background_warps(const struct source *s, const struct region *r)
{
	const struct step *step = &s->p->steps[r->step_index];
	double own = role_blocks(s->p, r->role, s->device->sm_count) *
		     ceil(r->role->threads / (double)PROGRAM_WARP_LANES);
	double others = 0;
	uint32_t i;

	for (i = 0; i < step->role_count; i++) {
		const struct role *role = &s->p->roles[step->role_first + i];

		if (role->background)
			others += role_blocks(s->p, role, s->device->sm_count) *
				  ceil(role->threads /
					  (double)PROGRAM_WARP_LANES);
	}
	return own > 0 ? others / own : 0;
}

static double load_gb_per_s(const struct source *s)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	struct account a;
	double ns;

	if (s->load < 0)
		return 0;
	program_regions(s->p, regions);
	account_region(s->p, (size_t)s->load, s->device->sm_count, &a);
	ns = s->result->spans[s->load].ns;
	return ns > 0 ? a.useful_bytes / ns *
				(1 + background_warps(s, &regions[s->load]))
		      : 0;
}

/* What is loaded and stored was copied once. */
static double copy_gb_per_s(const struct source *s)
{
	if (s->result->copied.ns > 0)
		return s->result->copied.bytes / s->result->copied.ns;
	return s->measure < 0 ? 0 : gb_per_s(s, s->account.useful_bytes / 2);
}

static double copy_ns(const struct source *s)
{
	if (s->result->copied.ns > 0)
		return s->result->copied.ns;
	return s->measure < 0 ? 0 : s->result->spans[s->measure].ns;
}

static double (*const per_run[METRIC_COUNT])(const struct source *) = {
	[METRIC_USEFUL_GB_PER_S] = useful_gb_per_s,
	[METRIC_MOVED_GB_PER_S] = moved_gb_per_s,
	[METRIC_BYTES_PER_CYCLE] = bytes_per_cycle,
	[METRIC_SECTORS_PER_REQUEST] = sectors_per_request,
	[METRIC_LOADS_PER_CYCLE] = loads_per_cycle,
	[METRIC_ATOMICS_PER_CYCLE] = atomics_per_cycle,
	[METRIC_LOAD_GB_PER_S] = load_gb_per_s,
	[METRIC_USEFUL_SHARE] = useful_share,
	[METRIC_COPY_GB_PER_S] = copy_gb_per_s,
	[METRIC_COPY_NS] = copy_ns,
};

/* ---- one value a sample ---- */

/* Accesses of one thread, one after the other, in a sample of a region; 0:
   nothing that has a latency. */
static double links_of(const struct source *s, int region)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	struct account a;
	double links;

	program_regions(s->p, regions);
	account_region(s->p, (size_t)region, s->device->sm_count, &a);
	links = a.requests / (a.warps > 0 ? a.warps : 1);
	if (regions[region].repeat->timing == TIMING_EACH)
		links /= a.iterations;
	return links > 0 ? links : 0;
}

/* The samples of a region, each as the `scale` of an access of it. */
static int add_accesses(
	const struct source *s, int region, double scale, struct values *values)
{
	double links = links_of(s, region);
	size_t i;
	int code = 0;

	for (i = 0; links > 0 && i < s->result->sample_count && !code; i++)
		if (s->result->samples[i].region == region)
			code = values_add(values,
				s->result->samples[i].cycles / links * scale);
	return code;
}

static int add_latencies(const struct source *s, uint32_t metrics,
	struct values values[METRIC_COUNT])
{
	int code = 0;

	if (metrics & (1u << METRIC_LATENCY_CYCLES))
		code = add_accesses(
			s, s->latency, 1, &values[METRIC_LATENCY_CYCLES]);
	if (!code && (metrics & (1u << METRIC_LATENCY_NS)))
		code = add_accesses(s, s->latency, 1e9 / s->result->clock_hz,
			&values[METRIC_LATENCY_NS]);
	if (!code && s->lone >= 0 &&
		(metrics & (1u << METRIC_LONE_LATENCY_CYCLES)))
		code = add_accesses(
			s, s->lone, 1, &values[METRIC_LONE_LATENCY_CYCLES]);
	return code;
}

static int add_shares(const struct source *s, uint32_t metrics,
	struct values values[METRIC_COUNT], struct error *error)
{
	double share[LEVEL_COUNT];
	int level, code = levels_share(s->p, s->result, share, error);

	for (level = 0; !code && level < LEVEL_COUNT; level++)
		if (metrics & (1u << (METRIC_SHARE_L1 + level)))
			code = values_add(
				&values[METRIC_SHARE_L1 + level], share[level]);
	return code;
}

#define LATENCIES                                                              \
	((1u << METRIC_LATENCY_CYCLES) | (1u << METRIC_LATENCY_NS) |           \
		(1u << METRIC_LONE_LATENCY_CYCLES))
#define COPIES ((1u << METRIC_COPY_GB_PER_S) | (1u << METRIC_COPY_NS))
#define SHARES                                                                 \
	((1u << METRIC_SHARE_L1) | (1u << METRIC_SHARE_NEAR) |                 \
		(1u << METRIC_SHARE_FAR) | (1u << METRIC_SHARE_DRAM))

int metrics_add(const struct program *p, const struct result *result,
	const struct device *device, uint32_t metrics,
	struct values values[METRIC_COUNT], struct error *error)
{
	struct source s = {p, result, device, program_region(p, "measure"),
		program_region(p, "latency"), program_region(p, "load"),
		program_region(p, "lone"), {0}};
	int metric, code = 0;

	if (s.measure < 0 && !(result->copied.ns > 0 && !(metrics & ~COPIES)))
		return error_set(error, ERR_USAGE,
			"program '%s' has no region called 'measure', so it "
			"has no metrics",
			p->name);
	if (s.latency < 0)
		s.latency = s.measure;
	if (s.measure >= 0)
		account_region(
			p, (size_t)s.measure, device->sm_count, &s.account);
	if (metrics & LATENCIES)
		code = add_latencies(&s, metrics, values);
	if (!code && (metrics & SHARES))
		code = add_shares(&s, metrics, values, error);
	for (metric = 0; !code && metric < METRIC_COUNT; metric++)
		if ((metrics & (1u << metric)) && per_run[metric])
			code = values_add(&values[metric], per_run[metric](&s));
	if (code && !(metrics & SHARES))
		return error_set(error, ERR_FAILED, "out of memory");
	return code;
}
