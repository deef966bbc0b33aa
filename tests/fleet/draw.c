/*
 * A fleet that never was: devices whose figures are drawn around fingerprints
 * of the model, into a store, and the truth about them as a table.
 *
 * usage: draw STORE TRUTH.tsv SEED DEVICES FAULTY DAYS HEALTHY.json...
 *             -- FAULT.json...
 *
 * The healthy fingerprints are of one machine with other seeds and other
 * physical pages: what they differ by is how well a figure repeats, and each
 * device and day takes one of them. On top come, as factors, a spread from chip
 * to chip and a noise from day to day, by the kind of figure (spreads.def). A
 * fault is what its fingerprint has over the first healthy one, figure by
 * figure; FAULTY devices have one, each kind in turn. Every other of them has
 * it from the first day on, the rest on the last day only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fleet/store.h"
#include "harness/stats/stats.h"

#define BASES_MAX 16
#define FIRST_DAY 20000

/* Relative standard deviations. What all figures of a kind share on a chip,
   what each has beside that, and what a day adds. */
static const struct spread {
	const char *begins;
	int kind;
	double shared, own, day;
} spreads[] = {
#define SPREAD(begins, kind, shared, own, day) {begins, kind, shared, own, day},
#include "tests/fleet/spreads.def"
#undef SPREAD
};

#define SPREADS (sizeof(spreads) / sizeof(spreads[0]))
#define KINDS   8

struct fleet_plan {
	struct fingerprint healthy[BASES_MAX], faults[BASES_MAX];
	size_t healthy_count, fault_count;
	const char *fault_names[BASES_MAX];
	double factor[BASES_MAX][FIGURE_COUNT];  /* of a fault */
	double repeats[BASES_MAX][FIGURE_COUNT]; /* of a healthy one, over the
						    first */
	bool whole[FIGURE_COUNT];                /* read in whole numbers */
	struct random_state random;
};

static const struct spread *spread_of(int id)
{
	size_t i;

	for (i = 0; i + 1 < SPREADS; i++)
		if (!strncmp(figure_about[id].name, spreads[i].begins,
			    strlen(spreads[i].begins)))
			break;
	return &spreads[i];
}

static double uniform(struct random_state *random)
{
	return ((double)(random_next(random) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller, 1958. */
static double normal(struct random_state *random)
{
	const double radius = sqrt(-2 * log(uniform(random)));

	return radius * cos(2 * M_PI * uniform(random));
}

static void fail(const char *text)
{
	fprintf(stderr, "draw: %s\n", text);
	exit(1);
}

/* ---- what is read ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int read_all(struct fleet_plan *plan, int argc, char **argv)
{
	struct error error;
	bool faults = false;
	int i;

	for (i = 0; i < argc; i++) {
		size_t *count =
			faults ? &plan->fault_count : &plan->healthy_count;

		if (!strcmp(argv[i], "--")) {
			faults = true;
			continue;
		}
		if (*count == BASES_MAX)
			fail("too many fingerprints");
		if (fingerprint_read(argv[i],
			    faults ? &plan->faults[*count]
				   : &plan->healthy[*count],
			    &error))
			fail(error.text);
		if (faults)
			plan->fault_names[*count] = base_name(argv[i]);
		++*count;
	}
	return plan->healthy_count > 0;
}

static void find_factors(struct fleet_plan *plan)
{
	size_t i;
	int id;

	for (id = 0; id < FIGURE_COUNT; id++) {
		const double first = plan->healthy[0].figures[id].value;

		plan->whole[id] = true;
		for (i = 0; i < plan->healthy_count; i++) {
			const double value = plan->healthy[i].figures[id].value;

			plan->repeats[i][id] = value / first;
			plan->whole[id] &= value == rint(value);
		}
		for (i = 0; i < plan->fault_count; i++)
			plan->factor[i][id] =
				plan->faults[i].figures[id].value / first;
	}
}

/* ---- what is drawn ---- */

struct chip {
	double factor[FIGURE_COUNT];
	int fault; /* -1: none */
	bool from_first_day;
};

static void draw_chip(struct fleet_plan *plan, struct chip *chip)
{
	double shared[KINDS];
	int id, kind;

	for (kind = 0; kind < KINDS; kind++)
		shared[kind] = normal(&plan->random);
	for (id = 0; id < FIGURE_COUNT; id++) {
		const struct spread *s = spread_of(id);

		chip->factor[id] = 1 + s->shared * shared[s->kind] +
				   s->own * normal(&plan->random);
	}
}

static void draw_day(struct fleet_plan *plan, const struct chip *chip,
	bool faulty, struct fingerprint *f)
{
	const size_t which = random_below(&plan->random, plan->healthy_count);
	const struct fingerprint *healthy = &plan->healthy[0];
	int id;

	for (id = 0; id < FIGURE_COUNT; id++) {
		const struct figure *base = &healthy->figures[id];
		const double half = (base->high - base->low) / 2;
		double value = base->value * plan->repeats[which][id] *
			       chip->factor[id] *
			       (1 + spread_of(id)->day * normal(&plan->random));

		if (faulty)
			value *= plan->factor[chip->fault][id];
		if (plan->whole[id])
			value = rint(value);
		f->figures[id] = (struct figure){
			value, value - half, value + half, NULL};
	}
}

static int draw_device(struct fleet_plan *plan, struct fleet *fleet,
	size_t number, struct chip *chip, int days, struct error *error)
{
	struct fingerprint f;
	int day, code = 0;

	fingerprint_init(&f);
	snprintf(f.device, sizeof(f.device), "GPU-%06zu", number);
	snprintf(f.sku, sizeof(f.sku), "%s", plan->healthy[0].sku);
	draw_chip(plan, chip);
	for (day = 0; !code && day < days; day++) {
		const bool faulty = chip->fault >= 0 &&
				    (chip->from_first_day || day == days - 1);

		f.map = day ? NULL : json_incref(plan->healthy[0].map);
		draw_day(plan, chip, faulty, &f);
		code = fleet_add(fleet, &f, FIRST_DAY + day, error);
		if (!day)
			json_decref(f.map);
	}
	f.map = NULL;
	fingerprint_free(&f);
	return code;
}

/* Faulty devices stand evenly among the others. */
static int fault_of(const struct fleet_plan *plan, size_t number,
	size_t devices, size_t faulty, size_t *index)
{
	const size_t before = number * faulty / devices;

	*index = before;
	if ((number + 1) * faulty / devices == before)
		return -1;
	return (int)(before % plan->fault_count);
}

static int draw_fleet(struct fleet_plan *plan, struct fleet *fleet,
	size_t devices, size_t faulty, int days, FILE *truth,
	struct error *error)
{
	size_t i, index;
	int code = fleet_begin(fleet, error);

	for (i = 0; !code && i < devices; i++) {
		struct chip chip = {
			.fault = fault_of(plan, i, devices, faulty, &index)};

		chip.from_first_day =
			plan->fault_count && index / plan->fault_count % 2 == 0;
		code = draw_device(plan, fleet, i, &chip, days, error);
		if (chip.fault >= 0)
			fprintf(truth, "GPU-%06zu\t%s\t%s\n", i,
				plan->fault_names[chip.fault],
				chip.from_first_day ? "first" : "last");
	}
	return code ? code : fleet_commit(fleet, error);
}

int main(int argc, char **argv)
{
	struct fleet_plan *plan = calloc(1, sizeof(*plan));
	struct fleet *fleet;
	struct error error;
	FILE *truth;
	int code;

	if (!plan || argc < 8 || !read_all(plan, argc - 7, argv + 7))
		fail("STORE TRUTH.tsv SEED DEVICES FAULTY DAYS HEALTHY.json "
		     "[...] -- [FAULT.json...]");
	find_factors(plan);
	random_init(&plan->random, strtoull(argv[3], NULL, 10));
	truth = fopen(argv[2], "w");
	if (!truth)
		fail("the truth cannot be written");
	code = fleet_open(&fleet, argv[1], true, &error);
	if (code)
		fail(error.text);
	code = draw_fleet(plan, fleet, strtoull(argv[4], NULL, 10),
		strtoull(argv[5], NULL, 10), atoi(argv[6]), truth, &error);
	fleet_close(fleet);
	if (fclose(truth) || code)
		fail(error.text);
	while (plan->healthy_count)
		fingerprint_free(&plan->healthy[--plan->healthy_count]);
	while (plan->fault_count)
		fingerprint_free(&plan->faults[--plan->fault_count]);
	free(plan);
	return 0;
}
