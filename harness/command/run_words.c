#include <string.h>

#include "harness/run/registry.h"
#include "harness/command/run_words.h"

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
						    : "these benches");
	}
	return 0;
}

int run_words_resolve(struct run_options *o, const char *const *words,
	size_t count, bool programs, struct error *error)
{
	size_t i;
	int code = 0;

	if (!count)
		return error_set(error, ERR_USAGE,
			"name a bench (`nearfar list` shows all) or "
			"--program FILE");
	for (i = 0; !code && i < count; i++)
		if (!programs)
			code = add_bench(o, words[i], error);
		else if (bench_find(words[i]))
			code = error_set(error, ERR_USAGE,
				"a bench and --program do not go together");
	if (!code && programs && o->sweep)
		code = error_set(error, ERR_USAGE,
			"-x belongs to benches: a program is one point");
	if (!code && programs)
		code = program_files_find(&o->programs, words, count, error);
	return code ? code : check_given(o, error);
}
