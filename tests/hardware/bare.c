/*
 * Does the instrument disturb? Kernels without any (tests/hardware/bare/),
 * timed from outside by events, less an empty kernel of one warp, and by
 * one pair of timer reads a warp, beside the span that the backend reports for
 * the same accesses as a program. Needs a GPU; exits with 77 and one sentence
 * where there is none. usage: bare FOLDER [MODEL]  (MODEL: the model's span
 * beside, for any word)
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda/backend.h"
#include "harness/base/content.h"
#include "harness/program/legality/legality.h"
#include "harness/program/text/text.h"
#include "harness/stats/stats.h"

#define COUNT(array)    (sizeof(array) / sizeof((array)[0]))
#define REPEATS         15
#define SUITE_REPEATS   7
#define BUFFER_BYTES    (16u << 20)
#define OUTPUT_BYTES    (8u << 20)
#define RECORD_BYTES    32u
#define SHORT_CYCLES    15000 /* below: within so many cycles */
#define SHORT_TOLERANCE 300
#define TOLERANCE       0.02
#define EVENTS_CYCLES   50000 /* from here on events are the judge */
/* What the instrument is known to do: few shapes are beyond the bound above,
   which ones differs from chip to chip, and none is by more than this share or
   these cycles. On some chips short grids of loads are slower by the latter. */
#define BEYOND_COUNT_MOST  10
#define BEYOND_SHARE_MOST  0.1
#define BEYOND_CYCLES_MOST 800

static const struct kind {
	const char *name, *insn;
	uint32_t lane_bytes;
} kinds[] = {
	{"load", "ld.global.cg.v4.b32", 16},
	{"store", "st.global.wb.v4.b32", 16},
	{"red", "red.global.add.u32", 4},
};

static const struct shape {
	uint32_t blocks, threads, count;
} shapes[] = {{1, 1024, 64}, {8, 256, 16}, {33, 512, 16}, {132, 1024, 4},
	{132, 256, 64}, {264, 1024, 4}, {264, 1024, 16}, {264, 1024, 64},
	{1056, 256, 4}, {1056, 512, 4}, {1056, 512, 32}, {8448, 256, 4},
	{8448, 256, 16}, {8448, 256, 64}};

typedef void *event;

/* What of the driver the backend does not need. */
static struct {
	cuda_result (*create)(event *, unsigned);
	cuda_result (*record)(event, void *);
	cuda_result (*synchronize)(event);
	cuda_result (*elapsed)(float *, event, event);
} events;

static int fail(const char *what)
{
	printf("not ok bare: %s\n", what);
	return 1;
}

static int find_events(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);

	if (!driver)
		return -1;
	*(void **)&events.create = dlsym(driver, "cuEventCreate");
	*(void **)&events.record = dlsym(driver, "cuEventRecord");
	*(void **)&events.synchronize = dlsym(driver, "cuEventSynchronize");
	*(void **)&events.elapsed = dlsym(driver, "cuEventElapsedTime");
	return events.create && events.record && events.synchronize &&
			       events.elapsed
		       ? 0
		       : -1;
}

/* ---- kernels ---- */

struct bench {
	struct backend *b;
	const char *folder;
	CUdeviceptr data, output;
	event begin, end;
	unsigned char *records;
	double clock_hz;
};

static CUfunction load(
	struct bench *h, const char *file, const char *entry, CUmodule *module)
{
	char path[256];
	struct content text;
	struct error error;
	CUfunction function = NULL;

	snprintf(path, sizeof(path), "%s/%s.ptx", h->folder, file);
	if (content_read(path, CONTENT_WRITTEN_MOST, &text, &error)) {
		printf("  %s\n", error.text);
		return NULL;
	}
	if (h->b->driver.cuModuleLoadDataEx(module, text.text, 0, NULL, NULL) ||
		h->b->driver.cuModuleGetFunction(&function, *module, entry))
		function = NULL;
	content_free(&text);
	return function;
}

static uint64_t stride_of(const struct kind *kind, const struct shape *s)
{
	return (uint64_t)s->blocks * s->threads * kind->lane_bytes &
	       (BUFFER_BYTES - 1);
}

/* The events' milliseconds, or NaN. */
/* The last blocks that are resident at once: the others end without a wait. */
static uint32_t waits_from_block(const struct device *d, const struct shape *s)
{
	uint32_t of_sm = d->warps_per_sm_max * PROGRAM_WARP_LANES / s->threads;
	uint32_t resident = d->sm_count * of_sm;

	return s->blocks > resident ? s->blocks - resident : 0;
}

static double launch(struct bench *h, CUfunction function,
	const struct kind *kind, const struct shape *s)
{
	uint32_t stride = (uint32_t)stride_of(kind, s), mask = BUFFER_BYTES - 1;
	uint32_t count = s->count,
		 waits_from = waits_from_block(&h->b->device, s);
	void *parameters[] = {
		&h->data, &h->output, &count, &stride, &mask, &waits_from};
	float ms;

	if (events.record(h->begin, NULL) ||
		h->b->driver.cuLaunchKernel(function, s->blocks, 1, 1,
			s->threads, 1, 1, 0, NULL, parameters, NULL) ||
		events.record(h->end, NULL) || events.synchronize(h->end) ||
		events.elapsed(&ms, h->begin, h->end))
		return NAN;
	return ms;
}

static double median(double *values, size_t count)
{
	stats_sort(values, count);
	return stats_quantile(values, count, 0.5);
}

/* Median nanoseconds of the kernel by events. */
static double by_events(struct bench *h, const char *file,
	const struct kind *kind, const struct shape *s)
{
	CUmodule module = NULL;
	CUfunction function = load(h, file, "bare", &module);
	double ns[REPEATS];
	int i;

	for (i = -2; function && i < REPEATS; i++) {
		double ms = launch(h, function, kind, s);

		if (i >= 0)
			ns[i] = ms * 1e6;
	}
	if (module)
		h->b->driver.cuModuleUnload(module);
	return function ? median(ns, REPEATS) : NAN;
}

/* The span of the warps' stamps, in nanoseconds; notes the SM clock. */
static double span_of(struct bench *h, const struct shape *s)
{
	uint32_t warps = s->blocks * (s->threads / 32), w;
	uint64_t first = UINT64_MAX, last = 0;
	double cycles = 0, ns = 0;

	if (h->b->driver.cuMemcpyDtoH(
		    h->records, h->output, (size_t)warps * RECORD_BYTES))
		return NAN;
	for (w = 0; w < warps; w++) {
		uint64_t r[4];

		memcpy(r, h->records + (size_t)w * RECORD_BYTES, sizeof(r));
		cycles += (double)(r[1] - r[0]);
		ns += (double)(r[3] - r[2]);
		first = r[2] < first ? r[2] : first;
		last = r[3] > last ? r[3] : last;
	}
	if (ns / warps > 20000)
		h->clock_hz = cycles / ns * 1e9;
	return (double)(last - first);
}

static double by_stamps(
	struct bench *h, const struct kind *kind, const struct shape *s)
{
	CUmodule module = NULL;
	CUfunction function = load(h, kind->name, "stamped", &module);
	double ns[REPEATS];
	int i;

	for (i = -2; function && i < REPEATS; i++) {
		bool failed = isnan(launch(h, function, kind, s));

		if (i >= 0)
			ns[i] = failed ? NAN : span_of(h, s);
	}
	if (module)
		h->b->driver.cuModuleUnload(module);
	return function ? median(ns, REPEATS) : NAN;
}

/* ---- the same as a program ---- */

static int program_of(const struct kind *kind, const struct shape *s,
	struct program *p, struct error *error)
{
	char text[2048], body[512];
	uint32_t warp = 32 * kind->lane_bytes;
	int code;

	snprintf(body, sizeof(body),
		"  role go blocks=%u threads=%u\n"
		"    repeat %u unroll=4 time=region region=%%s\n"
		"      %s [data + lane*%u + warp*%u + block*%u + loop0*%llu "
		"wrap 16MiB]\n    end\n",
		s->blocks, s->threads, s->count, kind->insn, kind->lane_bytes,
		warp, s->threads * kind->lane_bytes,
		(unsigned long long)stride_of(kind, s));
	snprintf(text, sizeof(text),
		"nearfar-program 1\nname bare\nseed 1\n"
		"buffer data bytes=16MiB\nlaunch warm\n");
	snprintf(
		text + strlen(text), sizeof(text) - strlen(text), body, "warm");
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		"launch measure\n");
	snprintf(text + strlen(text), sizeof(text) - strlen(text), body,
		"measure");
	code = program_parse(text, "bare", p, error);
	return code ? code : program_check(p, error);
}

static double by_program(const struct backend_ops *ops, struct backend *b,
	const struct kind *kind, const struct shape *s, int repeats)
{
	static struct program p;
	struct result result = {0};
	struct error error;
	double ns[SUITE_REPEATS];
	int i, code = program_of(kind, s, &p, &error);

	for (i = 0; !code && i < repeats; i++) {
		code = ops->run(b, &p, &result, &error);
		ns[i] = result.spans[1].ns;
	}
	result_free(&result);
	if (!code)
		return median(ns, (size_t)repeats);
	printf("  %s\n", error.text);
	return NAN;
}

/* ---- the table ---- */

struct tally {
	int beyond, wrong;
};

static void row(struct bench *h, struct backend *model, const struct kind *kind,
	const struct shape *s, struct tally *tally)
{
	static const struct shape one = {1, 32, 4};
	double empty = by_events(h, "empty", kind, &one);
	double outside = by_events(h, kind->name, kind, s) - empty;
	double stamped = by_stamps(h, kind, s), suite, judge, off, modelled;
	double cycle = 1e9 / h->clock_hz;
	bool within, wrong;

	suite = by_program(&backend_cuda, h->b, kind, s, SUITE_REPEATS) / cycle;
	modelled = model ? by_program(&backend_sim, model, kind, s, 1) / 1e9 *
				   1.98e9
			 : NAN;
	outside /= cycle;
	stamped /= cycle;
	judge = stamped >= EVENTS_CYCLES ? outside : stamped;
	off = suite - judge;
	within = fabs(off) <=
		 (judge < SHORT_CYCLES ? SHORT_TOLERANCE : TOLERANCE * judge);
	wrong = !within && !(fabs(off) <= fmax(BEYOND_SHARE_MOST * judge,
						  BEYOND_CYCLES_MOST));
	printf("%s bare: %s %u x %u, %u\t%.0f\t%.0f\t%.0f\t%+.1f %%\t%.0f%s\n",
		wrong ? "not ok" : "ok", kind->name, s->blocks, s->threads,
		s->count, outside, stamped, suite, 100 * off / judge, modelled,
		within ? "" : "\tbeyond the bound");
	tally->beyond += !within;
	tally->wrong += wrong;
}

static int rows(struct bench *h, struct backend *model)
{
	static const struct shape settle = {8448, 256, 64};
	struct tally tally = {0};
	size_t k, i;

	by_stamps(h, &kinds[0], &settle); /* the clock */
	printf("kind, blocks x threads, accesses a thread; cycles: bare by "
	       "events, bare by stamps, program, difference, model\n");
	for (k = 0; k < COUNT(kinds); k++)
		for (i = 0; i < COUNT(shapes); i++)
			row(h, model, &kinds[k], &shapes[i], &tally);
	printf("bare: SM clock %.0f MHz\n", h->clock_hz / 1e6);
	printf("%s bare: %d of %zu shapes are beyond %d cycles or %.0f %%, "
	       "at most %d may be\n",
		tally.beyond > BEYOND_COUNT_MOST ? "not ok" : "ok",
		tally.beyond, COUNT(kinds) * COUNT(shapes), SHORT_TOLERANCE,
		100 * TOLERANCE, BEYOND_COUNT_MOST);
	return tally.wrong + (tally.beyond > BEYOND_COUNT_MOST);
}

int main(int argc, char **argv)
{
	struct bench h = {
		.folder = argc > 1 ? argv[1] : "bare", .clock_hz = 1.98e9};
	struct backend *model = NULL;
	struct error error;
	int code = backend_cuda.open(&h.b, &(struct backend_config){0}, &error);

	if (code) {
		fprintf(stderr, "%s\n", error.text);
		return code == ERR_ABSENT ? 77 : 1;
	}
	if (argc > 2 &&
		backend_sim.open(&model, &(struct backend_config){0}, &error))
		return fail(error.text);
	h.records = malloc(OUTPUT_BYTES);
	if (!h.records || find_events() || events.create(&h.begin, 0) ||
		events.create(&h.end, 0) ||
		h.b->driver.cuMemAlloc(&h.data, BUFFER_BYTES) ||
		h.b->driver.cuMemAlloc(&h.output, OUTPUT_BYTES) ||
		h.b->driver.cuMemsetD8(h.data, 0, BUFFER_BYTES)) {
		free(h.records);
		return fail("no events or no memory");
	}
	printf("bare: %s, %s\n", h.b->device.name, h.b->identity.uuid);
	code = rows(&h, model);
	free(h.records);
	if (model)
		backend_sim.close(model);
	return code ? 1 : 0;
}
