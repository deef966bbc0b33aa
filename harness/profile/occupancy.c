/* How full the SMs were, and what L2 fetched, as JSON and back. */
#include <inttypes.h>

#include "harness/base/emit.h"
#include "harness/profile/read_parts.h"

/* Members of struct job_occupancy that are whole numbers, and the others. */
#define COUNTS(C)                                                              \
	C(sms)                                                                 \
	C(warps_per_sm)                                                        \
	C(block_threads)                                                       \
	C(block_warps)                                                         \
	C(cluster_blocks)                                                      \
	C(registers)                                                           \
	C(blocks_per_sm)                                                       \
	C(sms_used)
#define SUMS(S)                                                                \
	S(cycles)                                                              \
	S(drain_cycles)                                                        \
	S(warp_cycles)                                                         \
	S(tail_cycles)                                                         \
	S(idle_cycles)                                                         \
	S(start_cycles)                                                        \
	S(span_cycles)

/* ---- written ---- */

static void put_spans(FILE *out, const struct job_occupancy *o)
{
	uint32_t i;

	fputs(", \"spans\": [", out);
	for (i = 0; i < o->span_count; i++) {
		fprintf(out, "%s{\"sms\": %" PRIu32, i ? ", " : "",
			o->spans[i].sms);
		emit_json_number_member(out, "warps", o->spans[i].warps);
		fputc('}', out);
	}
	fputc(']', out);
}

static void put_limits(FILE *out, const struct job_occupancy *o)
{
	size_t i;

	fputs(", \"limits\": {", out);
	for (i = 0; i < JOB_LIMIT_COUNT; i++)
		fprintf(out, "%s\"%s\": %" PRIu32, i ? ", " : "",
			job_limit_names[i], o->limits[i]);
	fputc('}', out);
}

void profile_put_occupancy(FILE *out, const struct job_profile *where)
{
	const struct job_occupancy *o = &where->occupancy;

	if (!o->sms)
		return;
	fprintf(out,
		",\n      \"fetched_sectors\": %" PRIu64
		",\n      \"unused_sectors\": %" PRIu64
		",\n      \"occupancy\": {\"blocks\": %" PRIu64
		", \"shared_bytes\": %" PRIu64,
		where->fetched_sectors, where->unused_sectors, o->blocks,
		o->shared_bytes);
#define PUT_COUNT(name) fprintf(out, ", \"" #name "\": %" PRIu32, o->name);
	COUNTS(PUT_COUNT)
#undef PUT_COUNT
#define PUT_SUM(name) emit_json_number_member(out, #name, o->name);
	SUMS(PUT_SUM)
#undef PUT_SUM
	put_limits(out, o);
	put_spans(out, o);
	fputc('}', out);
}

/* ---- read ---- */

static int read_limits(const struct json_place *up, struct job_occupancy *o)
{
	const struct json_place place = place_key(up, "limits");
	int code = place_object(&place);
	size_t i;

	for (i = 0; !code && i < JOB_LIMIT_COUNT; i++)
		code = read_u32(&place, job_limit_names[i], &o->limits[i]);
	return code;
}

static int read_spans(const struct json_place *up, struct job_occupancy *o)
{
	const struct json_place place = place_key(up, "spans");
	size_t count = 0, i;
	int code = place_array(&place, &count);

	if (code)
		return code;
	if (count > JOB_SPANS)
		return place_fail(&place, "has more than %u spans", JOB_SPANS);
	for (i = 0; !code && i < count; i++) {
		const struct json_place item = place_index(&place, i);

		if (!(code = place_object(&item)) &&
			!(code = read_u32(&item, "sms", &o->spans[i].sms)))
			code = profile_read_cycles(
				&item, "warps", &o->spans[i].warps);
	}
	o->span_count = (uint32_t)count;
	return code;
}

static int read_numbers(const struct json_place *place, struct job_occupancy *o)
{
	int code = place_object(place);

#define READ_COUNT(name)                                                       \
	if (!code)                                                             \
		code = read_u32(place, #name, &o->name);
	COUNTS(READ_COUNT)
#undef READ_COUNT
#define READ_SUM(name)                                                         \
	if (!code)                                                             \
		code = profile_read_cycles(place, #name, &o->name);
	SUMS(READ_SUM)
#undef READ_SUM
	return code;
}

int profile_read_occupancy(
	const struct json_place *up, struct job_profile *where)
{
	const struct json_place place = place_key(up, "occupancy");
	struct job_occupancy *o = &where->occupancy;
	int code;

	if (!profile_has(up, "occupancy"))
		return 0;
	if ((code = read_u64(up, "fetched_sectors", &where->fetched_sectors)) ||
		(code = read_u64(
			 up, "unused_sectors", &where->unused_sectors)) ||
		(code = read_numbers(&place, o)) ||
		(code = read_u64(&place, "blocks", &o->blocks)) ||
		(code = read_u64(&place, "shared_bytes", &o->shared_bytes)) ||
		(code = read_limits(&place, o)))
		return code;
	return read_spans(&place, o);
}
