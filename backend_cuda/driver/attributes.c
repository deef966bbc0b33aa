#include <stdbool.h>
#include <stddef.h>

#include "backend_cuda/driver/attributes.h"

enum need { OPTIONAL, KNOWN, NEEDED };

static const struct attribute {
	const char *name;
	size_t offset;
	unsigned int number;
	enum need need;
} attributes[] = {
#define ATTRIBUTE(field, name, need)                                           \
	{#name, offsetof(struct cuda_attributes, field),                       \
		CU_DEVICE_ATTRIBUTE_##name, need},
#include "backend_cuda/driver/attributes.def"
#undef ATTRIBUTE
};

static int read_one(const struct driver *driver, CUdevice device,
	const struct attribute *attribute, uint32_t *found, struct error *error)
{
	int value = 0;
	cuda_result result =
		driver->cuDeviceGetAttribute(&value, attribute->number, device);

	if (result == CUDA_ERROR_INVALID_VALUE && attribute->need == OPTIONAL)
		value = 0;
	else if (result)
		return driver_check(
			driver, result, "cuDeviceGetAttribute", NULL, error);
	if (value < 0 || (!value && attribute->need == NEEDED))
		return error_set(error, ERR_FAILED,
			"the driver says that the device's %s is %d",
			attribute->name, value);
	*found = (uint32_t)value;
	return 0;
}

int cuda_attributes_read(const struct driver *driver, CUdevice device,
	struct cuda_attributes *found, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < sizeof(attributes) / sizeof(attributes[0]);
		i++)
		code = read_one(driver, device, &attributes[i],
			(uint32_t *)((char *)found + attributes[i].offset),
			error);
	return code;
}
