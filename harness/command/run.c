#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "harness/command/command.h"
#include "harness/run/host.h"
#include "harness/command/run_options.h"
#include "harness/run/runner.h"
#include "harness/program/text/text.h"
#include "harness/run/variants.h"

/* The only thing a signal handler may touch. */
static atomic_int stop_requested;

static void on_signal(int number)
{
	atomic_store(&stop_requested, number);
}

static void catch_signals(void)
{
	/* A second signal ends the process where it is. */
	struct sigaction action = {
		.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* ---- plans ---- */

struct plans {
	struct plan *items;
	size_t count, variant_count;
	struct variants variants[RUN_BENCHES_MAX];
};

static void plans_free(struct plans *plans)
{
	size_t i;

	for (i = 0; i < plans->count; i++)
		plan_free(&plans->items[i]);
	free(plans->items);
	for (i = 0; i < plans->variant_count; i++)
		variants_free(&plans->variants[i]);
}

static struct plan *add_plans(
	struct plans *plans, size_t count, struct error *error)
{
	struct plan *items =
		realloc(plans->items, (plans->count + count) * sizeof(*items));

	if (!items) {
		error_set(error, ERR_FAILED, "out of memory");
		return NULL;
	}
	plans->items = items;
	return &items[plans->count];
}

/* A plan for each combination of the options' values. */
static int plan_variants(const struct run_options *o, const struct bench *bench,
	const struct device *device, struct plans *plans, struct error *error)
{
	struct variants *v = &plans->variants[plans->variant_count];
	struct given_option given[BENCH_OPTIONS_MAX];
	struct plan *plan;
	size_t i;
	int code = variants_init(v, bench, o->given, o->given_count, error);

	if (code)
		return code;
	plans->variant_count++;
	plan = add_plans(plans, v->count, error);
	if (!plan)
		return ERR_FAILED;
	for (i = 0; !code && i < v->count; i++) {
		variants_get(v, bench, i, given);
		code = plan_bench(&plan[i], bench, given, v->option_count,
			o->sweep, device, error);
		plans->count++;
	}
	return code;
}

/* Series are told apart by the programs' names. */
static int check_name(const struct program_files *files,
	const struct plans *plans, struct error *error)
{
	const char *name = plans->items[plans->count - 1].name;
	size_t i;

	for (i = 0; i + 1 < plans->count; i++)
		if (!strcmp(plans->items[i].name, name))
			return error_set(error, ERR_USAGE,
				"%s: program '%s' has the name of the one in "
				"%s: each needs its own",
				files->paths[plans->count - 1], name,
				files->paths[i]);
	return 0;
}

static int plan_programs(const struct program_files *files, struct plans *plans,
	struct error *error)
{
	struct plan *plan = add_plans(plans, files->count, error);
	size_t i;
	int code = plan ? 0 : ERR_FAILED;

	for (i = 0; !code && i < files->count; i++) {
		code = plan_program(&plan[i], files->paths[i], error);
		if (code)
			break;
		plans->count++;
		code = check_name(files, plans, error);
	}
	return code;
}

static int make_plans(const struct run_options *o, const struct device *device,
	struct plans *plans, struct error *error)
{
	size_t i;
	int code = 0;

	if (o->programs.count)
		return plan_programs(&o->programs, plans, error);
	for (i = 0; !code && i < o->bench_count; i++) {
		code = plan_variants(o, o->benches[i], device, plans, error);
		if (code)
			error_prefix(error, code, "%s: ", o->benches[i]->name);
	}
	return code;
}

/* The backend, on whose device plans are made. Dumps and dry runs for a GPU
   that is not here are made for the model's. */
static int open_backend(const struct run_options *o, bool only_looking,
	struct opened *opened, struct error *error)
{
	const struct backend_config config = {
		o->machine, o->sets, o->set_count, o->device_index};
	int code = opened_open(opened, o->ops, &config, error);

	if (code == ERR_ABSENT && only_looking)
		code = opened_open(opened, &backend_sim, &config, error);
	return code;
}

/* ---- looking without running ---- */

static int dump(const struct run_options *o, const struct plan *plan,
	const struct device *device, FILE *out, struct error *error)
{
	struct program program;
	int code = plan_build(
		plan, device, plan->sweep.points[0], o->seed, &program, error);

	if (code)
		return code;
	if (o->dump_ptx)
		return backend_cuda.dump(&program, device, out, error);
	return backend_sim.dump(&program, device, out, error);
}

static int dry_run(const struct run_options *o, const struct plans *plans,
	const struct device *device, FILE *out, struct error *error)
{
	struct program program;
	size_t i, k;

	for (i = 0; i < plans->count; i++) {
		const struct plan *plan = &plans->items[i];

		for (k = 0; k < plan->sweep.count; k++) {
			double x = plan->sweep.points[k];
			int code = plan_build(
				plan, device, x, o->seed, &program, error);

			if (code && code != ERR_SKIPPED)
				return code;
			fprintf(out, "%s %s=%.0f repeats=%u warmups=%u%s%s\n",
				plan->name, plan->axis, x, o->repeats,
				o->warmups, code ? " skipped: " : "",
				code ? error->text : "");
		}
	}
	return 0;
}

/* ---- provenance ---- */

static int add_date(struct facts *facts)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	time_t now = epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
	struct tm when;
	char text[32];

	gmtime_r(&now, &when);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &when);
	return facts_add(facts, "date", "%s", text);
}

/* The model's output is the same whenever it runs, so it carries no date
   unless SOURCE_DATE_EPOCH gives one; and no host, which changes nothing. */
static int add_provenance(const struct run_options *o,
	const struct facts *device, struct facts *facts)
{
	struct error error;
	size_t i;
	int code = facts_add(facts, "version", "%s", NEARFAR_VERSION);

	code |= facts_add(facts, "backend", "%s", o->ops->name);
	for (i = 0; i < device->count; i++)
		code |= facts_add(facts, device->items[i].key, "%s",
			device->items[i].value);
	for (i = 0; i < o->set_count; i++)
		code |= facts_add(facts, "set", "%s", o->sets[i]);
	code |= facts_add(facts, "seed", "%u", o->seed);
	code |= facts_add(facts, "repeats", "%u", o->repeats);
	code |= facts_add(facts, "warmups", "%u", o->warmups);
	if (!o->ops->parallel || getenv("SOURCE_DATE_EPOCH"))
		code |= add_date(facts);
	if (!o->ops->parallel)
		code |= host_facts(facts, &error) |
			host_warnings(facts, &error);
	return code;
}

/* ---- output ---- */

/* A counter over all points, of their first repeats. */
static double total(const struct series_list *list, const char *name)
{
	double sum = 0;
	size_t i, k, n;

	for (i = 0; i < list->count; i++)
		for (k = 0; k < list->items[i].point_count; k++) {
			const struct point *p = &list->items[i].points[k];

			for (n = 0; n < p->counter_count; n++)
				if (!strcmp(p->counters[n].name, name))
					sum += p->counters[n].value;
		}
	return sum;
}

/* The process's peak: the model's tables, the samples, the file's text. */
static double peak_mib(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0
					      : (double)usage.ru_maxrss / 1024;
}

/* Repeats and warm-ups differ by a seed alone: the first repeat's counts stand
   for each of them. */
static void print_stats(const struct run_options *o,
	const struct series_list *list, double seconds)
{
	double runs = o->repeats + o->warmups;
	double requests = runs * total(list, "nearfar__requests.sum");
	double events = runs * total(list, "nearfar__events.sum");

	fprintf(stderr,
		"%.0f requests, %.0f events, %.2f events a request, %.0f "
		"requests a second, %.2f s, %.0f MiB at the peak\n",
		requests, events, requests > 0 ? events / requests : 0,
		seconds > 0 ? requests / seconds : 0, seconds, peak_mib());
}

static int write_output(const struct run_options *o,
	const struct series_list *list, FILE *out, struct error *error)
{
	int code = 0;

	if (o->raw)
		code = series_write_raw(list, o->raw, error);
	if (code)
		return code;
	if (o->output)
		return series_write_file(list, o->format, o->output, error);
	return series_write(list, o->format, out, error);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int execute(const struct run_options *o, const struct opened *opened,
	struct plans *plans, FILE *out, struct error *error)
{
	struct run_config config = {
		.opened = opened,
		.backend = {o->machine, o->sets, o->set_count, o->device_index},
		.jobs = o->jobs,
		.repeats = o->repeats,
		.warmups = o->warmups,
		.seed = o->seed,
		.without_samples = o->no_samples,
		.stop = &stop_requested,
	};
	struct series_list list = {0};
	struct facts facts = {0};
	struct error unwritten;
	double start_s = now_s(), seconds;
	size_t i;
	int code, written;

	catch_signals();
	code = runner_run(
		&config, plans->items, plans->count, &list, &facts, error);
	seconds = now_s() - start_s;
	if (code && code != ERR_INTERRUPTED)
		return code;
	for (i = 0; i < list.count; i++)
		if (add_provenance(o, &facts, &list.items[i].provenance))
			code = error_set(error, ERR_FAILED, "out of memory");
	/* Points that were finished but cannot be written are the worse news.
	 */
	written = write_output(o, &list, out, &unwritten);
	if (written)
		*error = unwritten;
	if (o->stats)
		print_stats(o, &list, seconds);
	series_list_free(&list);
	facts_free(&facts);
	return written ? written : code;
}

int command_run(int argc, char **argv, FILE *out, struct error *error)
{
	struct run_options o;
	struct opened opened = {0};
	struct plans plans = {0};
	bool only_looking;
	int code = run_options_parse(argc, argv, &o, error);

	if (code) {
		run_options_free(&o);
		return code;
	}
	only_looking = o.dump_program || o.dump_ptx || o.dry_run;
	code = open_backend(&o, only_looking, &opened, error);
	if (!code)
		code = make_plans(&o, &opened.device, &plans, error);
	if (!code && o.output && !only_looking)
		code = series_probe_file(o.output, error);
	if (!code && o.raw && !only_looking)
		code = series_probe_file(o.raw, error);
	if (code)
		;
	else if (o.dry_run)
		code = dry_run(&o, &plans, &opened.device, out, error);
	else if (only_looking)
		code = dump(&o, &plans.items[0], &opened.device, out, error);
	else
		code = execute(&o, &opened, &plans, out, error);
	plans_free(&plans);
	opened_close(&opened);
	run_options_free(&o);
	return code;
}
