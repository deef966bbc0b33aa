#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/program/spelling.h"
#include "harness/lower/insn.h"
#include "harness/lower/record.h"

/* ---- values ---- */

struct operand {
	char bank;
	unsigned first, count; /* registers of a vector are consecutive */
	char text[160];
};

/* Registers for an instruction's data: {%r1, %r2} or %d3. */
static void operand_new(
	struct ptx_body *b, const struct insn *insn, struct operand *o)
{
	unsigned vec = insn->q[Q_VEC] == QV_VEC_v8   ? 8
		       : insn->q[Q_VEC] == QV_VEC_v4 ? 4
		       : insn->q[Q_VEC] == QV_VEC_v2 ? 2
						     : 1;
	uint32_t element = insn_lane_bytes(insn) / vec;
	unsigned *counter, i;
	size_t used;

	o->bank = element == 16 ? 'q' : element == 8 ? 'd' : 'r';
	counter = o->bank == 'q'   ? &b->w->q_count
		  : o->bank == 'd' ? &b->w->d_count
				   : &b->w->r_count;
	o->first = *counter;
	o->count = vec;
	*counter += vec;
	used = (size_t)snprintf(o->text, sizeof(o->text), "%s%%%c%u",
		vec > 1 ? "{" : "", o->bank, o->first);
	for (i = 1; i < vec; i++)
		used += (size_t)snprintf(o->text + used, sizeof(o->text) - used,
			", %%%c%u", o->bank, o->first + i);
	if (vec > 1)
		snprintf(o->text + used, sizeof(o->text) - used, "}");
}

static void operand_set(
	struct ptx_body *b, const struct operand *o, uint64_t value)
{
	unsigned i;

	for (i = 0; i < o->count; i++) {
		if (o->bank == 'q') {
			unsigned d = ptx_d_constant(b->w, value);

			ptx_emit(b->w, "mov.b128 %%q%u, {%%d%u, %%d%u}",
				o->first + i, d, d);
			continue;
		}
		ptx_emit(b->w, "mov.b%d %%%c%u, %" PRIu64,
			o->bank == 'd' ? 64 : 32, o->bank, o->first + i,
			o->bank == 'd' ? value : value & UINT32_MAX);
	}
}

/* The same, but so that the assembler cannot know the value: a constant one
   would turn a shared-memory atomic into a count of lanes. */
static void operand_hide(
	struct ptx_body *b, const struct operand *o, uint64_t value)
{
	unsigned i;

	if (o->bank == 'q') {
		operand_set(b, o, value);
		return;
	}
	for (i = 0; i < o->count; i++) {
		if (o->bank == 'd')
			ptx_emit(b->w, "add.u64 %%d%u, %%d%u, %" PRIu64,
				o->first + i, b->zero, value);
		else
			ptx_emit(b->w, "add.u32 %%r%u, %%r%u, %" PRIu64,
				o->first + i, b->zero32, value & UINT32_MAX);
	}
}

static void use(struct ptx_uses *uses, const struct operand *o)
{
	unsigned i;

	for (i = 0; i < o->count && uses->count < PTX_USES_MAX; i++) {
		uses->items[uses->count].bank = o->bank;
		uses->items[uses->count].with_first = i > 0;
		uses->items[uses->count++].number = o->first + i;
	}
}

void ptx_take_firsts(struct ptx_uses *uses, struct ptx_uses *firsts)
{
	size_t i, others = 0;

	firsts->count = 0;
	for (i = 0; i < uses->count; i++)
		if (uses->items[i].with_first)
			uses->items[others++] = uses->items[i];
		else
			firsts->items[firsts->count++] = uses->items[i];
	uses->count = others;
}

static void fold_one(struct ptx_body *b, char bank, unsigned number)
{
	unsigned low, high;

	if (bank == 'r') {
		ptx_emit(b->w, "xor.b32 %%r%u, %%r%u, %%r%u", b->sum32,
			b->sum32, number);
	} else if (bank == 'd') {
		ptx_emit(b->w, "xor.b64 %%d%u, %%d%u, %%d%u", b->sum64,
			b->sum64, number);
	} else {
		low = ptx_d(b->w);
		high = ptx_d(b->w);
		ptx_emit(b->w, "mov.b128 {%%d%u, %%d%u}, %%q%u", low, high,
			number);
		fold_one(b, 'd', low);
		fold_one(b, 'd', high);
	}
}

/* Pairs of 32-bit values, then pairs of those, to one: a tree is done soon
   after the last load, where a chain takes a step for each word. */
static size_t fold_words(struct ptx_body *b, unsigned *words, size_t count)
{
	size_t i;

	while (count > 1) {
		for (i = 0; i < count / 2; i++) {
			unsigned sum = ptx_r(b->w);

			ptx_emit(b->w, "xor.b32 %%r%u, %%r%u, %%r%u", sum,
				words[2 * i], words[2 * i + 1]);
			words[i] = sum;
		}
		if (count % 2)
			words[i] = words[count - 1];
		count = (count + 1) / 2;
	}
	return count;
}

void ptx_fold(struct ptx_body *b, struct ptx_uses *uses)
{
	unsigned words[PTX_USES_MAX + PROGRAM_BUFFERS_MAX + 2];
	size_t i, count = 0;

	for (i = 0; i < uses->count; i++)
		if (uses->items[i].bank == 'r')
			words[count++] = uses->items[i].number;
		else
			fold_one(b, uses->items[i].bank, uses->items[i].number);
	if (fold_words(b, words, count))
		fold_one(b, 'r', words[0]);
	uses->count = 0;
}

/* The low 32 bits of a value: a load's bits are there at once. */
static unsigned low_word(struct ptx_body *b, char bank, unsigned number)
{
	unsigned low, high, word;

	if (bank == 'r')
		return number;
	if (bank == 'q') {
		low = ptx_d(b->w);
		high = ptx_d(b->w);
		ptx_emit(b->w, "mov.b128 {%%d%u, %%d%u}, %%q%u", low, high,
			number);
		number = high;
	}
	word = ptx_r(b->w);
	ptx_emit(b->w, "cvt.u32.u64 %%r%u, %%d%u", word, number);
	return word;
}

void ptx_settle(struct ptx_body *b, const struct ptx_uses *uses)
{
	unsigned words[PTX_USES_MAX + PROGRAM_BUFFERS_MAX + 2];
	size_t i;

	for (i = 0; i < uses->count; i++)
		words[i] =
			low_word(b, uses->items[i].bank, uses->items[i].number);
	if (!fold_words(b, words, uses->count))
		return;
	ptx_emit(b->w, "st.volatile.shared.b32 [%%r%u], %%r%u", b->stage,
		words[0]);
	ptx_idle(b->w);
	b->at_barrier = false;
}

/* ---- instructions ---- */

static const char *guard_text(const struct ptx_body *b, const struct insn *insn,
	char *text, size_t bytes)
{
	if (insn->guard == GUARD_ALL)
		return "";
	snprintf(text, bytes, "@%%p%u ",
		insn->guard == GUARD_LANE0 ? b->lane0 : b->thread0);
	return text;
}

/* The operand that leaves a word as it is, so that rings survive. */
static uint64_t neutral(uint8_t atomic)
{
	return atomic == QV_ATOMIC_and || atomic == QV_ATOMIC_min ? UINT64_MAX
								  : 0;
}

/* What an atomic writes: neutral on rings, one elsewhere. */
static uint64_t atomic_value(const struct insn *insn)
{
	if (insn->address.mode == ADDRESS_CHASE)
		return neutral(insn->q[Q_ATOMIC]);
	return insn->q[Q_TYPE] == QV_TYPE_f32   ? 0x3f800000u
	       : insn->q[Q_TYPE] == QV_TYPE_f64 ? UINT64_C(0x3ff0000000000000)
						: 1;
}

/* A chase's value becomes the next link; others join the accumulator. */
static void loaded(struct ptx_body *b, const struct insn *insn,
	const char *guard, const struct operand *o, struct ptx_uses *uses)
{
	const struct address *a = &insn->address;

	if (a->mode != ADDRESS_CHASE || a->base_bytes) {
		use(uses, o);
		return;
	}
	if (o->bank == 'd') {
		ptx_emit(b->w, "%smov.b64 %%d%u, %%d%u", guard,
			b->chase[a->buffer], o->first);
	} else {
		ptx_emit(b->w, "%scvt.u64.u32 %%d%u, %%r%u", guard,
			b->chase[a->buffer], o->first);
		ptx_emit(b->w, "%sadd.u64 %%d%u, %%d%u, %%d%u", guard,
			b->chase[a->buffer], b->chase[a->buffer],
			b->base[a->buffer]);
	}
	if (o->count > 1)
		use(uses, o);
}

static void memory_instruction(struct ptx_body *b, const struct insn *insn,
	const char *guard, const char *spelling, const char *at,
	struct ptx_uses *uses)
{
	char hint[32] = "";
	struct operand o, data;

	if (insn->q[Q_HINT])
		snprintf(
			hint, sizeof(hint), ", %%d%u", b->policy[insn->policy]);
	if (uses->count + 8 > PTX_USES_MAX)
		ptx_fold(b, uses); /* no room for more values in flight */
	operand_new(b, insn, &o);
	if (insn->op == OP_LD) {
		if (*guard)
			operand_set(b, &o, 0);
		ptx_emit(b->w, "%s%s %s, %s%s", guard, spelling, o.text, at,
			hint);
		loaded(b, insn, guard, &o, uses);
		return;
	}
	if (insn->op == OP_ST || insn->op == OP_RED) {
		operand_hide(
			b, &o, insn->op == OP_RED ? atomic_value(insn) : 1);
		ptx_emit(b->w, "%s%s %s, %s%s", guard, spelling, at, o.text,
			hint);
		return;
	}
	operand_new(b, insn, &data);
	operand_hide(b, &data, atomic_value(insn));
	if (*guard)
		operand_set(b, &o, 0);
	if (insn->q[Q_ATOMIC] == QV_ATOMIC_cas)
		ptx_emit(b->w, "%s%s %s, %s, %s, %s%s", guard, spelling, o.text,
			at, data.text, data.text, hint);
	else
		ptx_emit(b->w, "%s%s %s, %s, %s%s", guard, spelling, o.text, at,
			data.text, hint);
	loaded(b, insn, guard, &o, uses);
}

/* The encodings of CUDA's access properties (cuda::access_property). */
static const uint64_t property_codes[PROPERTY_COUNT] = {
	[PROPERTY_NORMAL] = UINT64_C(0x10F0000000000000),
	[PROPERTY_STREAMING] = UINT64_C(0x12F0000000000000),
	[PROPERTY_PERSISTING] = UINT64_C(0x14F0000000000000),
};

static void create_policy(struct ptx_body *b, const struct insn *insn,
	const char *guard, const char *spelling, const char *at)
{
	unsigned policy = b->policy[insn->policy];
	float fraction = (float)insn->fraction;
	uint32_t bits;

	switch (insn->q[Q_KIND]) {
	case QV_KIND_fractional:
		memcpy(&bits, &fraction, sizeof(bits));
		ptx_emit(b->w, "%s%s %%d%u, 0f%08" PRIX32, guard, spelling,
			policy, bits);
		break;
	case QV_KIND_range:
		ptx_emit(b->w, "%s%s %%d%u, %s, %" PRIu64 ", %" PRIu64, guard,
			spelling, policy, at, insn->count, insn->total);
		break;
	default:
		ptx_emit(b->w, "%s%s %%d%u, %%d%u", guard, spelling, policy,
			ptx_d_constant(b->w, property_codes[insn->total]));
		break;
	}
}

static void delay(struct ptx_body *b, uint64_t cycles)
{
	unsigned start = ptx_d(b->w), now = ptx_d(b->w), more = ptx_p(b->w);
	unsigned again = ptx_new_label(b->w);

	ptx_past_barrier(b);
	ptx_emit(b->w, "mov.u64 %%d%u, %%clock64", start);
	ptx_label(b->w, again);
	ptx_emit(b->w, "mov.u64 %%d%u, %%clock64", now);
	ptx_emit(b->w, "sub.u64 %%d%u, %%d%u, %%d%u", now, now, start);
	ptx_emit(b->w, "setp.lt.u64 %%p%u, %%d%u, %" PRIu64, more, now, cycles);
	ptx_emit(b->w, "@%%p%u bra L%u", more, again);
}

void ptx_instruction(struct ptx_body *b, uint32_t index,
	const struct ptx_cursor *cursor, const struct ptx_bases *bases,
	struct ptx_uses *uses)
{
	const struct insn *insn = &b->p->insns[index];
	char guard_bytes[32], spelling[128], at[64] = "";
	const char *guard =
		guard_text(b, insn, guard_bytes, sizeof(guard_bytes));

	ptx_at_insn(b->w, index);
	insn_spelling(insn, spelling, sizeof(spelling));
	if (insn->address.mode != ADDRESS_NONE)
		ptx_address_text(b, index, cursor, bases, at, sizeof(at));
	switch (insn->op) {
	case OP_LD:
	case OP_ST:
	case OP_ATOM:
	case OP_RED:
		memory_instruction(b, insn, guard, spelling, at, uses);
		break;
	case OP_PREFETCH:
	case OP_PREFETCHU:
		ptx_emit(b->w, "%s%s %s", guard, spelling, at);
		break;
	case OP_DISCARD:
	case OP_APPLYPRIORITY:
		ptx_emit(b->w, "%s%s %s, %" PRIu64, guard, spelling, at,
			insn->count);
		break;
	case OP_CREATEPOLICY:
		create_policy(b, insn, guard, spelling, at);
		break;
	case OP_FENCE:
		ptx_emit(b->w, "%s", spelling);
		break;
	case OP_BARRIER:
		ptx_emit(b->w, "bar.sync 0");
		break;
	case OP_DELAY:
		delay(b, insn->count);
		break;
	default:
		break;
	}
	/* All others wait for a barrier: results/probes/barrier_clocks.tsv. */
	if (insn->op != OP_CREATEPOLICY)
		b->at_barrier = insn->op == OP_BARRIER;
}
