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

static void step_print(
	FILE *out, const struct program *p, const struct step *step)
{
	uint32_t r;

	switch (step->kind) {
	case STEP_FLUSH:
		fputs("flush\n", out);
		break;
	case STEP_RESET:
		fputs("reset\n", out);
		break;
	case STEP_GRANULARITY:
	case STEP_CARVEOUT:
		fputs(step->kind == STEP_CARVEOUT ? "carveout "
						  : "granularity ",
			out);
		bytes_print(out, step->bytes);
		fputc('\n', out);
		break;
	case STEP_WINDOW:
		if (!step->bytes) {
			fputs("window none\n", out);
			break;
		}
		fprintf(out, "window %s", buffer_name(p, step->buffer));
		fields_print(out, window_fields, step);
		fputc('\n', out);
		break;
	case STEP_COPY:
		fprintf(out, "copy %s %s", buffer_name(p, step->buffer),
			buffer_name(p, step->target));
		fields_print(out, copy_fields, step);
		fputc('\n', out);
		break;
	default:
		fprintf(out, "launch %s", step->name);
		fields_print(out, launch_fields, step);
		fputc('\n', out);
		for (r = 0; r < step->role_count; r++)
			role_print(out, p, &p->roles[step->role_first + r]);
	}
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
		step_print(out, p, &p->steps[i]);
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
