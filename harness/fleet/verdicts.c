#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fleet/verdicts.h"
#include "harness/fleet/robust.h"

#define KINDS       2
#define CONFIDE     1.96 /* half an interval of 95 %, in deviations */
#define HALF_NORMAL 0.6745
/* Seven chips tell what `chips` of figures.def is. */
#define CHIPS_FREEDOM 6
/* The standard error of the median of n normal values, over their deviation
   and times the root of n. */
#define MEDIAN_ERROR 1.2533

/* What the peers have of one figure. */
struct crowd {
	struct robust of[KINDS];
	double days_scale; /* of the median peer; 0: none has a past */
};

struct peers {
	const char *sku; /* borrowed */
	struct crowd crowds[FIGURE_COUNT];
};

/* ---- what is compared ---- */

/* Of peers, and of days. */
static size_t enough(int id)
{
	return figure_about[id].chips >= 0 ? VERDICTS_PEERS_MIN
					   : VERDICTS_PEERS_UNKNOWN;
}

static bool has_past(const struct fleet_device *d, int id)
{
	return d->past_days >= enough(id) && isfinite(d->past_median[id]);
}

static double level_of(const struct fleet_device *d, int id)
{
	return has_past(d, id) ? d->past_median[id] : d->last.value[id];
}

/* NaN: no past, or too short a one. */
static double change_of(const struct fleet_device *d, int id)
{
	return has_past(d, id) ? (double)d->last.value[id] - d->past_median[id]
			       : NAN;
}

static double days_scale_of(const struct fleet_device *d, int id)
{
	return has_past(d, id) ? d->past_deviation[id] / HALF_NORMAL : NAN;
}

/* ---- peers ---- */

static size_t gather(const struct fleet_devices *devices, const char *sku,
	int id, double (*of)(const struct fleet_device *, int), double *values)
{
	size_t i, count = 0;

	for (i = 0; i < devices->count; i++) {
		const double value = of(&devices->items[i], id);

		if (isfinite(value) && !strcmp(devices->items[i].sku, sku))
			values[count++] = value;
	}
	return count;
}

static void meet(const struct fleet_devices *devices, struct peers *peers,
	double *values)
{
	size_t count;
	int id;

	for (id = 0; id < FIGURE_COUNT; id++) {
		struct crowd *c = &peers->crowds[id];

		count = gather(devices, peers->sku, id, level_of, values);
		c->of[VERDICT_LEVEL] = robust_of(values, count);
		count = gather(devices, peers->sku, id, change_of, values);
		c->of[VERDICT_CHANGE] = robust_of(values, count);
		count = gather(devices, peers->sku, id, days_scale_of, values);
		c->days_scale = count ? robust_of(values, count).median : 0;
	}
}

/* ---- one comparison ---- */

/* What the device's figure is known to, at best. */
static double floor_of(const struct fleet_device *d, int id)
{
	const struct figure_about *about = &figure_about[id];
	const double half = d->last.half[id], grain = about->grain;

	if (grain == EVENTS)
		return sqrt(fmax(d->last.value[id], 1));
	return fmax(grain / sqrt(12),
		isfinite(half) && about->chips < 0 ? half / CONFIDE : 0);
}

/* Is what it is compared with in its own interval? */
static bool is_excused(const struct verdict *v)
{
	const double half = v->device->last.half[v->figure];

	return !v->usual && isfinite(half) &&
	       fabs(v->value - v->middle) <= half;
}

/* A day's value less the median of `days` others, in deviations of a day. */
static double change_width(unsigned days)
{
	return sqrt(1 + MEDIAN_ERROR * MEDIAN_ERROR / days);
}

/* What is known of the width without looking at the crowd. */
static struct width known_width(const struct verdict *v)
{
	const double chips =
		figure_about[v->figure].chips * fabs(v->middle) *
		(v->kind == VERDICT_CHANGE ? change_width(v->device->past_days)
					   : 1);

	return (struct width){chips, chips >= 0 ? CHIPS_FREEDOM : 0};
}

static bool compare(const struct crowd *c, const struct fleet_device *d, int id,
	enum verdict_kind kind, struct verdict *v)
{
	const struct robust *r = &c->of[kind];
	const double moved = kind == VERDICT_CHANGE ? change_of(d, id) : 0;
	double days_scale = 0, crowd_scale;
	struct width width;

	*v = (struct verdict){.device = d,
		.figure = (enum figure_id)id,
		.kind = kind,
		.value = kind == VERDICT_LEVEL ? level_of(d, id)
					       : d->last.value[id]};
	if (!isfinite(v->value) || !isfinite(moved))
		return false;
	if (r->count > enough(id)) { /* itself among them */
		v->middle = r->median;
		if (kind == VERDICT_CHANGE)
			v->middle += d->past_median[id];
		/* a median of days repeats better than one of them */
		v->usual = kind == VERDICT_LEVEL && has_past(d, id);
		days_scale = c->days_scale;
		if (v->usual)
			days_scale *= MEDIAN_ERROR / sqrt(d->past_days);
		crowd_scale = r->scale;
		v->crowd = r->count;
	} else if (kind == VERDICT_CHANGE) {
		v->middle = d->past_median[id];
		crowd_scale = days_scale_of(d, id);
		v->crowd = d->past_days;
		v->alone = true;
	} else {
		return false;
	}
	width = robust_together(known_width(v),
		(struct width){crowd_scale, robust_freedom(v->crowd)});
	v->scale = fmax(fmax(width.scale, days_scale), floor_of(d, id));
	if (!(v->scale > 0)) /* nothing says how far is far */
		return false;
	v->z = (v->value - v->middle) / v->scale;
	v->chance = is_excused(v) ? 1 : robust_chance(v->z, width.freedom);
	return true;
}

static size_t compare_all(const struct peers *peers,
	const struct fleet_device *device, struct verdict *verdicts)
{
	double least = 1;
	size_t i, count = 0;
	int id, kind;

	for (id = 0; id < FIGURE_COUNT; id++)
		for (kind = 0; kind < KINDS; kind++)
			count += compare(&peers->crowds[id], device, id,
				(enum verdict_kind)kind, &verdicts[count]);
	for (i = 0; i < count; i++) {
		verdicts[i].chance =
			fmin(verdicts[i].chance * (double)count, 1);
		least = fmin(least, verdicts[i].chance);
	}
	for (i = 0; i < count; i++)
		verdicts[i].least = least;
	return count;
}

/* ---- all devices ---- */

struct judging {
	const struct fleet_devices *devices;
	struct peers *peers; /* of each SKU */
	size_t peer_count;
	double *values;  /* room for one of each device */
	double *chances; /* of each device that could be compared */
};

static const struct peers *peers_of(const struct judging *j, const char *sku)
{
	size_t i;

	for (i = 0; i < j->peer_count; i++)
		if (!strcmp(j->peers[i].sku, sku))
			return &j->peers[i];
	return NULL;
}

static int meet_all(struct judging *j, struct error *error)
{
	size_t i;

	for (i = 0; i < j->devices->count; i++) {
		const char *sku = j->devices->items[i].sku;
		struct peers *more;

		if (peers_of(j, sku))
			continue;
		more = realloc(
			j->peers, (j->peer_count + 1) * sizeof(*j->peers));
		if (!more)
			return error_set(error, ERR_FAILED,
				"out of memory for the fleet");
		j->peers = more;
		j->peers[j->peer_count].sku = sku;
		meet(j->devices, &j->peers[j->peer_count++], j->values);
	}
	return 0;
}

static int by_chance(const void *a, const void *b)
{
	const struct verdict *x = a, *y = b;

	if (x->border != y->border)
		return x->border ? 1 : -1;
	if (x->least != y->least)
		return x->least < y->least ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->chance < y->chance ? -1 : x->chance > y->chance;
}

static int keep(struct verdicts *found, const struct verdict *verdict,
	struct error *error)
{
	struct verdict *more =
		realloc(found->items, (found->count + 1) * sizeof(*more));

	if (!more)
		return error_set(
			error, ERR_FAILED, "out of memory for the judgement");
	found->items = more;
	found->items[found->count++] = *verdict;
	return 0;
}

/* The odd ones up to `limit`, and what is borderline up to `border`. */
static int accuse(const struct judging *j, double limit, double border,
	struct verdicts *found, struct error *error)
{
	struct verdict verdicts[KINDS * FIGURE_COUNT];
	size_t i, k, count;
	bool is_odd;
	int code = 0;

	for (i = 0; i < j->devices->count; i++) {
		const struct fleet_device *device = &j->devices->items[i];

		count = compare_all(peers_of(j, device->sku), device, verdicts);
		is_odd = count && verdicts[0].least <= limit;
		if (!count || (!is_odd && verdicts[0].least > border))
			continue;
		found->odd += is_odd;
		found->border += !is_odd;
		for (k = 0; !code && k < count; k++) {
			verdicts[k].border = !is_odd;
			if (verdicts[k].chance <= (is_odd ? limit : border))
				code = keep(found, &verdicts[k], error);
		}
	}
	if (found->count)
		qsort(found->items, found->count, sizeof(*found->items),
			by_chance);
	return code;
}

static void judge_all(struct judging *j, struct verdicts *found)
{
	struct verdict verdicts[KINDS * FIGURE_COUNT];
	size_t i, count;

	for (i = 0; i < j->devices->count; i++) {
		const struct fleet_device *device = &j->devices->items[i];

		count = compare_all(peers_of(j, device->sku), device, verdicts);
		if (count)
			j->chances[found->judged++] = verdicts[0].least;
		found->comparisons += count;
	}
}

static int begin(struct judging *j, const struct fleet_devices *devices,
	struct error *error)
{
	*j = (struct judging){
		.devices = devices,
		.values = calloc(devices->count + 1, sizeof(double)),
		.chances = calloc(devices->count + 1, sizeof(double)),
	};
	if (!j->values || !j->chances)
		return error_set(
			error, ERR_FAILED, "out of memory for the fleet");
	return meet_all(j, error);
}

static void end(struct judging *j)
{
	free(j->values);
	free(j->chances);
	free(j->peers);
}

int verdicts_find(const struct fleet_devices *devices, double fdr,
	struct verdicts *found, struct error *error)
{
	struct judging j;
	double limit, border;
	int code = begin(&j, devices, error);

	*found = (struct verdicts){0};
	if (!code) {
		judge_all(&j, found);
		limit = robust_limit(j.chances, found->judged, fdr);
		border = robust_limit(
			j.chances, found->judged, VERDICTS_BORDER_FDR);
		if (limit > 0 || border > 0)
			code = accuse(&j, limit, border, found, error);
	}
	end(&j);
	return code;
}

void verdicts_free(struct verdicts *found)
{
	free(found->items);
	*found = (struct verdicts){0};
}

int verdicts_of(const struct fleet_devices *devices,
	const struct fleet_device *device, struct verdict *verdicts,
	size_t *count, struct error *error)
{
	struct judging j;
	int code = begin(&j, devices, error);

	*count =
		code ? 0
		     : compare_all(peers_of(&j, device->sku), device, verdicts);
	end(&j);
	return code;
}
