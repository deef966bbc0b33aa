/* Who is late. */
#include <math.h>
#include <stdlib.h>

#include "harness/observe/delayed.h"
#include "harness/stats/stats.h"

#define PAGES_MAX   64
#define SLICES_MAX  256 /* of one home: what is rarer is no slice */
#define STRAY_SHARE 0.5 /* of the fullest home's late parts: fewer are none */

/* The widest gap, by ratio, above the median, if it is wider than all that
   lies below it: so far from its home's others is only what had to wait. */
static double limit_between(const double *sorted, size_t count)
{
	double widest = 1, limit = INFINITY;
	size_t i;

	for (i = count / 2; i + 1 < count; i++) {
		const double ratio = sorted[i + 1] / sorted[i];

		if (!(ratio > widest))
			continue;
		widest = ratio;
		limit = sorted[i + 1] - sorted[i] > sorted[i] - sorted[0]
				? sqrt(sorted[i] * sorted[i + 1])
				: INFINITY;
	}
	return limit;
}

static double limit_of_home(const struct chip *chip,
	const struct sample_table *t, uint32_t page, int home, double *values)
{
	size_t count = 0, i;

	for (i = 0; i < t->count; i++)
		if (t->warp[i] == page &&
			delayed_home(chip, t->iteration[i]) == home)
			values[count++] = t->cycles[i];
	stats_sort(values, count);
	return limit_between(values, count);
}

static void vote(const struct chip *chip, const struct sample_table *t,
	double *values, struct delayed *late)
{
	double limit[PAGES_MAX][2];
	uint32_t page;
	size_t i;
	int home;

	for (page = 0; page < late->pages; page++)
		for (home = 0; home < (int)chip->partitions; home++)
			limit[page][home] =
				limit_of_home(chip, t, page, home, values);
	for (i = 0; i < t->count; i++) {
		const uint32_t part = t->iteration[i];

		page = t->warp[i];
		if (page < late->pages && part < DELAYED_PARTS &&
			t->cycles[i] > limit[page][delayed_home(chip, part)] &&
			late->votes[page][part] < 255)
			late->votes[page][part]++;
	}
}

void delayed_count(const struct chip *chip, const struct delayed *late,
	size_t page, int home, double *all, double *delayed)
{
	uint32_t part;

	*all = *delayed = 0;
	for (part = 0; part < DELAYED_PARTS; part++) {
		if (delayed_home(chip, part) != home)
			continue;
		*all += 1;
		*delayed += delayed_is(late, page, part);
	}
}

static void forget(
	const struct chip *chip, struct delayed *late, size_t page, int home)
{
	uint32_t part;

	for (part = 0; part < DELAYED_PARTS; part++)
		if (delayed_home(chip, part) == home)
			late->votes[page][part] = 0;
}

/* A few that are late of a home, where others have a slice's worth, were
   delayed by something else. */
static void forget_strays(const struct chip *chip, struct delayed *late)
{
	double counts[PAGES_MAX][2], all, fullest = 0;
	size_t page;
	int home;

	for (page = 0; page < late->pages; page++)
		for (home = 0; home < (int)chip->partitions; home++) {
			delayed_count(chip, late, page, home, &all,
				&counts[page][home]);
			fullest = fmax(fullest, counts[page][home]);
			if (counts[page][home] * SLICES_MAX < all)
				counts[page][home] = 0;
		}
	for (page = 0; page < late->pages; page++)
		for (home = 0; home < (int)chip->partitions; home++)
			if (counts[page][home] <= STRAY_SHARE * fullest)
				forget(chip, late, page, home);
}

int delayed_find(const struct chip *chip, const struct sample_table *t,
	struct delayed *late)
{
	double *values = calloc(t->count + 1, sizeof(*values));
	size_t i;

	*late = (struct delayed){.repeats = 1};
	for (i = 0; i < t->count; i++) {
		if (t->warp[i] < PAGES_MAX && t->warp[i] >= late->pages)
			late->pages = t->warp[i] + 1;
		if (t->repeat[i] >= late->repeats)
			late->repeats = t->repeat[i] + 1;
	}
	late->votes = calloc(late->pages + 1, sizeof(*late->votes));
	if (!values || !late->votes) {
		free(values);
		free(late->votes);
		return ERR_FAILED;
	}
	vote(chip, t, values, late);
	free(values);
	forget_strays(chip, late);
	return 0;
}

void delayed_free(struct delayed *late)
{
	free(late->votes);
	*late = (struct delayed){0};
}
