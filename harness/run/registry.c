#include <stdio.h>
#include <string.h>

#include "harness/run/registry.h"

#define BENCHES(B)                                                             \
	B(pointer_chase)                                                       \
	B(stride_sweep)                                                        \
	B(atomic_contention)                                                   \
	B(prefetch_size)                                                       \
	B(bandwidth)                                                           \
	B(near_far)                                                            \
	B(loaded_latency)                                                      \
	B(cache_ops)                                                           \
	B(residency)                                                           \
	B(tlb_reach)                                                           \
	B(compression)                                                         \
	B(sharing)                                                             \
	B(coalescing)                                                          \
	B(remote)

#define BENCH_DECLARE(name) extern const struct bench bench_##name;
BENCHES(BENCH_DECLARE)

const struct bench *const benches[] = {
#define BENCH_ROW(name) &bench_##name,
	BENCHES(BENCH_ROW) NULL,
};

const struct backend_ops *const backends[] = {
	&backend_sim,
	&backend_cuda,
	NULL,
};

const struct bench *bench_find(const char *name)
{
	size_t i;

	for (i = 0; benches[i]; i++)
		if (!strcmp(benches[i]->name, name))
			return benches[i];
	return NULL;
}

const struct backend_ops *backend_find(const char *name)
{
	size_t i;

	for (i = 0; backends[i]; i++)
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	return NULL;
}

const struct backend_ops *backend_unnamed(bool has_machine)
{
	if (has_machine)
		return backend_find("sim");
	fputs("nearfar: the backend is cuda here, and sim from the next "
	      "release on: -b cuda says so\n",
		stderr);
	return backend_find("cuda");
}

static void append(char *text, size_t bytes, const char *name)
{
	size_t used = strlen(text);

	snprintf(text + used, bytes - used, "%s%s", used ? ", " : "", name);
}

void bench_names(char *text, size_t bytes)
{
	size_t i;

	*text = '\0';
	for (i = 0; benches[i]; i++)
		append(text, bytes, benches[i]->name);
}

void backend_names(char *text, size_t bytes)
{
	size_t i;

	*text = '\0';
	for (i = 0; backends[i]; i++)
		append(text, bytes, backends[i]->name);
}
