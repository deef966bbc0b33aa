/*
 * Mutates seeds and feeds them to a reader; nothing may crash, leak or hang,
 * and what a reader takes must survive being written and read again. Built
 * with the sanitizers, which end the process.
 * usage: fuzz KIND SEED CASES SECONDS FILE...
 *   KIND: program, machine, series, words
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "backend_sim/machine/machine.h"
#include "harness/program/account.h"
#include "harness/report/compare.h"
#include "harness/exchange/import.h"
#include "harness/program/legality/legality.h"
#include "harness/map/text.h"
#include "harness/run/plan.h"
#include "harness/series/sample_sets.h"
#include "harness/series/io.h"
#include "harness/stats/stats.h"
#include "harness/program/spelling.h"
#include "harness/program/text/text.h"
#include "harness/base/units.h"

#define SEEDS_MAX 64
#define GROWTH    4096 /* a case may be this much longer than its seed */

struct text {
	char *bytes;
	size_t length;
};

struct fuzz {
	struct text seeds[SEEDS_MAX];
	size_t seed_count;
	struct random_state random;
	struct text text; /* the case at hand, followed by a zero byte */
	char path[64];    /* a file that holds it */
	int fd;
	unsigned long taken; /* cases that the reader accepted */
};

static void fail(const struct fuzz *f, const char *what)
{
	fprintf(stderr, "%s; the case:\n", what);
	fwrite(f->text.bytes, 1, f->text.length, stderr);
	abort();
}

static struct fuzz *current; /* for the alarm's handler alone */

static void on_alarm(int number)
{
	static const char sentence[] = "the reader does not come back from\n";

	(void)number;
	if (write(2, sentence, sizeof(sentence) - 1) > 0 &&
		write(2, current->text.bytes, current->text.length) > 0)
		abort();
	_exit(1);
}

static uint64_t draw(struct fuzz *f, uint64_t count)
{
	return random_below(&f->random, count);
}

/* ---- mutation ---- */

static void replace(
	struct fuzz *f, size_t at, size_t cut, const char *with, size_t length)
{
	struct text *t = &f->text;

	memmove(t->bytes + at + length, t->bytes + at + cut,
		t->length - at - cut);
	memcpy(t->bytes + at, with, length);
	t->length += length - cut;
	t->bytes[t->length] = '\0';
}

/* A slice of a seed, up to `most` bytes. */
static struct text slice(struct fuzz *f, size_t most)
{
	const struct text *seed = &f->seeds[draw(f, f->seed_count)];
	size_t length = (size_t)draw(
		f, (seed->length < most ? seed->length : most) + 1);

	return (struct text){
		seed->bytes + draw(f, seed->length - length + 1), length};
}

static void mutate(struct fuzz *f)
{
	static const char *const words[] = {"0", "-1", "1", "2147483648",
		"4294967296", "18446744073709551615", "1e308", "nan", "KiB",
		"128", "all", "others", "\n", " ", "\"", "{", "[", "#", ",",
		":", "null", "\xff", "\t", "*", "+", "&a", "<<"};
	size_t at = (size_t)draw(f, f->text.length + 1);
	size_t room = f->text.length - at;
	size_t cut = (size_t)draw(f, (room < 24 ? room : 24) + 1);
	const char *word = words[draw(f, sizeof(words) / sizeof(words[0]))];
	struct text part;
	char byte;

	switch (draw(f, 5)) {
	case 0:
		replace(f, at, cut, "", 0);
		break;
	case 1:
		byte = (char)random_next(&f->random);
		replace(f, at, room > 0, &byte, 1);
		break;
	case 2:
		replace(f, at, 0, word, strlen(word));
		break;
	case 3:
		replace(f, at, cut, word, strlen(word));
		break;
	default:
		part = slice(f, 60);
		replace(f, at, cut, part.bytes, part.length);
		break;
	}
}

static void make_case(struct fuzz *f)
{
	const struct text *seed = &f->seeds[draw(f, f->seed_count)];
	uint64_t changes = 1 + draw(f, 1 + draw(f, 6));

	memcpy(f->text.bytes, seed->bytes, seed->length);
	f->text.length = seed->length;
	f->text.bytes[f->text.length] = '\0';
	while (changes--)
		mutate(f);
	if (ftruncate(f->fd, 0) || pwrite(f->fd, f->text.bytes, f->text.length,
					   0) != (ssize_t)f->text.length)
		fail(f, "the case was not written");
	lseek(f->fd, 0, SEEK_SET);
}

/* ---- the readers ---- */

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

/* What is legal can be counted and written as PTX. */
static void use_program(const struct program *p)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	struct error error;
	FILE *out = fopen("/dev/null", "w");
	size_t i, count = program_regions(p, regions);

	for (i = 0; i < count; i++) {
		struct account account;

		account_region(p, i, device.sm_count, &account);
	}
	if (out && !program_fits(p, &device, &error))
		backend_cuda.dump(p, &device, out, &error);
	if (out)
		fclose(out);
}

static void try_program(struct fuzz *f)
{
	struct program p, again;
	struct error error = {""};
	char *first, *second;

	if (program_parse(f->text.bytes, "case", &p, &error)) {
		if (!*error.text)
			fail(f, "a refusal without a sentence");
		return;
	}
	if (program_check(&p, &error))
		return;
	f->taken++;
	first = program_text(&p);
	if (!first || program_parse(first, "again", &again, &error))
		fail(f, error.text);
	second = program_text(&again);
	if (!second || strcmp(first, second) != 0)
		fail(f, "the text does not round-trip");
	free(first);
	free(second);
	use_program(&p);
}

static void try_machine(struct fuzz *f)
{
	struct machine machine;
	struct error error = {""};
	int i;

	if (machine_load(f->path, &machine, &error)) {
		if (!*error.text)
			fail(f, "a refusal without a sentence");
		return;
	}
	f->taken++;
	for (i = 0; i < PARAMETER_COUNT; i++)
		if (!(machine.value[i] >= parameters[i].minimum &&
			    machine.value[i] <= parameters[i].maximum))
			fail(f, parameters[i].name);
	machine_digest(&machine);
}

static void try_maps(const struct series *series, FILE *out)
{
	struct error error = {""};
	struct map map;
	size_t i;

	for (i = 0; i < series->point_count; i++) {
		if (map_make(&series->points[i], 0, &map, &error))
			continue;
		map_put_table(&map, out);
		json_decref(map_json(&map));
		map_free(&map);
	}
}

static void try_series(struct fuzz *f)
{
	struct series_list list = {0};
	struct sample_sets sets = {0};
	struct comparison_list comparison;
	struct error error = {""};
	FILE *out = fopen("/dev/null", "w");
	enum series_format format;
	size_t i;

	if (!sample_sets_read(f->path, NULL, &sets, &error))
		sample_sets_free(&sets);
	lseek(f->fd, 0, SEEK_SET);
	if (!series_read(f->path, &list, &error)) {
		f->taken++;
		for (format = 0; out && format < FORMAT_COUNT; format++)
			series_write(&list, format, out, &error);
		for (i = 0; out && i < list.count; i++)
			try_maps(&list.items[i], out);
		if (out && !comparison_list_make(
				   &list, &list, -1, &comparison, &error)) {
			comparison_list_put(
				&comparison, NULL, FORMAT_TABLE, out, &error);
			comparison_list_free(&comparison);
		}
	} else if (!*error.text) {
		fail(f, "a refusal without a sentence");
	}
	series_list_free(&list);
	if (out)
		fclose(out);
}

/* By every importer, whatever the content looks like; the names are those that
   tell the raw formats apart. */
static void try_import(struct fuzz *f)
{
	static const char *const names[] = {
		"GPU/L1_Latency.txt", "GPU/L2_Segment_Size.txt", "file.json"};
	FILE *out = fopen("/dev/null", "w");
	size_t i, k;

	for (i = 0; importers[i]; i++)
		for (k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			const struct import_file file = {
				names[k], f->text.bytes, f->text.length, NULL};
			struct series_list list = {0};
			struct error error = {""};

			importers[i]->detect(&file);
			if (!importers[i]->read(&file, &list, &error)) {
				f->taken++;
				if (out)
					series_write(&list, FORMAT_JSON, out,
						&error);
			} else if (!*error.text) {
				fail(f, "a refusal without a sentence");
			}
			series_list_free(&list);
		}
	if (out)
		fclose(out);
}

/* One line is one word of the command line. */
static void try_words(struct fuzz *f)
{
	char *rest = f->text.bytes, *word;
	struct machine machine;
	struct error error;

	if (machine_load(NULL, &machine, &error))
		fail(f, error.text);
	while ((word = strsep(&rest, "\n")) != NULL) {
		struct sweep sweep = {0};
		struct insn insn;
		uint64_t whole;
		double real;
		size_t i, k;

		f->taken += !units_parse_bytes(word, &whole, &error);
		f->taken += !units_parse_count(word, &whole, &error);
		f->taken += !units_parse_real(word, &real, &error);
		f->taken += !machine_set(&machine, word, &error);
		f->taken += !insn_from_spelling(word, &insn, &error);
		if (!sweep_parse(word, AXIS_BYTES, 132, &sweep, &error))
			sweep_free(&sweep);
		for (i = 0; benches[i]; i++)
			for (k = 0; benches[i]->options[k].name; k++) {
				struct given_option given = {
					benches[i]->options[k].name, word};
				struct program p;
				struct plan plan;

				if (!plan_bench(&plan, benches[i], &given, 1,
					    NULL, &device, &error))
					plan_build(&plan, &device,
						plan.sweep.points[0], 1, &p,
						&error);
				plan_free(&plan);
			}
	}
}

static const struct {
	const char *name;
	void (*try)(struct fuzz *f);
} kinds[] = {
	{"program", try_program},
	{"machine", try_machine},
	{"series", try_series},
	{"import", try_import},
	{"words", try_words},
};

/* ---- the loop ---- */

static void read_seed(struct fuzz *f, const char *path)
{
	struct text *seed = &f->seeds[f->seed_count];
	FILE *file = fopen(path, "rb");

	if (!file || f->seed_count == SEEDS_MAX) {
		perror(path);
		exit(2);
	}
	seed->bytes = malloc(1 << 20);
	seed->length = fread(seed->bytes, 1, 1 << 20, file);
	f->seed_count++;
	fclose(file);
}

int main(int argc, char **argv)
{
	struct fuzz f = {.fd = memfd_create("case", 0)};
	unsigned long cases, i = 0;
	time_t end;
	size_t k;

	if (argc < 6 || f.fd < 0)
		return 2;
	current = &f;
	signal(SIGALRM, on_alarm);
	random_init(&f.random, strtoull(argv[2], NULL, 10));
	cases = strtoul(argv[3], NULL, 10);
	end = time(NULL) + atol(argv[4]);
	for (k = 5; k < (size_t)argc; k++)
		read_seed(&f, argv[k]);
	f.text.bytes = malloc((1 << 20) + GROWTH);
	snprintf(f.path, sizeof(f.path), "/proc/self/fd/%d", f.fd);
	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		if (!strcmp(kinds[k].name, argv[1]))
			for (; i < cases && time(NULL) < end; i++) {
				make_case(&f);
				alarm(30);
				kinds[k].try(&f);
			}
	printf("%s: %lu cases, %lu taken\n", argv[1], i, f.taken);
	for (k = 0; k < f.seed_count; k++)
		free(f.seeds[k].bytes);
	free(f.text.bytes);
	return i == 0;
}
