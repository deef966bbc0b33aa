/* Values as settings of the model, and what needs it once. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/fit/search/settings.h"

double search_now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- values as settings of the backend ---- */

/* Further values than fit are a bug. */
void settings_make(
	const struct search *c, const double *values, struct settings *s)
{
	size_t i;
	const char *at;

	s->count = 0;
	s->digest = UINT64_C(0xcbf29ce484222325);
	for (i = 0; i < c->tuning.count && s->count < SETS_MAX; i++) {
		char value[VALUE_BYTES], *text = s->text[s->count];

		if (values[i] == c->tuning.items[i].start)
			continue;
		tuning_format(&c->tuning, i, values[i], value);
		snprintf(text, sizeof(s->text[0]), "%s=%s",
			c->tuning.items[i].name, value);
		s->list[s->count++] = text;
		at = text;
		do /* the zero byte too, as a separator */
			s->digest = (s->digest ^ (unsigned char)*at) *
				    UINT64_C(0x100000001b3);
		while (*at++);
	}
	s->digest |= !s->digest;
}

int settings_open(const struct search *c, const struct settings *s,
	struct backend **backend, struct error *error)
{
	struct backend_config config = {
		c->config->machine, s->list, s->count, 0, c->config->stop};

	return c->config->ops->open(backend, &config, error);
}

/* The model with these values; it keeps none of the settings. */
static int open_at(const struct search *c, const double *values,
	struct backend **backend, struct error *error)
{
	struct settings *settings = malloc(sizeof(*settings));
	int code;

	if (!settings)
		return error_set(error, ERR_FAILED, "out of memory");
	settings_make(c, values, settings);
	code = settings_open(c, settings, backend, error);
	free(settings);
	return code;
}

int runs_accepted(const struct search *c, const double *values, bool *accepted,
	struct error *error)
{
	struct backend *backend;
	int code = open_at(c, values, &backend, error);

	if (!code)
		c->config->ops->close(backend);
	*accepted = !code;
	return code == ERR_USAGE ? 0 : code;
}

int runs_program(const struct search *c, const double *values,
	const struct program *program, struct result *result,
	struct error *error)
{
	struct backend *backend;
	int code = open_at(c, values, &backend, error);

	if (!code) {
		code = c->config->ops->run(backend, program, result, error);
		c->config->ops->close(backend);
	}
	return code;
}

int runs_digest(const struct search *c, const char *machine,
	const double *values, char digest[17], struct error *error)
{
	struct settings *settings = calloc(1, sizeof(*settings));
	struct backend_config config = {machine, NULL, 0, 0};
	const struct backend_ops *ops = c->config->ops;
	struct facts facts = {0};
	struct device device;
	struct backend *backend;
	const char *fact;
	int code;

	if (!settings)
		return error_set(error, ERR_FAILED, "out of memory");
	if (values) {
		settings_make(c, values, settings);
		config.sets = settings->list;
		config.set_count = settings->count;
	}
	code = ops->open(&backend, &config, error);
	if (!code) {
		code = ops->describe(backend, &device, &facts, error);
		fact = facts_find(&facts, "machine.digest");
		snprintf(digest, 17, "%s", fact ? fact : "");
		facts_free(&facts);
		ops->close(backend);
	}
	free(settings);
	return code;
}
