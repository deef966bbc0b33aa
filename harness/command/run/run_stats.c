#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "harness/command/run/run_stats.h"

/* How often a point was run that counts: rows of spans, or of a job's values.
 */
static double repeats_of(const struct point *point)
{
	const struct metric_values *values;

	if (point->span_count)
		return 1.0 + point->spans[point->span_count - 1].repeat;
	values = point_metric(point, METRIC_ELAPSED_CYCLES);
	return values && values->value_count ? (double)values->value_count : 1;
}

/* A counter over all points and runs: repeats and warm-ups differ by a seed
   alone, so that the first repeat's counts stand for each of them. */
static double total(const struct run_options *o, const struct series_list *list,
	const char *name)
{
	double sum = 0;
	size_t i, k, n;

	for (i = 0; i < list->count; i++)
		for (k = 0; k < list->items[i].point_count; k++) {
			const struct point *p = &list->items[i].points[k];

			for (n = 0; n < p->counter_count; n++)
				if (!strcmp(p->counters[n].name, name))
					sum += (o->warmups + repeats_of(p)) *
					       p->counters[n].value;
		}
	return sum;
}

/* The process's peak: the model's tables, the samples, the file's text. */
static double peak_mib(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0
					      : (double)usage.ru_maxrss / 1024;
}

void run_stats_print(const struct run_options *o,
	const struct series_list *list, double seconds)
{
	double requests = total(o, list, "nearfar__requests.sum");
	double events = total(o, list, "nearfar__events.sum");

	fprintf(stderr,
		"%.0f requests, %.0f events, %.2f events a request, %.0f "
		"requests a second, %.2f s, %.0f MiB at the peak\n",
		requests, events, requests > 0 ? events / requests : 0,
		seconds > 0 ? requests / seconds : 0, seconds, peak_mib());
}
