#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "harness/command/run/run_stats.h"

/* A counter over all points, of their first repeats. */
static double total(const struct series_list *list, const char *name)
{
	double sum = 0;
	size_t i, k, n;

	for (i = 0; i < list->count; i++)
		for (k = 0; k < list->items[i].point_count; k++) {
			const struct point *p = &list->items[i].points[k];

			for (n = 0; n < p->counter_count; n++)
				if (!strcmp(p->counters[n].name, name))
					sum += p->counters[n].value;
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

/* Repeats and warm-ups differ by a seed alone: the first repeat's counts stand
   for each of them. */
void run_stats_print(const struct run_options *o,
	const struct series_list *list, double seconds)
{
	double runs = o->repeats + o->warmups;
	double requests = runs * total(list, "nearfar__requests.sum");
	double events = runs * total(list, "nearfar__events.sum");

	fprintf(stderr,
		"%.0f requests, %.0f events, %.2f events a request, %.0f "
		"requests a second, %.2f s, %.0f MiB at the peak\n",
		requests, events, requests > 0 ? events / requests : 0,
		seconds > 0 ? requests / seconds : 0, seconds, peak_mib());
}
