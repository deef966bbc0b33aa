#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/program/legality/legality.h"

/*
 * What each qualifier needs, read from the PTX pages a second time and laid
 * out their way: the table of qualifiers.def must say the same, and a row
 * there without one here fails.
 */
static const struct need {
	const char *class, *texts, *ops;
	uint16_t sm, ptx;
} needs[] = {
	{"KIND", "fractional range cvt", "createpolicy", 80, 74},
	{"SEM", "weak", "ld st", 70, 60},
	{"SEM", "relaxed", "ld st atom red", 70, 60},
	{"SEM", "acquire", "ld atom", 70, 60},
	{"SEM", "release", "st atom red", 70, 60},
	{"SEM", "acq_rel", "atom fence", 70, 60},
	{"SEM", "sc", "fence", 70, 60},
	{"SEM", "acquire release", "fence", 90, 86},
	{"SEM", "volatile", "ld st", 20, 20},
	{"SCOPE", "cta gpu sys", "ld st fence", 70, 60},
	{"SCOPE", "cta gpu sys", "atom red", 60, 50},
	{"SCOPE", "cluster", "ld st atom red fence", 90, 78},
	{"SPACE", "global", "ld st atom red prefetch", 20, 20},
	{"SPACE", "global", "discard applypriority createpolicy", 80, 74},
	{"SPACE", "shared", "ld st atom red", 20, 20},
	{"SPACE", "local", "ld st prefetch", 20, 20},
	{"COP", "ca cg cs lu cv", "ld", 20, 20},
	{"COP", "wb cg cs wt", "st", 20, 20},
	{"NC", "nc", "ld", 32, 31},
	{"ATOMIC", "add exch cas min max and or xor inc dec", "atom", 20, 20},
	{"ATOMIC", "add min max and or xor inc dec", "red", 20, 20},
	{"LEVEL", "L1", "prefetch prefetchu", 20, 20},
	{"LEVEL", "L2", "prefetch", 20, 20},
	{"LEVEL", "L2", "discard createpolicy", 80, 74},
	{"LEVEL", "tensormap", "prefetch", 90, 80},
	{"L1",
		"L1::evict_normal L1::evict_unchanged L1::evict_first "
		"L1::evict_last L1::no_allocate",
		"ld st", 70, 74},
	{"L2", "L2::evict_normal L2::evict_first L2::evict_last", "ld st", 100,
		88},
	{"L2", "L2::evict_last L2::evict_normal", "prefetch", 80, 74},
	{"L2", "L2::evict_normal", "applypriority", 80, 74},
	{"L2",
		"L2::evict_last L2::evict_normal L2::evict_first "
		"L2::evict_unchanged",
		"createpolicy", 80, 74},
	{"SECONDARY", "L2::evict_first L2::evict_unchanged", "createpolicy", 80,
		74},
	{"HINT", "L2::cache_hint", "ld st atom red", 80, 74},
	{"SIZE", "L2::64B L2::128B", "ld", 75, 74},
	{"SIZE", "L2::256B", "ld", 80, 74},
	{"VEC", "v2 v4", "ld st", 20, 20},
	{"VEC", "v8", "ld st", 100, 88},
	{"TYPE", "b8 b16 u8 u16 s8 s16", "ld st", 20, 20},
	{"TYPE", "b32 b64 u32 u64 s32 s64 f32", "ld st atom red", 20, 20},
	{"TYPE", "f64", "ld st", 20, 20},
	{"TYPE", "f64", "atom red", 60, 50},
	{"TYPE", "b128", "ld st", 70, 83},
	{"TYPE", "b64", "createpolicy", 80, 74},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool holds(const char *words, const char *word)
{
	size_t length = strlen(word);
	const char *at = words;

	while ((at = strstr(at, word)) != NULL) {
		bool begins = at == words || at[-1] == ' ';

		at += length;
		if (begins && (*at == ' ' || !*at))
			return true;
	}
	return false;
}

static void build(struct program *p, int op, int value)
{
	struct insn *insn;

	program_init(p, "one", 1);
	program_launch(p, "all");
	program_role(p, "work");
	insn = program_insn(p, (enum op)op);
	insn->q[qualifiers[value].class] = (uint8_t)value;
}

/* Fits a device that has just that, and none that has less. */
static void expect_both_sides(
	const struct program *p, unsigned sm, unsigned ptx, const char *what)
{
	struct device device = {
		.name = "device",
		.sm_count = 1,
		.sm_arch = sm,
		.ptx_version = ptx,
		.warps_per_sm_max = 1,
	};
	struct error e = {""};

	cr_expect_eq(program_fits(p, &device, &e), 0, "%s: %s", what, e.text);
	device.sm_arch = sm - 1;
	cr_expect(sm == 20 || program_fits(p, &device, &e) == ERR_SKIPPED,
		"%s does not need sm_%u", what, sm);
	device.sm_arch = sm;
	device.ptx_version = ptx - 1;
	cr_expect(ptx == 20 || program_fits(p, &device, &e) == ERR_SKIPPED,
		"%s does not need PTX %u", what, ptx);
}

static const struct need *find(int op, int value)
{
	const char *class = qualifier_class_names[qualifiers[value].class];
	const struct need *found = NULL;
	size_t i;

	for (i = 0; i < COUNT(needs); i++) {
		if (strcmp(needs[i].class, class) != 0 ||
			!holds(needs[i].texts, qualifiers[value].text) ||
			!holds(needs[i].ops, op_names[op]))
			continue;
		cr_expect(!found, "%s.%s stands twice", op_names[op],
			qualifiers[value].text);
		found = &needs[i];
	}
	return found;
}

Test(legality_needs, each_qualifier_of_each_operation_as_in_the_pages)
{
	struct program p;
	char what[64];
	int op, value;

	for (op = 0; op < OP_COUNT; op++)
		for (value = 1; value < QV_COUNT; value++) {
			bool takes = qualifiers[value].ops >> op & 1;
			const struct need *need = find(op, value);

			snprintf(what, sizeof(what), "%s.%s", op_names[op],
				qualifiers[value].text);
			cr_expect_eq(takes, need != NULL,
				"%s is in one of the tables only", what);
			if (!takes || !need)
				continue;
			build(&p, op, value);
			expect_both_sides(&p, need->sm, need->ptx, what);
		}
}

Test(legality_needs, each_operation_as_in_the_pages)
{
	static const struct {
		const char *ops;
		unsigned sm, ptx;
	} rows[] = {
		{"ld st atom red prefetch prefetchu", 20, 20},
		{"discard applypriority createpolicy", 80, 74},
		{"fence", 70, 60},
		{"barrier delay repeat end", 20, 20},
	};
	struct program p;
	size_t i, found;
	int op;

	for (op = 0; op < OP_COUNT; op++) {
		found = 0;
		build(&p, op, 0);
		for (i = 0; i < COUNT(rows); i++) {
			if (!holds(rows[i].ops, op_names[op]))
				continue;
			found++;
			expect_both_sides(
				&p, rows[i].sm, rows[i].ptx, op_names[op]);
		}
		cr_expect_eq(found, 1, "%s has no row", op_names[op]);
	}
}
