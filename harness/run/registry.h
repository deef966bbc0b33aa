#ifndef NEARFAR_REGISTRY_H
#define NEARFAR_REGISTRY_H

/*
 * The only place where the harness meets benches and backends: two const
 * tables. A new bench or backend is one row.
 */
#include "harness/contract/backend.h"
#include "harness/contract/bench.h"

extern const struct backend_ops *const backends[]; /* ends with NULL */

const struct backend_ops *backend_find(const char *name);

/* What commands that measure one device take where no backend is named: the
   model, whose machine may be named, or (until the next release, with a line on
   standard error) a GPU, as these commands did. */
const struct backend_ops *backend_unnamed(bool has_machine);

const struct bench *bench_find(const char *name);

/* "a, b, c": the names of all benches or backends, for messages. */
void bench_names(char *text, size_t bytes);
void backend_names(char *text, size_t bytes);

#endif
