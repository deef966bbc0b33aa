#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "harness/program/legality/parts.h"
#include "harness/program/text/text.h"

#define TEXT_BYTES 4096

static const char preamble[] =
	"nearfar-program 1\nname test\nseed 1\n"
	"buffer buf bytes=1MiB\n"
	"buffer odd bytes=1000004\n"
	"buffer ring bytes=1MiB fill=ring slot=64\n"
	"buffer ring4 bytes=1MiB fill=ring slot=64 element=4\n"
	"buffer tiny bytes=1MiB fill=ring slot=8\n"
	"buffer near bytes=1MiB fill=ring slot=64 through=3\n"
	"buffer far bytes=1MiB fill=ring slot=64\n"
	"buffer host bytes=1MiB fill=ring slot=64\n"
	"launch all\n";

/* One role `work` with a body; `role` may be NULL. */
static int parse_role_text(
	const char *role, const char *body, struct program *p, struct error *e)
{
	char text[TEXT_BYTES];

	snprintf(text, sizeof(text), "%srole %s\n%s\n", preamble,
		role ? role : "work blocks=1 threads=64 shared=4KiB", body);
	return program_parse(text, "test", p, e);
}

static const struct legality_rule *find_rule(const char *name)
{
	const struct legality_rule *rule;
	size_t i;

	for (i = 0; (rule = legality_rule_at(i)); i++)
		if (!strcmp(rule->name, name))
			return rule;
	return NULL;
}

/* ---- what no text can say ---- */

static void spoil_policy(struct insn *insn)
{
	insn->policy = PROGRAM_POLICIES_MAX;
}

static void spoil_property(struct insn *insn)
{
	insn->total = PROPERTY_COUNT;
}

static void spoil_buffer(struct insn *insn)
{
	insn->address.buffer = PROGRAM_BUFFERS_MAX;
}

static void drop_address(struct insn *insn)
{
	insn->address.mode = ADDRESS_NONE;
}

static void give_address(struct insn *insn)
{
	insn->address.mode = ADDRESS_AFFINE;
}

static void spoil_loop(struct insn *insn)
{
	insn->address.slot_bytes = 8;
}

/* ---- one row a rule, at least: legal, and illegal by that rule ---- */

static const struct row {
	const char *rule, *legal, *illegal;
	void (*spoil)(struct insn *last); /* of the legal body, instead */
	const char *role;
} rows[] = {
	{.rule = "type-missing", "ld.global.b32 [buf]", "ld.global [buf]"},
	{.rule = "type-missing",
		"createpolicy.cvt.L2.b64 p0, normal",
		"createpolicy.cvt.L2 p0, normal"},
	{.rule = "atomic-missing",
		"atom.global.add.u32 [buf]",
		"atom.global.u32 [buf]"},
	{.rule = "prefetch-level",
		"prefetch.global.L2 [buf]",
		"prefetch.global [buf]"},
	{.rule = "prefetch-level",
		"prefetch.global.L2::evict_last [buf]",
		"prefetch.global.L1.L2::evict_last [buf]"},
	{.rule = "prefetch-priority-space",
		"prefetch.global.L2::evict_normal [buf]",
		"prefetch.L2::evict_normal [buf]"},
	{.rule = "tensormap-space",
		"prefetch.tensormap [buf]",
		"prefetch.global.tensormap [buf]"},
	{.rule = "prefetchu-level", "prefetchu.L1 [buf]", "prefetchu [buf]"},
	{.rule = "discard-level",
		"discard.L2 [buf], 128",
		"discard.global [buf], 128"},
	{.rule = "applypriority-priority",
		"applypriority.L2::evict_normal [buf], 128",
		"applypriority.global [buf], 128"},
	{.rule = "fence-scope", "fence.gpu", "fence.sc"},
	{.rule = "scope-missing",
		"ld.relaxed.cta.global.b32 [buf]",
		"ld.relaxed.global.b32 [buf]"},
	{.rule = "scope-missing",
		"st.release.gpu.b32 [buf]",
		"st.release.b32 [buf]"},
	{.rule = "scope-missing",
		"atom.acquire.add.u32 [buf]",
		"ld.acquire.b32 [buf]"},
	{.rule = "scope-without-order",
		"ld.weak.b32 [buf]",
		"ld.weak.gpu.b32 [buf]"},
	{.rule = "scope-without-order",
		"ld.acquire.sys.b32 [buf]",
		"ld.sys.b32 [buf]"},
	{.rule = "scope-without-order",
		"ld.volatile.b32 [buf]",
		"ld.volatile.gpu.b32 [buf]"},
	{.rule = "order-space",
		"ld.relaxed.gpu.global.b32 [buf]",
		"ld.relaxed.gpu.local.b32 [buf]"},
	{.rule = "order-space",
		"st.volatile.shared.b32 [shared]",
		"st.volatile.local.b32 [buf]"},
	{.rule = "cop-with-order",
		"ld.weak.cg.b32 [buf]",
		"ld.relaxed.gpu.cg.b32 [buf]"},
	{.rule = "cop-with-order",
		"st.wt.b32 [buf]",
		"st.volatile.wt.b32 [buf]"},
	{.rule = "volatile-with-hint",
		"ld.volatile.global.L2::64B.b32 [buf]",
		"ld.volatile.global.L1::evict_last.b32 [buf]"},
	{.rule = "cop-with-priority",
		"ld.cg.b32 [buf]",
		"ld.cg.L1::evict_last.b32 [buf]"},
	{.rule = "cop-with-priority",
		"ld.global.nc.L1::no_allocate.b32 [buf]",
		"ld.global.ca.nc.L1::no_allocate.b32 [buf]"},
	{.rule = "nc-space", "ld.global.nc.b32 [buf]", "ld.nc.b32 [buf]"},
	{.rule = "nc-cop",
		"ld.global.nc.cs.b32 [buf]",
		"ld.global.nc.cv.b32 [buf]"},
	{.rule = "nc-cop",
		"ld.global.ca.nc.b32 [buf]",
		"ld.global.lu.nc.b32 [buf]"},
	{.rule = "nc-with-order",
		"ld.global.nc.b32 [buf]",
		"ld.relaxed.gpu.global.nc.b32 [buf]"},
	{.rule = "nc-with-order",
		"ld.weak.global.b32 [buf]",
		"ld.weak.global.nc.b32 [buf]"},
	{.rule = "priority-space",
		"ld.L1::evict_first.b32 [buf]",
		"ld.shared.L1::evict_first.b32 [shared]"},
	{.rule = "size-space",
		"ld.L2::256B.b32 [buf]",
		"ld.local.L2::256B.b32 [buf]"},
	{.rule = "size-space",
		"ld.shared.b32 [shared]",
		"ld.shared.L2::64B.b32 [shared]"},
	{.rule = "l2-priority-width",
		"ld.global.L2::evict_last.v8.f32 [buf]",
		"ld.global.L2::evict_last.b32 [buf]"},
	{.rule = "l2-priority-width",
		"st.global.L2::evict_first.v4.b64 [buf]",
		"st.global.L2::evict_first.v4.b32 [buf]"},
	{.rule = "v8-type", "ld.v8.u32 [buf]", "ld.v8.u16 [buf]"},
	{.rule = "v8-type", "ld.v8.s32 [buf]", "ld.v8.b64 [buf]"},
	{.rule = "vector-width", "ld.v2.b64 [buf]", "ld.v2.b128 [buf]"},
	{.rule = "vector-width", "st.v4.f64 [buf]", "st.v4.b128 [buf]"},
	{.rule = "vector-space",
		"ld.shared.v4.b32 [shared]",
		"ld.shared.v4.b64 [shared]"},
	{.rule = "add-type", "red.add.f64 [buf]", "red.add.b32 [buf]"},
	{.rule = "add-type", "atom.add.s32 [buf]", "atom.add.s64 [buf]"},
	{.rule = "bits-type", "atom.exch.b64 [buf]", "atom.exch.u64 [buf]"},
	{.rule = "bits-type", "atom.cas.b32 [buf]", "atom.cas.f32 [buf]"},
	{.rule = "bits-type", "red.xor.b32 [buf]", "red.xor.u32 [buf]"},
	{.rule = "min-max-type", "red.min.s64 [buf]", "red.min.b64 [buf]"},
	{.rule = "min-max-type", "atom.max.u32 [buf]", "atom.max.f32 [buf]"},
	{.rule = "inc-dec-type", "atom.inc.u32 [buf]", "atom.inc.u64 [buf]"},
	{.rule = "inc-dec-type", "red.dec.u32 [buf]", "red.dec.s32 [buf]"},
	{.rule = "hint-policy",
		"createpolicy.fractional.L2::evict_last.b64 p1\n"
		"ld.L2::cache_hint.b32 [buf], p1",
		"createpolicy.fractional.L2::evict_last.b64 p1\n"
		"ld.L2::cache_hint.b32 [buf], p0"},
	{.rule = "hint-policy",
		"createpolicy.cvt.L2.b64 p0, persisting\n"
		"red.add.L2::cache_hint.u32 [buf], p0",
		"red.add.L2::cache_hint.u32 [buf], p0\n"
		"createpolicy.cvt.L2.b64 p0, persisting"},
	{.rule = "cas-hint",
		"createpolicy.cvt.L2.b64 p0, normal\n"
		"atom.exch.L2::cache_hint.b32 [buf], p0",
		"createpolicy.cvt.L2.b64 p0, normal\n"
		"atom.cas.L2::cache_hint.b32 [buf], p0"},
	{.rule = "line-size", "discard.L2 [buf], 128", "discard.L2 [buf], 64"},
	{.rule = "line-size",
		"applypriority.L2::evict_normal [buf], 128",
		"applypriority.L2::evict_normal [buf], 256"},
	{.rule = "alignment", "ld.b64 [buf + 8]", "ld.b64 [buf + 4]"},
	{.rule = "alignment",
		"ld.v4.b32 [buf + lane*16]",
		"ld.v4.b32 [buf + lane*8]"},
	{.rule = "alignment", "ld.b32 [buf + warp*4]", "ld.b32 [buf + warp*2]"},
	{.rule = "alignment",
		"ld.b16 [buf + block*2]",
		"ld.b16 [buf + block*1]"},
	{.rule = "alignment",
		"repeat 2\nld.b32 [buf + loop0*8]\nend",
		"repeat 2\nld.b32 [buf + loop0*6]\nend"},
	{.rule = "alignment", "ld.b32 [buf wrap 96]", "ld.b32 [buf wrap 98]"},
	{.rule = "alignment", "ld.b32 [odd]", "ld.b64 [odd]"},
	{.rule = "alignment",
		"ld.b64 [buf random slot=8]",
		"ld.b64 [buf random slot=4]"},
	{.rule = "alignment",
		"discard.L2 [buf + lane*128], 128",
		"discard.L2 [buf + lane*64], 128"},
	{.rule = "alignment",
		"ld.v2.b64 [ring chase]",
		"ld.v2.b64 [tiny chase]"},
	{.rule = "alignment", "prefetch.L2 [buf + 3]", "ld.b32 [buf + 3]"},
	{.rule = "policy-kind",
		"createpolicy.cvt.L2.b64 p0, normal",
		"createpolicy.L2.b64 p0"},
	{.rule = "policy-primary",
		"createpolicy.fractional.L2::evict_unchanged.b64 p0, 0.5",
		"createpolicy.fractional.b64 p0, 0.5"},
	{.rule = "policy-primary",
		"createpolicy.range.L2::evict_last.b64 p0, [buf], 1KiB, 2KiB",
		"createpolicy.range.L2.L2::evict_last.b64 p0, [buf], 1KiB, "
		"2KiB"},
	{.rule = "policy-cvt",
		"createpolicy.cvt.L2.b64 p0, streaming",
		"createpolicy.cvt.b64 p0, streaming"},
	{.rule = "policy-cvt",
		"createpolicy.cvt.L2.b64 p3, normal",
		"createpolicy.cvt.L2.L2::evict_last.b64 p3, normal"},
	{.rule = "policy-space",
		"createpolicy.range.global.L2::evict_last.b64 p0, [buf], 0, 32",
		"createpolicy.fractional.global.L2::evict_last.b64 p0"},
	{.rule = "policy-fraction",
		"createpolicy.fractional.L2::evict_first.b64 p0, 1",
		"createpolicy.fractional.L2::evict_first.b64 p0, 0"},
	{.rule = "policy-fraction",
		"createpolicy.fractional.L2::evict_first.b64 p0, 0.01",
		"createpolicy.fractional.L2::evict_first.b64 p0, 1.01"},
	{.rule = "policy-sizes",
		"createpolicy.range.L2::evict_last.b64 p0, [buf], 1MiB, 1MiB",
		"createpolicy.range.L2::evict_last.b64 p0, [buf], 2MiB, 1MiB"},
	{.rule = "policy-sizes",
		"createpolicy.range.L2::evict_last.b64 p0, [buf], 0, "
		"4294967295",
		"createpolicy.range.L2::evict_last.b64 p0, [buf], 0, 4GiB"},
	{.rule = "policy-property",
		"createpolicy.cvt.L2.b64 p0, persisting",
		.spoil = spoil_property},

	{.rule = "address-missing", "ld.b32 [buf]", .spoil = drop_address},
	{.rule = "address-missing",
		"createpolicy.range.L2::evict_last.b64 p0, [buf], 0, 32",
		.spoil = drop_address},
	{.rule = "address-surplus", "barrier", .spoil = give_address},
	{.rule = "buffer-unknown", "ld.b32 [buf]", .spoil = spoil_buffer},
	{.rule = "space-local",
		"prefetch.global.L1 [buf]",
		"prefetch.local.L1 [buf]"},
	{.rule = "space-address",
		"ld.shared.b32 [shared]",
		"ld.shared.b32 [buf]"},
	{.rule = "space-address", "ld.b32 [buf]", "ld.b32 [shared]"},
	{.rule = "wrap-size",
		"ld.b32 [buf wrap 1MiB]",
		"ld.b32 [buf wrap 2MiB]"},
	{.rule = "base-outside",
		"ld.b32 [buf + 1048572]",
		"ld.b32 [buf + 1MiB]"},
	{.rule = "base-outside",
		"ld.b32 [buf + 60 wrap 64]",
		"ld.b32 [buf + 64 wrap 64]"},
	{.rule = "random-slot",
		"ld.b32 [buf random slot=1MiB]",
		"ld.b32 [buf random slot=2MiB]"},
	{.rule = "random-slot",
		"ld.b32 [buf random slot=4]",
		"ld.b32 [buf random slot=0]"},
	{.rule = "loop-unknown",
		"repeat 2\nld.b32 [buf + loop0*4]\nend",
		"repeat 2\nld.b32 [buf + loop1*4]\nend"},
	{.rule = "loop-unknown",
		"repeat 2\nbarrier\nend\nld.b32 [buf]",
		"repeat 2\nbarrier\nend\nld.b32 [buf + loop0*4]"},
	{.rule = "shared-outside",
		"ld.shared.b32 [shared + lane*4 + 3968]",
		"ld.shared.b32 [shared + lane*4 + 3972]"},
	{.rule = "shared-outside",
		"st.shared.b32 [shared + warp*4092]",
		"st.shared.b32 [shared + warp*4096]"},
	{.rule = "shared-outside",
		"st.shared.b32 [shared + warp*4096 wrap 64]",
		"st.shared.b32 [shared wrap 4100]"},
	{.rule = "shared-outside",
		"repeat 32\nred.shared.add.u32 [shared + loop0*132]\nend",
		"repeat 33\nred.shared.add.u32 [shared + loop0*132]\nend"},
	{.rule = "shared-outside",
		"ld.shared.b32 [shared + block*4 wrap 64]",
		"ld.shared.b32 [shared + block*4]"},
	{.rule = "chase-ring", "ld.b64 [ring chase]", "ld.b64 [buf chase]"},
	{.rule = "chase-op",
		"atom.add.u64 [ring chase]",
		"atom.exch.b64 [ring chase]"},
	{.rule = "chase-op",
		"atom.cas.b64 [ring chase]",
		"atom.and.b64 [ring chase]"},
	{.rule = "chase-op",
		"atom.max.u64 [ring chase]",
		"red.max.u64 [ring chase]"},
	{.rule = "chase-op",
		"ld.b64 [ring chase + 8]",
		"st.b64 [ring chase + 8]"},
	{.rule = "chase-op",
		"ld.u64 [ring chase + 8]",
		"atom.add.u64 [ring chase + 8]"},
	{.rule = "chase-type", "ld.u64 [ring chase]", "ld.b32 [ring chase]"},
	{.rule = "chase-type", "ld.b32 [ring4 chase]", "ld.b64 [ring4 chase]"},
	{.rule = "chase-type", "ld.u64 [ring chase]", "ld.s64 [ring chase]"},
	{.rule = "chase-slot",
		"ld.v8.b32 [ring4 chase + 32]",
		"ld.v8.b32 [ring4 chase + 64]"},
	{.rule = "chase-slot",
		"ld.b32 [ring chase + 8]",
		"ld.b32 [ring chase + 4]"},
	{.rule = "chase-through",
		"ld.b64 [near chase]\nld.b64 [far chase]\nld.b64 [host chase]",
		"ld.b64 [near chase]\nld.b64 [far chase]"},
	{.rule = "chase-through",
		"ld.b64 [near chase]\nld.u64 [far chase]\nld.b64 [host chase]",
		"ld.b64 [far chase]\nld.b64 [host chase]"},
	{.rule = "chase-through",
		"ld.b64 [near chase]\nld.b64 [far chase]\nld.b64 [host "
		"chase]\nld.b32 [buf]",
		"ld.b64 [near chase]\nld.b64 [far chase]\nld.b32 "
		"[buf]\nld.b64 [host chase]"},
	{.rule = "chase-through",
		"@lane0 ld.b64 [near chase]\n@lane0 ld.b64 [far "
		"chase]\n@lane0 ld.b64 [host chase]",
		"ld.b64 [near chase]\n@lane0 ld.b64 [far chase]\nld.b64 [host "
		"chase]"},
	{.rule = "chase-through",
		"ld.b64 [ring chase + 8]",
		"ld.b64 [near chase + 8]"},
	{.rule = "chase-stride",
		"ld.b64 [ring chase + 8]",
		"ld.b64 [ring chase + lane*8]"},
	{.rule = "chase-stride",
		"ld.b64 [ring chase]",
		"ld.b64 [ring chase wrap 64]"},
	{.rule = "chase-stride", "ld.b64 [ring chase]", .spoil = spoil_loop},
	{.rule = "policy-number",
		"createpolicy.cvt.L2.b64 p0, normal",
		.spoil = spoil_policy},
	{.rule = "guard-forbidden", "@lane0 ld.b32 [buf]", "@lane0 barrier"},
	{.rule = "guard-forbidden",
		"@thread0 discard.L2 [buf], 128",
		"@thread0 fence.gpu"},
	{.rule = "count-range", "delay 1", "delay 0"},
	{.rule = "count-range",
		"repeat 4294967295\nend",
		"repeat 4294967296\nend"},
	{.rule = "unroll-divides",
		"repeat 8 unroll=4\nbarrier\nend",
		"repeat 8 unroll=3\nbarrier\nend"},
	{.rule = "unroll-inner",
		"repeat 2\nrepeat 2 unroll=2\nend\nend",
		"repeat 2 unroll=2\nrepeat 2\nend\nend"},
	{.rule = "timed-nested",
		"repeat 2\nrepeat 2\nend\nend",
		"repeat 2\nrepeat 2 time=region region=r\nend\nend"},
	{.rule = "timed-background",
		"repeat 2\nend\n"
		"role front blocks=1\nbarrier",
		"repeat 2 time=region region=r\nend\n"
		"role front blocks=1\nbarrier",
		.role = "work blocks=1 background"},
	{.rule = "region-untimed",
		"repeat 2 time=region region=r\nend",
		"repeat 2 region=r\nend"},
	{.rule = "each-unrolled",
		"repeat 2 time=region region=r unroll=2\nld.b32 [buf]\nend",
		"repeat 2 time=each region=r unroll=2\nld.b32 [buf]\nend"},
	{.rule = "each-samples",
		"repeat 4096 time=each region=r\nld.b32 [buf]\nend",
		"repeat 4097 time=each region=r\nld.b32 [buf]\nend"},
	{.rule = "each-waits",
		"repeat 2 time=each region=r\nfence.gpu\nend",
		"repeat 2 time=each region=r\nst.b32 [buf]\nend"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

Test(legality, each_rule_refuses_what_it_names_and_no_more)
{
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		const struct legality_rule *rule = find_rule(row->rule);
		const char *illegal = row->illegal;
		struct error e = {""};
		struct program p;
		int status;

		cr_assert(rule, "no rule '%s'", row->rule);
		status = parse_role_text(row->role, row->legal, &p, &e);
		cr_assert_eq(status, 0, "%s: %s", row->legal, e.text);
		status = program_check(&p, &e);
		cr_assert_eq(status, 0, "%s: %s", row->legal, e.text);
		if (row->spoil)
			row->spoil(&p.insns[p.insn_count - 1]);
		else
			status = parse_role_text(row->role, illegal, &p, &e);
		cr_assert_eq(status, 0, "%s: %s", row->rule, e.text);
		status = program_check(&p, &e);
		cr_assert_eq(status, ERR_USAGE, "%s: not refused", row->rule);
		cr_assert(strstr(e.text, rule->sentence), "%s: %s", row->rule,
			e.text);
	}
}

Test(legality, each_rule_has_a_row)
{
	const struct legality_rule *rule;
	size_t i, k;

	for (i = 0; (rule = legality_rule_at(i)); i++) {
		bool found = false;

		for (k = 0; k < COUNT(rows); k++)
			found |= !strcmp(rows[k].rule, rule->name);
		cr_expect(found, "rule '%s' is not tested", rule->name);
	}
}

Test(legality, the_sentence_names_instruction_and_rule)
{
	struct program p;
	struct error e;

	cr_assert_eq(
		parse_role_text(NULL, "ld.global.nc.cv.b32 [buf]", &p, &e), 0);
	cr_assert_eq(program_check(&p, &e), ERR_USAGE);
	cr_expect_str_eq(e.text, "'ld.global.cv.nc.b32' is illegal: "
				 ".nc takes .ca, .cg or .cs only");
	cr_assert_eq(
		parse_role_text(NULL, "st.global.ca.b32 [buf]", &p, &e), 0);
	cr_assert_eq(program_check(&p, &e), ERR_USAGE);
	cr_expect_str_eq(
		e.text, "'st.global.ca.b32' is illegal: st does not take .ca");
}

Test(legality, an_operation_takes_the_qualifiers_of_the_table_only)
{
	struct program p;
	struct error e;
	struct insn insn;
	int op, value;

	program_init(&p, "test", 1);
	for (op = 0; op < OP_COUNT; op++) {
		for (value = 1; value < QV_COUNT; value++) {
			const struct qualifier *q = &qualifiers[value];
			bool takes = q->ops >> op & 1;

			memset(&insn, 0, sizeof(insn));
			insn.op = (uint8_t)op;
			insn.q[q->class] = (uint8_t)value;
			e.text[0] = '\0';
			check_insn(&p, &insn, &e);
			cr_expect_eq(!strstr(e.text, "does not take"), takes,
				"%s with .%s: %s", op_names[op], q->text,
				e.text);
		}
	}
}

/* A value in the place of another class, as no parser makes it. */
Test(legality, a_qualifier_stands_in_its_class)
{
	struct program p;
	struct error e;

	cr_assert_eq(parse_role_text(NULL, "ld.b32 [buf]", &p, &e), 0);
	p.insns[0].q[Q_COP] = QV_VEC_v2;
	cr_expect_eq(program_check(&p, &e), ERR_USAGE);
	p.insns[0].q[Q_COP] = 255;
	cr_expect_eq(program_check(&p, &e), ERR_USAGE);
}

/* ---- what a program needs, and what a device has ---- */

static const struct need {
	const char *body;
	unsigned sm, ptx;
	const char *because;
} needs[] = {
	{"ld.global.cg.b32 [buf]", 20, 20, "a load"},
	{"prefetchu.L1 [buf]", 20, 20, "a load"},
	{"ld.global.nc.b32 [buf]", 32, 31, ".nc"},
	{"red.max.u64 [buf]", 32, 31, "64-bit .min, .max, .and, .or and .xor"},
	{"atom.gpu.add.u32 [buf]", 60, 50, ".gpu"},
	{"atom.add.f64 [buf]", 60, 50, ".f64"},
	{"ld.relaxed.gpu.b32 [buf]", 70, 60, ".relaxed"},
	{"fence.sc.gpu", 70, 60, "fence"},
	{"fence.acquire.gpu", 90, 86, ".acquire"},
	{"ld.global.L1::no_allocate.b32 [buf]", 70, 74, ".L1::no_allocate"},
	{"ld.b128 [buf]", 70, 83, ".b128"},
	{"ld.global.L2::128B.b32 [buf]", 75, 74, ".L2::128B"},
	{"ld.global.L2::256B.b32 [buf]", 80, 74, ".L2::256B"},
	{"prefetch.global.L2::evict_last [buf]", 80, 74, ".L2::evict_last"},
	{"discard.L2 [buf], 128", 80, 74, "discard"},
	{"applypriority.L2::evict_normal [buf], 128", 80, 74, "applypriority"},
	{"createpolicy.fractional.L2::evict_last.b64 p0", 80, 74,
		"createpolicy"},
	{"atom.cluster.add.u32 [buf]", 90, 78, ".cluster"},
	{"prefetch.tensormap [buf]", 90, 80, ".tensormap"},
	{"ld.v4.b64 [buf]", 100, 88, "vectors of 32 bytes"},
	{"st.L2::evict_last.v8.b32 [buf]", 100, 88, ".L2::evict_last"},
};

Test(legality, a_program_needs_what_the_pages_say)
{
	size_t i;

	for (i = 0; i < COUNT(needs); i++) {
		struct requirement need;
		struct program p;
		struct error e = {""};

		cr_assert_eq(parse_role_text(NULL, needs[i].body, &p, &e), 0);
		cr_assert_eq(program_check(&p, &e), 0, "%s", e.text);
		need = program_requirement(&p);
		cr_expect_eq(need.sm, needs[i].sm, "%s: sm_%u", needs[i].body,
			need.sm);
		cr_expect_eq(need.ptx, needs[i].ptx, "%s: PTX %u",
			needs[i].body, need.ptx);
		cr_expect_str_eq(need.because, needs[i].because);
	}
}

static const struct device hopper = {
	.name = "hopper",
	.sm_count = 4,
	.sm_arch = 90,
	.ptx_version = 85,
	.warps_per_sm_max = 64,
	.shared_bytes_per_block_max = 1024,
	.memory_bytes = 16 << 20,
	.persisting_bytes_max = 1 << 20,
};

static const struct fit {
	const char *role, *body, *reason; /* NULL: it fits */
} fits[] = {
	{"a sms=0:4 threads=1024", "ld.b32 [buf]", NULL},
	{"a sms=3:2", "ld.b32 [buf]",
		"role 'a' needs SM 4, and 'hopper' has 4 SMs"},
	{"a sms=0:2:3", "ld.b32 [buf]", NULL},
	{"a sms=0:2:4", "ld.b32 [buf]", "needs SM 4"},
	{"a sms=all per_sm=2 threads=1024", "ld.b32 [buf]", NULL},
	{"a sms=all per_sm=3 threads=1024", "ld.b32 [buf]",
		"needs 96 warps on an SM, and 'hopper' holds 64"},
	{"a sms=0:1 per_sm=3 threads=100",
		"ld.b32 [buf]\nrole b sms=1:1 threads=1024\nld.b32 [buf]",
		"role 'a' needs 96 warps on an SM, for its blocks are as large "
		"as those of the launch's largest role, and 'hopper' holds 64"},
	{"a sms=0:1 per_sm=2 threads=100",
		"ld.b32 [buf]\nrole b sms=1:1 threads=1024\nld.b32 [buf]",
		NULL},
	{"a blocks=99 threads=1024", "ld.b32 [buf]", NULL},
	{"a blocks=1 shared=1KiB", "barrier", NULL},
	{"a blocks=1 shared=2KiB", "barrier", "shared memory"},
	{"a sms=0:3", "barrier\nrole b sms=others\nbarrier", NULL},
	{"a sms=0:4", "barrier\nrole b sms=others\nbarrier",
		"role 'b' needs an SM that no other role names"},
	{"a sms=0:3", "barrier\nrole b blocks=9\nbarrier", NULL},
	{"a sms=all", "barrier\nrole b blocks=1\nbarrier",
		"role 'b' needs an SM that no other role names"},
	{"a blocks=1", "barrier\nrole b sms=others\nbarrier",
		"role 'a' needs an SM that no other role names"},
	{"a blocks=1", "ld.global.L2::evict_last.v8.b32 [buf]",
		"'ld.global.L2::evict_last.v8.b32' needs sm_100 "
		"(.L2::evict_last), and 'hopper' is sm_90"},
	{"a blocks=1", "fence.acquire.gpu", "needs PTX 8.6 (.acquire)"},
	{"a blocks=1", "prefetch.tensormap [buf]", NULL},
	{"a blocks=1", "barrier\ncarveout 1MiB", NULL},
	{"a blocks=1", "barrier\ncarveout 2MiB", "persisting"},
	{"a blocks=1", "barrier\nwindow none", NULL},
	{"a blocks=1", "barrier\nwindow buf bytes=128 ratio=1", NULL},
};

Test(legality, what_a_device_lacks_is_skipped_with_the_reason)
{
	struct device small = hopper;
	struct program p;
	struct error e;
	size_t i;

	for (i = 0; i < COUNT(fits); i++) {
		int status;

		e.text[0] = '\0';
		cr_assert_eq(
			parse_role_text(fits[i].role, fits[i].body, &p, &e), 0,
			"%s", e.text);
		cr_assert_eq(program_check(&p, &e), 0, "%s", e.text);
		status = program_fits(&p, &hopper, &e);
		cr_expect_eq(status, fits[i].reason ? ERR_SKIPPED : 0, "%s: %s",
			fits[i].role, e.text);
		if (fits[i].reason)
			cr_expect(strstr(e.text, fits[i].reason), "%s", e.text);
	}
	small.memory_bytes = 1 << 20;
	cr_expect_eq(program_fits(&p, &small, &e), ERR_SKIPPED);
	cr_expect(strstr(e.text, "bytes of memory"), "%s", e.text);
}

/* A device without controls of L2 has no window, which can be said. */
Test(legality, windows_need_controls_of_l2)
{
	static const struct {
		const char *body;
		int sm_arch, status;
	} cases[] = {
		{"barrier\nwindow buf bytes=128 ratio=1", 80, 0},
		{"barrier\nwindow buf bytes=128 ratio=1", 75, ERR_SKIPPED},
		{"barrier\nwindow none", 75, 0},
		{"barrier", 75, 0},
	};
	struct program p;
	struct error e = {""};
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		struct device device = hopper;

		device.sm_arch = (uint32_t)cases[i].sm_arch;
		cr_assert_eq(
			parse_role_text("a blocks=1", cases[i].body, &p, &e), 0,
			"%s", e.text);
		cr_expect_eq(program_fits(&p, &device, &e), cases[i].status,
			"case %zu: %s", i, e.text);
	}
}

/* Slots are steps of a chase alone: others may go over them. */
Test(legality, an_affine_access_may_be_wider_than_a_slot)
{
	struct program p;
	struct error e = {""};

	cr_assert_eq(parse_role_text(
			     NULL, "ld.global.v4.b32 [tiny + lane*16]", &p, &e),
		0, "%s", e.text);
	cr_expect_eq(program_check(&p, &e), 0, "%s", e.text);
	cr_assert_eq(parse_role_text(
			     NULL, "ld.global.v4.b32 [tiny + lane*8]", &p, &e),
		0, "%s", e.text);
	cr_expect_eq(program_check(&p, &e), ERR_USAGE);
}
