#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/fake_driver.h"

static char folder[] = "/tmp/nearfar-fake-XXXXXX";
static char library[128];

const char *fake_library(void)
{
	return library;
}

void build_fake(const char *flags)
{
	char command[512];

	if (access(FAKE_SOURCE, R_OK) || system("command -v cc >/dev/null"))
		cr_skip_test("no compiler or no '" FAKE_SOURCE "'");
	cr_assert(mkdtemp(folder));
	snprintf(library, sizeof(library), "%s/libcuda.so.1", folder);
	snprintf(command, sizeof(command),
		"cc -std=c11 -D_GNU_SOURCE -shared -fPIC -I. "
		"%s -o %s " FAKE_SOURCE,
		flags, library);
	cr_assert_eq(system(command), 0);
	setenv("NEARFAR_LIBCUDA", library, 1);
	setenv("NEARFAR_LIBNVML", "/nonexistent/libnvidia-ml.so.1", 1);
	unsetenv("CUDA_VISIBLE_DEVICES");
}

void remove_fake(void)
{
	unlink(library);
	rmdir(folder);
}

int ask_fake(const char *name)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
	int (*ask)(void);

	cr_assert(handle);
	*(void **)&ask = dlsym(handle, name);
	cr_assert(ask);
	dlclose(handle);
	return ask();
}

size_t fake_limit(unsigned int limit)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
	size_t (*ask)(unsigned int);

	cr_assert(handle);
	*(void **)&ask = dlsym(handle, "fake_cuda_limit");
	dlclose(handle);
	return ask(limit);
}

struct backend *open_fake(void)
{
	struct backend_config config = {.device_index = 0};
	struct backend *backend = NULL;
	struct error error = {""};

	cr_assert_eq(backend_cuda.open(&backend, &config, &error), 0, "%s",
		error.text);
	return backend;
}
