#include <stdarg.h>
#include <string.h>

#include "backend_sim/machine/machine.h"
#include "tests/support/machine_random.h"

/*
 * Values stand in groups of which none breaks a rule of machine_rules.c,
 * whatever is drawn of the others; a value that stands twice is drawn twice as
 * often.
 */
static const struct {
	const char *name, *values;
} lists[] = {
	{"sm_count", "1 2 3 4 6"},
	{"sm_arch", "90 120"},
	{"clock_hz", "1e9 1.5e9"},
	{"warps_per_sm", "4 8 64"},
	{"gpc_count", "2 3 4"},
	{"gpc_side_mask", "0 1 2 6 10"},
	{"memory_bytes", "3MiB 5MiB"},
	{"page_bytes", "4096 8192 65536"},
	{"page_seed", "0 1 2"},
	{"page_first", "0 1 5 264"},
	{"scheduler_data_bytes_per_cycle", "3 36 4096"},
	{"lsu_cycles", "0.0625 1 1.5 7.3"},
	{"schedulers", "4 8"},
	{"replay_cycles", "0 0 1 3.5"},
	{"store_merge_cycles", "0 12 400"},
	{"store_merge_lines", "1 2 28 64"},
	{"store_run", "0 1 2 3 8"},
	{"lsu_store_cycles", "0 2.12 7"},
	{"l2_part_ways", "1 1 2 65536"},
	{"l2_dirty_ways", "1 2 8 65536"},
	{"slice_reduction_sectors", "0 1 9 256"},
	{"scheduler_narrow_bytes_per_cycle", "1 64 4096"},
	{"barrier_cycles", "1 9"},
	{"barrier_warp_cycles", "0 2.01 11.5"},
	{"shared_cycles", "1 23"},
	{"shared_atomic_cycles", "0.5 1 4.3"},
	{"l1_total_bytes", "16KiB 24KiB"},
	{"l1_cache_bytes", "1KiB 1152 2KiB 4KiB 12KiB"},
	{"l1_cache_min_bytes", "1KiB 4KiB"},
	{"l1_ways", "1 2 4"},
	{"l1_random_share", "0 0 0.4 1"},
	{"l1_hit_cycles", "1 5 31"},
	{"l1_miss_cycles", "0 1 10"},
	{"l1_line_cycles", "0.0625 1 2.7"},
	{"l1_pass_cycles", "0 2.2 8"},
	{"l1_promotes_lines", "0 0 1"},
	{"l1_store_evicts", "0 0 1"},
	{"l1_store_allocates", "0 1 1"},
	{"l1_protected_share", "0 0.5 0.3 1"},
	{"texture_caches", "0 0 1 4"},
	{"texture_cache_bytes", "1KiB 2KiB"},
	{"texture_ways", "1 4"},
	{"texture_hit_cycles", "1 30"},
	{"texture_miss_cycles", "0 10"},
	{"texture_line_cycles", "0.0625 1 3.1"},
	{"tlb_entries", "2 4 16"},
	{"tlb_ways", "1 2"},
	{"tlb_reach_bytes", "4096 16384 1MiB"},
	{"tlb_miss_cycles", "0 8 100"},
	{"tlb2_entries", "16 32"},
	{"tlb2_ways", "2 4 16"},
	{"tlb2_reach_bytes", "4096 32768 1MiB"},
	{"tlb2_miss_cycles", "0 100 1000"},
	{"tlb_port_cycles", "0 1 2.5"},
	{"sm_inflight_sectors", "4 8 17 64 1460"},
	{"sm_request_cycles", "0.0625 1 2.5"},
	{"store_queue_cycles", "0 20 250"},
	{"sm_request_bytes_per_cycle", "3 31 64"},
	{"sm_reply_bytes_per_cycle", "5 64 117"},
	{"gpc_request_cycles", "0.0625 1 3"},
	{"cpc_request_bytes_per_cycle", "20 512"},
	{"gpc_reply_bytes_per_cycle", "20 90 1200"},
	{"gpc_merge_cycles", "0 16 200 4000"},
	{"gpc_merge_requests", "1 2 4 63"},
	{"reply_header_bytes", "0 8 32"},
	{"l2_bytes", "96KiB 96KiB 192KiB"},
	{"l2_partitions", "1 2 2"},
	{"l2_slices", "6 8"},
	{"l2_slices_used", "2 4 6"},
	{"slice_pair", "0 1 2 7"},
	{"slice_hash_mask_0", "0x192800 0x800"},
	{"slice_hash_mask_5", "0x64800 0x44000"},
	{"l2_ways", "1 2 4 8"},
	{"l2_random_share", "0 0 0.3 1"},
	{"home_hash_mask", "0 0x80 0x300 0x1000 0x3080 0x2ab000"},
	{"l2_near_cycles", "1 7 40 265"},
	{"floor_sm_cycles", "0 3 10"},
	{"floor_slice_cycles", "0 7.7"},
	{"floor_product_cycles", "0 5 16"},
	{"floor_seed", "1 2 26"},
	{"bridge_cycles", "0 5 87"},
	{"bridge_data_cycles", "0 20"},
	{"bridge_bytes_per_cycle", "11 64 2048"},
	{"bridge_request_cycles", "0.03125 1 4"},
	{"slice_request_cycles", "0.0625 1 1.33 5"},
	{"slice_write_bytes_per_cycle", "5 24.5 64"},
	{"slice_writebacks", "1 2 8 64"},
	{"slice_store_lines", "1 2 4 9"},
	{"slice_bytes_per_cycle", "7 46 64"},
	{"crossbar_bytes_per_cycle", "3 40 500 4400"},
	{"dram_common_share", "0 0.58 1"},
	{"l2_fetch_bytes", "32 64 128"},
	{"l2_persisting_max_bytes", "65536"},
	{"l2_last_ways", "0 1 2"},
	{"l2_first_ways", "1 2 4"},
	{"atomic_extra_cycles", "0 5 60"},
	{"atomic_sector_cycles", "1 2.6 30"},
	{"atomic_kept_cycles", "1 1.4"},
	{"atomic_whole_cycles", "1 1.2 9"},
	{"atomic_float_cycles", "0 3.5 9"},
	{"atomic_flit_cycles", "0 1.2 8"},
	{"atomic_fair_share_passes", "1 3 150"},
	{"atomic_line_passes", "1 20 4950"},
	{"atomic_kept_lines", "1 2 4"},
	{"atomic_port_flit_cycles", "0 1.1 8"},
	{"atomic_return_cycles", "0 0.5 6"},
	{"atomic_return_value_cycles", "0 0.1 2"},
	{"atomic_reply_pass_cycles", "1 2"},
	{"atomic_reply_join_cycles", "0 0.5 1"},
	{"atomic_reply_lane_cycles", "0 0.29"},
	{"dram_channels_per_slice", "1 2 3"},
	{"dram_banks", "1 2 4 16"},
	{"dram_row_bytes", "64 128 256 1024"},
	{"dram_bytes_per_s", "1e10 1e11 4e11 4e12"},
	{"dram_near_cycles", "1 30 178"},
	{"dram_row_cycles", "0 10 46"},
	{"dram_row_busy_cycles", "0 20 90"},
	{"dram_activate_cycles", "0 1 8.6"},
	{"dram_reread_cycles", "0 2 25"},
	{"dram_far_cycles", "0 15"},
	{"dram_spread_cycles", "0 6 30"},
	{"dram_drain_cycles", "1 1 50 2600"},
	{"dram_turnaround_cycles", "0 5 17.5"},
	{"compressed_share", "0.7 0.25"},
	{"compressed_half_share", "0.78 0.5"},
	{"dram_refresh_interval_cycles", "0 300 4180"},
	{"dram_refresh_cycles", "0 7 150"},
	{"blocks_per_sm", "1 3 32"},
	{"sms_per_tpc", "1 2 3"},
	{"shared_reserved_bytes", "0 1KiB"},
	{"l1_reserved_bytes", "0 1KiB 8KiB"},
	{"carveout_step_mask", "0x1 0x5 0xa"},
	{"floor_cpc_0_share", "0.7 1"},
	{"floor_cpc_1_share", "0 1 1.3"},
	{"floor_cpc_2_share", "1.2"},
	{"floor_slice_mean_share", "0.95 2"},
	{"floor_slice_spread_share", "0 0.3"},
	{"dram_stagger_cycles", "0 7 977"},
	{"registers_per_sm", "65536 8192 16384"},
	{"launch_block_cycles", "0 4 100.5"},
	{"launch_warp_cycles", "0 17.4"},
	{"launch_chip_block_cycles", "0 1.19 30"},
	{"launch_chip_first_cycles", "0 0.3 20"},
	{"launch_spread_cycles", "0 220"},
	{"launch_spread_gpc_cycles", "0 60"},
	{"launch_begin_block_cycles", "0 0.3 2"},
	{"launch_begin_warps_cycles", "0 0.25 1"},
	{"launch_stagger_cycles", "0 4.3"},
	{"launch_first_warp_cycles", "0 1 3.3"},
	{"launch_fetch_cycles", "0 2 5.5"},
	{"launch_latency_cycles", "0 450"},
	{"launch_round_cycles", "0 24 200"},
	{"atomic_whole_sector_cycles", "1 1.7 20"},
	{"gpc_tpcs", "0 0 0x1 0x12 0x2131"},
	{"gpc_of_rest", "0 1"},
	{"crossbar_gpc_bytes_per_cycle", "3 12 80 600"},
	{"crossbar_rest_bytes_per_cycle", "3 12 80"},
	{"launch_gpc_block_cycles", "0 5 40.5"},
	{"launch_gpc_warp_cycles", "0 0.3 3"},
	{"kernel_fence_least_cycles", "0 580"},
	{"kernel_fence_way_cycles", "0 46"},
	{"kernel_fence_idle_cycles", "0 263"},
	{"kernel_fence_join_cycles", "0 26"},
	{"kernel_fence_late_cycles", "0 49"},
	{"link_loads", "1 3 64"},
	{"link_writes", "1 2 64"},
	{"link_cycles", "0 1 301"},
	{"link_miss_cycles", "0 60"},
	{"link_atomic_cycles", "0 35"},
	{"link_out_bytes_per_cycle", "1.5 20 195"},
	{"link_in_bytes_per_cycle", "3 40 195"},
	{"link_count", "1 2 3 18"},
	{"link_side_cycles", "0 33"},
	{"link_slice_cycles", "0 21"},
	{"link_header_bytes", "0 16 80"},
	{"link_mask_bytes", "0 16"},
	{"link_operation_bytes", "0 16 200"},
	{"sm_far_sectors", "4 9 4096"},
	{"copy_packet_bytes", "32 256"},
	{"host_loads", "1 2 16"},
	{"host_writes", "1 4 64"},
	{"host_memory_bytes", "128KiB 3MiB"},
	{"host_cycles", "0 2 500"},
	{"host_atomic_cycles", "0 11"},
	{"host_out_bytes_per_cycle", "0.5 26"},
	{"host_in_bytes_per_cycle", "0.75 26"},
	{"host_header_bytes", "0 20"},
	{"host_operation_bytes", "0 72"},
	{"host_part_cycles", "0 4.5"},
	{"host_lock_cycles", "0 90"},
	{"copy_start_cycles", "0 17 1000"},
	{"l2_uncopied", "0 0 1"},
	{"side_store_bytes_per_cycle", "3 40 500 1000000"},
	{"side_store_head_bytes", "0 64 20"},
};

/* Copies word `index` of a list of words, and says how many there are. */
static uint32_t word(const char *list, uint32_t index, char *out, size_t size)
{
	uint32_t count = 0;

	while (*list) {
		size_t length = strcspn(list, " ");

		if (count++ == index)
			snprintf(out, size, "%.*s", (int)length, list);
		list += length + strspn(list + length, " ");
	}
	return count;
}

void machine_random(struct machine_random *m, uint32_t seed)
{
	m->count = 0;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		uint32_t words = word(lists[i].values, UINT32_MAX, NULL, 0);

		m->set[m->count].name = lists[i].name;
		word(lists[i].values,
			permute_draw(seed, 11, (uint32_t)i, words),
			m->set[m->count].value, sizeof(m->set[0].value));
		m->count++;
	}
}

/* ---- shapes ---- */

__attribute__((format(printf, 3, 4))) static void set(
	struct machine_random *m, const char *name, const char *format, ...)
{
	va_list arguments;
	unsigned i = 0;

	while (i < m->count && strcmp(m->set[i].name, name) != 0)
		i++;
	m->count += i == m->count;
	m->set[i].name = name;
	va_start(arguments, format);
	vsnprintf(m->set[i].value, sizeof(m->set[i].value), format, arguments);
	va_end(arguments);
}

/* From 1 to `most`. */
static uint32_t some(uint32_t seed, uint32_t index, uint32_t most)
{
	return 1 + permute_draw(seed, 19, index, most);
}

#define L2_LEAST 65536u /* bytes, of a machine */

static void shape_l2(struct machine_random *m, uint32_t seed, uint32_t sets)
{
	uint32_t partitions = some(seed, 0, 2);
	uint32_t slices = some(seed, 1, 100 / partitions);
	uint32_t ways = 1u << (some(seed, 2, 5) - 1);
	uint32_t bytes = partitions * slices * ways * 128;
	uint32_t least = (L2_LEAST + bytes - 1) / bytes;

	set(m, "l2_partitions", "%u", partitions);
	set(m, "l2_slices", "%u", partitions * slices);
	set(m, "l2_slices_used", "%u", partitions * some(seed, 3, slices));
	set(m, "slice_pair", "%u", some(seed, 4, 100) - 1);
	set(m, "l2_ways", "%u", ways);
	set(m, "l2_bytes", "%u", bytes * (least + some(seed, 5, sets) - 1));
	set(m, "l2_uncopied", "%u", some(seed, 6, 2) - 1);
	set(m, "gpc_side_mask", "%u", some(seed, 7, 4096) - 1);
}

void machine_random_shape(struct machine_random *m, uint32_t seed,
	const struct machine_shape *most)
{
	uint32_t gpcs = some(seed, 20, 12), lines = some(seed, 21, 64), gpc;
	uint64_t tpcs = 0;

	for (gpc = 0; gpc < gpcs && some(seed, 22, 2) == 1; gpc++)
		tpcs |= (uint64_t)(some(seed, 30 + gpc, 16) - 1) << 4 * gpc;
	lines = 8 * lines + some(seed, 23, most->l1_lines);
	set(m, "sm_count", "%u", some(seed, 24, most->sms));
	set(m, "gpc_count", "%u", gpcs);
	set(m, "gpc_tpcs", "%llu", (unsigned long long)tpcs);
	set(m, "gpc_of_rest", "%u", some(seed, 25, gpcs) - 1);
	set(m, "l1_cache_bytes", "%u", 128 * lines);
	set(m, "l1_total_bytes", "%u", 128 * (lines + 8 * some(seed, 26, 64)));
	set(m, "l1_cache_min_bytes", "%u",
		128 * (7 + some(seed, 27, lines - 7)));
	set(m, "dram_channels_per_slice", "%u", some(seed, 28, 4));
	set(m, "dram_banks", "%u", some(seed, 29, 16));
	shape_l2(m, seed, most->sets);
}

static const char *unit_of(const char *name)
{
	enum parameter p = 0;

	while (strcmp(parameters[p].name, name) != 0)
		p++;
	return parameters[p].unit;
}

int machine_random_print(const struct machine_random *m, FILE *out)
{
	fprintf(out, "schema: nearfar-machine/1\nname: random\n"
		     "base: h200-sxm\nabout: drawn by a test\nparameters:\n");
	for (unsigned i = 0; i < m->count; i++)
		fprintf(out, "  %s: {value: %s, unit: %s, origin: assumed}\n",
			m->set[i].name, m->set[i].value,
			unit_of(m->set[i].name));
	return ferror(out) ? -1 : 0;
}
