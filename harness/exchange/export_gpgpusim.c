/*
 * Accel-Sim's gpgpusim.config. Its latencies are steps: the L2's is what a hit
 * there takes beyond one in L1, the DRAM's what a miss takes beyond a hit in
 * L2. Its DRAM counts in clocks of its own. Both caches take sets in powers of
 * two, so what is left of their size becomes ways.
 */
#include <math.h>
#include <string.h>

#include "harness/exchange/export.h"

#define LINE_BYTES  128
#define BURST_BYTES 32 /* of one DRAM command clock: 16 bytes twice */
#define SLICES      2  /* of one memory channel, there called sub partitions */
#define BANKS_BITS  4

/* What is needed of a machine, by the names of its parameters. */
#define VALUES(V)                                                              \
	V(sm_count)                                                            \
	V(sm_arch)                                                             \
	V(clock_hz)                                                            \
	V(warps_per_sm)                                                        \
	V(schedulers)                                                          \
	V(shared_cycles)                                                       \
	V(l1_total_bytes)                                                      \
	V(l1_cache_bytes)                                                      \
	V(l1_cache_min_bytes)                                                  \
	V(l1_ways)                                                             \
	V(l1_hit_cycles)                                                       \
	V(l1_miss_cycles)                                                      \
	V(l1_store_allocates)                                                  \
	V(tlb_entries)                                                         \
	V(tlb_miss_cycles)                                                     \
	V(tlb2_entries)                                                        \
	V(tlb2_miss_cycles)                                                    \
	V(sm_inflight_sectors)                                                 \
	V(sm_reply_bytes_per_cycle)                                            \
	V(l2_bytes)                                                            \
	V(l2_partitions)                                                       \
	V(l2_slices)                                                           \
	V(l2_ways)                                                             \
	V(l2_fetch_bytes)                                                      \
	V(l2_persisting_max_bytes)                                             \
	V(l2_near_cycles)                                                      \
	V(bridge_cycles)                                                       \
	V(bridge_data_cycles)                                                  \
	V(slice_request_cycles)                                                \
	V(slice_bytes_per_cycle)                                               \
	V(atomic_extra_cycles)                                                 \
	V(atomic_sector_cycles)                                                \
	V(dram_row_bytes)                                                      \
	V(dram_bytes_per_s)                                                    \
	V(dram_near_cycles)                                                    \
	V(dram_row_cycles)                                                     \
	V(dram_row_busy_cycles)                                                \
	V(dram_activate_cycles)                                                \
	V(dram_turnaround_cycles)                                              \
	V(dram_refresh_interval_cycles)                                        \
	V(dram_refresh_cycles)

struct values {
#define VALUE_FIELD(name) double name;
	VALUES(VALUE_FIELD)
#undef VALUE_FIELD
};

static int read_values(const struct export_machine *machine,
	struct values *values, struct error *error)
{
	int code = 0;

#define VALUE_READ(name)                                                       \
	if (!code)                                                             \
		code = export_get(machine, #name, &values->name, error);
	VALUES(VALUE_READ)
#undef VALUE_READ
	return code;
}

/* As many sets as a power of two allows, at most `most`, and the ways that
   they leave. */
static void shape(double bytes, double most, unsigned *sets, unsigned *ways)
{
	const unsigned lines = (unsigned)(bytes / LINE_BYTES);

	*sets = 1;
	while (2.0 * *sets <= most && lines % (2 * *sets) == 0)
		*sets *= 2;
	*ways = lines / *sets;
}

static double channels(const struct values *v)
{
	return fmax(1, floor(v->l2_slices / SLICES));
}

static double dram_clock_hz(const struct values *v)
{
	return v->dram_bytes_per_s / channels(v) / BURST_BYTES;
}

/* SM cycles in clocks of the DRAM, at least 1. */
static unsigned dram_clocks(const struct values *v, double sm_cycles)
{
	return (unsigned)fmax(
		1, round(sm_cycles * dram_clock_hz(v) / v->clock_hz));
}

static void put_head(
	const struct export_machine *machine, const struct values *v, FILE *out)
{
	fprintf(out,
		"# %s, exported by nearfar %s for Accel-Sim (GPGPU-Sim 4).\n"
		"# Memory hierarchy only: pipelines, register file and "
		"instruction latencies\n"
		"# are to be taken from a configuration of the same compute "
		"capability.\n\n",
		machine->name, NEARFAR_VERSION);
	fprintf(out,
		"# Chip. Clocks in MHz: SM, interconnect, L2, DRAM; the last "
		"is what the model's\n# bandwidth needs, not a data sheet's.\n"
		"-gpgpu_compute_capability_major %.0f\n"
		"-gpgpu_compute_capability_minor %.0f\n"
		"-gpgpu_n_clusters %.0f\n-gpgpu_n_cores_per_cluster 1\n"
		"-gpgpu_n_mem %.0f\n-gpgpu_n_sub_partition_per_mchannel %d\n"
		"-gpgpu_clock_domains %.1f:%.1f:%.1f:%.1f\n"
		"-gpgpu_shader_core_pipeline %.0f:32\n"
		"-gpgpu_num_sched_per_core %.0f\n\n",
		floor(v->sm_arch / 10), fmod(v->sm_arch, 10), v->sm_count,
		channels(v), SLICES, v->clock_hz / 1e6, v->clock_hz / 1e6,
		v->clock_hz / 1e6, dram_clock_hz(v) / 1e6, 32 * v->warps_per_sm,
		v->schedulers);
}

static void put_l1(const struct values *v, FILE *out)
{
	unsigned sets, ways;

	shape(v->l1_cache_bytes, v->l1_cache_bytes / LINE_BYTES / v->l1_ways,
		&sets, &ways);
	fprintf(out,
		"# L1: %.0f bytes as %u sets of %u ways (the model: %.0f "
		"ways); sectors,\n# write-through, %s. Shared memory: all but "
		"what\n# L1 must keep.\n"
		"-gpgpu_adaptive_cache_config 0\n-gpgpu_l1_banks 4\n"
		"-gpgpu_unified_l1d_size %.0f\n"
		"-gpgpu_cache:dl1 S:%u:%d:%u,L:T:m:%c:L,A:%.0f:8,16:0,%d\n"
		"-gpgpu_l1_latency %.0f\n-gpgpu_gmem_skip_L1D 0\n"
		"-gpgpu_shmem_size %.0f\n-gpgpu_shmem_sizeDefault %.0f\n"
		"-gpgpu_smem_latency %.0f\n\n",
		v->l1_cache_bytes, sets, ways, v->l1_ways,
		v->l1_store_allocates > 0 ? "a store leaves its bytes"
					  : "a store leaves nothing",
		v->l1_total_bytes / 1024, sets, LINE_BYTES, ways,
		v->l1_store_allocates > 0 ? 'L' : 'N',
		fmax(1, floor(v->sm_inflight_sectors / 4)), LINE_BYTES,
		v->l1_hit_cycles, v->l1_total_bytes - v->l1_cache_min_bytes,
		v->l1_total_bytes - v->l1_cache_min_bytes, v->shared_cycles);
}

static void put_l2(const struct values *v, FILE *out)
{
	const double slice_bytes = v->l2_bytes / (channels(v) * SLICES);
	const double step = v->l1_miss_cycles + v->l2_near_cycles +
			    v->slice_request_cycles - v->l1_hit_cycles;
	unsigned sets, ways;

	shape(slice_bytes, slice_bytes / LINE_BYTES / v->l2_ways, &sets, &ways);
	fprintf(out,
		"# L2: %.0f bytes in %.0f slices of %u sets of %u ways (the "
		"model: %.0f ways).\n"
		"-gpgpu_cache:dl2 S:%u:%d:%u,L:B:m:L:X,A:192:4,32:0,%d\n"
		"-gpgpu_cache:dl2_texture_only 0\n"
		"-gpgpu_memory_partition_indexing 0\n"
		"# Beyond a hit in L1, from an SM to a slice of its side; the "
		"interconnect of the\n# simulator adds its own cycles, which "
		"are to be taken off.\n"
		"-gpgpu_l2_rop_latency %.0f\n\n",
		v->l2_bytes, channels(v) * SLICES, sets, ways, v->l2_ways, sets,
		LINE_BYTES, ways, v->slice_bytes_per_cycle >= 64 ? 64 : 32,
		fmax(0, round(step)));
	fprintf(out,
		"# Interconnect: the built-in crossbar; a flit is what an SM "
		"takes in a cycle.\n"
		"-network_mode 2\n-icnt_subnets 2\n-icnt_flit_size %.0f\n"
		"-icnt_in_buffer_limit 512\n-icnt_out_buffer_limit 512\n\n",
		fmax(1, round(v->sm_reply_bytes_per_cycle)));
}

/* From the row to the byte: rows, banks, columns, bytes of a burst. */
static void put_mapping(const struct values *v, FILE *out)
{
	const unsigned burst_bits = 5;
	const unsigned column_bits =
		(unsigned)fmax(0, round(log2(v->dram_row_bytes / BURST_BYTES)));
	const unsigned bank_bits = BANKS_BITS, all_bits = 28;
	unsigned bit;

	fputs("-gpgpu_mem_addr_mapping dramid@8;", out);
	for (bit = 64; bit-- > 0;) {
		fputc(bit >= all_bits                                 ? '0'
			: bit >= burst_bits + column_bits + bank_bits ? 'R'
			: bit >= burst_bits + column_bits             ? 'B'
			: bit >= burst_bits                           ? 'C'
								      : 'S',
			out);
		if (bit && bit % 8 == 0)
			fputc('.', out);
	}
	fputc('\n', out);
}

/* The mean time that an access waits for a refresh. */
static double refresh_wait(const struct values *v)
{
	return v->dram_refresh_interval_cycles > 0
		       ? v->dram_refresh_cycles * v->dram_refresh_cycles / 2 /
				 v->dram_refresh_interval_cycles
		       : 0;
}

static void put_dram(const struct values *v, FILE *out)
{
	const double far_hop = v->l2_partitions > 1 ? v->bridge_cycles : 0;
	const unsigned half_row = dram_clocks(v, v->dram_row_cycles / 2);
	const unsigned busy = dram_clocks(v, v->dram_row_busy_cycles);

	fprintf(out,
		"# DRAM. Beyond a hit in L2, without the opening of the row, "
		"which the timings\n# below add: slice to DRAM and back "
		"(%.4g), the mean way to the other partition\n# (%.4g) and the "
		"mean wait for a refresh (%.3g).\n"
		"-dram_latency %.0f\n"
		"-gpgpu_dram_buswidth %d\n-gpgpu_dram_burst_length 2\n"
		"-dram_data_command_freq_ratio 2\n-gpgpu_n_mem_per_ctrlr 1\n"
		"-gpgpu_dram_scheduler 1\n-gpgpu_mem_address_mask 1\n",
		v->dram_near_cycles, far_hop, refresh_wait(v),
		round(v->dram_near_cycles + far_hop + refresh_wait(v)),
		BURST_BYTES / 2);
	put_mapping(v, out);
	fprintf(out,
		"# In clocks of the DRAM. The model knows RRD, RC, and RCD "
		"and RP together; the\n# turn of the bus is CDLR; CL, WL and "
		"the like are within -dram_latency.\n"
		"-gpgpu_dram_timing_opt nbk=%d:CCD=1:RRD=%u:RCD=%u:RAS=%u:"
		"RP=%u:RC=%u:CL=1:WL=1:CDLR=%u:WR=1:nbkgrp=1:CCDL=0:RTPL=0\n\n",
		1 << BANKS_BITS, dram_clocks(v, v->dram_activate_cycles),
		half_row, busy > half_row ? busy - half_row : 1, half_row,
		busy > half_row ? busy : half_row + 1,
		dram_clocks(v, v->dram_turnaround_cycles));
}

static void put_rest(const struct values *v, FILE *out)
{
	fputs("# What this format has no option for, with the model's "
	      "values:\n",
		out);
	if (v->l2_partitions > 1)
		fprintf(out,
			"# - L2 in %.0f partitions, a home for each address, "
			"a near copy of what is read\n#   from the other: "
			"bridge_cycles %g each way, a hit there is %g later\n"
			"# - atomics go home: %g later if the home is far, "
			"operands included\n",
			v->l2_partitions, v->bridge_cycles,
			2 * v->bridge_cycles,
			2 * v->bridge_cycles + v->bridge_data_cycles);
	fprintf(out,
		"# - the atomic unit: atomic_extra_cycles %g, "
		"atomic_sector_cycles %g\n"
		"# - TLBs: %g entries, %g cycles a miss; then %g entries, %g "
		"cycles\n"
		"# - misses fetch %g bytes; prefetch-size hints, eviction "
		"priorities and the\n#   carve-out of %.0f bytes for "
		"persisting lines\n"
		"# - compressible memory, the floor plan of SMs and slices\n"
		"# - refresh, beyond the mean above: every %g cycles, for %g\n",
		v->atomic_extra_cycles, v->atomic_sector_cycles, v->tlb_entries,
		v->tlb_miss_cycles, v->tlb2_entries, v->tlb2_miss_cycles,
		v->l2_fetch_bytes, v->l2_persisting_max_bytes,
		v->dram_refresh_interval_cycles, v->dram_refresh_cycles);
}

int export_gpgpusim(
	const struct export_machine *machine, FILE *out, struct error *error)
{
	struct values v = {0};
	int code = read_values(machine, &v, error);

	if (code)
		return code;
	put_head(machine, &v, out);
	put_l1(&v, out);
	put_l2(&v, out);
	put_dram(&v, out);
	put_rest(&v, out);
	return 0;
}
