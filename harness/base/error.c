#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/error.h"

int error_set(
	struct error *error, enum error_code code, const char *format, ...)
{
	va_list arguments;

	if (!error)
		return code;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return code;
}

int error_prefix(struct error *error, int code, const char *format, ...)
{
	char rest[ERROR_TEXT_BYTES];
	va_list arguments;
	size_t length;

	if (!error)
		return code;
	memcpy(rest, error->text, sizeof(rest));
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	length = strlen(error->text);
	snprintf(
		error->text + length, sizeof(error->text) - length, "%s", rest);
	return code;
}

int error_suffix(struct error *error, int code, const char *format, ...)
{
	va_list arguments;
	size_t length;

	if (!error)
		return code;
	length = strlen(error->text);
	va_start(arguments, format);
	vsnprintf(error->text + length, sizeof(error->text) - length, format,
		arguments);
	va_end(arguments);
	return code;
}

int error_status(int code)
{
	switch (code) {
#define ERROR_CASE(name, value, status)                                        \
	case value:                                                            \
		return status;
		ERROR_CODES(ERROR_CASE)
#undef ERROR_CASE
	default:
		return code == 0 ? 0 : 1;
	}
}
