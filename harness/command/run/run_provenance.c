#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/base/stream.h"
#include "harness/base/text_table.h"
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

/* "L2 at 1MiB to 16MiB, DRAM at 128MiB, by size": neighbours that one level
   serves go together. */
static void put_served(
	const struct plan *plan, const struct device *device, FILE *out)
{
	char first[EMIT_NUMBER_BYTES], x[EMIT_NUMBER_BYTES];
	const char *level, *next;
	size_t i;

	*first = '\0';
	for (i = 0; i < plan->sweep.count; i++) {
		level = plan->bench->served_by(
			&plan->args, device, plan->sweep.points[i]);
		next = i + 1 < plan->sweep.count
			       ? plan->bench->served_by(&plan->args, device,
					 plan->sweep.points[i + 1])
			       : NULL;
		if (!level)
			continue;
		text_table_x(plan->axis, plan->sweep.points[i], x);
		if (next && !strcmp(level, next)) {
			if (!*first)
				snprintf(first, sizeof(first), "%s", x);
			continue;
		}
		fprintf(out, "%s at %s%s%s, ", level, first,
			*first ? " to " : "", x);
		*first = '\0';
	}
}

/* Which level serves: where the bench can tell it for any point. */
static int add_served(const struct run_config *config, const struct plan *plan,
	struct facts *to)
{
	const struct setting *setting = plan_setting(plan, 0);
	char *text = NULL;
	size_t bytes = 0;
	FILE *out;
	int code = 0;

	if (!plan->bench || !plan->bench->served_by || plan->placed)
		return 0;
	out = stream_open_text(&text, &bytes);
	if (!out)
		return ERR_FAILED;
	put_served(plan,
		setting ? &setting->device
			: &config->opened[plan->device].device,
		out);
	if (fclose(out))
		code = ERR_FAILED;
	else if (bytes)
		code = facts_add(to, FACT_SERVED, "%sby size", text);
	free(text);
	return code;
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
		if (!code && !config->part)
			code = add_served(config, &plans[i], to);
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
