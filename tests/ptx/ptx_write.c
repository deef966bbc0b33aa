/*
 * Writes PTX for ptxas to read: every bench with every choice of each of its
 * options at its first and last point, and random legal programs. A file
 * holds one kernel and is called NUMBER.ARCH.ptx; the list names what it is.
 * usage: ptx_write FOLDER ARCH RANDOM >LIST
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/contract/bench.h"
#include "harness/program/legality/legality.h"
#include "harness/run/plan.h"
#include "tests/support/program_random.h"

struct writer {
	const char *folder;
	struct device device;
	unsigned files, skipped;
};

static int fail(const char *what, const struct error *error)
{
	fprintf(stderr, "%s: %s\n", what, error->text);
	return 1;
}

/* A dump holds several kernels; each begins with its .version. */
static int write_kernels(struct writer *w, char *dump, const char *what)
{
	static const char mark[] = "\n.version";
	char *at = strstr(dump, mark);

	while (at) {
		char *next = strstr(at + 1, mark), path[512];
		FILE *file;

		snprintf(path, sizeof(path), "%s/%04u.%u.ptx", w->folder,
			w->files, w->device.sm_arch);
		file = fopen(path, "w");
		if (!file) {
			perror(path);
			return 1;
		}
		if (next)
			*next = '\0';
		fputs(at + 1, file);
		fclose(file);
		printf("%04u.%u %s\n", w->files++, w->device.sm_arch, what);
		if (next)
			*next = '\n';
		at = next;
	}
	return 0;
}

static int write_program(
	struct writer *w, const struct program *p, const char *what)
{
	struct error error = {""};
	char *text = NULL, *dump;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int code;

	if (!out)
		return 1;
	code = backend_cuda.dump(p, &w->device, out, &error);
	fclose(out);
	if (code)
		return free(text), fail(what, &error);
	dump = malloc(size + 2);
	if (!dump)
		return free(text), 1;
	dump[0] = '\n';
	memcpy(dump + 1, text, size + 1);
	code = write_kernels(w, dump, what);
	free(dump);
	free(text);
	return code;
}

/* ---- benches ---- */

static int write_point(struct writer *w, const struct plan *plan, size_t point,
	const char *what)
{
	struct error error = {""};
	struct program p;
	int code = plan_build(
		plan, &w->device, plan->sweep.points[point], 1, &p, &error);

	if (code == ERR_SKIPPED || code == ERR_USAGE) {
		w->skipped++;
		return 0; /* options that do not go together */
	}
	return code ? fail(what, &error) : write_program(w, &p, what);
}

static int write_variant(struct writer *w, const struct bench *bench,
	const struct given_option *given, size_t given_count)
{
	struct error error = {""};
	struct plan plan;
	char what[160];
	int code;

	snprintf(what, sizeof(what), "%s%s%s%s%s", bench->name,
		given_count ? " --" : "", given_count ? given->name : "",
		given_count ? "=" : "", given_count ? given->text : "");
	code = plan_bench(
		&plan, bench, given, given_count, NULL, &w->device, &error);
	if (code)
		return fail(what, &error);
	code = write_point(w, &plan, 0, what);
	if (!code && plan.sweep.count > 1)
		code = write_point(w, &plan, plan.sweep.count - 1, what);
	plan_free(&plan);
	return code;
}

static int write_choices(struct writer *w, const struct bench *bench,
	const struct bench_option *option)
{
	char words[4096], *word, *rest = words;

	snprintf(words, sizeof(words), "%s",
		option->type == OPTION_FLAG     ? "yes"
		: option->type == OPTION_CHOICE ? option->choices
						: "");
	while ((word = strsep(&rest, "|")) != NULL)
		if (*word &&
			write_variant(w, bench,
				&(struct given_option){option->name, word}, 1))
			return 1;
	return 0;
}

static int write_benches(struct writer *w)
{
	size_t i, k;

	for (i = 0; benches[i]; i++) {
		if (write_variant(w, benches[i], NULL, 0))
			return 1;
		for (k = 0; benches[i]->options[k].name; k++)
			if (write_choices(
				    w, benches[i], &benches[i]->options[k]))
				return 1;
	}
	return 0;
}

/* ---- random programs ---- */

static int write_random(struct writer *w, unsigned count)
{
	unsigned seed;

	for (seed = 1; seed <= count; seed++) {
		struct program_random knobs = program_random_default;
		struct error error;
		struct program p;
		char what[64];

		knobs.seed = seed;
		knobs.sm_arch = w->device.sm_arch;
		program_random(&p, &knobs);
		snprintf(what, sizeof(what), "random program %u", seed);
		if (program_fits(&p, &w->device, &error))
			w->skipped++;
		else if (write_program(w, &p, what))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct writer w = {.device = {
				   .name = "ptxas",
				   .sm_count = 132,
				   .ptx_version = 90,
				   .warps_per_sm_max = 64,
				   .l1_bytes = 262144,
				   .shared_bytes_per_block_max = 232448,
				   .l2_bytes = UINT64_C(60) << 20,
				   .memory_bytes = UINT64_C(140) << 30,
				   .persisting_bytes_max = UINT64_C(30) << 20,
				   .clock_hz = 1.98e9,
			   }};

	if (argc != 4)
		return 2;
	w.folder = argv[1];
	w.device.sm_arch = (uint32_t)atoi(argv[2]);
	if (write_benches(&w) || write_random(&w, (unsigned)atoi(argv[3])))
		return 1;
	fprintf(stderr, "%u kernels, %u points left out\n", w.files, w.skipped);
	return 0;
}
