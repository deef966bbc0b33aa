#include <stdlib.h>

#include "backend_cuda/job_launch.h"
#include "backend_cuda/launch.h"

/* What stands in line behind the gate at most: a stream takes about a thousand
   orders before the host must wait. */
#define LINE_MAX 256u

/* Of a run: the first and the last of those that are timed with it; events of
   the first and of the last of them. */
struct timed {
	size_t first, last;
	bool is_programmatic;
	CUevent begin, end;
};

struct lines {
	struct backend *b;
	const struct job *job;
	const struct cuda_job_launch *launches;
	const struct job_run *runs;
	size_t count;
	struct timed *timed;               /* [run]; owned */
	CUstream streams[JOB_STREAMS_MAX]; /* NULL: not used */
	size_t last_of[JOB_STREAMS_MAX];   /* its last run */
	volatile uint32_t *gate;           /* of the host */
	CUdeviceptr gate_at;
};

static uint32_t stream_of(const struct lines *l, size_t run)
{
	return l->job->launches[l->runs[run].launch].stream;
}

/* Who is timed with whom. */
static void find_chains(struct lines *l)
{
	size_t last[JOB_STREAMS_MAX], i;

	for (i = 0; i < JOB_STREAMS_MAX; i++)
		last[i] = SIZE_MAX;
	for (i = 0; i < l->count; i++) {
		const uint32_t stream = stream_of(l, i);
		struct timed *t = &l->timed[i];
		const size_t before = last[stream];

		t->first = i;
		t->is_programmatic =
			before != SIZE_MAX &&
			l->job->launches[l->runs[i].launch].after ==
				JOB_AFTER_PROGRAMMATIC;
		if (t->is_programmatic)
			t->first = l->timed[before].first;
		l->timed[t->first].last = i;
		last[stream] = l->last_of[stream] = i;
	}
}

static int make_events(struct lines *l, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < l->count; i++) {
		if (l->timed[i].first != i)
			continue;
		code = CUDA_CALL(
			l->b, error, cuEventCreate, &l->timed[i].begin, 0);
		if (!code)
			code = CUDA_CALL(l->b, error, cuEventCreate,
				&l->timed[l->timed[i].last].end, 0);
	}
	return code;
}

static int make_streams(struct lines *l, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < l->count; i++) {
		CUstream *stream = &l->streams[stream_of(l, i)];

		if (!*stream)
			code = CUDA_CALL(l->b, error, cuStreamCreate, stream,
				CU_STREAM_NON_BLOCKING);
	}
	return code;
}

static int make_gate(struct lines *l, struct error *error)
{
	void *host = NULL;
	int code =
		CUDA_CALL(l->b, error, cuMemHostAlloc, &host, sizeof(*l->gate),
			CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);

	if (code)
		return code;
	l->gate = host;
	*l->gate = 0;
	return CUDA_CALL(
		l->b, error, cuMemHostGetDevicePointer, &l->gate_at, host, 0);
}

static int close_gate(struct lines *l, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < JOB_STREAMS_MAX; i++)
		if (l->streams[i])
			code = CUDA_CALL(l->b, error, cuStreamWaitValue32,
				l->streams[i], l->gate_at, 1,
				CU_STREAM_WAIT_VALUE_GEQ);
	return code;
}

static int stand_in_line(struct lines *l, size_t i, struct error *error)
{
	const struct timed *t = &l->timed[i];
	CUstream stream = l->streams[stream_of(l, i)];
	int code = 0;

	if (i >= LINE_MAX)
		*l->gate = 1;
	if (t->first == i)
		code = CUDA_CALL(l->b, error, cuEventRecord, t->begin, stream);
	if (!code)
		code = cuda_job_launch_start(l->b,
			&l->launches[l->runs[i].launch], stream,
			t->is_programmatic, error);
	if (!code && l->timed[t->first].last == i)
		code = CUDA_CALL(l->b, error, cuEventRecord, t->end, stream);
	return code;
}

/* The default stream, which the watchdog looks at, ends when all have. */
static int join(struct lines *l, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < JOB_STREAMS_MAX; i++)
		if (l->streams[i])
			code = CUDA_CALL(l->b, error, cuStreamWaitEvent, NULL,
				l->timed[l->last_of[i]].end, 0);
	return code;
}

/* The gate opens in any case: what stands in line would wait for ever. */
static int run_all(struct lines *l, struct error *error)
{
	struct error later = {""};
	size_t i;
	int code = close_gate(l, error), wait;

	for (i = 0; !code && i < l->count; i++)
		code = stand_in_line(l, i, error);
	if (!code)
		code = join(l, error);
	*l->gate = 1;
	wait = cuda_launch_wait(
		l->b, "the launches on streams", code ? &later : error);
	return code ? code : wait;
}

static int read_times(const struct lines *l, double *ns, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < l->count; i++) {
		const struct timed *t = &l->timed[l->timed[i].first];
		float ms = 0;

		code = CUDA_CALL(l->b, error, cuEventElapsedTime, &ms, t->begin,
			l->timed[t->last].end);
		ns[i] = (double)ms * 1e6;
	}
	return code;
}

/* A lost context frees everything with it. */
static void release(struct lines *l)
{
	const struct driver *d = &l->b->driver;
	size_t i;

	for (i = 0; l->timed && !l->b->lost && i < l->count; i++) {
		if (l->timed[i].begin)
			d->cuEventDestroy(l->timed[i].begin);
		if (l->timed[i].end)
			d->cuEventDestroy(l->timed[i].end);
	}
	for (i = 0; !l->b->lost && i < JOB_STREAMS_MAX; i++)
		if (l->streams[i])
			d->cuStreamDestroy(l->streams[i]);
	if (l->gate && !l->b->lost)
		d->cuMemFreeHost((void *)(uintptr_t)l->gate);
	free(l->timed);
}

int cuda_job_streams(struct backend *b, const struct job *job,
	const struct cuda_job_launch *launches, const struct job_run *runs,
	size_t count, double *ns, struct error *error)
{
	struct lines l = {.b = b,
		.job = job,
		.launches = launches,
		.runs = runs,
		.count = count};
	int code = 0;

	if (!b->driver.cuStreamWaitValue32)
		return error_set(error, ERR_SKIPPED,
			"job '%s' has launches on streams, for which the "
			"driver is too old: it has no 'cuStreamWaitValue32'",
			job->name);
	l.timed = calloc(count, sizeof(*l.timed));
	if (!l.timed)
		return error_set(error, ERR_FAILED, "out of memory");
	find_chains(&l);
	code = make_events(&l, error);
	if (!code)
		code = make_streams(&l, error);
	if (!code)
		code = make_gate(&l, error);
	if (!code)
		code = run_all(&l, error);
	if (!code)
		code = read_times(&l, ns, error);
	release(&l);
	return code;
}
