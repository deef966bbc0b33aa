/* A kernel as PTX. */
#include <inttypes.h>

#include "tests/values/values.h"

const struct op_row rows[ROW_COUNT] = {
#define OP(name, to, from, text, value) [ROW_##name] = {#name, from, text, to},
#include "tests/values/ops.def"
#undef OP
};

/* ---- operations ---- */

static void put_register(FILE *out, char class, uint8_t number)
{
	fprintf(out, "%%%c%u", class, number);
}

static void put_op(FILE *out, const struct statement *s)
{
	const struct op_row *row = &rows[s->op];
	const char *at;

	if (s->guard)
		fprintf(out, "@%s%%p%u ", s->guard_negated ? "!" : "",
			s->guard - 1u);
	for (at = row->text; *at; at++) {
		if (*at != '$') {
			fputc(*at, out);
			continue;
		}
		switch (*++at) {
		case 'd':
			put_register(out, row->to, s->d);
			break;
		case 'i':
			fprintf(out, "%" PRIu32, s->number);
			break;
		default: /* a, b, c, e */
			put_register(out, row->from[*at == 'e' ? 3 : *at - 'a'],
				s->s[*at == 'e' ? 3 : *at - 'a']);
			break;
		}
	}
	if (row->to == 'f')
		fprintf(out,
			"\n\tsetp.nan.f32 %%q, %%f%u, %%f%u;\n\tselp.f32 "
			"%%f%u, 0f00000000, %%f%u, %%q;",
			s->d, s->d, s->d, s->d);
	if (row->to == 'g')
		fprintf(out,
			"\n\tsetp.nan.f64 %%q, %%g%u, %%g%u;\n\tselp.f64 "
			"%%g%u, 0d0000000000000000, %%g%u, %%q;",
			s->d, s->d, s->d, s->d);
}

/* ---- the other kinds ---- */

static void put_flow(FILE *out, const struct kernel *k, size_t index)
{
	const struct statement *s = &k->items[index];
	size_t i;

	switch (s->kind) {
	case KIND_SETP:
		fprintf(out, "setp.lt.s32 %%p%u, %%r%u, %%r%u;", s->d, s->s[0],
			s->s[1]);
		break;
	case KIND_IF:
		fprintf(out,
			"setp.lt.s32 %%q, %%r%u, %%r%u;\n\t@!%%q bra ELSE%u;",
			s->s[0], s->s[1], s->block);
		break;
	case KIND_ELSE:
		fprintf(out, "bra END%u;\nELSE%u:", s->block, s->block);
		break;
	case KIND_END:
		for (i = 0; i < index; i++)
			if (k->items[i].kind == KIND_ELSE &&
				k->items[i].block == s->block)
				break;
		if (i == index)
			fprintf(out, "\nELSE%u:", s->block);
		fprintf(out, "\nEND%u:", s->block);
		break;
	case KIND_LOOP:
		fprintf(out,
			"and.b32 %%l%u, %%r%u, 7;\nLOOP%u:\n\tsetp.eq.u32 %%q, "
			"%%l%u, 0;\n\t@%%q bra OUT%u;\n\tsub.u32 %%l%u, "
			"%%l%u, 1;",
			s->d, s->s[0], s->block, s->d, s->block, s->d, s->d);
		break;
	case KIND_BREAK:
		fprintf(out,
			"setp.lo.u32 %%q, %%r%u, %%r%u;\n\t@%%q bra OUT%u;",
			s->s[0], s->s[1], s->block);
		break;
	default: /* KIND_REPEAT */
		fprintf(out, "bra LOOP%u;\nOUT%u:", s->block, s->block);
		break;
	}
}

static const char *const sums[] = {
	"add.u32", "max.u32", "min.u32", "and.b32", "or.b32", "xor.b32"};

static void put_memory(FILE *out, const struct statement *s)
{
	static const char *const atoms[] = {
		"add.u32", "max.s32", "exch.b32", "cas.b32", "xor.b32"};

	switch (s->kind) {
	case KIND_STORE:
		fprintf(out, "st.global.u%u [%%own+%" PRIu32 "], %%r%u;",
			8u << s->op, s->number, s->s[0]);
		break;
	case KIND_LOAD:
		fprintf(out, "ld.global.s%u %%r%u, [%%own+%" PRIu32 "];",
			8u << s->op, s->d, s->number);
		break;
	case KIND_INDEX:
		fprintf(out,
			"and.b32 %%t0, %%r%u, 7;\n\tmul.wide.u32 %%w0, %%t0, "
			"4;\n\tadd.s64 %%w0, %%own, %%w0;\n\tld.global.u32 "
			"%%r%u, [%%w0];",
			s->s[0], s->d);
		break;
	case KIND_ATOM:
		fprintf(out, "atom.global.%s %%r%u, [%%own+%" PRIu32 "], %%r%u",
			atoms[s->op], s->d, s->number, s->s[0]);
		if (s->op == ATOM_CAS)
			fprintf(out, ", %%r%u", s->s[1]);
		fputc(';', out);
		break;
	default: /* KIND_SUM */
		fprintf(out, "red.global.%s [%%sums+%u], %%r%u;", sums[s->op],
			4u * s->op, s->s[0]);
		break;
	}
}

static void put_exchange(
	FILE *out, const struct kernel *k, const struct statement *s)
{
	static const char *const modes[] = {"up", "down", "bfly", "idx"};

	switch (s->kind) {
	case KIND_SHARE:
		fprintf(out,
			"st.shared.u32 [%%place], %%r%u;\n\tbar.sync 0;\n\t"
			"mov.u32 %%t0, %%tid.x;\n\tadd.u32 %%t0, %%t0, %" PRIu32
			";\n\trem.u32 %%t0, %%t0, %" PRIu32
			";\n\tshl.b32 %%t0, %%t0, 2;\n\tmov.u32 %%t1, words;\n"
			"\tadd.u32 %%t0, %%t0, %%t1;\n\tld.shared.u32 %%r%u, "
			"[%%t0];\n\tbar.sync 0;",
			s->s[0], s->number, k->block, s->d);
		break;
	case KIND_SHUFFLE:
		fprintf(out,
			"shfl.sync.%s.b32 %%r%u, %%r%u, %%r%u, %" PRIu32
			", -1;",
			modes[s->op], s->d, s->s[0], s->s[1], s->number);
		break;
	case KIND_BALLOT:
		fprintf(out,
			"setp.lt.s32 %%q, %%r%u, "
			"%%r%u;\n\tvote.sync.ballot.b32 "
			"%%r%u, %%q, -1;",
			s->s[0], s->s[1], s->d);
		break;
	case KIND_MATCH:
		fprintf(out,
			"and.b32 %%t0, %%r%u, 7;\n\tmatch.any.sync.b32 %%r%u, "
			"%%t0, -1;",
			s->s[0], s->d);
		break;
	default: /* KIND_REDUX */
		fprintf(out, "redux.sync.%s %%r%u, %%r%u, -1;", sums[s->op],
			s->d, s->s[0]);
		break;
	}
}

/* ---- the kernel ---- */

static void put_head(FILE *out, unsigned arch)
{
	fprintf(out,
		".version 8.0\n.target sm_%u\n.address_size 64\n\n"
		".visible .entry k(.param .u64 p_in, .param .u64 p_own, "
		".param .u64 p_saved, .param .u64 p_sums)\n{\n"
		"\t.reg .b32 %%r<%d>, %%t<4>, %%l<%d>, %%id, %%place;\n"
		"\t.reg .b64 %%d<%d>, %%w<2>, %%in, %%own, %%saved, %%sums;\n"
		"\t.reg .f32 %%f<%d>;\n\t.reg .f64 %%g<%d>;\n"
		"\t.reg .pred %%p<%d>, %%q;\n"
		"\t.shared .align 4 .b8 words[512];\n",
		arch, R_COUNT, DEPTH_MAX, D_COUNT, F_COUNT, G_COUNT, P_COUNT);
	fprintf(out,
		"\tld.param.u64 %%in, [p_in];\n\tld.param.u64 %%own, [p_own];\n"
		"\tld.param.u64 %%saved, [p_saved];\n"
		"\tld.param.u64 %%sums, [p_sums];\n"
		"\tmov.u32 %%t0, %%ctaid.x;\n\tmov.u32 %%t1, %%ntid.x;\n"
		"\tmov.u32 %%t2, %%tid.x;\n"
		"\tmad.lo.u32 %%id, %%t0, %%t1, %%t2;\n"
		"\tshl.b32 %%place, %%t2, 2;\n\tmov.u32 %%t3, words;\n"
		"\tadd.u32 %%place, %%place, %%t3;\n"
		"\tmul.wide.u32 %%w0, %%id, %d;\n"
		"\tadd.s64 %%in, %%in, %%w0;\n"
		"\tmul.wide.u32 %%w0, %%id, %d;\n"
		"\tadd.s64 %%own, %%own, %%w0;\n"
		"\tmul.wide.u32 %%w0, %%id, %d;\n"
		"\tadd.s64 %%saved, %%saved, %%w0;\n",
		4 * INPUT_WORDS, OWN_BYTES, SAVED_BYTES);
}

/* Registers begin with words of the input; floats with whole numbers. */
static void put_first_values(FILE *out)
{
	unsigned i;

	for (i = 0; i < R_COUNT; i++)
		fprintf(out, "\tld.global.u32 %%r%u, [%%in+%u];\n", i, 4 * i);
	for (i = 0; i < D_COUNT; i++)
		fprintf(out, "\tmov.b64 %%d%u, {%%r%u, %%r%u};\n", i, i, i + 1);
	for (i = 0; i < F_COUNT; i++)
		fprintf(out, "\tcvt.rn.f32.s32 %%f%u, %%r%u;\n", i, i + 2);
	for (i = 0; i < G_COUNT; i++)
		fprintf(out, "\tcvt.rn.f64.s32 %%g%u, %%r%u;\n", i, i + 4);
	for (i = 0; i < P_COUNT; i++)
		fprintf(out, "\tsetp.lt.s32 %%p%u, %%r%u, 0;\n", i, i);
}

static void put_last_values(FILE *out)
{
	unsigned i, at = 0;

	for (i = 0; i < R_COUNT; i++, at += 4)
		fprintf(out, "\tst.global.u32 [%%saved+%u], %%r%u;\n", at, i);
	for (i = 0; i < F_COUNT; i++, at += 4)
		fprintf(out, "\tst.global.f32 [%%saved+%u], %%f%u;\n", at, i);
	for (i = 0; i < D_COUNT; i++, at += 8)
		fprintf(out, "\tst.global.u64 [%%saved+%u], %%d%u;\n", at, i);
	for (i = 0; i < G_COUNT; i++, at += 8)
		fprintf(out, "\tst.global.f64 [%%saved+%u], %%g%u;\n", at, i);
	fputs("\tret;\n}\n", out);
}

void kernel_write_body(const struct kernel *k, FILE *out)
{
	size_t i;

	for (i = 0; i < k->count; i++) {
		const struct statement *s = &k->items[i];

		fputc('\t', out);
		if (s->kind == KIND_OP)
			put_op(out, s);
		else if (s->kind <= KIND_REPEAT)
			put_flow(out, k, i);
		else if (s->kind <= KIND_SUM)
			put_memory(out, s);
		else
			put_exchange(out, k, s);
		fputc('\n', out);
	}
}

void kernel_write(const struct kernel *k, unsigned arch, FILE *out)
{
	put_head(out, arch);
	put_first_values(out);
	kernel_write_body(k, out);
	put_last_values(out);
}
