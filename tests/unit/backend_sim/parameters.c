/*
 * Every parameter does something: on a small machine where its mechanism is on,
 * another value gives another result of some program, or another device.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/contract/backend.h"
#include "harness/program/legality/legality.h"
#include "harness/program/text/text.h"

TestSuite(parameters, .timeout = 120);

#define SETS_MAX 48

/* A chip of 8 SMs on two sides, small enough that everything overflows. */
static const char *const small[] = {"sm_count=8", "gpc_count=4",
	"gpc_side_mask=10", "memory_bytes=64MiB", "page_bytes=64KiB",
	"tlb_reach_bytes=64KiB", "tlb2_reach_bytes=64KiB", "tlb_entries=8",
	"tlb_ways=4", "tlb2_entries=32", "tlb2_ways=8", "l2_slices_used=6",
	"l2_slices=8", "l2_bytes=256KiB", "slice_writebacks=8",
	"l1_random_share=0.2", "l2_random_share=0.2", "dram_drain_cycles=300",
	"dram_common_share=0.3", "dram_bytes_per_s=1e11", "link_writes=4",
	"link_loads=16", "link_cycles=400", "host_writes=4",
	"host_memory_bytes=4MiB", "host_loads=16", "host_cycles=600"};

#define HEAD "nearfar-program 1\nname test\nseed 1\n"

/* Those that take long come last: few parameters are left for them. */
static const char *const programs[] = {
	/* a loop within a loop, words that are narrow; atomics that chase */
	HEAD "buffer a bytes=64KiB\n"
	     "buffer r bytes=64KiB fill=ring slot=128 order=shuffle seed=1\n"
	     "launch l\n  role r sms=0:1 threads=1024\n"
	     "    repeat 4 time=region region=a\n"
	     "      ld.global.ca.b64 [a + lane*8]\n"
	     "      repeat 2 unroll=2\n        ld.global.ca.b64 [a + lane*8 + "
	     "loop1*256]\n      end\n    end\n"
	     "launch m\n  role r sms=0:1 threads=32 lanes=1\n"
	     "    repeat 8 time=region region=b\n"
	     "      atom.global.add.u64 [r chase]\n    end\n"
	     "launch n\n  role r sms=0:1 threads=1024\n"
	     "    repeat 4 time=region region=c\n"
	     "      atom.global.add.u32 [a + lane*160 wrap 65536]\n    end\n",
	/* the copy engine */
	HEAD "buffer a bytes=512KiB\nbuffer b bytes=512KiB memory=peer\n"
	     "copy a b bytes=512KiB\n",
	/* chases in L1, L2 and DRAM, timed one by one */
	HEAD "buffer a bytes=16KiB fill=ring slot=128 order=shuffle\n"
	     "buffer b bytes=96KiB fill=ring slot=128 order=shuffle\n"
	     "buffer c bytes=8MiB fill=ring slot=1024 order=shuffle\n"
	     "launch l\n  role r sms=0:1 threads=1 lanes=1\n"
	     "    repeat 300 time=each region=a\n"
	     "      ld.global.ca.b64 [a chase]\n    end\n"
	     "    repeat 1600 time=each region=b\n"
	     "      ld.global.cg.b64 [b chase]\n    end\n"
	     "    repeat 300 time=each region=c\n"
	     "      ld.global.cg.b64 [c chase]\n    end\n"
	     "    repeat 100 time=each region=d\n"
	     "      atom.global.add.u64 [b chase]\n    end\n",
	/* blocks of one SM that store the same bytes thrice, and fence */
	HEAD "buffer a bytes=16KiB\nlaunch l\n"
	     "  role r sms=0:1 per_sm=4 threads=64\n"
	     "    repeat 8 time=region region=a\n"
	     "      st.global.b32 [a + lane*4 + warp*128 + block*256]\n"
	     "      st.global.b32 [a + lane*4 + warp*128 + block*256]\n"
	     "      st.global.b32 [a + lane*4 + warp*128 + block*256]\n"
	     "    end\n",
	/* a warp that stores at random */
	HEAD "buffer a bytes=64KiB\nlaunch l\n  role r sms=0:1 threads=32\n"
	     "    repeat 8 time=region region=a\n"
	     "      st.global.b32 [a random slot=128 per=warp wrap 32KiB]\n    "
	     "end\n",
	/* read-only loads */
	HEAD "buffer a bytes=64KiB\nlaunch l\n  role r sms=0:2 threads=128\n"
	     "    repeat 64 time=region region=a\n"
	     "      ld.global.nc.b32 [a + lane*132 + loop0*512 wrap 32KiB]\n"
	     "    end\n    repeat 64 time=region region=b\n"
	     "      ld.global.nc.b32 [a + lane*4]\n    end\n",
	/* stores, whole and in part, that are read again */
	HEAD "buffer a bytes=2MiB\nlaunch l\n"
	     "  role r sms=all threads=512\n"
	     "    repeat 8 time=region region=a\n"
	     "      st.global.wb.v4.b32 [a + lane*16 + warp*512 + "
	     "block*256KiB + loop0*8KiB]\n    end\n"
	     "    repeat 8 time=region region=b\n"
	     "      st.global.wb.b32 [a + lane*64 + warp*2048 + "
	     "block*128KiB + loop0*64]\n    end\n"
	     "    repeat 8 time=region region=c\n"
	     "      ld.global.ca.b32 [a + lane*64 + warp*2048 + "
	     "block*128KiB + loop0*64]\n    end\n"
	     "    repeat 8 time=region region=d\n"
	     "      st.global.wb.b32 [a + lane*4 + loop0*128]\n"
	     "      ld.global.ca.b32 [a + lane*4 + loop0*128]\n    end\n",
	/* atomics on a word, on words, on lines; a chase beside them */
	HEAD "buffer a bytes=1MiB\nbuffer r bytes=64KiB fill=ring slot=128\n"
	     "launch l\n  role r sms=1:7 threads=256\n"
	     "    repeat 32 time=region region=a\n"
	     "      atom.global.add.u32 [a]\n    end\n"
	     "    repeat 16 time=region region=b\n"
	     "      red.global.add.u32 [a + lane*4 + warp*128 + "
	     "block*1024]\n    end\n"
	     "    repeat 16 time=region region=c\n"
	     "      atom.global.add.u32 [a + lane*64 + block*2048]\n    end\n"
	     "    repeat 32 time=region region=d\n"
	     "      red.global.add.f32 [a + lane*4 + loop0*128 wrap 384]\n"
	     "    end\n"
	     "  role chase sms=0:1 threads=1 lanes=1\n"
	     "    repeat 200 time=each region=e\n"
	     "      ld.global.cg.b64 [r chase]\n    end\n",
	/* shared memory, barriers, delays */
	HEAD "buffer a bytes=64KiB\nlaunch l\n"
	     "  role r sms=0:2 threads=128 shared=40KiB\n"
	     "    repeat 16 time=region region=a\n"
	     "      ld.shared.b32 [shared + lane*4]\n"
	     "      atom.shared.add.u32 [shared]\n"
	     "      barrier\n      delay 50\n"
	     "      ld.global.ca.b32 [a + lane*128 + warp*4096 + "
	     "loop0*16KiB wrap 64KiB]\n    end\n",
	/* classes: a hot set against a stream, then again */
	HEAD "buffer hot bytes=128KiB\nbuffer s bytes=2MiB\n"
	     "carveout 128KiB\nwindow hot bytes=64KiB ratio=0.5 "
	     "hit=persisting\n"
	     "launch l\n  role r sms=0:1 threads=256\n"
	     "    repeat 16\n      ld.global.cg.b32 [hot + lane*4 + "
	     "warp*128 + loop0*1024]\n    end\n"
	     "    repeat 256\n      ld.global.cs.v4.b32 "
	     "[s + lane*16 + warp*512 + loop0*4096]\n    end\n"
	     "    repeat 16 time=each region=a\n      ld.global.cg.b32 "
	     "[hot + lane*4 + warp*128 + loop0*1024]\n    end\n",
	HEAD "buffer hot bytes=128KiB\nbuffer s bytes=2MiB\n"
	     "launch l\n  role r sms=0:1 threads=256\n"
	     "    createpolicy.fractional.L2::evict_last.b64 p0\n"
	     "    repeat 16\n      ld.global.L2::cache_hint.b32 [hot + "
	     "lane*4 + warp*128 + loop0*1024], p0\n    end\n"
	     "    repeat 256\n      ld.global.cg.v4.b32 "
	     "[s + lane*16 + warp*512 + loop0*4096]\n    end\n"
	     "    repeat 16 time=each region=a\n      ld.global.cg.b32 "
	     "[hot + lane*4 + warp*128 + loop0*1024]\n    end\n",
	/* SMs in turn, and what repeats until they end */
	HEAD "buffer a bytes=64KiB\nlaunch l turns\n"
	     "  role r sms=all threads=1 lanes=1\n"
	     "    repeat 4 time=region region=a\n"
	     "      ld.global.cg.b32 [a + loop0*128]\n    end\n"
	     "launch m\n  role r sms=0:1 threads=1 lanes=1\n"
	     "    repeat 200 time=region region=b\n"
	     "      ld.global.cg.b32 [a + loop0*128]\n    end\n"
	     "    repeat 8 time=region region=c\n"
	     "      st.global.b32 [a + loop0*128 wrap 256]\n    end\n"
	     "  role l sms=1:4 threads=64 background\n"
	     "    ld.global.cg.b32 [a + lane*4 + warp*128]\n",
	/* the same lines by all SMs; grids of more blocks than fit */
	HEAD "buffer a bytes=192KiB\nlaunch l\n"
	     "  role r sms=all threads=256\n"
	     "    repeat 32 time=region region=a\n"
	     "      ld.global.cg.v4.b32 [a + lane*16 + warp*512 + "
	     "loop0*4096]\n    end\n"
	     "launch m\n  role r blocks=600 threads=64\n"
	     "    repeat 4 time=region region=b\n"
	     "      ld.global.cg.b32 [a + lane*4 + block*128 + loop0*4096 "
	     "wrap 64KiB]\n    end\n",
	/* memory that compresses */
	HEAD "buffer a bytes=4MiB memory=compressible\n"
	     "buffer b bytes=4MiB fill=random random_bytes=12 "
	     "memory=compressible\n"
	     "launch l\n  role r sms=all threads=512\n"
	     "    repeat 32 time=region region=a\n"
	     "      ld.global.cg.v4.b32 [a + lane*16 + warp*512 + "
	     "block*512KiB + loop0*8KiB]\n    end\n"
	     "    repeat 32 time=region region=b\n"
	     "      ld.global.cg.v4.b32 [b + lane*16 + warp*512 + "
	     "block*512KiB + loop0*8KiB]\n    end\n",
	/* chip-wide loads that wrap, unrolled, then by pages */
	HEAD "buffer a bytes=768KiB\nbuffer p bytes=16MiB\n"
	     "launch l\n  role r sms=all per_sm=2 threads=256\n"
	     "    repeat 64 unroll=4 time=region region=a\n"
	     "      ld.global.cg.v4.b32 [a + lane*16 + warp*512 + "
	     "block*4352 + loop0*9472 wrap 768KiB]\n    end\n"
	     "    repeat 16 time=region region=b\n"
	     "      ld.global.ca.b32 [p + lane*4 + block*64KiB + "
	     "loop0*320KiB wrap 16MiB]\n    end\n",
	/* far memory, twice: the peer's L2 does not hold it */
	HEAD "buffer p bytes=512KiB memory=peer\n"
	     "buffer h bytes=512KiB memory=host\n"
	     "launch l\n  role r sms=all threads=256\n"
	     "    repeat 4 time=region region=p0\n"
	     "      ld.global.cg.b32 [p + lane*128 + warp*4096 + block*32KiB + "
	     "loop0*4096]\n    end\n"
	     "    fence.sys\n"
	     "    repeat 4 time=region region=p1\n"
	     "      st.global.b32 [p + lane*128 + warp*4096 + block*32KiB + "
	     "loop0*4096]\n    end\n"
	     "    fence.sys\n"
	     "    repeat 4 time=region region=p2\n"
	     "      red.global.add.u32 [p + lane*128 + warp*4096 + block*32KiB "
	     "+ loop0*4096]\n    end\n"
	     "    fence.sys\n"
	     "    repeat 4 time=region region=p3\n"
	     "      atom.global.add.u32 [p + lane*128 + warp*4096 + "
	     "block*32KiB + loop0*4096]\n    end\n"
	     "    fence.sys\n"
	     "    repeat 4 time=region region=p4\n"
	     "      st.global.b32 [p + lane*32 + warp*4096 + block*32KiB + "
	     "loop0*4096]\n    end\n"
	     "    fence.sys\n"
	     "    repeat 4 time=region region=h0\n"
	     "      ld.global.cg.b32 [h + lane*128 + warp*4096 + block*32KiB + "
	     "loop0*4096]\n    end\n"
	     "    fence.sys\n"
	     "    repeat 4 time=region region=h1\n"
	     "      st.global.b32 [h + lane*128 + warp*4096 + block*32KiB + "
	     "loop0*4096]\n    end\n"
	     "    fence.sys\n"
	     "    repeat 4 time=region region=h2\n"
	     "      red.global.add.u32 [h + lane*128 + warp*4096 + block*32KiB "
	     "+ loop0*4096]\n    end\n"
	     "    fence.sys\n"
	     "    repeat 4 time=region region=h3\n"
	     "      atom.global.add.u32 [h + lane*128 + warp*4096 + "
	     "block*32KiB + loop0*4096]\n    end\n"
	     "    fence.sys\n",
	/* L1: divergent, of random addresses, hit again, evicted */
	HEAD "buffer a bytes=300KiB\nbuffer b bytes=32KiB\n"
	     "launch l\n  role r sms=0:2 threads=512\n"
	     "    repeat 64 unroll=2 time=region region=a\n"
	     "      ld.global.ca.b32 [a random slot=4]\n    end\n"
	     "    repeat 64 time=region region=b\n"
	     "      ld.global.ca.b32 [b + lane*132 + warp*1024]\n"
	     "      ld.global.ca.b32 [a + lane*128 + loop0*4096]\n    end\n"
	     "    repeat 32 time=region region=c\n"
	     "      ld.global.ca.b32 [b + lane*132 + warp*1024]\n    end\n"
	     "    repeat 64 unroll=8 time=region region=d\n"
	     "      ld.global.ca.b32 [b + lane*4 + loop0*132 wrap 2KiB]\n"
	     "    end\n    repeat 64 unroll=4 time=region region=e\n"
	     "      ld.global.ca.b32 [b + lane*4 + loop0*2048 wrap 16KiB]\n"
	     "    end\n",
};

/* What another value is, where twice or half of it says too little, and what
   else must be set for the mechanism to be on. */
static const struct change {
	const char *name, *value, *sets[3];
} changes[] = {
	{"sm_arch", "100", {NULL}},
	{"ptx_version", "70", {NULL}},
	{"sms_per_tpc", "1", {NULL}},
	{"gpc_count", "2", {NULL}},
	{"gpc_side_mask", "5", {NULL}},
	{"memory_bytes", "48MiB", {NULL}},
	{"page_bytes", "128KiB", {NULL}},
	{"page_seed", "7", {NULL}},
	{"page_first", "3", {NULL}},
	{"schedulers", "2", {NULL}},
	{"warps_per_sm", "8", {NULL}},
	{"blocks_per_sm", "4", {NULL}},
	{"registers_per_sm", "8192", {NULL}},
	{"replay_cycles", "2", {NULL}},
	{"l1_cache_bytes", "16KiB", {NULL}},
	{"l1_cache_min_bytes", "240KiB", {NULL}},
	{"l1_total_bytes", "253952", {NULL}},
	{"shared_reserved_bytes", "48KiB", {NULL}},
	{"l1_reserved_bytes", "64KiB", {NULL}},
	{"carveout_step_mask", "0x1", {NULL}},
	{"l1_ways", "2", {NULL}},
	{"store_run", "0", {"store_merge_cycles=64", "store_merge_lines=4"}},
	{"store_merge_lines", "1", {NULL}},
	{"store_merge_cycles", "1", {NULL}},
	{"texture_caches", "4", {NULL}},
	{"texture_cache_bytes", "2KiB", {"texture_caches=4"}},
	{"texture_ways", "1", {"texture_caches=4", "texture_cache_bytes=4KiB"}},
	{"texture_hit_cycles", "200", {"texture_caches=4"}},
	{"texture_miss_cycles", "200", {"texture_caches=4"}},
	{"texture_line_cycles", "9", {"texture_caches=4"}},
	{"tlb_entries", "4", {NULL}},
	{"tlb_ways", "1", {NULL}},
	{"tlb_reach_bytes", "1MiB", {NULL}},
	{"tlb2_entries", "16", {NULL}},
	{"tlb2_ways", "1", {NULL}},
	{"tlb2_reach_bytes", "1MiB", {NULL}},
	{"sm_inflight_sectors", "16", {NULL}},
	{"l2_partitions", "1", {NULL}},
	{"l2_uncopied", "1", {NULL}},
	{"l2_slices", "16", {NULL}},
	{"l2_slices_used", "8", {NULL}},
	{"slice_pair", "2", {NULL}},
	{"l2_bytes", "128KiB", {NULL}},
	{"l2_ways", "8", {NULL}},
	{"home_hash_mask", "0x3000", {NULL}},
	{"slice_hash_mask_0", "0x800", {NULL}},
	{"slice_hash_mask_1", "0x4000", {NULL}},
	{"slice_hash_mask_2", "0x400", {NULL}},
	{"slice_hash_mask_3", "0x1100", {NULL}},
	{"slice_hash_mask_4", "0x1f2400", {NULL}},
	{"slice_hash_mask_5", "0x44000", {NULL}},
	{"l2_fetch_bytes", "128", {NULL}},
	{"l2_last_ways", "9", {NULL}},
	{"l2_first_ways", "1", {NULL}},
	{"l2_persisting_max_bytes", "64KiB", {NULL}},
	{"slice_writebacks", "1", {NULL}},
	{"slice_store_lines", "1", {NULL}},
	{"l2_part_ways", "1", {NULL}},
	{"l2_dirty_ways", "1", {NULL}},
	{"slice_reduction_sectors", "1", {NULL}},
	{"scheduler_narrow_bytes_per_cycle", "128", {NULL}},
	{"dram_drain_cycles", "7", {NULL}},
	{"floor_seed", "3", {NULL}},
	{"floor_cpc_1_share", "0.3", {"gpc_count=2"}},
	{"floor_cpc_2_share", "0.3", {"gpc_count=1"}},
	{"atomic_reply_lane_cycles", "8", {NULL}},
	/* bounds on long lines */
	{"atomic_float_cycles", "40", {NULL}},
	{"atomic_fair_share_passes", "1", {"atomic_line_passes=100000"}},
	{"atomic_line_passes", "1", {NULL}},
	{"atomic_kept_lines", "1", {NULL}},
	{"gpc_tpcs", "0x1003", {NULL}},
	{"gpc_of_rest", "2", {"gpc_tpcs=0x1100"}},
	{"launch_gpc_warp_cycles", "30", {NULL}},
	{"launch_gpc_block_cycles", "90", {NULL}},
	{"launch_chip_block_cycles", "90", {NULL}},
	{"launch_chip_first_cycles", "90", {NULL}},
	{"launch_round_cycles", "2000", {NULL}},
	{"launch_begin_block_cycles", "9", {NULL}},
	{"launch_begin_warps_cycles", "9", {NULL}},
	{"launch_first_warp_cycles", "30", {NULL}},
	{"launch_fetch_cycles", "30", {NULL}},
	{"crossbar_bytes_per_cycle", "8", {NULL}},
	{"crossbar_gpc_bytes_per_cycle", "8", {NULL}},
	{"crossbar_rest_bytes_per_cycle", "8", {"gpc_tpcs=0x1110"}},
	/* rates that nothing on this chip comes near */
	{"gpc_request_cycles", "3", {NULL}},
	{"gpc_merge_requests", "1", {"gpc_merge_cycles=200"}},
	{"cpc_request_bytes_per_cycle", "8", {NULL}},
	{"side_store_bytes_per_cycle", "8", {NULL}},
	{"side_store_head_bytes", "1024", {NULL}},
	{"gpc_reply_bytes_per_cycle", "8", {NULL}},
	{"bridge_bytes_per_cycle", "8", {NULL}},
	{"bridge_request_cycles", "3", {NULL}},
	{"tlb_port_cycles", "60", {NULL}},
	{"dram_bytes_per_s", "1e10", {NULL}},
	{"dram_row_bytes", "128", {NULL}},
	{"dram_common_share", "0.9", {NULL}},
	{"l1_pass_cycles", "8", {NULL}},
	{"host_memory_bytes", "64KiB", {NULL}},
	{"link_loads", "3", {NULL}},
	{"host_loads", "3", {NULL}},
	{"sm_far_sectors", "4", {NULL}},
	{"link_count", "3", {NULL}},
	{"copy_packet_bytes", "64", {"link_header_bytes=16"}},
	{"link_mask_bytes", "512", {"link_out_bytes_per_cycle=1"}},
	{"host_lock_cycles", "65536",
		{"host_writes=4096", "host_out_bytes_per_cycle=1000"}},
};

static const struct change *change_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (!strcmp(changes[i].name, name))
			return &changes[i];
	return NULL;
}

/* Another value within the bounds: half of it, or twice, or the other end. */
static void other_value(
	const struct model_parameter *p, char *text, size_t size)
{
	const struct change *change = change_of(p->name);
	double value = p->value / 2;

	if (change) {
		snprintf(text, size, "%s", change->value);
		return;
	}
	if (p->value == 0)
		value = p->maximum < 16 ? p->maximum : 16;
	else if (value < p->minimum)
		value = 2 * p->value;
	if (!strcmp(p->unit, "count"))
		value = p->maximum == 1 ? !p->value : (double)(long)value;
	snprintf(text, size, "%.10g", value);
}

/* ---- what a machine gives ---- */

struct outcome {
	struct device device;
	struct result results[sizeof(programs) / sizeof(programs[0])];
	int codes[sizeof(programs) / sizeof(programs[0])];
	size_t run; /* programs */
};

static struct backend *open_with(
	const struct change *change, const char *setting, struct device *device)
{
	const char *sets[SETS_MAX];
	struct backend_config config = {.sets = sets};
	struct backend *model = NULL;
	struct facts facts = {0};
	struct error error = {""};
	size_t i;

	for (i = 0; i < sizeof(small) / sizeof(small[0]); i++)
		sets[config.set_count++] = small[i];
	for (i = 0; change && i < 3 && change->sets[i]; i++)
		sets[config.set_count++] = change->sets[i];
	if (setting)
		sets[config.set_count++] = setting;
	cr_assert_eq(0, backend_sim.open(&model, &config, &error), "%s: %s",
		setting ? setting : "base", error.text);
	cr_assert_eq(0, backend_sim.describe(model, device, &facts, &error));
	facts_free(&facts);
	return model;
}

static struct program parsed[sizeof(programs) / sizeof(programs[0])];

static void parse_programs(void)
{
	struct error error = {""};
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		cr_assert_eq(0,
			program_parse(programs[i], "test", &parsed[i], &error),
			"%s", error.text);
		cr_assert_eq(0, program_check(&parsed[i], &error), "%zu: %s", i,
			error.text);
	}
}

/* The programs up to this one, those that were not run before. */
static void run(struct backend *model, size_t last, struct outcome *outcome)
{
	struct error error = {""};
	size_t i;

	for (i = outcome->run; i <= last; i = ++outcome->run) {
		const struct program *p = &parsed[i];

		outcome->codes[i] = program_fits(p, &outcome->device, &error);
		if (!outcome->codes[i])
			outcome->codes[i] = backend_sim.run(
				model, p, &outcome->results[i], &error);
	}
}

static bool same_result(const struct result *a, const struct result *b)
{
	size_t i;

	if (a->sample_count != b->sample_count || a->clock_hz != b->clock_hz)
		return false;
	for (i = 0; i < a->sample_count; i++)
		if (a->samples[i].cycles != b->samples[i].cycles)
			return false;
	for (i = 0; i < a->counter_count; i++)
		if (a->counters[i].value != b->counters[i].value)
			return false;
	return !memcmp(a->spans, b->spans, sizeof(a->spans)) &&
	       a->copied.ns == b->copied.ns;
}

static void outcome_free(struct outcome *outcome)
{
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		result_free(&outcome->results[i]);
}

/* A machine and what it gave so far. */
struct tried {
	struct backend *model;
	struct outcome outcome;
};

static struct tried *try_with(const struct change *change, const char *setting)
{
	struct tried *t = calloc(1, sizeof(*t));

	cr_assert(t);
	t->model = open_with(change, setting, &t->outcome.device);
	return t;
}

static void tried_free(struct tried *t)
{
	backend_sim.close(t->model);
	outcome_free(&t->outcome);
	free(t);
}

/* Runs program after program on both, until one tells them apart. */
static bool differ(struct tried *base, struct tried *changed)
{
	struct outcome *a = &base->outcome, *b = &changed->outcome;
	size_t i;

	if (memcmp(&a->device, &b->device, sizeof(a->device)))
		return true;
	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		run(base->model, i, a);
		run(changed->model, i, b);
		if (a->codes[i] != b->codes[i] ||
			!same_result(&a->results[i], &b->results[i]))
			return true;
	}
	return false;
}

/* Most are changed on the same machine, which runs each program once. */
static void check_parameter(
	const struct model_parameter *p, struct tried *plain)
{
	const struct change *change = change_of(p->name);
	const bool own = change && change->sets[0];
	struct tried *base = own ? try_with(change, NULL) : plain, *changed;
	char setting[128], value[64];

	other_value(p, value, sizeof(value));
	snprintf(setting, sizeof(setting), "%s=%s", p->name, value);
	changed = try_with(change, setting);
	cr_expect(differ(base, changed), "%s changes nothing", setting);
	tried_free(changed);
	if (own)
		tried_free(base);
}

Test(parameters, each_changes_a_result)
{
	struct model_parameters list = {0};
	struct tried *plain = try_with(NULL, NULL);
	struct error error;
	size_t i;

	parse_programs();
	cr_assert_eq(0, backend_sim.parameters(NULL, &list, &error));
	for (i = 0; i < list.count; i++) {
		const char *name = list.items[i].name;

		/* Programs do not see it: tests of kernels do. */
		if (strncmp(name, "kernel_", 7) != 0 &&
			strncmp(name, "code_", 5) != 0)
			check_parameter(&list.items[i], plain);
	}
	cr_expect_gt(list.count, 100);
	tried_free(plain);
	model_parameters_free(&list);
}
