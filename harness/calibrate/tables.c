/*
 * What is read off which points, and which series inform which parameters. A
 * parameter that the machine does not have is passed over.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/calibrate/parts.h"

/* A chase by one lane, each load a sample, or the mean of a chunk. */
#define CHASE(op, samples)                                                     \
	"pointer-chase:op=" op ":samples=" samples                             \
	":page-stride=no:warps=1:lanes=1:order=shuffle"
#define MAP "near-far"

/* In this order: each row takes what is above it as given. */
const struct readoff readoffs[] = {
	{"l1_hit_cycles", CHASE("ld.ca", "no"), SPOT_FIRST_PLATEAU,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"timing_cycles", CHASE("ld.ca", "yes"), SPOT_FIRST_PLATEAU,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"l1_cache_bytes", CHASE("ld.ca", "no"), SPOT_FIRST_KNEE,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"floor_sm_cycles", MAP, SPOT_ALL, OUTCOME_SM_TERM, OUTCOME_SM_TERM},
	{"floor_slice_cycles", MAP, SPOT_ALL, OUTCOME_LINE_TERM,
		OUTCOME_LINE_TERM},
	{"floor_product_cycles", MAP, SPOT_ALL, OUTCOME_PRODUCT_TERM,
		OUTCOME_PRODUCT_TERM},
	{"l2_near_cycles", CHASE("ld.cg", "no"), SPOT_FIRST_PLATEAU,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"bridge_cycles", MAP, SPOT_ALL, OUTCOME_FAR_LOAD, OUTCOME_NEAR_LOAD},
	{"atomic_extra_cycles", CHASE("atom.add", "yes"), SPOT_FIRST,
		OUTCOME_LOW_MODE, OUTCOME_LOW_MODE},
	{"bridge_data_cycles", CHASE("atom.add", "yes"), SPOT_FIRST,
		OUTCOME_HIGH_MODE, OUTCOME_LOW_MODE},
	{"dram_near_cycles", CHASE("ld.cg", "no"), SPOT_LAST_PLATEAU,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"sm_reply_bytes_per_cycle",
		"bandwidth:over=sms:access=read:cop=cg:footprint=16MiB",
		SPOT_FIRST, OUTCOME_METRIC, OUTCOME_METRIC},
	{"sm_request_bytes_per_cycle",
		"bandwidth:over=sms:access=write:footprint=16MiB", SPOT_FIRST,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"l1_line_cycles", "bandwidth:over=warps:cop=ca", SPOT_HIGHEST,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"slice_write_bytes_per_cycle",
		"bandwidth:over=sms:access=write:footprint=16MiB", SPOT_LAST,
		OUTCOME_METRIC, OUTCOME_METRIC},
	{"dram_bytes_per_s", "bandwidth:over=sms:access=read:footprint=512MiB",
		SPOT_LAST, OUTCOME_METRIC, OUTCOME_METRIC},
	{"atomic_kept_cycles",
		"atomic-contention:form=red:pattern=word:over=sms:privatised="
		"no",
		SPOT_LAST, OUTCOME_METRIC, OUTCOME_METRIC},
	{"shared_atomic_cycles", "atomic-contention:privatised=yes", SPOT_FIRST,
		OUTCOME_METRIC, OUTCOME_METRIC},
};
const size_t readoff_count = sizeof(readoffs) / sizeof(readoffs[0]);

#define CHASES "pointer-chase:page-stride=no:warps=1:lanes=1"

const struct group groups[] = {
	{"latency",
		"l2_near_cycles bridge_cycles bridge_data_cycles "
		"atomic_extra_cycles",
		CHASES ":op=ld.cg " CHASES ":op=atom.add " MAP, false},
	{"l1 knee", "l1_ways l1_random_share", CHASES ":op=ld.ca", true},
	{"l2 knees", "l2_ways l2_random_share",
		CHASES ":op=ld.cg " CHASES ":op=atom.add", true},
	{"dram latency",
		"dram_near_cycles dram_far_cycles dram_row_cycles "
		"dram_spread_cycles "
		"dram_refresh_interval_cycles dram_refresh_cycles",
		CHASES ":op=ld.cg " CHASES ":op=atom.add " CHASES ":op=ld.ca",
		false},
	{"tlb", "tlb_miss_cycles tlb2_miss_cycles",
		"pointer-chase:page-stride=yes tlb-reach", false},
	{"tlb reach", "tlb_entries tlb_ways tlb2_entries",
		"pointer-chase:page-stride=yes tlb-reach", true},
	{"l1 rate", "l1_line_cycles lsu_cycles",
		"bandwidth:cop=ca coalescing:op=ld.ca "
		"bandwidth:over=sms:access=read:cop=cg:footprint=16MiB",
		false},
	{"iterations",
		"renew_cycles issue_cycles loop_issue_cycles "
		"scheduler_data_bytes_per_cycle",
		"bandwidth:over=warps:footprint=16MiB:cop=cg "
		"coalescing:op=ld.cg",
		false},
	{"sm", "sm_reply_bytes_per_cycle sm_request_cycles sm_inflight_sectors",
		"bandwidth:over=warps:cop=cg bandwidth:over=sms:access=read "
		"pointer-chase:warps=[!1]* "
		"pointer-chase:warps=1?* pointer-chase:lanes=[!1]* "
		"coalescing:op=ld.cg",
		false},
	{"slices",
		"slice_bytes_per_cycle crossbar_bytes_per_cycle "
		"slice_request_cycles gpc_merge_cycles "
		"crossbar_fair_share_cycles start_spread_cycles",
		"bandwidth:over=sms:access=read:footprint=16MiB "
		"bandwidth:over=footprint:access=read "
		"bandwidth:over=footprint:access=copy "
		"stride-sweep:footprint=16MiB loaded-latency:level=l2",
		false},
	{"stores",
		"slice_write_bytes_per_cycle slice_writebacks "
		"sm_request_bytes_per_cycle dram_drain_cycles "
		"dram_turnaround_cycles dram_reread_cycles",
		"bandwidth:access=write bandwidth:access=copy "
		"stride-sweep:op=st* loaded-latency:access=write",
		false},
	{"dram",
		"dram_bytes_per_s dram_activate_cycles dram_row_busy_cycles "
		"dram_common_share",
		"bandwidth:access=read:footprint=512MiB "
		"bandwidth:over=footprint:access=read "
		"stride-sweep:op=ld*:footprint=512MiB "
		"loaded-latency:level=dram:access=read",
		false},
	{"atomics of a line",
		"atomic_sector_cycles atomic_whole_sector_cycles "
		"atomic_kept_cycles atomic_whole_cycles "
		"atomic_flit_cycles",
		"atomic-contention:form=red:privatised=no", false},
	{"atomics of an sm",
		"atomic_lane_cycles atomic_reply_pass_cycles "
		"atomic_reply_lane_cycles",
		"atomic-contention:privatised=no", false},
	{"compression", "compressed_share compressed_half_share", "compression",
		false},
};
const size_t group_count = sizeof(groups) / sizeof(groups[0]);

static bool has_word(const char *list, const char *wanted)
{
	char word[64];

	while (next_word(&list, word, sizeof(word)))
		if (!strcmp(word, wanted))
			return true;
	return false;
}

const struct group *group_of(const char *parameter)
{
	size_t i;

	for (i = 0; i < group_count; i++)
		if (has_word(groups[i].parameters, parameter))
			return &groups[i];
	return NULL;
}

const struct readoff *readoff_of(const char *parameter)
{
	size_t i;

	for (i = 0; i < readoff_count; i++)
		if (!strcmp(readoffs[i].parameter, parameter))
			return &readoffs[i];
	return NULL;
}

/* ---- the points of a group ---- */

void point_set_free(struct point_set *set)
{
	free(set->items);
	*set = (struct point_set){0};
}

/*
 * Line accesses that one evaluation may cost for each parameter of a group,
 * roughly half a microsecond each. Points are taken from all series in turn,
 * of each in an order that is even at any length, until one does not fit.
 */
#define GROUP_COST 4e5
#define SERIES_MIN                                                             \
	2 /* points of a series that fit by themselves; or its                 \
	     cheapest, if none does */

/* The i-th of 0 .. count - 1: the last, then the others in the order of their
   reversed bits. */
static size_t spread_index(size_t i, size_t count)
{
	size_t bits = 1, reversed, k, at;

	if (!i)
		return count - 1;
	while (((size_t)1 << bits) < count - 1)
		bits++;
	for (at = 0, i--;; at++) { /* i < count - 1: one is found */
		for (k = 0, reversed = 0; k < bits; k++)
			reversed |= ((at >> k) & 1) << (bits - 1 - k);
		if (reversed < count - 1 && !i--)
			return reversed;
	}
}

struct choice {
	const struct calibration *c;
	size_t *count;               /* training points of each series */
	bool *taken;                 /* by point */
	double cost_left, cost_most; /* of all points; of one */
};

static bool trains(const struct calibration *c, size_t point)
{
	return !c->targets.points[point].held_out;
}

/* The points of a series that are not held out; they are neighbours in the
   list but for those that are. */
static size_t training_point(
	const struct calibration *c, size_t series, size_t number)
{
	size_t i;

	for (i = 0; i < c->targets.count; i++)
		if (c->targets.points[i].series == series && trains(c, i) &&
			!number--)
			return i;
	return c->targets.count;
}

static void choose(struct choice *choice, const bool *wanted)
{
	const struct targets *t = &choice->c->targets;
	size_t round, s;
	bool any = true;

	for (round = 0; any; round++) {
		any = false;
		for (s = 0; s < t->series_count; s++) {
			size_t point;

			if (!wanted[s] || round >= choice->count[s])
				continue;
			any = true;
			point = training_point(choice->c, s,
				spread_index(round, choice->count[s]));
			if (t->points[point].cost >
				(round < SERIES_MIN ? choice->cost_most
						    : choice->cost_left))
				continue;
			choice->cost_left -= t->points[point].cost;
			choice->taken[point] = true;
		}
	}
}

/* A series of which no point is cheap is not left out. */
static void take_cheapest(struct choice *choice, size_t series)
{
	const struct targets *t = &choice->c->targets;
	size_t best = t->count, number, point;

	for (number = 0; number < choice->count[series]; number++) {
		point = training_point(choice->c, series, number);
		if (choice->taken[point])
			return;
		if (best == t->count ||
			t->points[point].cost < t->points[best].cost)
			best = point;
	}
	if (best < t->count)
		choice->taken[best] = true;
}

int group_points(const struct calibration *c, const char *series,
	size_t parameters, struct point_set *set, struct error *error)
{
	const struct targets *t = &c->targets;
	struct choice choice = {
		.c = c,
		.count = calloc(t->series_count + 1, sizeof(size_t)),
		.taken = calloc(t->count + 1, sizeof(bool)),
		.cost_left = GROUP_COST * (double)parameters,
		.cost_most = GROUP_COST * (double)parameters,
	};
	bool *wanted = calloc(t->series_count + 1, sizeof(bool));
	size_t i;
	int code = 0;

	*set = (struct point_set){calloc(t->count + 1, sizeof(size_t)), 0};
	if (!choice.count || !choice.taken || !wanted || !set->items) {
		code = error_set(error, ERR_FAILED, "out of memory");
		point_set_free(set);
		goto out;
	}
	for (i = 0; i < t->series_count; i++)
		wanted[i] = !t->series[i].held_out &&
			    pattern_matches(series, t->series[i].series);
	for (i = 0; i < t->count; i++)
		choice.count[t->points[i].series] += trains(c, i);
	choose(&choice, wanted);
	for (i = 0; i < t->series_count; i++)
		if (wanted[i])
			take_cheapest(&choice, i);
	for (i = 0; i < t->count; i++)
		if (choice.taken[i])
			set->items[set->count++] = i;
out:
	free(choice.count);
	free(choice.taken);
	free(wanted);
	return code;
}
