#include <criterion/criterion.h>
#include <string.h>

#include "harness/program/legality/legality.h"
#include "harness/program/program.h"
#include "harness/program/spelling.h"

static void start(struct program *p)
{
	program_init(p, "test", 3);
	program_launch(p, "a");
	program_role(p, "r");
}

Test(program, builders_append_to_the_last_role)
{
	struct buffer ring = {.name = "ring",
		.bytes = 1024,
		.fill = FILL_RING,
		.slot_bytes = 64};
	struct program p;

	program_init(&p, "test", 3);
	cr_expect_eq(program_buffer(&p, &ring), 0);
	cr_expect_eq(program_buffer(&p, &ring), 1);
	cr_expect_eq(p.buffers[0].rings, 1);
	cr_expect_eq(p.buffers[0].element_bytes, 8);
	cr_expect_eq(buffer_ring_slots(&p.buffers[0]), 16);
	program_step(&p, STEP_FLUSH);
	program_launch(&p, "a");
	program_role(&p, "r")->threads = 64;
	program_insn(&p, OP_BARRIER);
	program_role(&p, "s");
	program_repeat(&p, 5);
	program_ptx(&p, "ld.global.b32");
	program_end(&p);
	program_launch(&p, "b");
	program_role(&p, "r");
	program_insn(&p, OP_BARRIER);
	cr_expect_eq(p.step_count, 3);
	cr_expect_eq(p.steps[1].role_first, 0);
	cr_expect_eq(p.steps[1].role_count, 2);
	cr_expect_eq(p.steps[2].role_first, 2);
	cr_expect_eq(p.steps[2].role_count, 1);
	cr_expect_eq(p.roles[0].insn_count, 1);
	cr_expect_eq(p.roles[1].insn_first, 1);
	cr_expect_eq(p.roles[1].insn_count, 3);
	cr_expect_eq(p.roles[2].insn_first, 4);
	cr_expect_eq(p.roles[1].threads, 32);
	cr_expect_eq(p.roles[1].lanes, 32);
	cr_expect_eq(program_role_of(&p, &p.insns[3]), &p.roles[1]);
	cr_expect_eq(program_role_of(&p, &p.insns[4]), &p.roles[2]);
	cr_expect_eq(program_role_of(&p, &p.insns[5]), NULL);
	cr_expect_eq(p.fault, FAULT_NONE);
}

Test(program, programs_built_alike_are_equal_bytes)
{
	struct program a, b;

	memset(&a, 1, sizeof(a));
	memset(&b, 2, sizeof(b));
	start(&a);
	start(&b);
	program_ptx(&a, "fence.gpu");
	program_ptx(&b, "fence.gpu");
	cr_expect_eq(memcmp(&a, &b, sizeof(a)), 0);
}

static void fill_buffers(struct program *p)
{
	struct buffer b = {.name = "b", .bytes = 32};
	int i;

	for (i = 0; i <= PROGRAM_BUFFERS_MAX; i++)
		cr_expect_lt(program_buffer(p, &b), PROGRAM_BUFFERS_MAX);
}

static void fill_steps(struct program *p)
{
	int i;

	for (i = 0; i < PROGRAM_STEPS_MAX; i++)
		cr_expect(program_step(p, STEP_FLUSH));
}

static void fill_roles(struct program *p)
{
	int i;

	for (i = 0; i < PROGRAM_ROLES_MAX; i++)
		cr_expect(program_role(p, "x"));
}

static void fill_insns(struct program *p)
{
	int i;

	for (i = 0; i <= PROGRAM_INSNS_MAX; i++)
		cr_expect(program_insn(p, OP_BARRIER));
}

static void long_name(struct program *p)
{
	program_launch(p, "a-name-that-is-longer-than-a-name-can-be");
}

static void orphan_role(struct program *p)
{
	program_step(p, STEP_FLUSH);
	program_role(p, "x");
}

static void orphan_insn(struct program *p)
{
	program_step(p, STEP_FLUSH);
	program_insn(p, OP_BARRIER);
}

static void insn_before_role(struct program *p)
{
	program_launch(p, "b");
	program_insn(p, OP_BARRIER);
}

static void insn_before_launch(struct program *p)
{
	program_init(p, "test", 1);
	program_insn(p, OP_BARRIER);
}

static void unknown_spelling(struct program *p)
{
	program_ptx(p, "ld.globule.b32");
}

Test(program, mistakes_in_building_show_in_the_check)
{
	static const struct {
		void (*build)(struct program *p);
		const char *found;
	} rows[] = {
		{fill_buffers, "more buffers than"},
		{fill_steps, "more steps than"},
		{fill_roles, "more roles than"},
		{fill_insns, "more instructions than"},
		{long_name, "a name that is too long"},
		{orphan_role, "a role outside a launch"},
		{orphan_insn, "outside a role"},
		{insn_before_role, "outside a role"},
		{insn_before_launch, "outside a role"},
		{unknown_spelling,
			"'ld.globule.b32' is not an instruction of PTX"},
	};
	struct program p;
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(&p);
		program_insn(&p, OP_BARRIER);
		cr_assert_eq(program_check(&p, &e), 0);
		rows[i].build(&p);
		cr_expect_eq(
			program_check(&p, &e), ERR_USAGE, "%s", rows[i].found);
		cr_expect(strstr(e.text, rows[i].found), "%s", e.text);
	}
}

Test(program, lanes_move_their_type_times_their_vector)
{
	static const struct {
		const char *spelling;
		uint32_t type, lane, access;
	} rows[] = {
		{"ld.b8", 1, 1, 1},
		{"ld.v4.u16", 2, 8, 8},
		{"ld.v8.f32", 4, 32, 32},
		{"st.v2.b64", 8, 16, 16},
		{"ld.b128", 16, 16, 16},
		{"atom.add.f64", 8, 8, 8},
		{"red.inc.u32", 4, 4, 4},
		{"prefetch.L2", 4, 4, 1},
		{"discard.L2", 4, 4, 128},
		{"barrier", 4, 4, 1},
		{"applypriority.L2::evict_normal", 4, 4, 128},
	};
	struct insn insn;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_assert_eq(
			insn_from_spelling(rows[i].spelling, &insn, NULL), 0);
		cr_expect_eq(insn_type_bytes(&insn), rows[i].type);
		cr_expect_eq(insn_lane_bytes(&insn), rows[i].lane);
		cr_expect_eq(insn_access_bytes(&insn), rows[i].access);
	}
}

Test(program, regions_stand_in_program_order)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	struct program p;

	start(&p);
	program_repeat(&p, 2);
	program_end(&p);
	program_timed(&p, 4, TIMING_REGION, "first");
	program_repeat(&p, 2);
	program_end(&p);
	program_end(&p);
	program_step(&p, STEP_FLUSH);
	program_launch(&p, "b");
	program_role(&p, "r");
	program_insn(&p, OP_BARRIER);
	program_role(&p, "s");
	program_timed(&p, 8, TIMING_EACH, "second");
	program_end(&p);
	cr_assert_eq(program_regions(&p, regions), 2);
	cr_expect_eq(regions[0].insn_index, 2);
	cr_expect_eq(regions[0].role_index, 0);
	cr_expect_eq(regions[0].step_index, 0);
	cr_expect_eq(regions[1].repeat, &p.insns[7]);
	cr_expect_eq(regions[1].role, &p.roles[2]);
	cr_expect_eq(regions[1].step_index, 2);
	cr_expect_eq(program_region(&p, "second"), 1);
	cr_expect_eq(program_region(&p, "third"), -1);
	cr_expect_eq(program_matching_end(&p, 0), 1);
	cr_expect_eq(program_matching_end(&p, 2), 5);
	cr_expect_eq(program_matching_end(&p, 3), 4);
}

Test(program, operands_have_the_defaults_of_ptx)
{
	struct program p;

	start(&p);
	cr_expect_eq(program_ptx(&p, "discard.L2")->count, 128);
	cr_expect_eq(program_ptx(&p, "createpolicy.fractional."
				     "L2::evict_last.b64")
			     ->fraction,
		1);
	cr_expect_eq(program_ptx(&p, "ld.b32")->fraction, 0);
}
