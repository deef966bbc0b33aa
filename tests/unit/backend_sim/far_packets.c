/* What passes a link to far memory, and what a write there waits for. */
#include <criterion/criterion.h>

#include "tests/unit/model_fixture.h"

TestSuite(far_packets, .timeout = 60);

#define PAIR "h200-sxm-x2"
#define HEAD "nearfar-program 1\nname test\nseed 1\n"

static double parameter(enum parameter p)
{
	return model_parameter(PAIR, p);
}

#define TIMES "128"

/* The span of 128 accesses of each of 32 warps of an SM. */
static double span_of(
	const char *memory, const char *spelling, const char *address)
{
	return model_cycles(PAIR,
		"buffer b bytes=8MiB memory=%s\nlaunch l\n"
		"role r sms=0:1 threads=1024\n"
		"repeat " TIMES " time=region region=m\n%s [b%s]\nend\n",
		memory, spelling, address);
}

/* Cycles of one warp's access, where the link is what it waits for. */
static double each(
	const char *memory, const char *spelling, const char *address)
{
	return span_of(memory, spelling, address) / (32 * 128);
}

#define LINES   " + warp*128 + loop0*4KiB wrap 8MiB"
#define OF_WORD LINES
#define STRIDED " + lane*32 + warp*1KiB + loop0*32KiB wrap 8MiB"

/* All lines take one slow link: its packets are counted by their time. */
static void one_slow_link(void)
{
	model_set("link_count=1");
	model_set("link_in_bytes_per_cycle=0.5");
	model_set("link_out_bytes_per_cycle=0.5");
}

static double link_bytes(const char *spelling, const char *address)
{
	return each("peer", spelling, address) / 2;
}

Test(far_packets, a_packet_is_a_header_and_sectors)
{
	double header = parameter(PARAMETER_link_header_bytes);

	one_slow_link();
	cr_expect_float_eq(link_bytes("ld.global.cg.b32", " + lane*4" LINES),
		header + 128, 2);
}

Test(far_packets, a_lone_sector_has_its_header_too)
{
	double header = parameter(PARAMETER_link_header_bytes);

	one_slow_link();
	cr_expect_float_eq(
		link_bytes("ld.global.cg.b32", LINES), header + 32, 2);
	cr_expect_float_eq(link_bytes("st.global.b32", LINES), header + 32, 2);
}

/* A warp writes a word of each sector of 8 lines: each line needs a mask. */
Test(far_packets, a_mask_says_what_of_several_sectors_is_written)
{
	double packet = parameter(PARAMETER_link_header_bytes) + 128;

	one_slow_link();
	cr_expect_float_eq(
		link_bytes("st.global.b32", " + lane*4" LINES), packet, 2);
	cr_expect_float_eq(link_bytes("st.global.b32", STRIDED),
		8 * (packet + parameter(PARAMETER_link_mask_bytes)), 16);
}

/* 32 lanes on a word are 32 packets, on 32 words one. */
Test(far_packets, an_atomic_is_a_packet_a_pass)
{
	double more = parameter(PARAMETER_link_header_bytes) +
		      parameter(PARAMETER_link_operation_bytes);

	one_slow_link();
	cr_expect_float_eq(link_bytes("red.global.add.u32", OF_WORD),
		32 * (32 + more), 90);
	cr_expect_float_eq(link_bytes("red.global.add.u32", " + lane*4" LINES),
		128 + more, 3);
}

/* One line has one of the links, and its share of their rate. */
Test(far_packets, lines_are_spread_over_links)
{
	double spread = each("peer", "st.global.b32", " + lane*4" LINES);
	double one = each("peer", "st.global.b32", " + lane*4");
	double packet = parameter(PARAMETER_link_header_bytes) + 128;

	cr_expect_float_eq(one,
		packet * parameter(PARAMETER_link_count) /
			parameter(PARAMETER_link_out_bytes_per_cycle),
		0.5, "%g", one);
	cr_expect_lt(spread, one / 2);
}

/* An SM's port takes a slot more for a store that leaves the chip. */
Test(far_packets, a_store_says_what_it_writes)
{
	double near = each("plain", "st.global.b32", " + lane*4" LINES);
	double far = each("peer", "st.global.b32", " + lane*4" LINES);

	cr_expect_float_eq(far - near, parameter(PARAMETER_sm_request_cycles),
		0.15, "%g %g", far, near);
}

Test(far_packets, parts_of_sectors_go_to_the_host_one_by_one)
{
	double part = parameter(PARAMETER_host_part_cycles);

	cr_expect_float_eq(
		each("host", "st.global.b32", LINES), part, 0.1 * part);
	cr_expect_float_eq(
		each("host", "st.global.b32", STRIDED), 32 * part, 3.2 * part);
}

/* On one word atomics follow each other, lane by lane; on words of their own
   the lanes of a warp go together, and warps at the same time. */
Test(far_packets, an_atomic_locks_its_line_of_the_host)
{
	static const char *const address[] = {"", " + lane*4 + warp*128"};
	double lock = parameter(PARAMETER_host_lock_cycles), cycles[2];
	int i;

	for (i = 0; i < 2; i++) {
		struct result r = {0};

		model_run(PAIR, &r,
			HEAD "buffer b bytes=64KiB memory=host\nlaunch l\n"
			     "role r sms=0:1 threads=64\n"
			     "repeat 4 time=region region=m\n"
			     "red.global.add.u32 [b%s]\nend\n",
			address[i]);
		cycles[i] = r.spans[0].cycles;
		result_free(&r);
	}
	cr_expect_float_eq(cycles[0], 7 * 32 * lock, 0.05 * 7 * 32 * lock);
	cr_expect_float_eq(cycles[1], 3 * lock, 0.2 * 3 * lock);
}

/* ---- what waits for a write ---- */

/* Until a store of one line and the fence behind it are over. */
static double fenced(const char *memory, const char *fence)
{
	return model_cycles(PAIR,
		       "buffer b bytes=4KiB memory=%s\nlaunch l\n"
		       "role r sms=0:1 threads=1 lanes=1\n"
		       "repeat 8 time=region region=m\n"
		       "st.global.b32 [b]\n%s\nend\n",
		       memory, fence) /
	       8;
}

Test(far_packets, only_an_order_of_the_system_waits_until_a_write_arrives)
{
	double trip = parameter(PARAMETER_link_cycles);

	cr_expect_gt(fenced("peer", "fence.acq_rel.sys"), trip);
	cr_expect_lt(fenced("peer", "fence.acq_rel.gpu"),
		fenced("plain", "fence.acq_rel.gpu") + 10);
	cr_expect_gt(fenced("host", "fence.acq_rel.sys"), trip);
	cr_expect_lt(fenced("plain", "fence.acq_rel.sys"), 0.8 * trip);
}

/* ---- what the peer's L2 keeps ---- */

static double second_touch(const char *first, const char *offset)
{
	struct result r = {0};
	double cycles;

	model_run(PAIR, &r,
		HEAD "buffer b bytes=4KiB memory=peer\nlaunch l\n"
		     "role r sms=0:1 threads=1 lanes=1\n"
		     "ld.global.cg.b32 [b + 1KiB]\n%s [b]\nfence.sys\n"
		     "repeat 1 time=each region=m\n"
		     "ld.global.cg.b32 [b%s]\nend\n",
		first, offset);
	cycles = r.samples[0].cycles;
	result_free(&r);
	return cycles;
}

/* A miss brings its own sector, and a prefetch nothing. */
Test(far_packets, what_far_accesses_leave_in_the_peers_l2)
{
	double hit = second_touch("ld.global.cg.b32", "");
	double miss = parameter(PARAMETER_link_miss_cycles);

	cr_expect_eq(second_touch("ld.global.cg.b32", " + 32"), hit + miss);
	cr_expect_eq(second_touch("prefetch.global.L2", ""), hit + miss);
	cr_expect_eq(second_touch("prefetch.global.L1", ""), hit + miss);
	cr_expect_eq(second_touch("red.global.add.u32", ""), hit);
}

static double cycles_of_a_load(unsigned sm)
{
	struct result r = {0};
	char text[512];
	double cycles;

	snprintf(text, sizeof(text),
		HEAD "buffer b bytes=64KiB memory=peer\nlaunch l\n"
		     "role r sms=%u:1 threads=1 lanes=1\n"
		     "ld.global.cg.b32 [b]\n"
		     "repeat 2 time=each region=m\n"
		     "ld.global.cg.b32 [b]\nend\n",
		sm);
	model_run(PAIR, &r, text);
	cycles = r.samples[1].cycles;
	result_free(&r);
	return cycles;
}

/* SM 0 is of the first partition, SM 2 of the second, where the links end. */
Test(far_packets, the_first_partition_is_farther_from_the_links)
{
	cr_expect_eq(cycles_of_a_load(0) - cycles_of_a_load(2),
		parameter(PARAMETER_link_side_cycles));
	cr_expect_eq(cycles_of_a_load(0), cycles_of_a_load(8));
}

/* Lines of the peer's are as far away as their slices, those of its first
   partition farther. */
Test(far_packets, slices_of_the_peer_lie_near_and_far)
{
	struct result r = {0};
	double least = 1e9, most = 0, cycles;
	double range = parameter(PARAMETER_link_side_cycles) +
		       parameter(PARAMETER_link_slice_cycles);
	size_t i;

	model_run(PAIR, &r,
		HEAD "buffer b bytes=256KiB memory=peer\nlaunch l\n"
		     "role r sms=0:1 threads=1 lanes=1\nrepeat 2048\n"
		     "ld.global.cg.b32 [b + loop0*128]\nend\n"
		     "repeat 2048 time=each region=m\n"
		     "ld.global.cg.b32 [b + loop0*128]\nend\n");
	for (i = 0; i < r.sample_count; i++) {
		cycles = r.samples[i].cycles;
		least = cycles < least ? cycles : least;
		most = cycles > most ? cycles : most;
	}
	cr_expect_float_eq(
		most - least, range, 0.1 * range, "%g %g", least, most);
	cr_expect_gt(r.samples[0].cycles, (least + most) / 2);
	result_free(&r);
}

/* So many sectors of an SM are under way in far memory. */
Test(far_packets, an_sm_has_so_many_sectors_in_far_memory)
{
	double many = span_of("peer", "ld.global.cg.b32", " + lane*4" LINES);

	model_set("sm_inflight_sectors=4");
	cr_expect_eq(
		span_of("peer", "ld.global.cg.b32", " + lane*4" LINES), many);
	model_set("sm_far_sectors=4");
	cr_expect_gt(span_of("peer", "ld.global.cg.b32", " + lane*4" LINES),
		8 * many);
}
