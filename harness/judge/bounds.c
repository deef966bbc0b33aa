#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "harness/program/least.h"
#include "harness/judge/bounds.h"

#define CYCLES_MOST    0x1p52 /* 26 days at 2 GHz */
#define CLOCK_LEAST    0.01   /* of the highest: below what GPUs idle at */
#define SPAN_SLACK     4096.0 /* cycles: SMs are aligned by a timer's steps */
#define CHAIN_SLACK    0.02
#define SAMPLE_SLACK   1.0 /* cycles: readings of the clock are whole */
#define SENTENCE_BYTES 256
#define LONG_ENOUGH    4096.0 /* cycles: a rate is not known before */

/* One region of a run. */
struct measured {
	const struct program *p;
	const struct result *result;
	const struct device *device;
	size_t index;
	struct least least;
	double cycles;            /* of its span */
	double shortest, longest; /* of its samples; INFINITY and 0: none */
	uint32_t sms;             /* that they come from */
	char *why;
};

__attribute__((format(printf, 2, 3))) static bool broken(
	const struct measured *m, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(m->why, SENTENCE_BYTES, format, arguments);
	va_end(arguments);
	return true;
}

/* ---- the rules: true if the bound is broken ---- */

static bool sm_there(const struct measured *m)
{
	size_t i;

	for (i = 0; i < m->result->sample_count; i++)
		if (m->result->samples[i].region == m->index &&
			m->result->samples[i].sm >= m->device->sm_count)
			return broken(m,
				"has a sample of SM %u, but the device has %u "
				"SMs",
				m->result->samples[i].sm, m->device->sm_count);
	return false;
}

static bool sample_countable(const struct measured *m)
{
	size_t i;

	for (i = 0; i < m->result->sample_count; i++) {
		double cycles = m->result->samples[i].cycles;

		if (m->result->samples[i].region == m->index &&
			!(cycles >= 0 && cycles <= CYCLES_MOST))
			return broken(m,
				"has a sample of %.4g cycles, which no run "
				"takes",
				cycles);
	}
	return false;
}

static bool clock_possible(const struct measured *m)
{
	double hz = m->result->clock_hz;
	double most_hz = m->device->limits.clock_hz_max;

	if (!(hz > 0 && isfinite(hz)))
		return broken(m, "ran at a clock of %.4g Hz", hz);
	if (most_hz > 0 && (hz > most_hz * (1 + BOUNDS_SLACK) ||
				   hz < most_hz * CLOCK_LEAST))
		return broken(m,
			"ran at a clock of %.4g MHz, but that of the device "
			"is at most %.4g MHz and at least a hundredth of that",
			hz / 1e6, most_hz / 1e6);
	return false;
}

static bool span_countable(const struct measured *m)
{
	double ns = m->result->spans[m->index].ns;

	if (m->cycles >= 0 && m->cycles <= CYCLES_MOST && ns >= 0 &&
		isfinite(ns))
		return false;
	return broken(m, "took %.4g cycles, which no run takes", m->cycles);
}

/* Times in order: whatever was measured happened in between. */
static bool span_holds_samples(const struct measured *m)
{
	if (m->longest * (1 - BOUNDS_SLACK) - SPAN_SLACK <= m->cycles)
		return false;
	return broken(m,
		"took %.0f cycles from its first entry to its last exit, but "
		"a sample in it %.0f",
		m->cycles, m->longest);
}

static bool chain_slow_enough(const struct measured *m)
{
	const struct device_limits *limits = &m->device->limits;
	double least = m->least.past_l1 ? limits->l2_cycles_min
					: limits->l1_cycles_min;
	double cycles = m->least.links * least;

	if (m->shortest >= cycles * (1 - CHAIN_SLACK) - SAMPLE_SLACK)
		return false;
	return broken(m,
		"has a sample of %.0f cycles for %.0f dependent accesses, "
		"which take at least %.4g each %s L1",
		m->shortest, m->least.links, least,
		m->least.past_l1 ? "past" : "from");
}

/* A rate in bytes a cycle that the device cannot have. */
static bool too_fast(const struct measured *m, double bytes,
	double most_bytes_per_cycle, const char *from)
{
	double most = most_bytes_per_cycle * (1 + BOUNDS_SLACK);

	if (!(most > 0) || bytes <= most * (m->cycles + LONG_ENOUGH))
		return false;
	return broken(m,
		"moved %.4g bytes in %.0f cycles, but %s at most %.4g a cycle",
		bytes, m->cycles, from, most_bytes_per_cycle);
}

static bool sm_rate(const struct measured *m)
{
	return too_fast(m, m->least.sm_bytes,
		m->device->limits.sm_bytes_per_cycle * m->sms, "its SMs have");
}

static bool l2_rate(const struct measured *m)
{
	return too_fast(m, m->least.l2_bytes,
		m->device->limits.l2_bytes_per_cycle, "L2 gives");
}

/* What L2 held before, or holds until later, need not pass. */
static bool dram_rate(const struct measured *m)
{
	double bytes = m->least.distinct_bytes - (double)m->device->l2_bytes;
	double hz = m->result->clock_hz;

	return too_fast(m, bytes, m->device->limits.dram_bytes_per_s / hz,
		"DRAM gives");
}

/* In this order: the later ones compute with what the earlier ones checked. */
static const struct bound {
	const char *what;
	bool (*broken)(const struct measured *m);
} bounds[] = {
	{"samples come from SMs that are there", sm_there},
	{"a sample's cycles can be counted", sample_countable},
	{"the clock is one of the device", clock_possible},
	{"a span's cycles can be counted", span_countable},
	{"a span is no shorter than a sample in it", span_holds_samples},
	{"dependent accesses take the latency of their level",
		chain_slow_enough},
	{"no more bytes than the SMs' L1 have", sm_rate},
	{"no more bytes than L2 gives", l2_rate},
	{"no more bytes than DRAM gives", dram_rate},
};

static void find_samples(struct measured *m)
{
	uint8_t seen[(UINT16_MAX + 1) / 8] = {0};
	size_t i;

	m->shortest = INFINITY;
	for (i = 0; i < m->result->sample_count; i++) {
		const struct sample *s = &m->result->samples[i];
		uint8_t bit = (uint8_t)(1u << s->sm % 8);

		if (s->region != m->index)
			continue;
		m->shortest = fmin(m->shortest, s->cycles);
		m->longest = fmax(m->longest, s->cycles);
		m->sms += !(seen[s->sm / 8] & bit);
		seen[s->sm / 8] |= bit;
	}
}

int bounds_check(const struct program *p, const struct result *result,
	const struct device *device, struct error *error)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	size_t count = program_regions(p, regions), i, k;
	char why[SENTENCE_BYTES];

	for (i = 0; i < count; i++) {
		struct measured m = {.p = p,
			.result = result,
			.device = device,
			.index = i,
			.cycles = result->spans[i].cycles,
			.why = why};

		find_samples(&m);
		if (!m.sms)
			continue; /* no warp of the device runs it */
		least_region(p, i, device->sm_count, &m.least);
		for (k = 0; k < sizeof(bounds) / sizeof(bounds[0]); k++)
			if (bounds[k].broken(&m))
				return error_set(error, ERR_FAILED,
					"region '%s' of program '%s' %s, so "
					"this was not measured (bound: %s)",
					regions[i].repeat->region, p->name, why,
					bounds[k].what);
	}
	return 0;
}
