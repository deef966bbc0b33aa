/* Lines of traces: heads, parts, forms of addresses, and what is wrong. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "harness/trace/trace.h"

#define HEAD(version)                                                          \
	"-kernel name = add floats\n-kernel id = 1\n-grid dim = (3,2,1)\n"     \
	"-block dim = (64,1,1)\n-shmem = 16\n-nregs = 12\n"                    \
	"-shmem base_addr = 0x00007fb139000000\n"                              \
	"-local mem base_addr = 0x00007fb137000000\n"                          \
	"-accelsim tracer version = " version "\n\n#traces format\n\n"

static struct trace_head plain;

static int read_insn(
	const char *line, struct trace_insn *insn, struct error *error)
{
	struct trace_reader r = trace_reader_at("t", line, error);

	return trace_read_insn(&r, &plain, insn);
}

Test(trace, a_head_says_what_a_launch_needs)
{
	struct trace_head head;
	struct error e;
	struct trace_reader r = trace_reader_at("t",
		HEAD("5") "thread block = 1,0,0\nwarp = 1\ninsts = 0\n", &e);
	struct trace_part part;

	cr_assert_eq(trace_read_head(&r, &head), 0, "%s", e.text);
	cr_expect_str_eq(head.name, "add_floats");
	cr_expect_eq(head.grid[0] * 10 + head.grid[1], 32);
	cr_expect_eq(head.block[0], 64);
	cr_expect_eq(head.shared_bytes, 16);
	cr_expect_eq(head.registers, 12);
	cr_expect_eq(head.shared_base, 0x7fb139000000);
	cr_expect_eq(head.local_base, 0x7fb137000000);
	cr_expect_not(head.has_source_lines);
	cr_assert_eq(trace_read_part(&r, &part), 0, "%s", e.text);
	cr_expect_eq(part.item, TRACE_BLOCK);
	cr_expect_eq(part.block[0], 1);
	cr_assert_eq(trace_read_part(&r, &part), 0, "%s", e.text);
	cr_expect_eq(part.item, TRACE_WARP);
	cr_expect_eq(part.warp, 1);
	cr_assert_eq(trace_read_part(&r, &part), 0, "%s", e.text);
	cr_expect_eq(part.item, TRACE_END);
}

Test(trace, an_instruction_has_lanes_registers_and_addresses)
{
	struct trace_insn insn;
	struct error e;

	cr_assert_eq(read_insn("00a0 ffffffff 1 R4 LDG.E 1 R6 4 1 "
			       "0x7fb0fc430e00 4 0\n",
			     &insn, &e),
		0, "%s", e.text);
	cr_expect_eq(insn.pc, 0xa0);
	cr_expect_eq(insn.mask, UINT32_MAX);
	cr_expect_eq(insn.written[0], 4);
	cr_expect_eq(insn.read[0], 6);
	cr_expect_eq(insn.opcode_bytes, 5);
	cr_expect_eq(insn.bytes, 4);
	cr_expect_eq(insn.address[31], 0x7fb0fc430e00 + 124);
	cr_assert_eq(
		read_insn("\t10\tffffffff  1 R4\tFADD 1 \tR6 0\r\n", &insn, &e),
		0, "%s", e.text);
	cr_expect_eq(insn.pc, 0x10);
	cr_expect_eq(insn.read[0], 6);
}

Test(trace, addresses_come_in_three_forms)
{
	struct trace_insn insn;
	struct error e;

	cr_assert_eq(read_insn("10 00000d00 0 STG.E 2 R2 R3 4 0 0x100 20 "
			       "0x1000\n",
			     &insn, &e),
		0, "%s", e.text);
	cr_expect_eq(insn.address[8], 0x100);
	cr_expect_eq(insn.address[10], 0x20);
	cr_expect_eq(insn.address[11], 0x1000);
	cr_assert_eq(read_insn("10 00000700 0 STG.E 2 R2 R3 8 1 0x100 -16\n",
			     &insn, &e),
		0, "%s", e.text);
	cr_expect_eq(insn.address[10], 0xe0);
	cr_assert_eq(read_insn("10 00000d00 0 STG.E 2 R2 R3 4 2 0x100 40 -8\n",
			     &insn, &e),
		0, "%s", e.text);
	cr_expect_eq(insn.address[8], 0x100);
	cr_expect_eq(insn.address[10], 0x128);
	cr_expect_eq(insn.address[11], 0x120);
}

Test(trace, a_source_line_comes_first_where_the_head_says_so)
{
	const struct trace_head with = {.has_source_lines = true};
	const char *line = "17 00a0 1 0 EXIT 0 0\n";
	struct trace_insn insn;
	struct error e;
	struct trace_reader r = trace_reader_at("t", line, &e);

	cr_assert_eq(trace_read_insn(&r, &with, &insn), 0, "%s", e.text);
	cr_expect_eq(insn.pc, 0xa0);
}

static void refuses_insn(const char *line, const char *sentence)
{
	struct trace_insn insn;
	struct error e = {""};

	cr_expect_eq(read_insn(line, &insn, &e), ERR_USAGE, "%s", line);
	cr_expect_str_eq(e.text, sentence);
}

Test(trace, what_is_wrong_is_named_with_its_place)
{
	refuses_insn("\n\nx 1 0 EXIT 0 0", "t:3:1: expected a PC");
	refuses_insn("10 100000000 0 EXIT 0 0",
		"t:1:4: a mask of lanes is too large");
	refuses_insn("10 1 9 R0", "t:1:6: a number of registers is too large");
	refuses_insn(
		"10 1 1 Q0 MOV 0 0", "t:1:8: expected a register R0 to R255");
	refuses_insn("10 1 1 UR64 MOV 0 0", "t:1:10: a register is too large");
	refuses_insn("10 1 1 P8 MOV 0 0", "t:1:9: a register is too large");
	refuses_insn("10 1 1 R256 MOV 0 0", "t:1:9: a register is too large");
	refuses_insn("10 1 0", "t:1:7: expected an opcode");
	refuses_insn("10 1 0 LDG 0 3 1 0x0 0",
		"t:1:15: an access has 1, 2, 4, 8 or 16 bytes");
	refuses_insn("10 1 0 LDG 0 4 3 0x0 0",
		"t:1:16: a form of addresses, 0 to 2 is too large");
	refuses_insn("10 1 0 LDG 0 4 1 0x2 0",
		"t:1:23: address 0x2 is no multiple of the access's 4 bytes");
	refuses_insn("", "t:1:1: the trace ends within a warp");
}

static void refuses_head(const char *text, const char *sentence)
{
	struct trace_head head;
	struct error e = {""};
	struct trace_reader r = trace_reader_at("t", text, &e);

	cr_expect_eq(trace_read_head(&r, &head), ERR_USAGE, "%s", text);
	cr_expect_str_eq(e.text, sentence);
}

Test(trace, a_head_that_lacks_something_is_refused)
{
	refuses_head("-kernel name = k\n",
		"t:2:1: the head of the trace has no '-grid dim'");
	refuses_head(HEAD("2"), "t:13:1: the trace is of tracer version 2; "
				"versions 3 to 6 are understood");
	refuses_head("-grid dim = 3\n", "t:1:13: expected (x,y,z)");
	refuses_head("-nregs = 300\n", "t:1:10: nregs is too large");
}

/* ---- version 6 ---- */

static const struct trace_head sixth = {.version = 6};

static void read_sixth(const char *line, struct trace_insn *insn)
{
	struct error e = {""};
	struct trace_reader r = trace_reader_at("t", line, &e);

	cr_assert_eq(trace_read_insn(&r, &sixth, insn), 0, "%s", e.text);
	cr_expect_eq(*r.at, '\0', "%s", r.at);
}

Test(trace, registers_are_of_four_kinds)
{
	static const uint16_t numbers[] = {TRACE_UNIFORM + 62,
		TRACE_PREDICATE + 6, TRACE_UNIFORM_BRANCH + 6, 254};
	static const uint16_t nothing[] = {TRACE_UNIFORM + 63,
		TRACE_PREDICATE + 7, TRACE_UNIFORM_BRANCH + 7, TRACE_ZERO};
	struct trace_insn insn;
	unsigned i;

	read_sixth("10 1 4 UR62 P6 UP6 R254 X 4 UR63 P7 UP7 R255 0 0 0 "
		   "NoVal\n",
		&insn);
	for (i = 0; i < 4; i++) {
		cr_expect_eq(insn.written[i], numbers[i]);
		cr_expect(trace_holds(insn.written[i]));
		cr_expect_eq(insn.read[i], nothing[i]);
		cr_expect_not(trace_holds(insn.read[i]));
	}
}

Test(trace, products_of_warpgroups_say_whether_a_group_ends)
{
	struct trace_insn insn;
	struct error e;

	read_sixth("10 1 1 R24 HGMMA.64x8x16.F32 2 UR4 R24 1 0 7 9 NoVal\n",
		&insn);
	cr_expect(insn.says_group && insn.ends_group);
	cr_expect_eq(insn.immediate_count, 2);
	cr_expect_eq(insn.immediates[0], 7);
	cr_expect_eq(insn.immediates[1], 9);
	read_sixth("10 1 1 R24 QGMMA.64x8x32.F32 1 R24 0 0 0 0 NoVal\n", &insn);
	cr_expect(insn.says_group && !insn.ends_group);
	read_sixth("10 1 1 R24 HMMA.16816.F32 1 R24 0 0 0 NoVal\n", &insn);
	cr_expect_not(insn.says_group);
	/* Version 5 says nothing, and has one immediate. */
	cr_assert_eq(read_insn("10 1 1 R24 HGMMA.64x8x16.F32 1 R24 0 7\n",
			     &insn, &e),
		0);
	cr_expect_not(insn.says_group);
	cr_expect_eq(insn.immediate_count, 1);
	cr_expect_eq(insn.immediates[0], 7);
}

/* Fields of its own, which are not read. */
Test(trace, a_copy_of_the_accelerator_has_no_access)
{
	struct trace_insn insn;

	read_sixth("10 1 0 UTMALDG.2D 2 UR8 UR4 32 0x400 0 2048 0 4 0x7f00 2 "
		   "32 0 0 NoVal\n",
		&insn);
	cr_expect_eq(insn.opcode_bytes, 10);
	cr_expect_eq(insn.bytes, 0);
}

Test(trace, blocks_have_places_in_their_clusters)
{
	static const char text[] =
		"thread block = 3,0,0\ncluster id = 1,0,0\n"
		"cluster cta = 1,2,0\ncluster rank = 5\nwarp = 0\ninsts = 0\n";
	static const enum trace_item items[] = {TRACE_BLOCK, TRACE_CLUSTER,
		TRACE_CLUSTER, TRACE_CLUSTER, TRACE_WARP, TRACE_END};
	struct error e = {""};
	struct trace_reader r = trace_reader_at("t", text, &e);
	struct trace_part part;
	unsigned i;

	for (i = 0; i < sizeof(items) / sizeof(*items); i++) {
		cr_assert_eq(trace_read_part(&r, &part), 0, "%s", e.text);
		cr_expect_eq(part.item, items[i], "%u", i);
		if (i == 1 || i == 3)
			cr_expect_eq(part.block[0] + part.block[1], 0);
		if (i == 2)
			cr_expect_eq(part.block[0] * 10 + part.block[1], 12);
	}
	r = trace_reader_at("t", "cluster size = 3", &e);
	cr_expect_eq(trace_read_part(&r, &part), ERR_USAGE);
	cr_expect_str_eq(
		e.text, "t:1:9: expected 'cluster id', 'cta' or 'rank'");
}
