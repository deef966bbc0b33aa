#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/visible/visible.h"
#include "harness/contract/backend.h"
#include "harness/command/command.h"
#include "harness/base/emit.h"
#include "harness/host/host.h"
#include "harness/run/opened.h"

static const struct backend_ops *const backends[] = {
	&backend_sim,
	&backend_cuda,
};

#define BACKEND_COUNT (sizeof(backends) / sizeof(backends[0]))

/* What one backend says of itself. */
struct finding {
	const struct backend_ops *ops;
	struct facts facts; /* none if it is absent */
	struct error absence;
	int code; /* 0: ready */
};

struct diagnosis {
	struct facts host, warnings;
	struct finding findings[BACKEND_COUNT];
};

/* Facts of a device that disturb a measurement. `value` is looked for in the
   fact; with `but`, any other value than that is meant. */
static const struct disturbance {
	const char *key, *value, *but, *sentence;
} disturbances[] = {
	{"mig", "on", NULL, "MIG is on: the device is a part of a GPU"},
	{"persistence", "off", NULL,
		"persistence mode is off: clocks drop between programs"},
	{"processes.others", NULL, "0", "other processes compute on the GPU"},
	{"utilization_percent", NULL, "0", "the GPU was busy a moment ago"},
	{"clock.event_reasons", "slowdown", NULL,
		"the GPU's clocks are slowed down"},
	{"clock.event_reasons", "power", NULL, "the GPU is at its power limit"},
	{"clock.event_reasons", "thermal", NULL, "the GPU is hot"},
	{"nvml", "absent", NULL,
		"without NVML the GPU's clocks cannot be watched"},
};

static bool disturbs(const struct disturbance *d, const char *value)
{
	return d->but ? strcmp(value, d->but) != 0
		      : strstr(value, d->value) != NULL;
}

static int warn_of_device(const struct finding *finding, struct facts *warnings)
{
	size_t i, count = sizeof(disturbances) / sizeof(disturbances[0]);
	int code = 0;

	for (i = 0; i < count; i++) {
		const struct disturbance *d = &disturbances[i];
		const char *value = facts_find(&finding->facts, d->key);

		if (value && disturbs(d, value))
			code |= facts_add(warnings, "warning",
				"backend '%s': %s (%s: %s)", finding->ops->name,
				d->sentence, d->key, value);
	}
	return code;
}

/* Where the device hangs, beside what it is. */
static int add_locality(struct facts *facts)
{
	const char *bus_id = facts_find(facts, "device.pci");
	struct error unknown;
	char cpus[256];

	if (!bus_id)
		return 0;
	if (host_locality(NULL, bus_id, cpus, sizeof(cpus), &unknown))
		return facts_add(
			facts, "device.near_cpus", "unknown: %s", unknown.text);
	return facts_add(facts, "device.near_cpus", "%s", cpus);
}

/* A backend that does not open is a finding; the others are examined, too. */
static int examine(struct finding *finding, struct error *error)
{
	const struct backend_config config = {.device_index = 0};
	struct opened opened;

	finding->code =
		opened_open(&opened, finding->ops, &config, &finding->absence);
	if (finding->code)
		return 0;
	finding->facts = opened.facts;
	opened.facts = (struct facts){0};
	opened_close(&opened);
	if (add_locality(&finding->facts))
		return error_set(error, ERR_FAILED,
			"no memory for the facts of backend '%s'",
			finding->ops->name);
	return 0;
}

static int diagnose(struct diagnosis *d, struct error *error)
{
	size_t i;
	int code = host_facts(&d->host, error);

	if (!code)
		code = host_warnings(&d->warnings, error);
	for (i = 0; !code && i < BACKEND_COUNT; i++) {
		d->findings[i].ops = backends[i];
		code = examine(&d->findings[i], error);
		if (!code && warn_of_device(&d->findings[i], &d->warnings))
			code = error_set(error, ERR_FAILED,
				"no memory for the warnings");
	}
	return code;
}

static void diagnosis_free(struct diagnosis *d)
{
	size_t i;

	facts_free(&d->host);
	facts_free(&d->warnings);
	for (i = 0; i < BACKEND_COUNT; i++)
		facts_free(&d->findings[i].facts);
}

static void put_facts(const struct facts *facts, FILE *out)
{
	size_t i;

	for (i = 0; i < facts->count; i++) {
		fprintf(out, "  %-31s ", facts->items[i].key);
		visible_put(out, facts->items[i].value);
		fputc('\n', out);
	}
}

static void put_table(const struct diagnosis *d, FILE *out)
{
	size_t i;

	fprintf(out, "host\n");
	put_facts(&d->host, out);
	for (i = 0; i < BACKEND_COUNT; i++) {
		const struct finding *f = &d->findings[i];

		fprintf(out, "\nbackend %s: %s\n", f->ops->name,
			f->code ? f->absence.text : "ready");
		put_facts(&f->facts, out);
	}
	fprintf(out, "\nwarnings%s\n", d->warnings.count ? "" : ": none");
	for (i = 0; i < d->warnings.count; i++)
		fprintf(out, "  %s\n", d->warnings.items[i].value);
}

static void put_json_backend(const struct finding *f, FILE *out)
{
	fprintf(out, "    {\"name\": ");
	emit_json_string(out, f->ops->name);
	fprintf(out, ", \"ready\": %s,\n", f->code ? "false" : "true");
	if (!f->code) {
		fprintf(out, "     \"facts\": ");
		emit_json_facts(out, &f->facts, "\n       ");
	} else {
		fprintf(out, "     \"reason\": ");
		emit_json_string(out, f->absence.text);
	}
	fputc('}', out);
}

static void put_json(const struct diagnosis *d, FILE *out)
{
	size_t i;

	fprintf(out, "{\n  \"host\": ");
	emit_json_facts(out, &d->host, "\n    ");
	fprintf(out, ",\n  \"backends\": [\n");
	for (i = 0; i < BACKEND_COUNT; i++) {
		put_json_backend(&d->findings[i], out);
		fprintf(out, "%s\n", i + 1 < BACKEND_COUNT ? "," : "");
	}
	fprintf(out, "  ],\n  \"warnings\": [");
	for (i = 0; i < d->warnings.count; i++) {
		fprintf(out, "%s\n    ", i ? "," : "");
		emit_json_string(out, d->warnings.items[i].value);
	}
	fprintf(out, "%s]\n}\n", d->warnings.count ? "\n  " : "");
}

struct options {
	int format; /* 0: table, 1: json */
};

static const struct options_row rows[] = {
	{"format", 'f', "FORMAT", "(default: table)", TAKES_CHOICE,
		OPTIONS_AT(struct options, format), .choices = "table|json",
		.values = VALUES_CHOICES, .example = "json"},
	{0},
};

static const char *const examples[] = {
	"nearfar doctor",
	"nearfar doctor -f json",
	NULL,
};

const struct options_table doctor_options = {
	.name = "doctor",
	.summary = "this host, its GPUs, and what would disturb them",
	.about = "What this host and its GPU are, which backends can run, and "
		 "what would disturb a measurement. The exit status is 1 if a "
		 "backend that is there does not start.",
	.rows = rows,
	.examples = examples,
};

/* A backend that is not here is no failure; one that is broken is. */
static int judge(const struct diagnosis *d, struct error *error)
{
	size_t i;

	for (i = 0; i < BACKEND_COUNT; i++) {
		const struct finding *f = &d->findings[i];

		if (f->code && f->code != ERR_ABSENT)
			return error_set(error, ERR_FAILED,
				"backend '%s' is not ready: %s", f->ops->name,
				f->absence.text);
	}
	return 0;
}

int command_doctor(int argc, char **argv, FILE *out, struct error *error)
{
	struct options options = {0};
	struct diagnosis diagnosis = {0};
	int code = options_parse(
		&doctor_options, argc, argv, NULL, &options, error);

	if (!code)
		code = diagnose(&diagnosis, error);
	if (!code) {
		if (options.format)
			put_json(&diagnosis, out);
		else
			put_table(&diagnosis, out);
		if (ferror(out))
			code = error_set(error, ERR_FAILED,
				"the diagnosis cannot be written");
		else
			code = judge(&diagnosis, error);
	}
	diagnosis_free(&diagnosis);
	return code;
}
