#include <inttypes.h>
#include <stdlib.h>

#include "backend_cuda/backend.h"
#include "harness/lower/lower.h"

/* Every kernel of the program, in order: fills, then launches. */
int cuda_dump(const struct program *p, const struct device *device, FILE *out,
	struct error *error)
{
	struct ptx_kernel kernel;
	uint32_t i;
	int code = 0;

	for (i = 0; !code && i < p->buffer_count; i++) {
		if (p->buffers[i].fill == FILL_ZERO)
			continue;
		code = ptx_fill(p, i, device, &kernel, error);
		if (code)
			break;
		fprintf(out, "// fill of buffer %s\n%s\n", p->buffers[i].name,
			kernel.text);
		ptx_kernel_free(&kernel);
	}
	for (i = 0; !code && i < p->step_count; i++) {
		if (p->steps[i].kind != STEP_LAUNCH)
			continue;
		code = ptx_launch(p, i, NULL, device, &kernel, error);
		if (code)
			break;
		fprintf(out,
			"// launch %s: grid %" PRIu32 ", block %" PRIu32
			", dynamic shared %" PRIu32 " bytes\n%s\n",
			p->steps[i].name, kernel.grid, kernel.threads,
			kernel.dynamic_shared_bytes, kernel.text);
		ptx_kernel_free(&kernel);
	}
	if (!code && ferror(out))
		code = error_set(error, ERR_FAILED, "the PTX was not written");
	return code;
}
