#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/choices.h"
#include "harness/host/host.h"
#include "harness/command/run/run_options.h"
#include "harness/command/run/run_table.h"
#include "harness/command/run/run_together.h"
#include "harness/command/run/run_what_if.h"
#include "harness/command/run/run_words.h"
#include "harness/base/units.h"

#define HELP_BYTES (CHOICES_BYTES + 256)

/* argp's table: own options, then one for each name among the benches'. */
struct parsing {
	struct run_options *options;
	struct argp_option table[RUN_OWN_OPTIONS +
				 RUN_BENCHES_MAX * BENCH_OPTIONS_MAX + 2];
	const struct bench_option
		*bench_options[RUN_BENCHES_MAX * BENCH_OPTIONS_MAX];
	size_t bench_option_count;
	char help[RUN_BENCHES_MAX * BENCH_OPTIONS_MAX][HELP_BYTES];
	const char **words; /* of the command line: benches, or files */
	size_t word_count;
	bool format_given, repeats_given, warmups_given;
	enum run_words kind;
	run_refuses *refuses; /* NULL: nothing */
	bool crowded;         /* `beside_shard` does not go with --shard */
	int beside_shard;     /* the first such key */
	int code;
	struct error *error;
};

static bool known(const struct parsing *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->bench_option_count; i++)
		if (!strcmp(p->bench_options[i]->name, name))
			return true;
	return false;
}

/* `hidden` from --help: of a bench that the command line does not name. */
static void add_bench_option(
	struct parsing *p, const struct bench_option *option, bool hidden)
{
	size_t index = p->bench_option_count++;
	struct argp_option *row = &p->table[RUN_OWN_OPTIONS + 1 + index];
	char choices[CHOICES_BYTES] = "";

	p->bench_options[index] = option;
	if (option->choices)
		choices_format(option->choices, choices);
	snprintf(p->help[index], sizeof(p->help[index]), "%s%s%s (default %s)",
		option->help, *choices ? ": " : "", choices, option->initial);
	*row = (struct argp_option){
		.name = option->name,
		.key = KEY_BENCH + (int)index,
		.arg = option->type == OPTION_FLAG     ? NULL
		       : option->type == OPTION_BYTES  ? "SIZE"
		       : option->type == OPTION_CHOICE ? "WORD"
						       : "N",
		.flags = hidden ? OPTION_HIDDEN : 0,
		.doc = p->help[index],
		.group = 2,
	};
}

static bool is_named(const struct bench *bench, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], bench->name))
			return true;
	return false;
}

/* Of the benches that the command line names, or of the others. */
static void add_benches(
	struct parsing *p, int argc, char **argv, bool named, bool hidden)
{
	const struct bench_option *option;
	size_t i;

	for (i = 0; benches[i]; i++) {
		if (is_named(benches[i], argc, argv) != named)
			continue;
		for (option = benches[i]->options; option->name; option++)
			if (!known(p, option->name))
				add_bench_option(p, option, hidden);
	}
}

/* The options of a named bench come first, and their words are its own. */
static void make_table(struct parsing *p, int argc, char **argv)
{
	bool any;

	memcpy(p->table, run_own_options,
		RUN_OWN_OPTIONS * sizeof(run_own_options[0]));
	p->table[RUN_OWN_OPTIONS] = (struct argp_option){
		.doc = "Options of the benches:", .group = 2};
	add_benches(p, argc, argv, true, false);
	any = p->bench_option_count > 0;
	add_benches(p, argc, argv, false, any);
}

static int parse_unsigned(struct parsing *p, const char *option,
	const char *text, uint64_t maximum, uint64_t *value)
{
	int code = units_parse_count(text, value, p->error);

	if (!code && *value > maximum)
		code = error_set(p->error, ERR_USAGE, "%s is at most %llu",
			text, (unsigned long long)maximum);
	return code ? error_prefix(p->error, code, "%s: ", option) : 0;
}

static int set_count(struct parsing *p, int key, const char *text)
{
	struct run_options *o = p->options;
	uint64_t value = 0;
	int code;

	switch (key) {
	case 'r':
		code = parse_unsigned(p, "-r", text, 100000, &value);
		o->repeats = (unsigned)value;
		p->repeats_given = true;
		if (!code && !value)
			code = error_set(p->error, ERR_USAGE,
				"-r: at least one repeat is needed");
		return code;
	case 'w':
		code = parse_unsigned(p, "-w", text, 100000, &value);
		o->warmups = (unsigned)value;
		p->warmups_given = true;
		return code;
	case 'j':
		code = parse_unsigned(p, "-j", text, 4096, &value);
		o->jobs = (unsigned)value;
		if (!code && !value)
			code = error_set(p->error, ERR_USAGE,
				"-j: at least one worker is needed");
		return code;
	case KEY_MAX_CYCLES:
		code = parse_unsigned(p, "--max-cycles", text, RUN_CYCLES_MAX,
			&o->max_cycles);
		if (!code && !o->max_cycles)
			code = error_set(p->error, ERR_USAGE,
				"--max-cycles: at least one cycle is needed");
		return code;
	default:
		code = parse_unsigned(p, "--seed", text, UINT32_MAX, &value);
		o->seed = (uint32_t)value;
		return code;
	}
}

static int set_format(struct parsing *p, const char *text)
{
	char list[SERIES_FORMAT_LIST_BYTES];
	int format = series_format_find(text);

	series_format_list(list);
	if (format < 0)
		return error_set(p->error, ERR_USAGE,
			"'-f %s' is not one of %s", text, list);
	p->options->format = (enum series_format)format;
	p->format_given = true;
	return 0;
}

static int add_given(struct parsing *p, int key, const char *text)
{
	struct run_options *o = p->options;

	if (o->given_count == RUN_GIVEN_MAX)
		return error_set(p->error, ERR_USAGE, "too many bench options");
	o->given[o->given_count].name = p->bench_options[key - KEY_BENCH]->name;
	o->given[o->given_count++].text = text ? text : "yes";
	return 0;
}

static int add_file(struct parsing *p, enum run_words kind, const char *text)
{
	if (p->kind != RUN_BENCHES && p->kind != kind)
		return error_set(p->error, ERR_USAGE,
			"--program and --kernel do not go together");
	p->kind = kind;
	p->words[p->word_count++] = text;
	return 0;
}

#define AT(member) offsetof(struct run_options, member)

/* Options that are kept as they are: a text, or that they are there. */
static const struct {
	int key;
	size_t text, flag; /* one of them; 0 is the benches, no option */
} plain[] = {
	{'m', AT(machine), 0},
	{'o', AT(output), 0},
	{KEY_RAW, AT(raw), 0},
	{KEY_SHARD, AT(shard), 0},
	{KEY_SCRATCH, AT(scratch), 0},
	{KEY_LIKE, AT(like), 0},
	{KEY_DIGESTS, AT(digests), 0},
	{KEY_CHECK, AT(check), 0},
	{KEY_PROFILE, AT(profile), 0},
	{KEY_VALUES, AT(values), 0},
	{KEY_ENGINE, AT(engine), 0},
	{KEY_WARM, 0, AT(warm)},
	{KEY_UNCHECKED, 0, AT(unchecked)},
	{KEY_AS_WRITTEN, 0, AT(as_written)},
	{KEY_RACES, 0, AT(races)},
	{KEY_DRY_RUN, 0, AT(dry_run)},
	{KEY_DUMP_PROGRAM, 0, AT(dump_program)},
	{KEY_DUMP_PTX, 0, AT(dump_ptx)},
	{KEY_NO_SAMPLES, 0, AT(no_samples)},
	{KEY_RESUME, 0, AT(resume)},
	{KEY_STRICT, 0, AT(strict)},
	{KEY_STATS, 0, AT(stats)},
};

static bool take_plain(struct run_options *o, int key, const char *text)
{
	size_t i;

	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (plain[i].key != key)
			continue;
		if (plain[i].text)
			*(const char **)((char *)o + plain[i].text) = text;
		else
			*(bool *)((char *)o + plain[i].flag) = true;
		return true;
	}
	return false;
}

static int parse_key(struct parsing *p, int key, char *text)
{
	struct run_options *o = p->options;

	if (p->refuses && p->refuses(key, p->error))
		return ERR_USAGE;
	if (!p->crowded && run_together_shard(key, NULL)) {
		p->crowded = true;
		p->beside_shard = key;
	}
	if (take_plain(o, key, text))
		return 0;
	if (key >= KEY_TRACE && key <= KEY_TRACE_LIMIT)
		return wanted_take(&o->trace,
			(enum wanted_option)(key - KEY_TRACE), text, p->error);
	switch (key) {
	case 'b':
		return run_words_backend(o, text, p->error);
	case 'x':
		return run_what_if_points(o, text, p->error);
	case 'f':
		return set_format(p, text);
	case KEY_SET:
		return run_what_if_set(o, text, p->error);
	case KEY_VAR:
		return run_what_if_variable(o, text, p->error);
	case KEY_PROGRAM:
		return add_file(p, RUN_PROGRAMS, text);
	case KEY_KERNEL:
		return add_file(p, RUN_JOBS, text);
	case KEY_DEVICE:
		return run_words_devices(o, text, p->error);
	case KEY_PEER:
		return run_words_peer(o, text, p->error);
	case KEY_DUMP:
		return run_words_dump(o, text, p->error);
	case ARGP_KEY_ARG:
		p->words[p->word_count++] = text;
		return 0;
	default:
		return key >= KEY_BENCH ? add_given(p, key, text)
					: set_count(p, key, text);
	}
}

static error_t on_key(int key, char *text, struct argp_state *state)
{
	struct parsing *p = state->input;

	if (key != ARGP_KEY_ARG && (key <= 0 || key >= 0x1000000))
		return ARGP_ERR_UNKNOWN;
	if (!p->code)
		p->code = parse_key(p, key, text);
	return 0;
}

static int fill_in(const struct parsing *p, struct run_options *o)
{
	char endings[SERIES_FORMAT_LIST_BYTES];
	int code = 0;

	if (!p->format_given)
		code = series_format_of(o->output, &o->format);
	if (code) {
		series_ending_list(endings);
		return error_set(p->error, ERR_USAGE,
			"'%s' ends in none of %s (with .gz or without): -f "
			"FORMAT names one (figures are drawn by 'nearfar "
			"show')",
			o->output, endings);
	}
	if (!p->repeats_given)
		o->repeats = o->ops->parallel ? 1 : 5;
	if (!p->warmups_given)
		o->warmups = o->ops->parallel ? 0 : 1;
	if (!o->jobs)
		o->jobs = host_cores();
	return code;
}

static int parse(struct parsing *p, int argc, char **argv)
{
	const unsigned flags =
		p->refuses ? ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP : 0;
	struct argp argp = {
		.options = p->table,
		.parser = on_key,
		.args_doc = "BENCH...\n--program FILE...\n--kernel JOB...",
		.doc = "Run benches, access programs, or kernels, on a "
		       "backend.",
	};

	int refused;

	make_table(p, argc, argv);
	refused = argp_parse(&argp, argc, argv, flags, NULL, p);
	if (refused && (refused == ENOMEM || !p->refuses))
		return error_set(p->error, ERR_FAILED,
			"out of memory for the options of run");
	if (refused)
		return run_together_refuse(p->table, argc, argv, p->error);
	if (!p->code && p->options->shard && p->crowded)
		p->code = run_together_shard(p->beside_shard, p->error);
	if (!p->code && !p->options->shard)
		p->code = run_words_resolve(
			p->options, p->words, p->word_count, p->kind, p->error);
	if (!p->code)
		p->code = fill_in(p, p->options);
	return p->code;
}

static int parse_all(int argc, char **argv, run_refuses *refuses,
	struct run_options *options, struct error *error)
{
	struct parsing *p = calloc(1, sizeof(*p));
	const char **words = calloc((size_t)argc + 1, sizeof(*words));
	int code;

	*options = (struct run_options){
		.ops = &backend_sim, .seed = 1, .device_count = 1};
	if (p && words) {
		p->options = options;
		p->refuses = refuses;
		p->error = error;
		p->words = words;
		code = parse(p, argc, argv);
	} else {
		code = error_set(error, ERR_FAILED, "out of memory");
	}
	free(words);
	free(p);
	return code;
}

int run_options_parse(
	int argc, char **argv, struct run_options *options, struct error *error)
{
	return parse_all(argc, argv, NULL, options, error);
}

int run_options_parse_words(int argc, char **argv, run_refuses *refuses,
	struct run_options *options, struct error *error)
{
	return parse_all(argc, argv, refuses, options, error);
}

void run_options_free(struct run_options *options)
{
	program_files_free(&options->programs);
	program_files_free(&options->kernels);
	choice_list_free(&options->set_choices);
	choice_list_free(&options->variables);
	choice_axis_free(&options->axis);
}
