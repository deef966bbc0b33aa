#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "harness/lower/records.h"

/* A region's records on their way through the checks. */
struct checked {
	const struct program *p;
	const struct samples_output *output;
	const struct ptx_region *r;
	uint32_t sm_count;
	struct error *error;
};

__attribute__((format(printf, 4, 5))) static int refuse(const struct checked *c,
	const char *what, uint32_t index, const char *format, ...)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	char why[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, sizeof(why), format, arguments);
	va_end(arguments);
	program_regions(c->p, regions);
	return error_set(c->error, ERR_FAILED,
		"%s %u in region '%s' of program '%s' %s", what, index,
		regions[c->r->region].repeat->region, c->p->name, why);
}

/* Samples are differences of the clock's lower half. Beside them a warp spends
   few cycles in the region, so what they lack of its whole time is what they
   lost. */
static int check_wraps(const struct checked *c, uint32_t warp, uint64_t cycles)
{
	uint64_t sum = 0;
	uint32_t i;

	if (cycles <= UINT32_MAX)
		return 0;
	for (i = 0; i < c->r->samples; i++)
		sum += cycles_at(c->output, c->r, warp, i);
	if (!c->r->samples || cycles - sum <= UINT32_MAX)
		return 0;
	return refuse(c, "warp", warp,
		"has an iteration of more than 2^32 cycles, which its samples "
		"cannot hold");
}

static int check_warp(const struct checked *c, uint32_t warp)
{
	struct ptx_warp_record record = record_at(c->output, c->r, warp);

	if (!record.stop_clock)
		return refuse(c, "warp", warp, "never ran");
	if (record.stop_clock < record.start_clock)
		return refuse(c, "warp", warp,
			"ended %" PRIu64 " cycles before it began",
			record.start_clock - record.stop_clock);
	return check_wraps(c, warp, record.stop_clock - record.start_clock);
}

static int check_block(const struct checked *c, uint32_t index)
{
	struct ptx_block_record block = block_at(c->output, c->r, index);

	if (block.sm >= c->sm_count)
		return refuse(c, "block", index,
			"ran on SM %" PRIu64 " of a device with %u SMs",
			block.sm, c->sm_count);
	if (block.last_clock < block.first_clock)
		return refuse(c, "block", index,
			"read a clock that went back by %" PRIu64 " cycles",
			block.first_clock - block.last_clock);
	if (block.last_ns < block.first_ns)
		return refuse(c, "block", index,
			"read a timer that went back by %" PRIu64 " ns",
			block.first_ns - block.last_ns);
	if (block.drain_clock && block.drain_clock < block.first_clock)
		return refuse(c, "block", index,
			"saw its writes arrive %" PRIu64
			" cycles before it began",
			block.first_clock - block.drain_clock);
	return 0;
}

static int check_region(const struct checked *c)
{
	uint32_t i;
	int code = 0;

	for (i = 0; !code && i < c->r->warps; i++)
		if (!ptx_is_quiet(c->r, block_of(c->r, i)))
			code = check_warp(c, i);
	for (i = 0; !code && i < c->r->blocks; i++)
		if (!ptx_is_quiet(c->r, i))
			code = check_block(c, i);
	return code;
}

int samples_check(const struct program *p, uint32_t sm_count,
	const struct samples_output *outputs, size_t count, struct error *error)
{
	size_t i, k;
	int code = 0;

	for (i = 0; i < count; i++)
		for (k = 0; !code && k < outputs[i].kernel->region_count; k++) {
			const struct checked c = {p, &outputs[i],
				&outputs[i].kernel->regions[k], sm_count,
				error};

			code = check_region(&c);
		}
	return code;
}
