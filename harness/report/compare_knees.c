#include <math.h>

#include "harness/report/compare.h"

/* Further than any two knees are apart, so that only what has no counterpart
   stays alone. */
#define ALONE_OCTAVES 64

enum choice { CHOICE_END, CHOICE_PAIR, CHOICE_BASE, CHOICE_NEW };

static double distance(const struct knee *base, const struct knee *new)
{
	if ((base->to > base->from) != (new->to > new->from))
		return INFINITY;
	return fabs(log2(new->x / base->x));
}

static struct compare_knee make_row(
	const struct knee *base, const struct knee *new)
{
	const struct knee *levels = base ? base : new;

	return (struct compare_knee){.base_x = base ? base->x : NAN,
		.new_x = new ? new->x : NAN,
		.octaves = base &&new ? log2(new->x / base->x) : NAN,
		.from = levels->from,
		.to = levels->to};
}

/* The cheapest alignment of base[i..] and new[j..], from the back. */
static void align(const struct knee *base, size_t base_count,
	const struct knee *new, size_t new_count,
	enum choice choices[KNEES_MAX + 1][KNEES_MAX + 1])
{
	double costs[KNEES_MAX + 2][KNEES_MAX + 2];
	size_t i, j;

	for (i = base_count + 1; i-- > 0;) {
		for (j = new_count + 1; j-- > 0;) {
			double best = INFINITY, cost;

			choices[i][j] = CHOICE_END;
			costs[i][j] = 0;
			if (i == base_count && j == new_count)
				continue;
			if (i < base_count && j < new_count) {
				best = distance(&base[i], &new[j]) +
				       costs[i + 1][j + 1];
				choices[i][j] = CHOICE_PAIR;
			}
			cost = i < base_count ? ALONE_OCTAVES + costs[i + 1][j]
					      : INFINITY;
			if (cost < best) {
				best = cost;
				choices[i][j] = CHOICE_BASE;
			}
			cost = j < new_count ? ALONE_OCTAVES + costs[i][j + 1]
					     : INFINITY;
			if (cost < best) {
				best = cost;
				choices[i][j] = CHOICE_NEW;
			}
			costs[i][j] = best;
		}
	}
}

size_t compare_knees(const struct knee *base, size_t base_count,
	const struct knee *new, size_t new_count,
	struct compare_knee rows[2 * KNEES_MAX])
{
	enum choice choices[KNEES_MAX + 1][KNEES_MAX + 1];
	size_t count = 0, i = 0, j = 0;

	align(base, base_count, new, new_count, choices);
	while (choices[i][j] != CHOICE_END) {
		const enum choice choice = choices[i][j];
		const struct knee *left =
			choice == CHOICE_NEW ? NULL : &base[i++];
		const struct knee *right =
			choice == CHOICE_BASE ? NULL : &new[j++];

		rows[count++] = make_row(left, right);
	}
	return count;
}
