/* A kernel on the host: PTX as its manual describes it, thread by thread. */
#include <stdlib.h>
#include <string.h>

#include "tests/values/value.h"
#include "tests/values/values.h"

#define WARP 32u

struct thread {
	uint32_t r[R_COUNT];
	uint64_t d[D_COUNT];
	uint32_t f[F_COUNT];
	uint64_t g[G_COUNT];
	bool p[P_COUNT];
	uint32_t left[DEPTH_MAX]; /* turns of each loop */
	uint8_t *own;
};

/* Where the parts of an if and of a loop stand. */
struct places {
	size_t otherwise, end; /* otherwise 0: none */
	size_t loop, repeat;
};

struct host {
	const struct kernel *k;
	struct thread *threads;
	struct places places[STATEMENTS_MAX];
	struct outcome *outcome;
};

/* ---- operations ---- */

static uint64_t get(const struct thread *t, char class, uint8_t number)
{
	switch (class) {
	case 'r':
		return t->r[number];
	case 'd':
		return t->d[number];
	case 'f':
		return t->f[number];
	default:
		return t->g[number];
	}
}

static void put(struct thread *t, char class, uint8_t number, uint64_t value)
{
	switch (class) {
	case 'r':
		t->r[number] = (uint32_t)value;
		break;
	case 'd':
		t->d[number] = value;
		break;
	case 'f':
		t->f[number] = value_f_is_nan(value) ? 0 : (uint32_t)value;
		break;
	default:
		t->g[number] = value_g_is_nan(value) ? 0 : value;
		break;
	}
}

static void run_op(struct thread *t, const struct statement *s)
{
	const struct op_row *row = &rows[s->op];
	uint64_t sources[4] = {0};
	size_t i;

	if (s->guard && t->p[s->guard - 1] == s->guard_negated)
		return;
	for (i = 0; row->from[i]; i++)
		sources[i] = get(t, row->from[i], s->s[i]);
	put(t, row->to, s->d, value_of((enum row)s->op, sources, s->number));
}

/* ---- memory ---- */

static uint32_t after(enum atom atom, uint32_t was, uint32_t a, uint32_t b)
{
	switch (atom) {
	case ATOM_ADD:
		return was + a;
	case ATOM_MAX:
		return (int32_t)was > (int32_t)a ? was : a;
	case ATOM_EXCH:
		return a;
	case ATOM_CAS:
		return was == a ? b : was;
	default:
		return was ^ a;
	}
}

static uint32_t joined(enum sum sum, uint32_t a, uint32_t b)
{
	switch (sum) {
	case SUM_ADD:
		return a + b;
	case SUM_MAX:
		return a > b ? a : b;
	case SUM_MIN:
		return a < b ? a : b;
	case SUM_AND:
		return a & b;
	case SUM_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

static void run_memory(
	const struct host *h, struct thread *t, const struct statement *s)
{
	uint32_t *sum = &h->outcome->sums[s->kind == KIND_SUM ? s->op : 0];
	uint32_t a = t->r[s->s[0]], b = t->r[s->s[1]], word = 0;
	int8_t byte;
	int16_t half;

	switch (s->kind) {
	case KIND_STORE:
		memcpy(t->own + s->number, &a, (size_t)1 << s->op);
		break;
	case KIND_LOAD:
		memcpy(&byte, t->own + s->number, 1);
		memcpy(&half, t->own + (s->number & ~1u), 2);
		memcpy(&word, t->own + (s->number & ~3u), 4);
		t->r[s->d] = s->op == 0   ? (uint32_t)byte
			     : s->op == 1 ? (uint32_t)half
					  : word;
		break;
	case KIND_INDEX:
		memcpy(&t->r[s->d], t->own + 4 * (size_t)(a & 7), 4);
		break;
	case KIND_ATOM:
		memcpy(&word, t->own + s->number, 4);
		a = after((enum atom)s->op, word, a, b);
		memcpy(t->own + s->number, &a, 4);
		t->r[s->d] = word;
		break;
	default: /* KIND_SUM */
		*sum = joined((enum sum)s->op, *sum, a);
		break;
	}
}

/* ---- one thread ---- */

/* The statement that follows. */
static size_t flow(const struct host *h, struct thread *t, size_t at)
{
	const struct statement *s = &h->k->items[at];
	const struct places *p = &h->places[s->block];
	const uint32_t a = t->r[s->s[0]], b = t->r[s->s[1]];

	switch (s->kind) {
	case KIND_SETP:
		t->p[s->d] = (int32_t)a < (int32_t)b;
		return at + 1;
	case KIND_IF:
		if ((int32_t)a < (int32_t)b)
			return at + 1;
		return (p->otherwise ? p->otherwise : p->end) + 1;
	case KIND_ELSE:
		return p->end + 1;
	case KIND_LOOP:
		t->left[s->d] = a & 7;
		return t->left[s->d]-- ? at + 1 : p->repeat + 1;
	case KIND_BREAK:
		return a < b ? p->repeat + 1 : at + 1;
	case KIND_REPEAT:
		s = &h->k->items[p->loop];
		return t->left[s->d]-- ? p->loop + 1 : at + 1;
	default: /* KIND_END */
		return at + 1;
	}
}

static size_t step(const struct host *h, struct thread *t, size_t at)
{
	const struct statement *s = &h->k->items[at];

	if (s->kind > KIND_OP && s->kind <= KIND_REPEAT)
		return flow(h, t, at);
	if (s->kind == KIND_OP)
		run_op(t, s);
	else
		run_memory(h, t, s);
	return at + 1;
}

/* ---- all threads ---- */

static unsigned lane_of(const struct statement *s, unsigned lane, uint32_t b)
{
	const unsigned clamp = s->number & 31, mask = s->number >> 8 & 31;
	const unsigned most = (lane & mask) | (clamp & ~mask);
	const unsigned step = b & 31;
	unsigned from;

	switch (s->op) {
	case SHUFFLE_UP:
		return (int)(lane - step) >= (int)most ? lane - step : lane;
	case SHUFFLE_DOWN:
		from = lane + step;
		break;
	case SHUFFLE_BFLY:
		from = lane ^ step;
		break;
	default:
		from = (lane & mask) | (step & ~mask & 31);
		break;
	}
	return from <= most ? from : lane;
}

/* What a lane gets from those of its warp. */
static uint32_t exchanged(const struct statement *s, const uint32_t *a,
	const uint32_t *b, unsigned lane)
{
	uint32_t result = s->kind == KIND_REDUX ? a[0] : 0;
	unsigned i;

	if (s->kind == KIND_SHUFFLE)
		return a[lane_of(s, lane, b[lane])];
	for (i = 0; i < WARP; i++)
		if (s->kind == KIND_BALLOT)
			result |= (uint32_t)((int32_t)a[i] < (int32_t)b[i])
				  << i;
		else if (s->kind == KIND_MATCH)
			result |= (uint32_t)((a[i] & 7) == (a[lane] & 7)) << i;
		else if (i)
			result = joined((enum sum)s->op, result, a[i]);
	return result;
}

static void share(const struct kernel *k, struct thread *block,
	const struct statement *s, uint32_t *words)
{
	uint32_t i;

	for (i = 0; i < k->block; i++)
		words[i] = block[i].r[s->s[0]];
	for (i = 0; i < k->block; i++)
		block[i].r[s->d] = words[(i + s->number) % k->block];
}

static void exchange(struct host *h, const struct statement *s)
{
	const size_t threads = (size_t)h->k->grid * h->k->block;
	uint32_t a[512], b[WARP];
	size_t first;
	unsigned i;

	for (first = 0; s->kind == KIND_SHARE && first < threads;
		first += h->k->block)
		share(h->k, &h->threads[first], s, a);
	for (first = 0; s->kind != KIND_SHARE && first < threads;
		first += WARP) {
		for (i = 0; i < WARP; i++) {
			a[i] = h->threads[first + i].r[s->s[0]];
			b[i] = h->threads[first + i].r[s->s[1]];
		}
		for (i = 0; i < WARP; i++)
			h->threads[first + i].r[s->d] = exchanged(s, a, b, i);
	}
}

static void find_places(struct host *h)
{
	size_t i;

	for (i = 0; i < h->k->count; i++) {
		struct places *p = &h->places[h->k->items[i].block];

		switch (h->k->items[i].kind) {
		case KIND_ELSE:
			p->otherwise = i;
			break;
		case KIND_END:
			p->end = i;
			break;
		case KIND_LOOP:
			p->loop = i;
			break;
		case KIND_REPEAT:
			p->repeat = i;
			break;
		default:
			break;
		}
	}
}

/* The statement behind those from `at` on that a thread runs by itself. */
static size_t behind(const struct host *h, size_t at)
{
	const struct statement *s = &h->k->items[at];

	return s->kind == KIND_IF     ? h->places[s->block].end + 1
	       : s->kind == KIND_LOOP ? h->places[s->block].repeat + 1
				      : at + 1;
}

static void run(struct host *h)
{
	const size_t threads = (size_t)h->k->grid * h->k->block;
	size_t at, next, i, own;

	for (at = 0; at < h->k->count; at = next) {
		next = behind(h, at);
		if (h->k->items[at].kind >= KIND_SHARE) {
			exchange(h, &h->k->items[at]);
			continue;
		}
		for (i = 0; i < threads; i++)
			for (own = at; own < next;)
				own = step(h, &h->threads[i], own);
	}
}

/* ---- before and after ---- */

static void begin(struct thread *t, const uint32_t *input, uint8_t *own)
{
	unsigned i;

	memcpy(t->r, input, sizeof(t->r));
	for (i = 0; i < D_COUNT; i++)
		t->d[i] = t->r[i] | (uint64_t)t->r[i + 1] << 32;
	for (i = 0; i < F_COUNT; i++)
		t->f[i] = (uint32_t)value_of(
			ROW_F_S32, (uint64_t[4]){t->r[i + 2]}, 0);
	for (i = 0; i < G_COUNT; i++)
		t->g[i] = value_of(ROW_G_S32, (uint64_t[4]){t->r[i + 4]}, 0);
	for (i = 0; i < P_COUNT; i++)
		t->p[i] = (int32_t)t->r[i] < 0;
	t->own = own;
}

static void save(const struct thread *t, uint8_t *to)
{
	memcpy(to, t->r, sizeof(t->r));
	to += sizeof(t->r);
	memcpy(to, t->f, sizeof(t->f));
	to += sizeof(t->f);
	memcpy(to, t->d, sizeof(t->d));
	to += sizeof(t->d);
	memcpy(to, t->g, sizeof(t->g));
}

void kernel_interpret(
	const struct kernel *k, const uint32_t *input, struct outcome *outcome)
{
	const size_t threads = (size_t)k->grid * k->block;
	struct host h = {.k = k, .outcome = outcome};
	size_t i;

	h.threads = calloc(threads, sizeof(*h.threads));
	if (!h.threads)
		abort();
	memset(outcome->own, 0, threads * OWN_BYTES);
	memset(outcome->sums, 0, SUM_WORDS * sizeof(uint32_t));
	for (i = 0; i < threads; i++)
		begin(&h.threads[i], input + i * INPUT_WORDS,
			outcome->own + i * OWN_BYTES);
	find_places(&h);
	run(&h);
	for (i = 0; i < threads; i++)
		save(&h.threads[i], outcome->saved + i * SAVED_BYTES);
	free(h.threads);
}
