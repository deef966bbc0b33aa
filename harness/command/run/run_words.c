#include <string.h>

#include "harness/base/units.h"
#include "harness/profile/profile.h"
#include "harness/run/registry.h"
#include "harness/timeline/chrome.h"
#include "harness/command/run/run_words.h"

static int add_bench(
	struct run_options *o, const char *name, struct error *error)
{
	char names[512];

	if (o->bench_count == RUN_BENCHES_MAX)
		return error_set(error, ERR_USAGE,
			"at most %d benches run at once", RUN_BENCHES_MAX);
	o->benches[o->bench_count] = bench_find(name);
	if (o->benches[o->bench_count++])
		return 0;
	bench_names(names, sizeof(names));
	return error_set(error, ERR_USAGE, "there is no bench '%s', only %s",
		name, names);
}

/* Each option must belong to at least one of the benches. */
static int check_given(const struct run_options *o, struct error *error)
{
	size_t i, k;

	for (i = 0; i < o->given_count; i++) {
		bool taken = false;

		for (k = 0; k < o->bench_count; k++) {
			const struct bench_option *option =
				o->benches[k]->options;

			for (; option->name; option++)
				taken |=
					!strcmp(option->name, o->given[i].name);
		}
		if (!taken)
			return error_set(error, ERR_USAGE,
				"'--%s' is not an option of %s",
				o->given[i].name,
				o->bench_count == 1 ? o->benches[0]->name
				: o->programs.count ? "a program"
				: o->kernels.count  ? "a job"
						    : "these benches");
	}
	return 0;
}

/* What-ifs, and what they need or exclude. */
static int check_what_ifs(
	const struct run_options *o, enum run_words kind, struct error *error)
{
	const bool programs = kind == RUN_PROGRAMS;
	const bool axis = o->axis.choice.count > 0;
	const bool set = axis && o->axis.is_set;

	if (!o->ops->parallel && (o->set_choices.count || set))
		return error_set(error, ERR_USAGE,
			"--set changes the model's machine: '%s' has none",
			o->ops->name);
	if (!programs && (o->variables.count || (axis && !set)))
		return error_set(error, ERR_USAGE,
			"variables belong to programs: --program FILE has $%s",
			o->variables.count ? o->variables.items[0].name
					   : o->axis.choice.name);
	if (kind == RUN_JOBS && axis)
		return error_set(error, ERR_USAGE,
			"-x belongs to benches and programs: a launch is one "
			"point");
	if (set && !programs && !o->sweep)
		return error_set(error, ERR_USAGE,
			"-x set:%s needs the place on the bench's own axis "
			"too: -x VALUE,...",
			o->axis.choice.name);
	if (o->like && (axis || o->sweep || o->given_count))
		return error_set(error, ERR_USAGE,
			"--like takes options and points from its file");
	return 0;
}

/* The option that belongs to a user's own kernels on the model, or NULL. */
static const char *of_kernels(const struct run_options *o)
{
	return o->races        ? "--races"
	       : o->unchecked  ? "--unchecked"
	       : o->as_written ? "--as-written"
	       : o->values     ? "--values"
			       : NULL;
}

/* The option that needs to see inside a kernel, or NULL. */
static const char *looks_inside(const struct run_options *o)
{
	return o->profile      ? "--profile"
	       : o->max_cycles ? "--max-cycles"
			       : of_kernels(o);
}

int run_words_values(const struct run_options *o)
{
	int i;

	for (i = 0; o->values && i <= JOB_VALUES_NONE; i++)
		if (!strcmp(o->values, job_values_names[i]))
			return i;
	return o->values ? -1 : JOB_VALUES_HARDWARE;
}

static int check_job_options(
	const struct run_options *o, enum run_words kind, struct error *error)
{
	const char *inside = looks_inside(o);

	if (o->values && run_words_values(o) < 0)
		return error_set(error, ERR_USAGE,
			"'--values %s' is neither hardware nor ieee nor none",
			o->values);
	if (run_words_values(o) == JOB_VALUES_NONE && (o->digests || o->check))
		return error_set(error, ERR_USAGE,
			"--values none leaves no content of buffers to "
			"compare: %s needs hardware or ieee",
			o->check ? "--check" : "--digests");
	if (run_words_values(o) == JOB_VALUES_NONE && o->dump_count)
		return error_set(error, ERR_USAGE,
			"--values none leaves no content of buffers to "
			"write: --dump needs hardware or ieee");
	if (kind != RUN_JOBS &&
		(o->warm || o->digests || o->check || o->dump_count))
		return error_set(error, ERR_USAGE,
			"--warm, --digests, --check and --dump belong to "
			"--kernel");
	if (kind != RUN_JOBS && of_kernels(o))
		return error_set(error, ERR_USAGE, "%s belongs to --kernel",
			of_kernels(o));
	if (inside && !o->ops->parallel)
		return error_set(error, ERR_USAGE,
			"%s belongs to the model: backend '%s' does not see "
			"inside a kernel",
			inside, o->ops->name);
	if (o->profile && o->resume)
		return error_set(error, ERR_USAGE,
			"--profile and --resume do not go together: what the "
			"journal holds is not run again");
	if (o->profile && profile_check_path(o->profile, error))
		return ERR_USAGE;
	if (o->dump_count && o->kernels.count != 1)
		return error_set(error, ERR_USAGE,
			"--dump belongs to a single job, not to %zu",
			o->kernels.count);
	return 0;
}

static int check_trace(
	const struct run_options *o, bool is_jobs, struct error *error)
{
	const struct wanted *trace = &o->trace;

	if (!trace->path && trace->last)
		return error_set(error, ERR_USAGE, "%s belongs to --trace FILE",
			trace->last);
	if (!trace->path)
		return 0;
	if (trace->line && !is_jobs)
		return error_set(error, ERR_USAGE,
			"--trace-line belongs to --kernel: programs have no "
			"lines of PTX");
	if (is_jobs && !o->ops->parallel)
		return error_set(error, ERR_USAGE,
			"--trace of a kernel belongs to the model: backend "
			"'%s' does not see inside a kernel",
			o->ops->name);
	if (o->resume)
		return error_set(error, ERR_USAGE,
			"--trace and --resume do not go together: what the "
			"journal holds is not run again");
	return chrome_check_path(trace->path, error);
}

static int find_files(struct program_files *files, const char *what,
	const char *ending, const char *const *words, size_t count,
	struct error *error)
{
	int code = program_files_find(files, ending, words, count, error);

	return code ? error_prefix(error, code, "%s: ", what) : 0;
}

#define DEVICE_MAX 1024

static int add_device(
	struct run_options *o, const char *word, struct error *error)
{
	uint64_t value = 0;
	size_t i;

	if (units_parse_count(word, &value, NULL) || value > DEVICE_MAX)
		return error_set(error, ERR_USAGE,
			"--device: '%s' is no index of a GPU: a number from 0 "
			"to %d, several with commas between, or all",
			word, DEVICE_MAX);
	for (i = 0; i < o->device_count; i++)
		if (o->devices[i] == (int)value)
			return error_set(error, ERR_USAGE,
				"--device: '%s' is named twice", word);
	if (o->device_count == RUN_DEVICES_MAX)
		return error_set(error, ERR_USAGE,
			"--device: at most %d GPUs run at once",
			RUN_DEVICES_MAX);
	o->devices[o->device_count++] = (int)value;
	return 0;
}

int run_words_devices(
	struct run_options *o, const char *text, struct error *error)
{
	char word[32];
	size_t length;
	int code = 0;

	o->all_devices = !strcmp(text, "all");
	o->device_count = 0;
	if (o->all_devices)
		return 0;
	do {
		length = strcspn(text, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		code = add_device(o, word, error);
		text += length;
	} while (!code && *text++);
	return code;
}

int run_words_repeats(
	struct run_options *o, const char *text, struct error *error)
{
	int code = repeats_parse(text, &o->repeats, error);

	return code ? error_prefix(error, code, "--repeats: ") : 0;
}

int run_words_peer(struct run_options *o, const char *word, struct error *error)
{
	uint64_t value = 0;

	if (units_parse_count(word, &value, NULL) || value > DEVICE_MAX)
		return error_set(error, ERR_USAGE,
			"--peer: '%s' is no index of a GPU: a number from 0 to "
			"%d",
			word, DEVICE_MAX);
	o->peer_number = (int)value + 1;
	return 0;
}

/* Several devices make series of their own. */
static int check_devices(const struct run_options *o, struct error *error)
{
	if (o->peer_number && o->ops->parallel)
		return error_set(error, ERR_USAGE,
			"--peer is of GPUs: the peer of '%s' is its machine's",
			o->ops->name);
	if (!o->all_devices && o->device_count == 1)
		return 0;
	if (o->ops->parallel)
		return error_set(error, ERR_USAGE,
			"--device all and lists are of GPUs: '%s' has none",
			o->ops->name);
	if (o->digests || o->check || o->dump_count || o->trace.path)
		return error_set(error, ERR_USAGE,
			"--digests, --check, --dump and --trace are of one "
			"GPU");
	return 0;
}

int run_words_resolve(struct run_options *o, const char *const *words,
	size_t count, enum run_words kind, struct error *error)
{
	static const char *const options[] = {
		[RUN_PROGRAMS] = "--program", [RUN_JOBS] = "--kernel"};
	const char *of_suite = o->part           ? "--part"
			       : o->whole_series ? "--whole-series"
			       : o->scratch      ? "--scratch"
						 : NULL;
	size_t i;
	int code = 0;

	if (of_suite)
		return error_set(
			error, ERR_USAGE, "%s belongs to --suite", of_suite);
	if (o->like && count)
		return error_set(error, ERR_USAGE,
			"--like goes without a bench, --program and --kernel");
	if (!count && !o->like)
		return error_set(error, ERR_USAGE,
			"name a bench (`nearfar list` shows all), --program "
			"FILE, --kernel JOB or --like FILE");
	for (i = 0; !code && i < count; i++)
		if (kind == RUN_BENCHES)
			code = add_bench(o, words[i], error);
		else if (bench_find(words[i]))
			code = error_set(error, ERR_USAGE,
				"a bench and %s do not go together",
				options[kind]);
	if (!code && kind != RUN_BENCHES && o->sweep)
		code = error_set(error, ERR_USAGE,
			"-x belongs to benches: a %s is one point",
			kind == RUN_JOBS ? "launch" : "program");
	if (!code && kind == RUN_PROGRAMS)
		code = find_files(
			&o->programs, "program", ".txt", words, count, error);
	if (!code && kind == RUN_JOBS)
		code = find_files(
			&o->kernels, "job", ".job", words, count, error);
	if (!code)
		code = check_job_options(o, kind, error);
	if (!code)
		code = check_trace(o, kind == RUN_JOBS, error);
	if (!code)
		code = check_devices(o, error);
	if (!code)
		code = check_what_ifs(o, kind, error);
	return code ? code : check_given(o, error);
}

int run_words_dump(struct run_options *o, char *word, struct error *error)
{
	char *path = strchr(word, '=');

	if (!path || path == word || !path[1])
		return error_set(error, ERR_USAGE,
			"'--dump %s' is not BUFFER=FILE", word);
	if (o->dump_count == RUN_DUMPS_MAX)
		return error_set(error, ERR_USAGE, "too many --dump");
	*path++ = '\0';
	o->dumps[o->dump_count++] = (struct job_dump){word, path};
	return 0;
}

int run_words_backend(
	struct run_options *o, const char *word, struct error *error)
{
	char names[128];

	o->ops = backend_find(word);
	if (o->ops)
		return 0;
	backend_names(names, sizeof(names));
	return error_set(error, ERR_USAGE, "there is no backend '%s', only %s",
		word, names);
}
