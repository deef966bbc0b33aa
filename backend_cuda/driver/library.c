#include <dlfcn.h>
#include <string.h>

#include "backend_cuda/driver/library.h"

/* The loader and the C library have a word of their own each. */
static const char *const lacks[] = {
	"annot allocate", "out of memory", "annot create", "annot map"};

int library_open(const char *path, void **library, struct error *error)
{
	const char *why;
	size_t i;

	*library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (*library)
		return 0;
	why = dlerror();
	for (i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++)
		if (!why || strstr(why, lacks[i]))
			return error_set(
				error, ERR_FAILED, "no memory for '%s'", path);
	return error_set(error, ERR_ABSENT, "%s", why);
}
