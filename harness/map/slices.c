#include <math.h>
#include <stdlib.h>

#include "harness/map/map.h"
#include "harness/map/rank_one.h"

#define RATIO_MIN 1.3 /* of the cut to the longest link below it */
/* Differences below it count as none: a cycle at one near SM in ten. */
#define LINK_CYCLES_MIN 0.1
/* A slice with more of its side's lines is no slice but what noise left when
   it cut off a few. */
#define LINES_SHARE_MAX 0.67
/* Links within slices are alike; the cut is not looked for further up. */
#define WITHIN_MAX 3.0
#define UNSEEN     SIZE_MAX
/* Places of a line: the mean over SMs and a floor plan make two, one is for
   what else there is; the rest of the variance is noise. */
#define PLACES 3

/* The lines and the SMs of one side, and the tree of its lines. */
struct tree {
	const struct map_cells *cells;
	size_t *sms, sm_count;
	size_t *lines, count;
	double *places;  /* [place * count + index], in cycles */
	size_t *order;   /* of joining: indices into lines */
	size_t *parent;  /* the index it is linked to */
	double *link;    /* how long that link is, in cycles */
	double *sorted;  /* the links, ascending: count - 1 of them */
	size_t *cluster; /* of each index */
};

static double cell(const struct tree *t, size_t sm, size_t i)
{
	return t->cells->cycles[t->sms[sm] * t->cells->lines + t->lines[i]];
}

/* Root mean square over the SMs, of what the places explain. */
static double distance(const struct tree *t, size_t a, size_t b)
{
	double sum = 0;
	size_t k;

	for (k = 0; k < PLACES; k++) {
		double d = t->places[k * t->count + a] -
			   t->places[k * t->count + b];

		sum += d * d;
	}
	return sqrt(sum / (double)t->sm_count);
}

static void tree_free(struct tree *t)
{
	free(t->sms);
	free(t->lines);
	free(t->places);
	free(t->order);
	free(t->parent);
	free(t->link);
	free(t->sorted);
	free(t->cluster);
}

static int tree_init(struct tree *t, const struct map_cells *cells,
	const struct map_sides *sides, unsigned side)
{
	size_t count = sides->line_count[side] + 1, i;

	*t = (struct tree){.cells = cells};
	t->sms = calloc(sides->sm_count[side] + 1, sizeof(*t->sms));
	t->lines = calloc(count, sizeof(*t->lines));
	t->places = calloc(count * PLACES, sizeof(*t->places));
	t->order = calloc(count, sizeof(*t->order));
	t->parent = calloc(count, sizeof(*t->parent));
	t->link = calloc(count, sizeof(*t->link));
	t->sorted = calloc(count, sizeof(*t->sorted));
	t->cluster = calloc(count, sizeof(*t->cluster));
	if (!t->sms || !t->lines || !t->places || !t->order || !t->parent ||
		!t->link || !t->sorted || !t->cluster) {
		tree_free(t);
		return ERR_FAILED;
	}
	for (i = 0; i < cells->sms; i++)
		if (sides->sm[i] == side)
			t->sms[t->sm_count++] = i;
	for (i = 0; i < cells->lines; i++)
		if (sides->line[i] == side)
			t->lines[t->count++] = i;
	return 0;
}

/* Near cells less each SM's mean, taken apart into products. */
static int find_places(struct tree *t)
{
	double *cells = calloc(t->sm_count * t->count + 1, sizeof(*cells));
	double *row = calloc(t->sm_count + 1, sizeof(*row));
	int code = cells && row ? 0 : ERR_FAILED;
	size_t sm, i, k;

	for (sm = 0; !code && sm < t->sm_count; sm++) {
		double *own = cells + sm * t->count, mean;

		for (i = 0; i < t->count; i++)
			own[i] = cell(t, sm, i);
		mean = stats_mean(own, t->count);
		for (i = 0; i < t->count; i++)
			own[i] -= mean;
	}
	for (k = 0; !code && k < PLACES; k++) {
		double *column = t->places + k * t->count;

		rank_one_fit(cells, t->sm_count, t->count, row, column);
		rank_one_subtract(cells, t->sm_count, t->count, row, column);
	}
	free(cells);
	free(row);
	return code;
}

/* Prim's algorithm: the closest line joins next. */
static void grow(struct tree *t)
{
	size_t joined, i, last = 0;

	for (i = 0; i < t->count; i++) {
		t->link[i] = INFINITY;
		t->cluster[i] = UNSEEN;
	}
	for (joined = 0; joined < t->count; joined++) {
		size_t next = UNSEEN;

		t->order[joined] = last;
		t->cluster[last] = 0;
		for (i = 0; i < t->count; i++) {
			double d;

			if (t->cluster[i] != UNSEEN)
				continue;
			d = distance(t, last, i);
			if (d < t->link[i]) {
				t->link[i] = d;
				t->parent[i] = last;
			}
			if (next == UNSEEN || t->link[i] < t->link[next])
				next = i;
		}
		if (next != UNSEEN)
			t->sorted[joined] = t->link[next];
		last = next;
	}
}

static double at_least(double link)
{
	return link > LINK_CYCLES_MIN ? link : LINK_CYCLES_MIN;
}

/* The index of the shortest link to cut, or 0. At least half of the links
   are within slices: there are more lines than slices. */
static size_t find_cut(const struct tree *t)
{
	size_t links = t->count ? t->count - 1 : 0, best = 0, i;
	double ratio_best = RATIO_MIN, most;

	if (links < 2)
		return 0;
	stats_sort(t->sorted, links);
	most = WITHIN_MAX * at_least(stats_quantile(t->sorted, links, 0.5));
	for (i = links / 2; i < links; i++) {
		double below = at_least(t->sorted[i ? i - 1 : 0]);
		double ratio = at_least(t->sorted[i]) / below;

		if (i && below <= most && ratio >= ratio_best) {
			ratio_best = ratio;
			best = i;
		}
	}
	return best;
}

/* Names the clusters that remain without links of `cut_cycles` and more. */
static size_t name_clusters(struct tree *t, double cut_cycles)
{
	size_t joined, count = 0;

	for (joined = 0; joined < t->count; joined++) {
		size_t i = t->order[joined];

		if (joined && t->link[i] < cut_cycles)
			t->cluster[i] = t->cluster[t->parent[i]];
		else
			t->cluster[i] = count++;
	}
	return count;
}

static void describe(
	const struct tree *t, size_t cluster, struct map_slice *slice)
{
	double sum = 0;
	size_t i, sm;

	slice->cycles = (struct map_range){INFINITY, -INFINITY};
	for (i = 0; i < t->count; i++) {
		if (t->cluster[i] != cluster)
			continue;
		slice->lines++;
		for (sm = 0; sm < t->sm_count; sm++) {
			double cycles = cell(t, sm, i);

			sum += cycles;
			slice->cycles.low = fmin(slice->cycles.low, cycles);
			slice->cycles.high = fmax(slice->cycles.high, cycles);
		}
	}
	slice->mean_cycles = sum / (double)slice->lines / (double)t->sm_count;
}

static bool is_lopsided(
	const struct tree *t, const struct map_slice *items, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if ((double)items[i].lines > LINES_SHARE_MAX * (double)t->count)
			return true;
	return false;
}

static int compare_slices(const void *left, const void *right)
{
	const struct map_slice *a = left, *b = right;

	return (a->mean_cycles > b->mean_cycles) -
	       (a->mean_cycles < b->mean_cycles);
}

static int add_side(struct map_slices *slices, struct tree *t, unsigned side)
{
	size_t cut = find_cut(t), count, i;
	struct map_slice *items;

	slices->within_cycles[side] = slices->between_cycles[side] = NAN;
	if (!cut)
		return 0;
	count = name_clusters(t, t->sorted[cut]);
	items = reallocarray(
		slices->items, slices->count + count, sizeof(*items));
	if (!items)
		return ERR_FAILED;
	slices->items = items;
	items += slices->count;
	for (i = 0; i < count; i++) {
		items[i] = (struct map_slice){.side = (uint8_t)side};
		describe(t, i, &items[i]);
	}
	if (is_lopsided(t, items, count))
		return 0;
	qsort(items, count, sizeof(*items), compare_slices);
	slices->resolved[side] = true;
	slices->side_count[side] = count;
	slices->within_cycles[side] = t->sorted[cut - 1];
	slices->between_cycles[side] = t->sorted[cut];
	slices->count += count;
	return 0;
}

int map_slices_find(const struct map_cells *cells,
	const struct map_sides *sides, struct map_slices *slices)
{
	struct map_slices s = {0};
	unsigned side;
	int code = 0;

	for (side = 0; side < sides->count && !code; side++) {
		struct tree tree;

		code = tree_init(&tree, cells, sides, side);
		if (code)
			break;
		code = find_places(&tree);
		if (!code) {
			grow(&tree);
			code = add_side(&s, &tree, side);
		}
		tree_free(&tree);
	}
	if (code)
		map_slices_free(&s);
	else
		*slices = s;
	return code;
}

void map_slices_free(struct map_slices *slices)
{
	free(slices->items);
	*slices = (struct map_slices){0};
}
