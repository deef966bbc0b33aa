/* Other tools' measurements, and words of the command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/machine/machine.h"
#include "harness/base/units.h"
#include "harness/exchange/import.h"
#include "harness/program/spelling.h"
#include "harness/run/plan.h"
#include "harness/series/io.h"
#include "tests/fuzz/target.h"

/* By every importer, whatever the content looks like; the names are those that
   tell the raw formats apart. */
void fuzz_import(const struct input *input)
{
	static const char *const names[] = {
		"GPU/L1_Latency.txt", "GPU/L2_Segment_Size.txt", "file.json"};
	FILE *out = fopen("/dev/null", "w");
	size_t i, k;

	for (i = 0; importers[i]; i++)
		for (k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			const struct import_file file = {
				names[k], input->text, input->bytes, NULL};
			struct series_list list = {0};
			struct error error = {""};

			importers[i]->detect(&file);
			if (importers[i]->read(&file, &list, &error))
				fuzz_refused(&error);
			else if (out)
				series_write(&list, FORMAT_JSON, out, &error);
			series_list_free(&list);
		}
	if (out)
		fclose(out);
}

static const struct device device = {
	.name = "fuzz",
	.sm_count = 8,
	.sm_arch = 90,
	.ptx_version = 80,
	.warps_per_sm_max = 64,
	.l1_bytes = 256 << 10,
	.shared_bytes_per_block_max = 227 << 10,
	.l2_bytes = 60 << 20,
	.memory_bytes = 140ull << 30,
	.clock_hz = 2e9,
};

/* As the value of each option of each bench, and as its sweep. */
static void try_plans(const char *word)
{
	struct error error = {""};
	struct program p;
	size_t i, k;

	for (i = 0; benches[i]; i++)
		for (k = 0; benches[i]->options[k].name; k++) {
			struct given_option given = {
				benches[i]->options[k].name, word};
			struct plan plan;

			if (plan_bench(&plan, benches[i], &given, 1,
				    k ? NULL : word, &device, &error) ||
				plan_build(&plan, &device, plan.sweep.points[0],
					1, &p, &error))
				fuzz_refused(&error);
			plan_free(&plan);
		}
}

/* One line is one word. */
void fuzz_words(const struct input *input)
{
	static struct machine machine;
	char *rest = input->text, *word;
	struct error error = {""};

	if (!*machine.name && machine_load(NULL, &machine, &error))
		fuzz_fail(error.text);
	while ((word = strsep(&rest, "\n")) != NULL) {
		struct machine changed = machine;
		struct sweep sweep = {0};
		struct insn insn;
		uint64_t whole;
		double real;

		if (units_parse_bytes(word, &whole, &error) ||
			units_parse_count(word, &whole, &error) ||
			units_parse_real(word, &real, &error))
			fuzz_refused(&error);
		if (machine_set(&changed, word, &error))
			fuzz_refused(&error);
		if (insn_from_spelling(word, &insn, &error))
			fuzz_refused(&error);
		if (!sweep_parse(word, AXIS_BYTES, 132, &sweep, &error))
			sweep_free(&sweep);
		try_plans(word);
	}
}
