#ifndef NEARFAR_EXPAND_H
#define NEARFAR_EXPAND_H

/*
 * The functions that an entry calls in place of the calls. One that calls
 * itself is expanded as often as it may be on the way from the entry, and a
 * trap stands where it would be called once more: the deepest of some depths
 * with which the code is not too long.
 */
#include "backend_sim/flow/flat.h"

/* Makes `f` but for the place of the module's shared variables. */
int expand_entry(struct flat *f, const char *file,
	const struct ptx_module *module, const struct ptx_function *entry,
	struct error *error);

#endif
