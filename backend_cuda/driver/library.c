#include <dlfcn.h>
#include <errno.h>

#include "backend_cuda/driver/library.h"
#include "harness/base/content.h"

int library_open(const char *path, void **library, struct error *error)
{
	int reason;

	errno = 0;
	*library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (*library)
		return 0;
	reason = errno;
	/* The loader may say "no such file" then. */
	if (reason == ENOMEM)
		return error_set(error, ERR_FAILED, "no memory for '%s'", path);
	return error_set(error,
		content_is_fault(reason) ? ERR_FAILED : ERR_ABSENT, "%s",
		dlerror());
}
