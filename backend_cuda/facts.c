#include "backend_cuda/backend.h"

#define CLOCK_MOVED 0.01

static int add_device(struct backend *b, struct facts *facts)
{
	const struct device *d = &b->device;
	int code;

	code = facts_add(facts, "device.name", "%s", d->name);
	code |= facts_add(facts, "device.uuid", "%s", b->identity.uuid);
	code |= facts_add(facts, "device.pci", "%s", b->identity.bus_id);
	code |= facts_add(facts, "device.sm_count", "%u", d->sm_count);
	code |= facts_add(facts, "device.sm_arch", "%u", d->sm_arch);
	code |= facts_add(facts, "device.l2_bytes", "%llu",
		(unsigned long long)d->l2_bytes);
	code |= facts_add(facts, "device.memory_bytes", "%llu",
		(unsigned long long)d->memory_bytes);
	code |= facts_add(facts, "device.memory_bus_bits", "%u",
		b->attributes.memory_bus_bits);
	code |= facts_add(facts, "device.memory_clock_khz", "%u",
		b->attributes.memory_clock_khz);
	code |= facts_add(facts, "device.fetch_granularity_bytes", "%zu",
		b->granularity_bytes);
	code |= facts_add(facts, "device.compressible", "%s",
		b->attributes.compression ? "yes" : "no");
	return code;
}

/* Whether or not a program uses its memory: what is known of a device is the
   same for all of its series. */
static int add_peer(struct backend *b, struct facts *facts)
{
	const struct cuda_peer *peer = &b->peers[0];
	int code;

	if (!peer->there)
		return 0;
	code = facts_add(facts, "peer.name", "%s", peer->identity.name);
	code |= facts_add(facts, "peer.uuid", "%s", peer->identity.uuid);
	code |= facts_add(facts, "peer.pci", "%s", peer->identity.bus_id);
	code |= facts_add(
		facts, "peer.reached", "%s", peer->reaches ? "yes" : "no");
	if (!peer->reaches)
		return code;
	code |= facts_add(
		facts, "peer.performance_rank", "%d", peer->performance_rank);
	code |= facts_add(facts, "peer.native_atomics", "%s",
		peer->native_atomics ? "yes" : "no");
	return code;
}

/* Without NVML the driver still knows this much. */
static int add_fallbacks(struct backend *b, struct facts *facts)
{
	if (b->nvml.library)
		return 0;
	return facts_add(facts, "ecc", "%s", b->attributes.ecc ? "on" : "off");
}

static int add_measured_clock(struct backend *b, struct facts *facts)
{
	double low_hz = b->clock_low_hz, high_hz = b->clock_high_hz;
	int code;

	if (low_hz <= 0)
		return 0;
	code = facts_add(
		facts, "clock.sm_measured_mhz_min", "%.1f", low_hz / 1e6);
	code |= facts_add(
		facts, "clock.sm_measured_mhz_max", "%.1f", high_hz / 1e6);
	if (high_hz > low_hz * (1 + CLOCK_MOVED))
		code |= facts_add(facts, "warning",
			"the SM clock moved between %.0f and %.0f MHz",
			low_hz / 1e6, high_hz / 1e6);
	return code;
}

int cuda_facts(struct backend *b, struct facts *facts)
{
	int code;

	code = add_device(b, facts);
	code |= add_peer(b, facts);
	code |= facts_add(facts, "cuda.version", "%d.%d",
		b->driver.version / 1000, b->driver.version % 1000 / 10);
	code |= facts_add(facts, "ptx.version", "%u.%u",
		b->device.ptx_version / 10, b->device.ptx_version % 10);
	code |= nvml_facts(&b->nvml, facts);
	code |= add_fallbacks(b, facts);
	code |= facts_add(facts, "device.kernel_seconds", "%.3f", b->kernels_s);
	code |= add_measured_clock(b, facts);
	return code ? ERR_FAILED : 0;
}
