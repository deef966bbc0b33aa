#include <stdio.h>

#include "backend_cuda/driver/identity.h"

/* "GPU-" and the bytes as 8-4-4-4-12 digits, as NVIDIA's tools print it. */
static void format_uuid(const struct cuda_uuid *uuid, char *text, size_t size)
{
	size_t i, length = (size_t)snprintf(text, size, "GPU-");

	for (i = 0; i < sizeof(uuid->bytes); i++)
		length += (size_t)snprintf(text + length, size - length,
			"%s%02x",
			i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			(unsigned char)uuid->bytes[i]);
}

#define CALL(function, ...)                                                    \
	driver_check(                                                          \
		driver, driver->function(__VA_ARGS__), #function, NULL, error)

int cuda_identify(const struct driver *driver, CUdevice device,
	struct cuda_identity *identity, struct error *error)
{
	struct cuda_uuid uuid;
	int code = CALL(cuDeviceGetName, identity->name,
		(int)sizeof(identity->name), device);

	if (code)
		return code;
	snprintf(identity->uuid, sizeof(identity->uuid), "unknown");
	if (driver->cuDeviceGetUuid) {
		code = CALL(cuDeviceGetUuid, &uuid, device);
		if (code)
			return code;
		format_uuid(&uuid, identity->uuid, sizeof(identity->uuid));
	}
	return CALL(cuDeviceGetPCIBusId, identity->bus_id,
		(int)sizeof(identity->bus_id), device);
}
