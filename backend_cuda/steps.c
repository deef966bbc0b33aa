#include <stdlib.h>

#include "backend_cuda/flush.h"
#include "backend_cuda/steps.h"

static int set_limit(struct backend *b, unsigned int limit, uint64_t value,
	const char *what, struct error *error)
{
	cuda_result result = b->driver.cuCtxSetLimit(limit, (size_t)value);

	if (result == CUDA_ERROR_UNSUPPORTED_LIMIT)
		return error_set(
			error, ERR_SKIPPED, "the device has no %s", what);
	return driver_check(
		&b->driver, result, "cuCtxSetLimit", b->program, error);
}

static int carve_out(
	struct backend *b, const struct step *step, struct error *error)
{
	if (step->bytes > b->device.persisting_bytes_max)
		return error_set(error, ERR_SKIPPED,
			"the device sets aside at most %llu B of L2 for "
			"persisting lines, not %llu B",
			(unsigned long long)b->device.persisting_bytes_max,
			(unsigned long long)step->bytes);
	return set_limit(b, CU_LIMIT_PERSISTING_L2_CACHE_SIZE, step->bytes,
		"L2 carve-out for persisting lines", error);
}

int cuda_step_act(struct backend *b, const struct step *step,
	const struct cuda_launch *flush, struct error *error)
{
	switch (step->kind) {
	case STEP_FLUSH:
		return cuda_flush(b, flush, error);
	case STEP_RESET:
		return cuda_reset(b, error);
	case STEP_GRANULARITY:
		return set_limit(b, CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
			step->bytes, "limit on L2 fetch granularity", error);
	case STEP_CARVEOUT:
		return carve_out(b, step, error);
	default:
		return 0;
	}
}

/* ---- windows ---- */

static const unsigned int properties[PROPERTY_COUNT] = {
	[PROPERTY_NORMAL] = CU_ACCESS_PROPERTY_NORMAL,
	[PROPERTY_STREAMING] = CU_ACCESS_PROPERTY_STREAMING,
	[PROPERTY_PERSISTING] = CU_ACCESS_PROPERTY_PERSISTING,
};

int cuda_step_window(struct backend *b, const struct step *step,
	CUdeviceptr buffer, struct cuda_access_policy_window *window,
	struct error *error)
{
	if (step->bytes > b->attributes.window_bytes_max)
		return error_set(error, ERR_SKIPPED,
			"the device's access-policy window is at most %u B, "
			"not %llu B",
			b->attributes.window_bytes_max,
			(unsigned long long)step->bytes);
	window->base_ptr = (void *)(uintptr_t)(buffer + step->base_bytes);
	window->num_bytes = step->bytes;
	window->hitRatio = (float)step->hit_ratio;
	window->hitProp = properties[step->hit];
	window->missProp = properties[step->miss];
	return 0;
}

/* ---- copies ---- */

struct course {
	CUstream *streams; /* one a copy; owned */
	CUevent events[2]; /* the begin, and the end */
};

/* On blocking streams: what is recorded on the default stream before and after
   them begins and ends all of them. */
static int start_copies(struct backend *b, const struct cuda_copy *copies,
	size_t count, const struct course *c, struct error *error)
{
	size_t i;
	int code = CUDA_CALL(b, error, cuEventRecord, c->events[0], NULL);

	for (i = 0; !code && i < count; i++)
		code = CUDA_CALL(b, error, cuMemcpyAsync, copies[i].to,
			copies[i].from, copies[i].bytes, c->streams[i]);
	if (!code)
		code = CUDA_CALL(b, error, cuEventRecord, c->events[1], NULL);
	return code;
}

static int time_copies(struct backend *b, const struct cuda_copy *copies,
	size_t count, const struct course *c, struct copied *copied,
	struct error *error)
{
	float ms = 0;
	size_t i;
	int code = start_copies(b, copies, count, c, error);

	if (!code)
		code = cuda_launch_wait(b, "a copy", error);
	if (!code)
		code = CUDA_CALL(b, error, cuEventElapsedTime, &ms,
			c->events[0], c->events[1]);
	copied->bytes = 0;
	for (i = 0; i < count; i++)
		copied->bytes += (double)copies[i].bytes;
	copied->ns = 1e6 * (double)ms;
	return code;
}

int cuda_step_copies(struct backend *b, const struct cuda_copy *copies,
	size_t count, struct copied *copied, struct error *error)
{
	struct course c = {calloc(count, sizeof(*c.streams)), {NULL}};
	size_t i;
	int code = c.streams ? 0
			     : error_set(error, ERR_FAILED,
				       "no memory for the copies of '%s'",
				       b->program);

	for (i = 0; !code && i < count; i++)
		code = CUDA_CALL(b, error, cuStreamCreate, &c.streams[i], 0);
	for (i = 0; !code && i < 2; i++)
		code = CUDA_CALL(b, error, cuEventCreate, &c.events[i], 0);
	if (!code)
		code = time_copies(b, copies, count, &c, copied, error);
	/* A hung copy would be waited for. */
	for (i = 0; c.streams && !b->hung && i < count; i++)
		if (c.streams[i])
			b->driver.cuStreamDestroy(c.streams[i]);
	for (i = 0; !b->hung && i < 2; i++)
		if (c.events[i])
			b->driver.cuEventDestroy(c.events[i]);
	free(c.streams);
	return code;
}

/* ---- limits ---- */

static int restore_limit(struct backend *b, unsigned int limit, size_t value,
	struct error *error)
{
	cuda_result result = b->driver.cuCtxSetLimit(limit, value);

	if (!result || result == CUDA_ERROR_UNSUPPORTED_LIMIT)
		return 0;
	b->lost = true; /* of no use to programs that expect the limit */
	driver_check(&b->driver, result, "cuCtxSetLimit", b->program, error);
	return ERR_LOST;
}

int cuda_limits_restore(
	struct backend *b, bool granularity, bool carveout, struct error *error)
{
	int code = 0;

	if (!b->lost && granularity)
		code = restore_limit(b, CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
			b->granularity_bytes, error);
	if (!b->lost && !code && carveout)
		code = restore_limit(b, CU_LIMIT_PERSISTING_L2_CACHE_SIZE,
			b->carveout_bytes, error);
	return code;
}
