#ifndef NEARFAR_REBUILD_H
#define NEARFAR_REBUILD_H

/* Programs for series that were measured by others: those that the bench named
   builds from their options. */
#include "harness/contract/backend.h"
#include "harness/series/series.h"

/* Gives each point that has none a program, for a device such as `device`. A
   point that no bench can build keeps none. ERR_FAILED without memory. */
int rebuild_programs(struct series_list *list, const struct device *device,
	struct error *error);

#endif
