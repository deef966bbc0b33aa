/*
 * Writes single instructions for ptxas to accept or refuse, with what nearfar
 * says of each. For every operation: a few bases, each alone and with every
 * two qualifiers of two classes put in. One kernel holds them all, one a line,
 * since ptxas names the line of each that it refuses.
 *
 * usage: legality_write combinations|minima SM PTX >FILE
 *
 * Lines of FILE that are not instructions begin with a dot, a brace or with
 * "//"; an instruction ends in "; // legal" or "; // illegal: the reason".
 * `minima` writes one qualifier at a time: those that need less than SM and
 * PTX are legal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/legality/parts.h"
#include "harness/program/spelling.h"

#define SPELLING_BYTES 128
#define SEEN_MAX       32768

/* Instructions that are legal, or lack only what a qualifier supplies. */
static const char *const bases[] = {
	"ld.b32",
	"ld.global.b32",
	"ld.relaxed.gpu.b32",
	"ld.acquire.sys.global.b32",
	"ld.volatile.global.b32",
	"ld.global.nc.b32",
	"ld.global.v8.b32",
	"ld.global.nc.v4.b64",
	"ld.shared.v4.b32",
	"st.b32",
	"st.global.b32",
	"st.release.cta.b32",
	"st.volatile.global.b32",
	"st.global.v8.f32",
	"st.shared.b64",
	"atom.add.u32",
	"atom.global.cas.b32",
	"atom.global.exch.b64",
	"atom.relaxed.gpu.global.max.u64",
	"red.add.u32",
	"red.global.or.b32",
	"red.release.sys.global.min.s64",
	"prefetch",
	"prefetch.global",
	"prefetch.L1",
	"prefetchu",
	"discard",
	"applypriority",
	"applypriority.L2::evict_normal",
	"createpolicy.b64",
	"createpolicy.fractional.L2::evict_last.b64",
	"createpolicy.range.L2::evict_first.b64",
	"createpolicy.cvt.L2.b64",
	"fence",
	"fence.gpu",
	"fence.sc.cta",
};

struct writer {
	unsigned sm, ptx;
	struct insn seen[SEEN_MAX];
	size_t seen_count;
};

/* ---- what nearfar says ---- */

static void build(struct program *p, const struct insn *insn)
{
	struct insn *copy, *policy;

	program_init(p, "one", 1);
	program_buffer(p, &(struct buffer){.name = "buf", .bytes = 1 << 20});
	program_launch(p, "all");
	program_role(p, "work")->shared_bytes = 4096;
	if (insn->q[Q_HINT]) {
		policy = program_ptx(
			p, "createpolicy.fractional.L2::evict_last.b64");
		policy->policy = insn->policy;
	}
	copy = program_insn(p, OP_LD);
	*copy = *insn;
}

/* Why PTX refuses it, or NULL. What only the format forbids is legal here. */
static const char *refusal(const struct program *p, unsigned sm, unsigned ptx)
{
	static char text[128];
	const struct insn *insn = &p->insns[p->insn_count - 1];
	struct requirement need = program_requirement(p);
	size_t i;

	for (i = 0; i < Q_COUNT; i++)
		if (insn->q[i] && !(qualifiers[insn->q[i]].ops >> insn->op & 1))
			return "the operation does not take the qualifier";
	for (i = 0; i < legality_rule_count; i++)
		if (legality_rules[i].broken(p, insn))
			return legality_rules[i].name;
	if (need.sm <= sm && need.ptx <= ptx)
		return NULL;
	snprintf(text, sizeof(text), "needs sm_%u and PTX %u.%u", need.sm,
		need.ptx / 10, need.ptx % 10);
	return text;
}

/* ---- as PTX ---- */

/* "{%r8, %r9}" */
static void registers(const struct insn *insn, char *text, size_t bytes)
{
	unsigned element = insn_type_bytes(insn);
	unsigned count = insn_lane_bytes(insn) / element, i;
	char bank = element == 16 ? 'q' : element == 8 ? 'd' : 'r';
	size_t used = 0;

	if (count == 1) {
		snprintf(text, bytes, "%%%c8", bank);
		return;
	}
	for (i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, bytes - used, "%s%%%c%u",
			i ? ", " : "{", bank, 8 + i);
	snprintf(text + used, bytes - used, "}");
}

static void operands(const struct insn *insn, char *text, size_t bytes)
{
	const char *hint = insn->q[Q_HINT] ? ", %d2" : "";
	char data[64];

	registers(insn, data, sizeof(data));
	switch (insn->op) {
	case OP_LD:
		snprintf(text, bytes, "%s, [%%d1]%s", data, hint);
		break;
	case OP_ST:
	case OP_RED:
		snprintf(text, bytes, "[%%d1], %s%s", data, hint);
		break;
	case OP_ATOM:
		snprintf(text, bytes, "%s, [%%d1], %s%s%s%s", data, data,
			insn->q[Q_ATOMIC] == QV_ATOMIC_cas ? ", " : "",
			insn->q[Q_ATOMIC] == QV_ATOMIC_cas ? data : "", hint);
		break;
	case OP_DISCARD:
	case OP_APPLYPRIORITY:
		snprintf(text, bytes, "[%%d1], 128");
		break;
	case OP_CREATEPOLICY:
		snprintf(text, bytes, "%%d2%s",
			insn->q[Q_KIND] == QV_KIND_range ? ", [%d1], 64, 128"
			: insn->q[Q_KIND] == QV_KIND_cvt ? ", %d3"
							 : ", 0f3f000000");
		break;
	case OP_FENCE:
		*text = '\0';
		break;
	default:
		snprintf(text, bytes, "[%%d1]");
		break;
	}
}

static void prologue(struct writer *w)
{
	/* `.address_size` came with PTX 2.3, `.b128` with 8.3 and sm_70. */
	printf(".version %u.%u\n.target sm_%u\n%s\n", w->ptx / 10, w->ptx % 10,
		w->sm, w->ptx >= 23 ? ".address_size 64" : "//");
	printf(".visible .entry kernel()\n{\n"
	       ".reg .b32 %%r<24>;\n.reg .b64 %%d<24>;\n%s\n",
		w->ptx >= 83 && w->sm >= 70 ? ".reg .b128 %q<24>;" : "//");
}

static bool seen(struct writer *w, const struct insn *insn)
{
	size_t i;

	for (i = 0; i < w->seen_count; i++)
		if (w->seen[i].op == insn->op &&
			!memcmp(w->seen[i].q, insn->q, sizeof(insn->q)))
			return true;
	if (w->seen_count == SEEN_MAX) {
		fprintf(stderr, "more instructions than SEEN_MAX\n");
		exit(1);
	}
	w->seen[w->seen_count++] = *insn;
	return false;
}

/* Some words belong to two classes: what is read is not what was written. */
static bool ambiguous(const struct insn *insn, const char *spelling)
{
	struct insn back;

	return insn_from_spelling(spelling, &back, NULL) ||
	       memcmp(back.q, insn->q, sizeof(back.q)) != 0;
}

static void put(struct writer *w, const struct insn *insn)
{
	char spelling[SPELLING_BYTES], text[256];
	struct program p;
	const char *why;

	insn_spelling(insn, spelling, sizeof(spelling));
	if (ambiguous(insn, spelling) || seen(w, insn))
		return;
	build(&p, insn);
	why = refusal(&p, w->sm, w->ptx);
	operands(insn, text, sizeof(text));
	printf("%s %s; // %s%s\n", spelling, text, why ? "illegal: " : "legal",
		why ? why : "");
}

/* ---- which ---- */

/* With a qualifier in the place of what the base has of its class. */
static struct insn with(const struct insn *insn, unsigned value)
{
	struct insn result = *insn;

	if (value)
		result.q[qualifiers[value].class] = (uint8_t)value;
	if (result.q[Q_KIND] == QV_KIND_fractional)
		result.fraction = 0.5;
	if (result.q[Q_KIND] == QV_KIND_range) {
		result.count = 64;
		result.total = 128;
	}
	/* The address is what rules about operands look at. */
	result.address.mode = result.op > OP_APPLYPRIORITY ? ADDRESS_NONE
			      : result.q[Q_SPACE] == QV_SPACE_shared
				      ? ADDRESS_SHARED
				      : ADDRESS_AFFINE;
	return result;
}

static bool takes(const struct insn *insn, unsigned value)
{
	return qualifiers[value].ops >> insn->op & 1;
}

/* Qualifiers that the operation does not take come alone. */
static void put_combinations(struct writer *w, const struct insn *base)
{
	struct insn one, two;
	unsigned a, b;

	for (a = 0; a < QV_COUNT; a++) {
		one = with(base, a);
		put(w, &one);
		if (!a || !takes(base, a))
			continue;
		for (b = a + 1; b < QV_COUNT; b++) {
			if (qualifiers[b].class == qualifiers[a].class ||
				!takes(base, b))
				continue;
			two = with(&one, b);
			put(w, &two);
		}
	}
}

/* What makes a qualifier legal in the operation, and nothing newer. */
static const char *const minimal[] = {
	"ld.b32",
	"ld.global.b32",
	"ld.relaxed.gpu.b32",
	"ld.global.v8.b32",
	"st.b32",
	"st.relaxed.gpu.b32",
	"st.global.v8.b32",
	"atom.add.u32",
	"atom.cas.b32",
	"atom.max.u64",
	"red.add.u32",
	"red.or.b32",
	"red.max.u64",
	"prefetch.L1",
	"prefetch.global",
	"prefetchu.L1",
	"discard.L2",
	"applypriority.L2::evict_normal",
	"createpolicy.fractional.L2::evict_last.b64",
	"createpolicy.range.L2::evict_last.b64",
	"createpolicy.cvt.L2.b64",
	"fence.gpu",
	"fence.sc.gpu",
};

/* One qualifier at a time, where it is legal on the newest. */
static void put_minima(struct writer *w, const struct insn *base)
{
	struct program p;
	struct insn one;
	unsigned a;

	for (a = 0; a < QV_COUNT; a++) {
		one = with(base, a);
		build(&p, &one);
		if (!refusal(&p, UINT16_MAX, UINT16_MAX))
			put(w, &one);
	}
}

static int write_all(struct writer *w, const char *const *spellings,
	size_t count, void (*put_all)(struct writer *, const struct insn *))
{
	struct error error;
	struct insn insn;
	size_t i;

	prologue(w);
	for (i = 0; i < count; i++) {
		if (insn_from_spelling(spellings[i], &insn, &error)) {
			fprintf(stderr, "%s\n", error.text);
			return 1;
		}
		put_all(w, &insn);
	}
	printf("}\n");
	return 0;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int main(int argc, char **argv)
{
	static struct writer w;

	if (argc != 4)
		return 2;
	w.sm = (unsigned)atoi(argv[2]);
	w.ptx = (unsigned)atoi(argv[3]);
	if (!strcmp(argv[1], "minima"))
		return write_all(&w, minimal, COUNT(minimal), put_minima);
	return write_all(&w, bases, COUNT(bases), put_combinations);
}
