#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command/controls.h"
#include "harness/program/spelling.h"

/* Classes of which each value needs a row, with every operation or with any;
   an access's type controls no cache. */
static const enum {
	EACH_OP,
	ANY_OP,
	NO_ROW
} rows_of[Q_COUNT] = {
	[Q_ATOMIC] = ANY_OP,
	[Q_VEC] = ANY_OP,
	[Q_TYPE] = NO_ROW,
};

static struct insn insn_of(size_t row)
{
	struct insn insn;
	struct error e = {""};
	int code =
		insn_from_spelling(instruction_controls[row].text, &insn, &e);

	cr_assert_eq(code, 0, "%s", e.text);
	return insn;
}

/* op OP_COUNT: any */
static bool has_row(int op, int value)
{
	size_t i;

	for (i = 0; i < instruction_control_count; i++) {
		struct insn insn = insn_of(i);

		if ((op == OP_COUNT || insn.op == op) &&
			(!value || insn.q[qualifiers[value].class] == value))
			return true;
	}
	return false;
}

Test(controls, every_qualifier_has_a_row)
{
	int op, value;

	for (value = 1; value < QV_COUNT; value++) {
		const struct qualifier *q = &qualifiers[value];

		if (rows_of[q->class] == ANY_OP)
			cr_expect(has_row(OP_COUNT, value), "no row has .%s",
				q->text);
		for (op = 0; op < OP_COUNT; op++)
			if (rows_of[q->class] == EACH_OP && q->ops >> op & 1)
				cr_expect(has_row(op, value),
					"no row has %s with .%s", op_names[op],
					q->text);
	}
}

/* `delay`, `repeat` and `end` are no instructions of PTX. */
Test(controls, every_operation_has_a_row)
{
	int op;

	for (op = 0; op < OP_DELAY; op++)
		cr_expect(has_row(op, 0), "no row has %s", op_names[op]);
}

Test(controls, every_host_action_has_a_row)
{
	bool kinds[STEP_COUNT] = {[STEP_LAUNCH] = true};
	bool properties[PROPERTY_COUNT] = {false};
	bool memories[MEMORY_COUNT] = {[MEMORY_PLAIN] = true};
	size_t i;

	for (i = 0; i < host_control_count; i++) {
		struct program p;
		struct error e = {""};

		cr_assert_eq(control_host_program(&host_controls[i], &p, &e), 0,
			"%s", e.text);
		cr_expect_eq(program_check(&p, &e), 0, "%s", e.text);
		kinds[p.steps[0].kind] = true;
		if (p.steps[0].kind == STEP_WINDOW)
			properties[p.steps[0].hit] = true;
		memories[p.buffers[p.buffer_count - 1].memory] = true;
	}
	for (i = 0; i < STEP_COUNT; i++)
		cr_expect(kinds[i], "no row has step %zu", i);
	for (i = 0; i < PROPERTY_COUNT; i++)
		cr_expect(properties[i], "no row has property %zu", i);
	for (i = 0; i < MEMORY_COUNT; i++)
		cr_expect(memories[i], "no row has memory %zu", i);
}

/* Once, in the canonical spelling, legal but for local memory. */
Test(controls, every_row_is_an_instruction)
{
	size_t i, k;

	for (i = 0; i < instruction_control_count; i++) {
		const struct control *c = &instruction_controls[i];
		struct insn insn = insn_of(i);
		struct error e = {""};
		struct program p;
		char spelling[128];

		insn_spelling(&insn, spelling, sizeof(spelling));
		cr_expect_str_eq(spelling, c->text);
		for (k = 0; k < i; k++)
			cr_expect(strcmp(instruction_controls[k].text,
					  c->text) != 0,
				"%s stands twice", c->text);
		control_program(c, &p);
		if (insn.q[Q_SPACE] == QV_SPACE_local)
			cr_expect_eq(program_check(&p, &e), ERR_USAGE);
		else
			cr_expect_eq(program_check(&p, &e), 0, "%s", e.text);
	}
}

static void expect_told(const struct control *c)
{
	cr_expect(c->modelled && *c->modelled, "%s: how modelled?", c->text);
	cr_expect(c->shown_by || c->unmeasured, "%s: what shows it?", c->text);
}

Test(controls, every_row_says_what_shows_it_or_why_nothing_does)
{
	size_t i;

	for (i = 0; i < instruction_control_count; i++)
		expect_told(&instruction_controls[i]);
	for (i = 0; i < host_control_count; i++)
		expect_told(&host_controls[i]);
}

/* ---- the list ---- */

static char *printed(const struct device *device, const char *format)
{
	struct error e = {""};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int code = controls_print(device, format, out, &e);

	fclose(out);
	cr_assert_eq(code, 0, "%s", e.text);
	return text;
}

static const struct device ampere = {
	.name = "ampere",
	.sm_count = 1,
	.sm_arch = 80,
	.ptx_version = 74,
	.warps_per_sm_max = 64,
	.shared_bytes_per_block_max = 65536,
	.memory_bytes = 16 << 20,
};

Test(controls, what_a_device_lacks_follows_from_the_legality_table)
{
	char *text = printed(&ampere, "csv");

	cr_expect(strstr(text, "\nld.global.L2::256B.b32,sm_80,7.4,yes,"));
	cr_expect(strstr(text, "\nprefetch.tensormap,sm_90,8.0,\"no: "
			       "'prefetch.tensormap' needs sm_90"));
	cr_expect(strstr(text, "\nld.global.L2::evict_last.v4.b64,sm_100,8.8,"
			       "\"no: "));
	cr_expect(strstr(text, "\nflush,-,-,yes,"));
	cr_expect(strstr(text, "\ncarveout 1MiB,-,-,\"no: 'carveout' needs"));
	free(text);
}

static size_t count(const char *text, const char *word)
{
	size_t found = 0;

	for (; (text = strstr(text, word)) != NULL; text++)
		found++;
	return found;
}

Test(controls, the_tables_have_a_head)
{
	char *md = printed(&ampere, "md"), *table = printed(&ampere, "table");
	size_t i;

	cr_expect(strstr(md, "ampere\n\n| control | minimum_sm | "));
	cr_expect(strstr(md, " |\n|---|---|---|---|---|---|---|\n| ld"));
	cr_expect(strstr(table, "ampere\n\ncontrol  "));
	for (i = 0; i < instruction_control_count; i++)
		cr_expect(strstr(table, instruction_controls[i].text));
	free(md);
	free(table);
}

Test(controls, every_format_has_every_row)
{
	static const struct {
		const char *format, *mark;
		size_t extra; /* marks that are no rows */
	} formats[] = {
		{"csv", "\n", 2},
		{"md", "\n| ", 1},
		{"json", "\"shown_by\": ", 0},
	};
	size_t rows = instruction_control_count + host_control_count, i;
	struct error e;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		char *text = printed(&ampere, formats[i].format);

		cr_expect_eq(count(text, formats[i].mark),
			rows + formats[i].extra, "%s", formats[i].format);
		free(text);
	}
	cr_expect_eq(controls_print(&ampere, "yaml", stdout, &e), ERR_USAGE);
}
