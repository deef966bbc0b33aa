#include <inttypes.h>
#include <stdlib.h>

#include "harness/base/stream.h"
#include "harness/program/text/text.h"
#include "harness/program/text/fields.h"
#include "harness/program/text/parts.h"

static void role_print(
	FILE *out, const struct program *p, const struct role *role)
{
	int depth = 0;
	uint32_t i;

	fprintf(out, "  role %s", role->name);
	role_fields_print(out, role);
	fputc('\n', out);
	for (i = 0; i < role->insn_count; i++) {
		const struct insn *insn = &p->insns[role->insn_first + i];

		if (insn->op == OP_END && depth)
			depth--;
		fprintf(out, "%*s", 4 + 2 * depth, "");
		insn_print(out, p, insn);
		fputc('\n', out);
		if (insn->op == OP_REPEAT)
			depth++;
	}
}

static void one_step_print(
	FILE *out, const struct program *p, const struct step *step)
{
	const struct step_names names = buffer_names(p);
	uint32_t r;

	if (step->kind != STEP_LAUNCH) {
		step_print(out, &names, step);
		return;
	}
	fprintf(out, "launch %s", step->name);
	fields_print(out, launch_fields, step);
	fputc('\n', out);
	for (r = 0; r < step->role_count; r++)
		role_print(out, p, &p->roles[step->role_first + r]);
}

int program_print(const struct program *p, FILE *out)
{
	uint32_t i;

	fprintf(out, "nearfar-program 1\nname %s\nseed %" PRIu32 "\n", p->name,
		p->seed);
	for (i = 0; i < p->buffer_count; i++) {
		fprintf(out, "buffer %s", p->buffers[i].name);
		fields_print(out, buffer_fields, &p->buffers[i]);
		fputc('\n', out);
	}
	for (i = 0; i < p->step_count; i++)
		one_step_print(out, p, &p->steps[i]);
	return ferror(out) ? ERR_FAILED : 0;
}

char *program_text(const struct program *p)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = stream_open_text(&text, &bytes);
	int status;

	if (!out)
		return NULL;
	status = program_print(p, out);
	if (fclose(out) || status) {
		free(text);
		return NULL;
	}
	return text;
}
