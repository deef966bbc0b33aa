/* Lines that read what another SM has written since. */
#include <inttypes.h>

#include "harness/profile/profile.h"

static uint64_t print_launch(const struct profile *p, FILE *out)
{
	char launch[PROFILE_LAUNCH_BYTES];
	uint64_t words = 0;
	size_t i;

	profile_launch(p, launch);
	for (i = 0; i < p->where->line_count; i++) {
		const struct job_line *l = &p->where->lines[i];

		if (!l->stale_words)
			continue;
		fprintf(out,
			"%s:%" PRIu32 ": kernel '%s' (%s) "
			"reads %" PRIu64 " word%s in L1 that another SM "
			"has written since: %s\n",
			p->module, l->line, p->kernel, launch, l->stale_words,
			l->stale_words > 1 ? "s" : "", p->texts[i]);
		words += l->stale_words;
	}
	return words;
}

int profile_print_races(
	const struct profile_list *list, FILE *out, struct error *error)
{
	uint64_t words = 0;
	size_t i;

	for (i = 0; i < list->count; i++)
		words += print_launch(&list->items[i], out);
	if (!words)
		fputs("races: no load reads in L1 what another SM has written "
		      "since\n",
			out);
	return fflush(out) ? error_set(error, ERR_FAILED, "cannot write races")
			   : 0;
}
