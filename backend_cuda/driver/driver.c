#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda/driver/driver.h"
#include "backend_cuda/driver/library.h"

#define LIBRARY "libcuda.so.1"
#define OLDEST  11000 /* PTX 7.0 */

enum need { REQUIRED, OPTIONAL };

static const struct symbol {
	const char *name;
	size_t offset;
	enum need need;
} symbols[] = {
#define CUDA_SYMBOL(name, symbol, need, parameters)                            \
	{#symbol, offsetof(struct driver, name), need},
#include "backend_cuda/driver/driver_symbols.def"
#undef CUDA_SYMBOL
};

static int resolve(struct driver *driver, struct error *error)
{
	size_t i;

	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *found = dlsym(driver->library, symbols[i].name);

		if (!found && symbols[i].need == REQUIRED)
			return error_set(error, ERR_ABSENT,
				"the CUDA driver on this machine is too old: "
				"'" LIBRARY "' has no '%s'",
				symbols[i].name);
		/* ISO C has no cast from an object pointer to a function. */
		memcpy((char *)driver + symbols[i].offset, &found,
			sizeof(found));
	}
	return 0;
}

static int initialise(struct driver *driver, struct error *error)
{
	const char *visible = getenv("CUDA_VISIBLE_DEVICES");
	cuda_result result = driver->cuInit(0);
	int code;

	switch (result) {
	case CUDA_SUCCESS:
		break;
	case CUDA_ERROR_STUB_LIBRARY:
		return error_set(error, ERR_ABSENT,
			"no CUDA driver on this machine: '" LIBRARY "' is the "
			"toolkit's library for linking, without a driver "
			"behind it (cuInit returned 34)");
	case CUDA_ERROR_NO_DEVICE:
		return error_set(error, ERR_ABSENT,
			"no CUDA device on this machine: the driver finds "
			"none%s%s%s",
			visible ? " under CUDA_VISIBLE_DEVICES='" : "",
			visible ? visible : "", visible ? "'" : "");
	default:
		return error_set(error, ERR_ABSENT,
			"the CUDA driver on this machine does not start: "
			"cuInit failed: %s (%u)",
			driver_error_name(driver, result), result);
	}
	code = driver_check(driver,
		driver->cuDriverGetVersion(&driver->version),
		"cuDriverGetVersion", NULL, error);
	if (!code && driver->version < OLDEST)
		return error_set(error, ERR_ABSENT,
			"the CUDA driver on this machine is too old: it is of "
			"CUDA %d.%d, and %d.%d is needed",
			driver->version / 1000, driver->version % 1000 / 10,
			OLDEST / 1000, OLDEST % 1000 / 10);
	return code;
}

static int absent(const char *path, const char *why, struct error *error)
{
	if (strstr(why, "No such file"))
		return error_set(error, ERR_ABSENT,
			"no CUDA driver on this machine: %s was not found",
			path);
	return error_set(
		error, ERR_ABSENT, "no CUDA driver on this machine: %s", why);
}

int driver_open(struct driver *driver, struct error *error)
{
	const char *path = getenv("NEARFAR_LIBCUDA");
	struct error why;
	int code;

	memset(driver, 0, sizeof(*driver));
	if (!path || !*path)
		path = LIBRARY;
	code = library_open(path, &driver->library, &why);
	if (code == ERR_ABSENT)
		return absent(path, why.text, error);
	if (code)
		return error_set(error, code, "%s", why.text);
	code = resolve(driver, error);
	if (!code)
		code = initialise(driver, error);
	if (code)
		driver_close(driver);
	return code;
}

void driver_close(struct driver *driver)
{
	if (driver->library)
		dlclose(driver->library);
	memset(driver, 0, sizeof(*driver));
}

const char *driver_error_name(const struct driver *driver, cuda_result result)
{
	const char *name = NULL;

	if (driver->cuGetErrorName(result, &name) || !name)
		return "an unknown error";
	return name;
}

int driver_check(const struct driver *driver, cuda_result result,
	const char *call, const char *program, struct error *error)
{
	if (result == CUDA_SUCCESS)
		return 0;
	return error_set(error, ERR_FAILED, "%s failed: %s (%u)%s%s%s", call,
		driver_error_name(driver, result), result,
		program ? " in program '" : "", program ? program : "",
		program ? "'" : "");
}
