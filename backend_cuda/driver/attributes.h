#ifndef NEARFAR_CUDA_ATTRIBUTES_H
#define NEARFAR_CUDA_ATTRIBUTES_H

/* What the driver says of a device, in the units of its manual. */
#include <stdint.h>

#include "backend_cuda/driver/driver.h"

struct cuda_attributes {
#define ATTRIBUTE(field, name, need) uint32_t field;
#include "backend_cuda/driver/attributes.def"
#undef ATTRIBUTE
};

/* ERR_FAILED if the driver does not answer, or says what cannot be. */
int cuda_attributes_read(const struct driver *driver, CUdevice device,
	struct cuda_attributes *attributes, struct error *error);

#endif
