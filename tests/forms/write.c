/* Rows as PTX. */
#include <stdbool.h>
#include <string.h>

#include "tests/forms/forms.h"

/* What folds several words into one: w becomes w * FOLD + the next. */
#define FOLD "0x9e3779b97f4a7c15"

/* The registers of sources in their order, of results, of what memory holds
   before it is changed, and of what it is changed by. */
static const char sources[] = "abcc", results[] = "rstuvwxy",
		  stored[] = "acbacabc", changing[] = "baccbcab";

size_t forms_together(const struct form *forms, size_t count)
{
	size_t n = 0;

	while (n < count && n < FORMS_MAX && forms[n].set == forms[0].set)
		n++;
	return n;
}

uint32_t form_digest(const uint8_t *bytes)
{
	uint32_t hash = 0x811c9dc5;
	unsigned i;

	for (i = 0; i < FORM_BYTES; i++)
		hash = (hash ^ bytes[i]) * 0x01000193;
	return hash;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static unsigned bytes_of(char size)
{
	return size == 'w' ? 16 : (unsigned)(size - '0');
}

struct memory {
	const char *space;
	char address;
	bool is_changed;  /* may be written */
	char instruction; /* its address in the instruction */
};

/* ---- what several words become ---- */

struct fold {
	FILE *out;
	bool is_first;
};

/* Adds what stands in e8. */
static void fold(struct fold *f)
{
	fprintf(f->out, f->is_first ? "mov.b64 d8, e8; "
				    : "mad.lo.u64 d8, d8, " FOLD ", e8; ");
	f->is_first = false;
}

/* The register `name` of so many bytes, or the predicate. */
static void fold_register(struct fold *f, char name, unsigned bytes)
{
	if (!bytes)
		fprintf(f->out, "selp.b64 e8, 1, 0, %c; ", name);
	else if (bytes == 8)
		fprintf(f->out, "mov.b64 e8, %c8; ", name);
	else if (bytes < 8)
		fprintf(f->out, "cvt.u64.u%u e8, %c%u; ", 8 * bytes, name,
			bytes);
	else
		fprintf(f->out, "mov.b128 {e8, f8}, %c16; ", name);
	fold(f);
	if (bytes == 16) {
		fprintf(f->out, "mov.b64 e8, f8; ");
		fold(f);
	}
}

static void fold_memory(
	struct fold *f, const char *space, char address, unsigned bytes)
{
	unsigned at = 0;

	for (; at + 16 <= bytes; at += 16) {
		fprintf(f->out, "ld.%s.v2.b64 {e8, f8}, [%c8+%u]; ", space,
			address, at);
		fold(f);
		fprintf(f->out, "mov.b64 e8, f8; ");
		fold(f);
	}
	if (at < bytes) {
		fprintf(f->out, "ld.%s.b64 e8, [%c8+%u]; ", space, address, at);
		fold(f);
	}
}

/* The thread's 32 bytes have a8, b8, c8 and a8, or other registers. */
static void fill(FILE *out, const struct memory *m, const char *names)
{
	unsigned i;

	for (i = 0; i < 4; i += 2)
		fprintf(out, "st.%s.v2.b64 [%c8+%u], {%c8, %c8}; ", m->space,
			m->address, 8 * i, names[i], names[i + 1]);
}

/* ---- rows that are instructions ---- */

static void write_text(const struct form *form, FILE *out)
{
	struct fold f = {out, true};
	const char *s;

	fprintf(out, "%s ", form->spelling);
	for (s = form->sizes + 1; *s; s += strcspn(s, ",")) {
		s += *s == ',';
		if (*s == 'M')
			fold_memory(&f, "global", 'm', 32);
		else if (s[1] == ',' || !s[1])
			fold_register(&f, *s, 0);
		else
			fold_register(
				&f, *s, s[1] == '1' ? 16 : bytes_of(s[1]));
	}
}

/* ---- rows of memory ---- */

static struct memory memory_of(char letter)
{
	switch (letter) {
	case 'S':
		return (struct memory){"shared", 'z', true, 'z'};
	case 's':
		return (struct memory){"shared", 'z', true, 'g'};
	case 'L':
		return (struct memory){"local", 'l', true, 'l'};
	case 'l':
		return (struct memory){"local", 'l', true, 'h'};
	case 'C':
		return (struct memory){"const", 'k', false, 'k'};
	case 'N':
		return (struct memory){"global", 'n', false, 'n'};
	default:
		return (struct memory){"global", 'm', true, 'm'};
	}
}

/* A vector of registers, of one too many brackets where there is one. */
static void write_vector(FILE *out, const char *names, const char *sizes)
{
	size_t i;

	fprintf(out, sizes[1] ? "{" : "");
	for (i = 0; sizes[i]; i++)
		fprintf(out, "%s%c%u", i ? ", " : "", names[i],
			bytes_of(sizes[i]));
	fprintf(out, sizes[1] ? "}" : "");
}

static void write_load(
	const struct form *form, const struct memory *m, FILE *out)
{
	const char *sizes = form->sizes + 1;
	struct fold f = {out, true};
	unsigned i;

	if (m->is_changed)
		fill(out, m, "abca");
	fprintf(out, "%s ", form->spelling);
	write_vector(out, results, sizes);
	fprintf(out, ", [%c8]; ", m->instruction);
	for (i = 0; sizes[i]; i++)
		fold_register(&f, results[i], bytes_of(sizes[i]));
}

static void write_store(
	const struct form *form, const struct memory *m, FILE *out)
{
	const char *sizes = form->sizes + 1;
	struct fold f = {out, true};

	fill(out, m, "cccc");
	fprintf(out, "%s [%c8], ", form->spelling, m->instruction);
	write_vector(out, changing, sizes);
	fprintf(out, "; ");
	fold_memory(&f, m->space, m->address, 32);
}

/* red and atom: of the latter the registers count, too. */
static void write_change(
	const struct form *form, const struct memory *m, FILE *out)
{
	const bool returns = begins(form->spelling, "atom");
	const bool compares = strstr(form->spelling, ".cas") != NULL;
	const char *sizes = form->sizes + 1;
	struct fold f = {out, true};
	unsigned i, bytes = 0;

	fprintf(out, "st.%s.b64 [%c8], 0; ", m->space, m->address);
	for (i = 0; sizes[i]; i++) {
		fprintf(out, "st.%s.b%u [%c8+%u], %c%u; ", m->space,
			8 * bytes_of(sizes[i]), m->address, bytes, stored[i],
			bytes_of(sizes[i]));
		bytes += bytes_of(sizes[i]);
	}
	fprintf(out, "%s ", form->spelling);
	if (returns) {
		write_vector(out, results, sizes);
		fprintf(out, ", ");
	}
	fprintf(out, "[%c8], ", m->instruction);
	write_vector(out, changing, sizes);
	if (compares)
		fprintf(out, ", c%u", bytes);
	fprintf(out, "; ");
	fold_memory(&f, m->space, m->address, bytes);
	for (i = 0; returns && sizes[i]; i++)
		fold_register(&f, results[i], bytes_of(sizes[i]));
}

static void write_memory(const struct form *form, FILE *out)
{
	const struct memory m = memory_of(form->sizes[0]);

	if (begins(form->spelling, "ld"))
		write_load(form, &m, out);
	else if (begins(form->spelling, "st"))
		write_store(form, &m, out);
	else
		write_change(form, &m, out);
}

/* ---- rows of one instruction ---- */

static void write_plain(const struct form *form, FILE *out)
{
	const unsigned count = (unsigned)strcspn(form->sizes, ",");
	const char size = form->sizes[0];
	struct fold f = {out, true};
	unsigned i;

	fprintf(out, "%s ", form->spelling);
	if (size == 'p' || size == 'P')
		fprintf(out, size == 'P' ? "p|q" : "p");
	else
		fprintf(out, "r%u", bytes_of(size));
	for (i = 1; i < count; i++)
		if (form->sizes[i] == 'p')
			fprintf(out, ", p%c", sources[i - 1]);
		else
			fprintf(out, ", %c%u", sources[i - 1],
				bytes_of(form->sizes[i]));
	fprintf(out, "%s; ", form->sizes + count);
	if (size == 'P')
		fprintf(out, "selp.b64 d8, 1, 0, p; selp.b64 e8, 2, 0, q; "
			     "or.b64 d8, d8, e8; ");
	else
		fold_register(&f, size == 'p' ? 'p' : 'r',
			size == 'p' ? 0 : bytes_of(size));
}

static void write_form(const struct form *form, unsigned number, FILE *out)
{
	fprintf(out, "{ ");
	if (form->sizes[0] == '=')
		write_text(form, out);
	else if (strchr("GSLCNgsl", form->sizes[0]))
		write_memory(form, out);
	else
		write_plain(form, out);
	fprintf(out, "st.global.b64 [o8+%u], d8; }\n", number * FORM_BYTES);
}

/* ---- what stands around them ---- */

static void write_values(
	const char *space, const char *name, enum set set, FILE *out)
{
	unsigned i;

	fprintf(out, ".%s .align 16 .b64 %s[32] = {", space, name);
	for (i = 0; i < FORM_VALUES; i++)
		fprintf(out, "%s0x%llx", i ? ", " : "",
			(unsigned long long)form_sets[set][i]);
	fprintf(out, "};\n");
}

static const char names[] = ".reg .b16 a2, b2, c2, r2, s2, t2, u2, v2, w2, "
			    "x2, y2;\n"
			    ".reg .b32 a4, b4, c4, r4, s4, t4, u4, v4, w4, x4, "
			    "y4, k4;\n"
			    ".reg .b64 a8, b8, c8, r8, s8, t8, u8, v8, w8, x8, "
			    "y8;\n"
			    ".reg .b64 d8, e8, f8, o8, m8, z8, g8, l8, h8, k8, "
			    "n8;\n"
			    ".reg .pred p, q, pa, pb, pc, in;\n";

/* The places of a, b and c are x4, y4 and w4. */
static const char places[] =
	"mov.u32 t4, %tid.x;\nand.b32 x4, t4, 31;\nshr.u32 y4, t4, 5;\n"
	"mul.lo.u32 w4, t4, 7;\nmad.lo.u32 w4, y4, 3, w4;\n"
	"and.b32 w4, w4, 31;\n"
	"ld.param.u64 m8, [p_a];\nld.param.u64 o8, [p_b];\n"
	"mul.wide.u32 d8, t4, 8;\nadd.u64 o8, o8, d8;\n"
	"mul.wide.u32 d8, t4, 32;\nadd.u64 m8, m8, d8;\n"
	"mov.u64 z8, word;\nadd.u64 z8, z8, d8;\ncvta.shared.u64 g8, z8;\n"
	"mov.u64 l8, own;\ncvta.local.u64 h8, l8;\n"
	"and.b32 r4, t4, 15;\nmul.wide.u32 d8, r4, 16;\n"
	"mov.u64 k8, values;\nadd.u64 k8, k8, d8;\n"
	"mov.u64 n8, fixed;\nadd.u64 n8, n8, d8;\n"
	"mul.lo.u32 k4, y4, 0x9e3779b9;\nnot.b32 k4, k4;\n"
	"shr.u32 r4, k4, x4;\nand.b32 r4, r4, 1;\nsetp.ne.b32 in, r4, 0;\n";

static void write_value(char name, char place, FILE *out)
{
	fprintf(out,
		"mul.wide.u32 d8, %c4, 8;\nmov.u64 e8, values;\n"
		"add.u64 e8, e8, d8;\nld.const.b64 %c8, [e8];\n"
		"cvt.u16.u64 %c2, %c8;\ncvt.u32.u64 %c4, %c8;\n"
		"and.b32 r4, %c4, %u;\nsetp.ne.b32 p%c, r4, 0;\n",
		place, name, name, name, name, name, place, name == 'c' ? 2 : 1,
		name);
}

/* Whether a row has registers of 16 bytes. */
static bool has_wide(const struct form *forms, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strchr(forms[i].sizes, 'w') ||
			strstr(forms[i].spelling, "16;") ||
			strstr(forms[i].spelling, "b128"))
			return true;
	return false;
}

void forms_write(const struct form *forms, size_t count, FILE *out)
{
	size_t i;

	fprintf(out, ".version 8.8\n.target sm_90\n.address_size 64\n");
	write_values("const", "values", forms[0].set, out);
	write_values("global", "fixed", forms[0].set, out);
	fprintf(out,
		".visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"
		".shared .align 16 .b8 word[%u];\n"
		".local .align 16 .b8 own[32];\n%s%s",
		FORM_OWN_BYTES, names, places);
	write_value('a', 'x', out);
	write_value('b', 'y', out);
	write_value('c', 'w', out);
	if (has_wide(forms, count))
		fprintf(out, ".reg .b128 a16, b16, c16, r16, s16;\n"
			     "mov.b128 a16, {a8, b8};\n"
			     "mov.b128 b16, {b8, a8};\n"
			     "mov.b128 c16, {c8, a8};\n");
	for (i = 0; i < count; i++)
		write_form(&forms[i], (unsigned)i, out);
	fprintf(out, "ret;\n}\n");
}
