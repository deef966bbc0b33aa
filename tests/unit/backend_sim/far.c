/* Far memory: a peer's, and the host's, on the machine that has both. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/machine/machine.h"
#include "harness/program/text/text.h"
#include "tests/unit/model_fixture.h"

TestSuite(far, .timeout = 60);

#define PAIR     "h200-sxm-x2"
#define HEAD     "nearfar-program 1\nname test\nseed 1\n"
#define L2_READS "lts__t_sectors_op_read.sum"

static double parameter(enum parameter p)
{
	return model_parameter(PAIR, p);
}

/* One lane touches a word twice: sample `index`. A TLB knows nothing of it
   before. */
static double touch(const char *memory, const char *spelling, int index)
{
	struct result r = {0};
	double cycles;

	model_run(PAIR, &r,
		HEAD "buffer b bytes=128MiB memory=%s\nlaunch l\n"
		     "role r sms=0:1 threads=1 lanes=1\n"
		     "repeat 2 time=each region=m\n%s [b + 64MiB]\nend\n",
		memory, spelling);
	cr_assert_eq(r.sample_count, 2);
	cycles = r.samples[index].cycles;
	result_free(&r);
	return cycles;
}

/* What the translation of a page adds to its first touch. */
static double translation_cycles(void)
{
	return round(parameter(PARAMETER_tlb_miss_cycles)) +
	       round(parameter(PARAMETER_tlb2_miss_cycles)) +
	       parameter(PARAMETER_tlb_port_cycles);
}

/* The peer's L2 has a line from its first touch on; the host has no cache. */
Test(far, a_miss_of_the_peers_l2_costs_its_dram)
{
	double peer = touch("peer", "ld.global.cg.b32", 0) -
		      touch("peer", "ld.global.cg.b32", 1);
	double host = touch("host", "ld.global.cg.b32", 0) -
		      touch("host", "ld.global.cg.b32", 1);

	cr_expect_eq(peer - translation_cycles(),
		parameter(PARAMETER_link_miss_cycles));
	cr_expect_eq(host, translation_cycles());
}

Test(far, the_links_latency_is_there_and_back)
{
	double near = touch("plain", "ld.global.cg.b32", 1);
	double peer = touch("peer", "ld.global.cg.b32", 1);
	double host = touch("host", "ld.global.cg.b32", 1);

	cr_expect_gt(peer, parameter(PARAMETER_link_cycles));
	cr_expect_lt(peer, parameter(PARAMETER_link_cycles) +
				   2 * parameter(PARAMETER_link_side_cycles) +
				   parameter(PARAMETER_link_slice_cycles) + 40);
	cr_expect_gt(peer, 4 * near);
	cr_expect_gt(host, parameter(PARAMETER_host_cycles));
	cr_expect_lt(host, parameter(PARAMETER_host_cycles) + 40);
}

Test(far, an_atomic_takes_longer_than_a_load)
{
	double load = touch("peer", "ld.global.cg.b32", 1);
	double atomic = touch("peer", "atom.relaxed.sys.global.add.u32", 1);

	cr_expect_geq(atomic - load, parameter(PARAMETER_link_atomic_cycles));
	cr_expect_leq(
		atomic - load, parameter(PARAMETER_link_atomic_cycles) + 10);
}

/* L1 keeps far lines, the own L2 never sees them. */
Test(far, l1_keeps_far_lines_and_l2_none)
{
	static const char *const memories[] = {"peer", "host"};
	struct result r = {0};
	size_t i;

	for (i = 0; i < 2; i++) {
		cr_expect_lt(touch(memories[i], "ld.global.ca.b32", 1), 64);
		cr_expect_gt(touch(memories[i], "ld.global.cg.b32", 1), 1000);
		model_run_added(PAIR, &r,
			HEAD "buffer b bytes=4KiB memory=%s\nlaunch l\n"
			     "role r\nrepeat 8\n"
			     "ld.global.cg.b32 [b + lane*4 + loop0*128]\nend\n",
			memories[i]);
		cr_expect_eq(model_counter(&r, L2_READS), 0);
		cr_expect_eq(model_counter(&r, "dram__sectors_read.sum"), 0);
		result_free(&r);
	}
}

/* A flush takes the lines from the peer's L2. */
Test(far, a_flush_reaches_the_peer)
{
	struct result r = {0};
	double cycles[2];
	int i;

	for (i = 0; i < 2; i++) {
		model_run(PAIR, &r,
			HEAD "buffer b bytes=4KiB memory=peer\nlaunch l\n"
			     "role r sms=0:1 threads=1 lanes=1\n"
			     "ld.global.cg.b32 [b]\n%slaunch m\n"
			     "role r sms=0:1 threads=1 lanes=1\n"
			     "repeat 1 time=each region=m\n"
			     "ld.global.cg.b32 [b]\nend\n",
			i ? "flush\n" : "");
		cycles[i] = r.samples[0].cycles;
		result_free(&r);
	}
	cr_expect_eq(
		cycles[1] - cycles[0], parameter(PARAMETER_link_miss_cycles));
}

/* The span of 32 lines that one warp loads or stores at once. */
static double span_of(const char *spelling)
{
	return model_cycles(PAIR,
		"buffer b bytes=64KiB memory=peer\nlaunch l\n"
		"role r sms=0:1\nrepeat 4 time=region region=m\n"
		"%s [b + lane*128]\nend\nfence.sys\n",
		spelling);
}

/* With one place on the link, requests follow each other; loads do not take
   the places of stores. */
Test(far, a_link_has_so_many_places)
{
	double many, few, stores;

	model_set("link_count=1");
	many = span_of("ld.global.cg.b32");
	stores = span_of("st.global.b32");
	model_set("link_loads=1");
	few = span_of("ld.global.cg.b32");
	cr_expect_gt(few, 32 * 4 * parameter(PARAMETER_link_cycles));
	cr_expect_lt(many, 4 * 2500);
	cr_expect_eq(span_of("st.global.b32"), stores);
	model_set("link_writes=1");
	cr_expect_gt(span_of("st.global.b32"),
		31 * 4 * parameter(PARAMETER_link_cycles));
}

/* Bytes a cycle of all SMs, which the rate bounds, each way. */
static double rate_of(const char *spelling)
{
	struct result r = {0};
	double bytes = 132.0 * 32 * 16 * 64 * 32;
	double rate;

	model_run(PAIR, &r,
		HEAD "buffer b bytes=64MiB memory=peer\nlaunch l\n"
		     "role r sms=all threads=1024\n"
		     "repeat 64 time=region region=m\n"
		     "%s [b + lane*16 + warp*512 + block*16KiB + loop0*2112KiB]"
		     "\nend\n",
		spelling);
	rate = bytes / r.spans[0].cycles;
	result_free(&r);
	return rate;
}

Test(far, each_way_has_its_rate)
{
	double share = 128 / (128 + parameter(PARAMETER_link_header_bytes));
	double in, out;

	model_set("link_count=1");
	model_set("link_writes=65536");
	model_set("link_in_bytes_per_cycle=50");
	in = rate_of("ld.global.cg.v4.b32");
	out = rate_of("st.global.v4.b32");
	cr_expect_float_eq(in, 50 * share, 2, "%g", in);
	cr_expect_float_eq(out,
		parameter(PARAMETER_link_out_bytes_per_cycle) * share, 5, "%g",
		out);
}

/* ---- the copy engine ---- */

static double copied_cycles(const char *copies)
{
	struct result r = {0};
	double cycles;

	model_run(PAIR, &r,
		HEAD "buffer a bytes=64MiB\nbuffer b bytes=64MiB memory=peer\n"
		     "buffer c bytes=64MiB\nbuffer d bytes=64MiB memory=peer\n"
		     "buffer h bytes=64MiB memory=host\n%s",
		copies);
	cycles = r.copied.ns * r.clock_hz / 1e9;
	result_free(&r);
	return cycles;
}

Test(far, a_copy_starts_and_goes_at_the_rate_of_its_way)
{
	double start = parameter(PARAMETER_copy_start_cycles);
	double bytes = 64 << 20;
	double packets = bytes / parameter(PARAMETER_copy_packet_bytes);
	double peer = packets * parameter(PARAMETER_link_header_bytes);
	double host = packets * parameter(PARAMETER_host_header_bytes);

	cr_expect_float_eq(copied_cycles("copy a b bytes=64MiB\n"),
		start + (bytes + peer) /
				parameter(PARAMETER_link_out_bytes_per_cycle),
		1);
	cr_expect_float_eq(copied_cycles("copy h a bytes=64MiB\n"),
		start + (bytes + host) /
				parameter(PARAMETER_host_in_bytes_per_cycle),
		1);
	cr_expect_float_eq(copied_cycles("copy a b bytes=4\n"), start, 2);
}

/* One engine serves the peer both ways, the host has one for each; two of one
   way share it. Only the last row of copies counts. */
Test(far, copies_in_a_row_go_at_the_same_time)
{
	double one = copied_cycles("copy a b bytes=64MiB\n");
	double in = copied_cycles("copy h a bytes=64MiB\n");
	double start = parameter(PARAMETER_copy_start_cycles);
	double asking = (64 << 20) / parameter(PARAMETER_copy_packet_bytes) *
			parameter(PARAMETER_host_header_bytes) /
			parameter(PARAMETER_host_out_bytes_per_cycle);

	cr_expect_float_eq(copied_cycles("copy a b bytes=64MiB\n"
					 "copy d c bytes=64MiB\n"),
		2 * one - start, 2);
	cr_expect_float_eq(copied_cycles("copy h a bytes=64MiB\n"
					 "copy a b bytes=64MiB\n"),
		in, 1);
	cr_expect_float_eq(copied_cycles("copy h a bytes=64MiB\n"
					 "copy c h bytes=64MiB\n"),
		copied_cycles("copy c h bytes=64MiB\n") + asking, 2);
	cr_expect_float_eq(copied_cycles("copy a b bytes=64MiB\n"
					 "copy c d bytes=64MiB\n"),
		2 * one - start, 2);
	cr_expect_float_eq(copied_cycles("copy a b bytes=64MiB\nflush\n"
					 "copy a b bytes=4\n"),
		start, 2);
}

static void refused(const char *machine, const char *set, const char *memory,
	const char *bytes, const char *reason)
{
	const struct backend_config config = {
		.machine = machine, .sets = &set, .set_count = set != NULL};
	struct error error = {""};
	struct result r = {0};
	struct backend *b;
	struct program p;
	char text[256];

	snprintf(text, sizeof(text),
		HEAD "buffer b bytes=%s memory=%s\nlaunch l\nrole r\n"
		     "ld.global.b32 [b]\n",
		bytes, memory);
	cr_assert_eq(
		program_parse(text, "test", &p, &error), 0, "%s", error.text);
	cr_assert_eq(
		backend_sim.open(&b, &config, &error), 0, "%s", error.text);
	cr_expect_eq(backend_sim.run(b, &p, &r, &error), ERR_SKIPPED);
	cr_expect_str_eq(error.text, reason);
	backend_sim.close(b);
	result_free(&r);
}

Test(far, what_a_machine_lacks_is_skipped)
{
	refused(NULL, NULL, "peer", "4KiB",
		"buffer 'b' is in the memory of a peer, and the model's "
		"machine has none (h200-sxm-x2 has one)");
	refused(NULL, NULL, "host", "4KiB",
		"buffer 'b' is in the memory of the host, which the model's "
		"machine does not reach (h200-sxm-x2 does)");
	refused(PAIR, NULL, "peer", "142GiB",
		"buffer 'b' does not fit in the peer's memory");
	refused(PAIR, "host_memory_bytes=1MiB", "host", "4MiB",
		"buffer 'b' does not fit in the host's memory");
}

Test(far, rules_of_the_links)
{
	static const struct {
		const char *set, *reason;
	} rows[] = {
		{"link_loads=1", "link_loads is not 0, and link_writes is"},
		{"host_loads=1", "host_loads is not 0, and host_writes or "
				 "host_memory_bytes is"},
	};
	struct machine m;
	struct error error = {""};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_assert_eq(machine_load(NULL, &m, &error), 0);
		cr_expect_eq(machine_set(&m, rows[i].set, &error), ERR_USAGE);
		cr_expect(strstr(error.text, rows[i].reason), "%s", error.text);
	}
	cr_assert_eq(machine_load(PAIR, &m, &error), 0);
	cr_expect_eq(
		machine_set(&m, "host_memory_bytes=400GiB", &error), ERR_USAGE);
	cr_expect(strstr(error.text, "more than 512 GiB"), "%s", error.text);
}

/* What is as if there were no far memory leaves the digest as it was. */
Test(far, defaults_are_not_in_the_digest)
{
	struct machine base, m;
	struct error error = {""};

	cr_assert_eq(machine_load(NULL, &base, &error), 0);
	m = base;
	cr_assert_eq(machine_set(&m, "link_cycles=0", &error), 0);
	cr_expect_eq(machine_digest(&m), machine_digest(&base));
	cr_assert_eq(machine_set(&m, "link_cycles=1", &error), 0);
	cr_expect_neq(machine_digest(&m), machine_digest(&base));
	m = base;
	cr_assert_eq(machine_set(&m, "link_miss_cycles=1", &error), 0);
	cr_expect_neq(machine_digest(&m), machine_digest(&base));
}
