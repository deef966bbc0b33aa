#include <stdio.h>

#include "harness/command/run/run_provenance.h"
#include "harness/run/provenance.h"

/* A what-if has words and facts of its own; of an axis over a parameter, those
   of the run's machine and the words that all points share. */
static int add_provenance(const struct run_config *config,
	const struct plan *plan, const struct facts *facts, struct facts *to)
{
	const struct setting *setting = plan_setting(plan, 0);
	struct run_config own = *config;

	if (!setting)
		return provenance_add(config, facts, to);
	own.backend = setting_config(setting, &config->backend);
	own.backend.set_count -= plan->setting_per_point;
	return provenance_add(
		&own, plan->setting_per_point ? facts : &setting->facts, to);
}

int run_provenance_add(const struct run_config *config,
	const struct plan *plans, const struct facts *facts,
	const struct run_report *r, struct series_list *list,
	struct error *error)
{
	char sentence[REPEATS_SENTENCE_BYTES];
	size_t i;
	int code = 0;

	repeats_missed(&config->repeats, list->items, list->count, sentence);
	if (*sentence)
		fprintf(stderr, "nearfar: %s\n", sentence);
	for (i = 0; !code && i < list->count; i++) {
		struct facts *to = &list->items[i].provenance;

		code = add_provenance(
			config, &plans[i], &facts[plans[i].device], to);
		repeats_missed(&config->repeats, &list->items[i], 1, sentence);
		if (!code && *sentence)
			code = facts_add(to, "warning", "%s", sentence);
		if (!code && !config->opened->ops->parallel && r->resumed)
			code = facts_add(to, "resumed",
				"%zu of %zu points were measured in an earlier "
				"run",
				r->resumed, r->points);
	}
	return code ? error_set(error, ERR_FAILED, "out of memory") : 0;
}
