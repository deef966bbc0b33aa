#ifndef NEARFAR_LOWER_SAMPLES_H
#define NEARFAR_LOWER_SAMPLES_H

/*
 * From the bytes that kernels left behind to samples, spans and the clock. No
 * device is needed, so it is tested anywhere.
 *
 * The SM clock is the ratio of %clock64 to %globaltimer over the longest
 * region. %globaltimer advances in steps of up to a microsecond, so a region
 * shorter than SAMPLES_CLOCK_NS_MIN says nothing about the clock.
 */
#include "harness/contract/backend.h"
#include "harness/lower/lower.h"

#define SAMPLES_CLOCK_NS_MIN 20000.0
#define SAMPLES_SMS_MAX      1024

/* One launch's kernel and what it wrote: kernel->output_bytes of it. */
struct samples_output {
	const struct ptx_kernel *kernel;
	const unsigned char *bytes;
	bool one_clock; /* the SMs' clocks count from the same cycle */
};

/* ERR_FAILED names the warp or block of a timed region whose records cannot be:
   it never ran, ended before it began, ran on an SM that is not there, read a
   clock or a timer that went back, or lost a sample of more than 32 bits. */
int samples_check(const struct program *p, uint32_t sm_count,
	const struct samples_output *outputs, size_t count,
	struct error *error);

/* 0 if no region is long enough. */
double samples_clock_hz(const struct samples_output *outputs, size_t count);

/* Appends samples and fills spans; result->clock_hz is set already. */
int samples_collect(const struct samples_output *outputs, size_t count,
	struct result *result, struct error *error);

/* Adds to result->timeline, if there is one, each warp of a timed region from
   its entry to its exit, in cycles of result->clock_hz since the first
   reading of the timer; and each launch, from the first of its warps to the
   last. */
void samples_timeline(const struct program *p,
	const struct samples_output *outputs, size_t count,
	struct result *result);

#endif
