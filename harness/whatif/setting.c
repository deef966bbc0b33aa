#include <stdlib.h>
#include <string.h>

#include "harness/whatif/setting.h"

static int copy_sets(
	struct setting *setting, const char *const *sets, size_t count)
{
	setting->sets = calloc(count + 1, sizeof(*setting->sets));
	if (!setting->sets)
		return ERR_FAILED;
	for (; setting->set_count < count; setting->set_count++) {
		char *copy = strdup(sets[setting->set_count]);

		if (!copy)
			return ERR_FAILED;
		setting->sets[setting->set_count] = copy;
	}
	return 0;
}

struct backend_config setting_config(
	const struct setting *setting, const struct backend_config *config)
{
	struct backend_config own = *config;

	own.sets = (const char *const *)setting->sets;
	own.set_count = setting->set_count;
	return own;
}

int setting_make(struct setting *setting, const struct backend_ops *ops,
	const struct backend_config *config, const char *const *sets,
	size_t set_count, struct error *error)
{
	struct setting made = {0};
	struct backend_config own;
	struct backend *backend;
	int code;

	if (copy_sets(&made, sets, set_count)) {
		setting_free(&made);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	own = setting_config(&made, config);
	code = ops->open(&backend, &own, error);
	if (!code) {
		code = ops->describe(backend, &made.device, &made.facts, error);
		ops->close(backend);
	}
	if (code)
		setting_free(&made);
	else
		*setting = made;
	return code;
}

void setting_free(struct setting *setting)
{
	size_t i;

	for (i = 0; i < setting->set_count; i++)
		free(setting->sets[i]);
	free(setting->sets);
	facts_free(&setting->facts);
	*setting = (struct setting){0};
}
