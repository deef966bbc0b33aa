/* The list of operations: each row of the tables once, as the model takes it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "backend_sim/code/code.h"
#include "harness/ptx/ptx.h"

TestSuite(code_list, .timeout = 60);

/* The first row whose operation is `name`, or begins with it and a dot. */
static const struct model_instruction *
find(const struct model_instructions *list, const char *name, const char *types)
{
	const size_t length = strlen(name);
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct model_instruction *m = &list->items[i];

		if (!strncmp(m->operation, name, length) &&
			(!m->operation[length] ||
				m->operation[length] == '.') &&
			(!types || !strcmp(m->types, types)))
			return m;
	}
	return NULL;
}

Test(code_list, every_operation_is_listed_with_its_cost)
{
	struct model_instructions list = {0};
	struct error error;
	const struct ptx_refusal *r;
	int op;

	cr_assert_eq(code_list(&list, &error), 0);
	for (op = 0; op < PTXO_COUNT; op++) {
		const struct model_instruction *m =
			find(&list, ptx_ops[op].text, NULL);

		/* Those that are not modelled stand among the refusals. */
		if (ptx_ops[op].reason)
			continue;
		cr_assert_not_null(m, "%s", ptx_ops[op].text);
		cr_assert_not_null(m->pipe, "%s", ptx_ops[op].text);
		cr_assert_eq(m->sm, ptx_ops[op].sm, "%s", ptx_ops[op].text);
	}
	for (r = ptx_refusals; r->text; r++) {
		size_t i;

		for (i = 0; i < list.count; i++)
			if (!strcmp(list.items[i].operation, r->text) &&
				!list.items[i].pipe)
				break;
		cr_assert_lt(i, list.count, "%s", r->text);
		cr_assert_str_eq(list.items[i].note, r->reason);
	}
	model_instructions_free(&list);
}

static void costs(const struct model_instructions *list, const char *name,
	const char *types, const char *pipe, unsigned slots, unsigned cycles,
	unsigned latency)
{
	const struct model_instruction *m = find(list, name, types);

	cr_assert_not_null(m, "%s %s", name, types);
	cr_assert_str_eq(m->pipe, pipe, "%s %s", name, types);
	cr_assert_eq(m->slots, slots, "%s %s", name, types);
	cr_assert_eq(m->pipe_cycles, cycles, "%s %s", name, types);
	cr_assert_eq(m->latency_cycles, latency, "%s %s", name, types);
}

Test(code_list, types_and_modifiers_have_rows_of_their_own)
{
	struct model_instructions list = {0};
	struct error error;

	cr_assert_eq(code_list(&list, &error), 0);
	costs(&list, "add", "u64 s64", "alu/fma-heavy", 2, 3, 5);
	costs(&list, "rcp.rn", "f32", "special", 9, 13, 77);
	costs(&list, "rcp.approx", "f32", "special", 4, 8, 40);
	costs(&list, "rcp.approx.ftz", "f32", "special", 1, 8, 17);
	costs(&list, "cvt.f32", "f16 bf16", "alu", 1, 1, 5);
	costs(&list, "cvt.f16x2", "f32", "special", 1, 8, 17);
	costs(&list, "ret", "", "control", 1, 1, 0);
	cr_assert_null(find(&list, "rcp.approx", "f64"));
	cr_assert_null(find(&list, "tanh.approx.ftz", NULL));
	cr_assert_null(find(&list, "cvt.b32", NULL));
	cr_assert_not_null(
		find(&list, "atom", "u32 u64 s32 s64 f32 f64 b32 b64"));
	model_instructions_free(&list);
}

/* What is listed as a type is read as one: the list has what the reader
   takes. */
Test(code_list, each_type_that_is_listed_is_read)
{
	struct model_instructions list = {0};
	struct error error;
	size_t i;

	cr_assert_eq(code_list(&list, &error), 0);
	for (i = 0; i < list.count; i++) {
		char types[128], *type, *rest = types;

		if (strcmp(list.items[i].operation, "xor") != 0)
			continue;
		snprintf(types, sizeof(types), "%s", list.items[i].types);
		while ((type = strtok_r(rest, " ", &rest))) {
			char text[256];
			struct ptx_module m;

			snprintf(text, sizeof(text),
				".version 8.0\n.target sm_90\n"
				".address_size 64\n.visible .entry k()\n{\n"
				".reg .%s %%a;\nxor.%s %%a, %%a, "
				"%%a;\nret;\n}\n",
				type, type);
			cr_assert_eq(
				ptx_parse("t", text, strlen(text), &m, &error),
				0, "%s", error.text);
			ptx_free(&m);
		}
	}
	model_instructions_free(&list);
}
