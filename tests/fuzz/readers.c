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

static void try_plan(
	const struct bench *bench, const char *option, const char *word)
{
	const struct given_option given = {option, word};
	struct error error = {""};
	struct plan plan;
	struct program p;

	if (plan_bench(&plan, bench, &given, option != NULL,
		    option ? NULL : word, &device, &error) ||
		plan_build(&plan, &device, plan.sweep.points[0], 1, &p, &error))
		fuzz_refused(&error);
	plan_free(&plan);
}

/* As the value of one option of one bench, or as its sweep: all of them would
   take a thousand times as long. Which one depends on the word. */
static void try_plans(const char *word)
{
	uint32_t digest = 2166136261U;
	size_t bench_count = 0, option_count = 0, chosen;
	const struct bench *bench;
	const char *c;

	for (c = word; *c; c++)
		digest = (digest ^ (unsigned char)*c) * 16777619U;
	digest ^= digest >> 15;
	while (benches[bench_count])
		bench_count++;
	bench = benches[digest % bench_count];
	while (bench->options[option_count].name)
		option_count++;
	chosen = digest / bench_count % (option_count + 1);
	try_plan(bench, bench->options[chosen].name, word);
}

/* One line is one word. */
void fuzz_words(const struct input *input)
{
	static struct machine machine, changed;
	char *rest = input->text, *word;
	struct error error = {""};

	if (!*machine.name) {
		if (machine_load(NULL, &machine, &error))
			fuzz_fail(error.text);
		changed = machine;
	}
	while ((word = strsep(&rest, "\n")) != NULL) {
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
		else
			changed = machine;
		if (insn_from_spelling(word, &insn, &error))
			fuzz_refused(&error);
		if (sweep_parse(word, AXIS_BYTES, 132, &sweep, &error))
			fuzz_refused(&error);
		else
			sweep_free(&sweep);
		try_plans(word);
	}
}
