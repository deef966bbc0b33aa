#ifndef NEARFAR_MACHINE_FIXTURE_H
#define NEARFAR_MACHINE_FIXTURE_H

/* What the model says of a machine: its name or its file, NULL for the default;
   a test that cannot have it fails. */
#include "harness/contract/backend.h"

struct device device_of(const char *machine);

/* model_parameters_free() afterwards. */
struct model_parameters parameters_of(const char *machine);

#endif
