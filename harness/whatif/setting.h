#ifndef NEARFAR_SETTING_H
#define NEARFAR_SETTING_H

/* A machine as --set changes it: what a plan of a what-if runs on. */
#include "harness/contract/backend.h"

struct setting {
	char **sets; /* "PARAMETER=VALUE", all of them; owned */
	size_t set_count;
	struct device device;
	struct facts facts; /* what the machine says of itself; owned */
};

/* Opens an instance with `config`'s machine and these words, which are copied,
   asks it what it is, and closes it. The errors of open() and describe(). */
int setting_make(struct setting *setting, const struct backend_ops *ops,
	const struct backend_config *config, const char *const *sets,
	size_t set_count, struct error *error);
void setting_free(struct setting *setting);

/* `config` with the setting's words, which must outlive it. */
struct backend_config setting_config(
	const struct setting *setting, const struct backend_config *config);

#endif
