#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/lower/writer.h"

int ptx_writer_open(struct ptx_writer *w, struct error *error)
{
	*w = (struct ptx_writer){0};
	w->body = stream_open_text(&w->text, &w->length);
	if (!w->body)
		return error_set(error, ERR_FAILED, "out of memory for PTX");
	return 0;
}

/* A string of PTX has no quotes, and stands in one line. */
static void write_file(const char *name, FILE *out)
{
	fputs(".file 1 \"", out);
	for (; *name; name++)
		fputc((unsigned char)*name < ' ' || strchr("\"\\\177", *name)
				? '?'
				: *name,
			out);
	fputs("\"\n\n", out);
}

static void write_header(
	const struct ptx_writer *w, unsigned version, unsigned arch, FILE *out)
{
	unsigned i;

	fprintf(out, ".version %u.%u\n.target sm_%u\n.address_size 64\n\n",
		version / 10, version % 10, arch);
	if (w->places)
		write_file(w->places->name, out);
	if (w->dynamic_shared)
		fprintf(out, ".extern .shared .align 16 .b8 dynamic[];\n");
	fprintf(out, ".visible .entry nearfar(\n\t.param .u64 control,\n"
		     "\t.param .u64 output,\n\t.param .u64 table,\n"
		     "\t.param .u64 opaque");
	for (i = 0; i < w->buffer_count; i++)
		fprintf(out, ",\n\t.param .u64 buffer%u", i);
	fprintf(out, ")\n");
	/* Told no number of blocks, the assembler keeps to 32 registers and
	   splits an iteration's loads into batches that fit. */
	if (w->threads)
		fprintf(out, ".maxntid %u, 1, 1\n", w->threads);
	if (w->threads && w->registers)
		fprintf(out, ".maxnreg %u\n", w->registers);
	else if (w->threads)
		fprintf(out, ".minnctapersm %u\n", w->resident);
	fprintf(out, "{\n");
	if (w->r_count)
		fprintf(out, "\t.reg .b32 %%r<%u>;\n", w->r_count);
	if (w->d_count)
		fprintf(out, "\t.reg .b64 %%d<%u>;\n", w->d_count);
	if (w->q_count)
		fprintf(out, "\t.reg .b128 %%q<%u>;\n", w->q_count);
	if (w->p_count)
		fprintf(out, "\t.reg .pred %%p<%u>;\n", w->p_count);
	if (w->shared_bytes)
		fprintf(out, "\t.shared .align 16 .b8 stage[%" PRIu32 "];\n",
			w->shared_bytes);
	fputc('\n', out);
}

/* Lines of the body become lines of the whole text. */
static void give_idle(
	struct ptx_writer *w, const char *whole, struct ptx_kernel *kernel)
{
	uint32_t before = 0;
	const char *at;
	size_t i;

	for (at = whole; *at; at++)
		before += *at == '\n';
	before -= w->lines + 2; /* a return, and the end */
	for (i = 0; i < w->idle_count; i++)
		w->idle[i] += before;
	kernel->idle_lines = w->idle;
	kernel->idle_count = w->idle_count;
}

int ptx_writer_finish(struct ptx_writer *w, unsigned ptx_version,
	unsigned sm_arch, struct ptx_kernel *kernel, struct error *error)
{
	char *whole = NULL;
	size_t length;
	FILE *out = stream_open_text(&whole, &length);
	int failed = fclose(w->body) != 0 || !out || w->failed;

	if (out) {
		write_header(w, ptx_version, sm_arch, out);
		fprintf(out, "%s\tret;\n}\n", w->text ? w->text : "");
		failed |= fclose(out) != 0;
	}
	free(w->text);
	if (failed) {
		free(whole);
		free(w->idle);
		return error_set(error, ERR_FAILED, "out of memory for PTX");
	}
	kernel->text = whole;
	give_idle(w, whole, kernel);
	return 0;
}

void ptx_kernel_free(struct ptx_kernel *kernel)
{
	free(kernel->text);
	free(kernel->idle_lines);
	kernel->text = NULL;
	kernel->idle_lines = NULL;
	kernel->idle_count = 0;
}

void ptx_emit(struct ptx_writer *w, const char *format, ...)
{
	va_list arguments;

	if (w->said != w->place) {
		fprintf(w->body, "\t.loc 1 %" PRIu32 " 1\n", w->place);
		w->said = w->place;
		w->lines++;
	}
	fputc('\t', w->body);
	va_start(arguments, format);
	vfprintf(w->body, format, arguments);
	va_end(arguments);
	fputs(";\n", w->body);
	w->lines++;
}

void ptx_idle(struct ptx_writer *w)
{
	uint32_t *more =
		realloc(w->idle, (w->idle_count + 1) * sizeof(*w->idle));

	w->failed |= !more;
	if (!more)
		return;
	w->idle = more;
	w->idle[w->idle_count++] = w->lines;
}

void ptx_label(struct ptx_writer *w, unsigned label)
{
	fprintf(w->body, "L%u:\n", label);
	w->lines++;
}

unsigned ptx_r_constant(struct ptx_writer *w, uint32_t value)
{
	unsigned r = ptx_r(w);

	ptx_emit(w, "mov.b32 %%r%u, %" PRIu32, r, value);
	return r;
}

unsigned ptx_d_constant(struct ptx_writer *w, uint64_t value)
{
	unsigned d = ptx_d(w);

	ptx_emit(w, "mov.b64 %%d%u, %" PRIu64, d, value);
	return d;
}

unsigned ptx_d_parameter(struct ptx_writer *w, const char *name)
{
	unsigned d = ptx_d(w);

	ptx_emit(w, "ld.param.u64 %%d%u, [%s]", d, name);
	ptx_emit(w, "cvta.to.global.u64 %%d%u, %%d%u", d, d);
	return d;
}

unsigned ptx_r_special(struct ptx_writer *w, const char *special)
{
	unsigned r = ptx_r(w);

	ptx_emit(w, "mov.u32 %%r%u, %s", r, special);
	return r;
}

static void xor_shift(struct ptx_writer *w, unsigned r, unsigned shift)
{
	unsigned t = ptx_r(w);

	ptx_emit(w, "shr.u32 %%r%u, %%r%u, %u", t, r, shift);
	ptx_emit(w, "xor.b32 %%r%u, %%r%u, %%r%u", r, r, t);
}

void ptx_mix(struct ptx_writer *w, unsigned r)
{
	xor_shift(w, r, 16);
	ptx_emit(w, "mul.lo.u32 %%r%u, %%r%u, 0x7feb352d", r, r);
	xor_shift(w, r, 15);
	ptx_emit(w, "mul.lo.u32 %%r%u, %%r%u, 0x846ca68b", r, r);
	xor_shift(w, r, 16);
}

void ptx_permutation_init(struct ptx_writer *w, struct ptx_permutation *p,
	uint32_t count, unsigned seed_r)
{
	unsigned base = ptx_r(w);
	uint32_t i;

	permutation_init(&p->shape, count, 0);
	ptx_emit(w, "mad.lo.u32 %%r%u, %%r%u, 8, 0x9e3779b9", base, seed_r);
	for (i = 0; i < PERMUTATION_ROUNDS; i++) {
		p->multiply[i] = ptx_r(w);
		p->add[i] = ptx_r(w);
		ptx_emit(w, "add.u32 %%r%u, %%r%u, %" PRIu32, p->multiply[i],
			base, 2 * i);
		ptx_mix(w, p->multiply[i]);
		ptx_emit(w, "or.b32 %%r%u, %%r%u, 1", p->multiply[i],
			p->multiply[i]);
		ptx_emit(w, "add.u32 %%r%u, %%r%u, %" PRIu32, p->add[i], base,
			2 * i + 1);
		ptx_mix(w, p->add[i]);
	}
}

unsigned ptx_permutation_slot(struct ptx_writer *w,
	const struct ptx_permutation *p, unsigned position_r)
{
	unsigned x = ptx_r(w), again = ptx_new_label(w), outside = ptx_p(w);
	int i;

	ptx_emit(w, "mov.b32 %%r%u, %%r%u", x, position_r);
	ptx_label(w, again);
	for (i = 0; i < PERMUTATION_ROUNDS; i++) {
		ptx_emit(w, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u", x, x,
			p->multiply[i], p->add[i]);
		ptx_emit(w, "and.b32 %%r%u, %%r%u, %" PRIu32, x, x,
			p->shape.mask);
		xor_shift(w, x, p->shape.shift);
	}
	ptx_emit(w, "setp.ge.u32 %%p%u, %%r%u, %" PRIu32, outside, x,
		p->shape.count);
	ptx_emit(w, "@%%p%u bra L%u", outside, again);
	return x;
}

unsigned ptx_version_of_target(unsigned sm_arch)
{
	static const struct {
		unsigned sm, ptx;
	} rows[] = {
		{120, 87},
		{103, 88},
		{100, 86},
		{89, 78},
		{87, 74},
		{86, 71},
		{80, 70},
		{75, 63},
		{72, 61},
		{70, 60},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (sm_arch >= rows[i].sm)
			return rows[i].ptx;
	return 50;
}
