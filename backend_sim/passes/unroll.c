#include <stdlib.h>

#include "backend_sim/passes/counted.h"
#include "backend_sim/passes/folds.h"
#include "backend_sim/passes/unroll.h"
#include "backend_sim/flow/divided.h"
#include "backend_sim/flow/uses.h"

#define ROUNDS 4
#define PAIR   2

struct unroll {
	struct flat *f;
	const struct graph *g;
	struct liveness live;
	bool *divided;       /* [block]; owned */
	struct counted loop; /* the one under way */
	uint8_t round;
	uint32_t rounds[ROUNDS + PAIR]; /* instances: of four rounds, of two */
	struct folds folds;
	struct flat_insn *out; /* owned, as the next */
	bool *is_new;          /* of `out`: its target is a place in `out` */
	uint32_t *place;       /* [instruction, and behind the last]; owned */
	uint32_t count, capacity;
	bool failed;
};

/* ---- the new text ---- */

static bool grow(struct unroll *u)
{
	const uint32_t larger = u->capacity * 2 + 256;
	void *out = realloc(u->out, larger * sizeof(*u->out)), *is_new;

	if (!out)
		return false;
	u->out = out;
	is_new = realloc(u->is_new, larger * sizeof(*u->is_new));
	if (!is_new)
		return false;
	u->is_new = is_new;
	u->capacity = larger;
	return true;
}

static uint32_t emit(struct unroll *u, const struct flat_insn *insn)
{
	if (u->count == u->capacity && !grow(u))
		u->failed = true;
	if (u->failed)
		return 0;
	u->out[u->count] = *insn;
	u->out[u->count].round = u->round;
	u->is_new[u->count] = false;
	return u->count++;
}

/* The instruction, made, in the place of the one it comes from. */
static uint32_t emit_made(struct unroll *u, const struct flat_insn *from,
	uint32_t instance, const struct ptx_insn *insn)
{
	struct flat_insn made = *from;

	made.instance = instance;
	made.insn = flat_make_insn(u->f, insn);
	u->failed = u->failed || !made.insn;
	return emit(u, &made);
}

static void aim(struct unroll *u, uint32_t branch, uint32_t target)
{
	if (u->failed)
		return;
	u->out[branch].target = target;
	u->is_new[branch] = true;
}

/* ---- rounds ---- */

static const struct flat_insn *at(const struct unroll *u, uint32_t i)
{
	return &u->f->insns[i];
}

/* What the round writes before it reads it has another register there; in a
   last round what is read behind the loop stays where it is. */
static bool name_round(struct unroll *u, uint32_t round, bool is_last)
{
	const struct counted *loop = &u->loop;
	const uint32_t own = at(u, loop->first)->instance;
	const int64_t copy = flat_copy_instance(u->f, own, 0);
	const uint64_t *kept = is_last ? u->live.out : u->live.in;
	struct flat_instance *in;
	struct uses uses;
	uint32_t i, k;

	if (copy < 0)
		return false;
	u->rounds[round] = (uint32_t)copy;
	in = &u->f->instances[copy];
	for (i = loop->first; i < loop->end; i++) {
		uses_of(u->f, i, &uses);
		for (k = 0; k < uses.write_count; k++) {
			const uint32_t reg = uses.writes[k];
			const uint32_t index = reg - in->register_base;
			int64_t other;

			if (in->names[index] != reg ||
				liveness_has(&u->live, kept, loop->block, reg))
				continue;
			other = flat_new_register(u->f, u->f->types[reg]);
			if (other < 0)
				return false;
			in->names[index] = (uint32_t)other;
		}
	}
	return true;
}

/* With what the counters have not counted yet beside the addresses. */
static void emit_copy(struct unroll *u, uint32_t i, uint32_t instance)
{
	struct ptx_insn insn = *at(u, i)->insn;
	struct flat_insn copy = *at(u, i);
	bool differs = false;
	uint32_t k, n;

	for (k = 0; k < u->folds.count; k++)
		for (n = 0; n < insn.operand_count; n++) {
			const struct fold *fold = &u->folds.list[k];

			if (!fold->passed ||
				!fold_is_address(
					u->f, i, &insn.operands[n], fold->reg))
				continue;
			insn.operands[n].bits +=
				(uint64_t)(fold->step * fold->passed);
			differs = true;
		}
	copy.instance = instance;
	if (differs)
		emit_made(u, at(u, i), instance, &insn);
	else
		emit(u, &copy);
}

static void emit_sum(struct unroll *u, struct fold *fold)
{
	struct ptx_insn insn = *at(u, fold->at)->insn;

	insn.op = PTXO_ADD;
	insn.operands[2].bits =
		(uint64_t)(fold->step * (int64_t)(fold->passed + 1));
	fold->passed = 0;
	emit_made(u, at(u, fold->at), at(u, fold->at)->instance, &insn);
}

/* `count` rounds without what ends them. */
static void emit_rounds(
	struct unroll *u, const uint32_t *instances, uint32_t count)
{
	const struct counted *loop = &u->loop;
	uint32_t n, i;

	for (n = 0; n < count; n++)
		for (i = loop->first; i + 1 < loop->end; i++) {
			const bool is_last = n + 1 == count;
			struct fold *fold = folds_at(&u->folds, i);

			u->round = (uint8_t)n;
			if (i == loop->test)
				continue;
			if (fold && !is_last)
				fold->passed++;
			else if (fold)
				emit_sum(u, fold);
			else
				emit_copy(u, i, instances[n]);
		}
}

/* ---- tests ---- */

/* How the counter and the bound are compared: with its direction. */
static struct ptx_insn make_test(const struct unroll *u)
{
	struct ptx_insn test = *at(u, u->loop.test)->insn;
	const bool is_wide = ptx_types[test.type].bytes == 8;

	if (test.word[PTX_CLASS_COMPARE] != PTXW_COMPARE_ne)
		return test;
	test.type = is_wide ? PTX_s64 : PTX_s32;
	test.word[PTX_CLASS_COMPARE] =
		u->loop.step > 0 ? PTXW_COMPARE_lt : PTXW_COMPARE_gt;
	return test;
}

/* The bound that leaves so many rounds more, if it is a number. */
static uint64_t nearer(const struct unroll *u, uint64_t bound, uint32_t rounds)
{
	return bound - (uint64_t)(u->loop.step * (int64_t)rounds);
}

/* `if not (the test) go to ...`, which is aimed later. */
static uint32_t emit_unless(
	struct unroll *u, uint32_t instance, const struct ptx_insn *test)
{
	struct ptx_insn branch = *at(u, u->loop.end - 1)->insn;

	emit_made(u, at(u, u->loop.test), instance, test);
	branch.guard_negated = true;
	branch.word[PTX_CLASS_UNIFORM] = 0;
	return emit_made(u, at(u, u->loop.end - 1), instance, &branch);
}

/* The distance of the counter from the bound, into the instance's own
   register: no bound comes near the end of what its type holds so. */
static void emit_distance(struct unroll *u, uint32_t instance, uint32_t own)
{
	const struct ptx_insn *test = at(u, u->loop.test)->insn;
	struct ptx_insn sub = *at(u, u->loop.add)->insn;
	const bool up = u->loop.step > 0;

	sub.op = PTXO_SUB;
	sub.operands[0].index = own;
	sub.operands[1] = test->operands[up ? 2 : 1];
	sub.operands[2] = test->operands[up ? 1 : 2];
	emit_made(u, at(u, u->loop.test), instance, &sub);
}

/* `if not (so many more rounds are left) go to ...` */
static uint32_t emit_unless_left(
	struct unroll *u, uint32_t instance, uint32_t own, uint32_t rounds)
{
	struct ptx_insn test = make_test(u);
	const bool strict = test.word[PTX_CLASS_COMPARE] == PTXW_COMPARE_lt ||
			    test.word[PTX_CLASS_COMPARE] == PTXW_COMPARE_gt;

	if (test.operands[2].kind == PTX_NUMBER) {
		test.operands[2].bits =
			nearer(u, test.operands[2].bits, rounds);
		return emit_unless(u, instance, &test);
	}
	emit_distance(u, instance, own);
	test.word[PTX_CLASS_COMPARE] =
		strict ? PTXW_COMPARE_gt : PTXW_COMPARE_ge;
	test.operands[1].index = own;
	test.operands[2] = (struct ptx_operand){.kind = PTX_NUMBER,
		.bits = (uint64_t)(llabs(u->loop.step) * rounds)};
	return emit_unless(u, instance, &test);
}

/* The test that four rounds end with; before them the bound that it takes is
   put into the instance's own register, where it is none that is known. */
static struct ptx_insn last_test(
	struct unroll *u, uint32_t instance, uint32_t own)
{
	struct ptx_insn test = make_test(u);
	struct ptx_insn add = *at(u, u->loop.add)->insn;

	if (test.operands[2].kind == PTX_NUMBER) {
		test.operands[2].bits =
			nearer(u, test.operands[2].bits, ROUNDS - 1);
		return test;
	}
	add.op = PTXO_ADD;
	add.operands[0].index = own;
	add.operands[1] = test.operands[2];
	add.operands[2] = (struct ptx_operand){
		.kind = PTX_NUMBER, .bits = nearer(u, 0, ROUNDS - 1)};
	emit_made(u, at(u, u->loop.add), instance, &add);
	test.operands[2].index = own;
	return test;
}

/* A distance without a sign does not say that the counter is past the bound. */
static bool may_be_beyond(const struct ptx_insn *test)
{
	return test->operands[2].kind != PTX_NUMBER &&
	       ptx_types[test->type].kind != 's';
}

/* ---- a loop ---- */

static void emit_tested(struct unroll *u, uint32_t instance, uint32_t own)
{
	const struct counted *loop = &u->loop;
	struct ptx_insn test = make_test(u);
	const uint32_t before = emit_unless(u, instance, &test);
	const uint32_t short_of_four =
		emit_unless_left(u, instance, own, ROUNDS - 1);
	uint32_t four, beyond, short_of_two, done, one, i;

	test = last_test(u, instance, own);
	four = u->count;
	emit_rounds(u, u->rounds, ROUNDS);
	emit_made(u, at(u, loop->test), instance, &test);
	aim(u, emit(u, at(u, loop->end - 1)), four);
	aim(u, short_of_four, u->count);
	test = make_test(u);
	beyond = may_be_beyond(&test) ? emit_unless(u, instance, &test) : 0;
	short_of_two = emit_unless_left(u, instance, own, 1);
	emit_rounds(u, u->rounds + ROUNDS, PAIR);
	aim(u, short_of_two, u->count);
	if (beyond)
		aim(u, beyond, u->count);
	done = emit_unless(u, instance, at(u, loop->test)->insn);
	one = u->count;
	aim(u, before, one);
	for (i = loop->first; i + 1 < loop->end; i++)
		emit(u, at(u, i));
	aim(u, emit(u, at(u, loop->end - 1)), one);
	aim(u, done, u->count);
}

static void emit_loop(struct unroll *u)
{
	const struct counted *loop = &u->loop;
	const struct flat_insn *test = at(u, loop->test);
	const uint32_t own =
		u->f->instances[test->instance].function->register_count;
	const int64_t instance = flat_copy_instance(u->f, test->instance, 1);
	const int64_t distance = flat_new_register(
		u->f, u->f->types[flat_register(u->f, test->instance,
			      test->insn->operands[1].index)]);
	uint32_t round;

	u->failed = u->failed || instance < 0 || distance < 0;
	for (round = 0; !u->failed && round < ROUNDS + PAIR; round++)
		u->failed = !name_round(u, round,
			round + 1 == ROUNDS || round + 1 == ROUNDS + PAIR);
	if (u->failed)
		return;
	u->f->instances[instance].names[own] = (uint32_t)distance;
	folds_find(&u->folds, u->f, loop, ROUNDS);
	emit_tested(u, (uint32_t)instance, own);
}

/* ---- all loops ---- */

static void emit_all(struct unroll *u, bool *changed)
{
	const struct counted_of of = {u->f, u->g, &u->live, u->divided};
	uint32_t b, i;

	for (b = 0; b < u->g->block_count && !u->failed; b++) {
		const struct graph_block *block = &u->g->blocks[b];

		u->place[block->first] = u->count;
		if (counted_find(&of, b, &u->loop)) {
			emit_loop(u);
			*changed = true;
			continue;
		}
		for (i = block->first; i < block->end; i++)
			emit(u, at(u, i));
	}
	u->place[u->f->count] = u->count;
}

/* Branches of the old text go to where their targets have come. */
static void take_over(struct unroll *u)
{
	uint32_t i;

	for (i = 0; i < u->count; i++)
		if (!u->is_new[i] &&
			(u->out[i].insn->op == PTXO_BRA || u->out[i].is_return))
			u->out[i].target = u->place[u->out[i].target];
	free(u->f->insns);
	u->f->insns = u->out;
	u->f->count = u->count;
	u->f->capacity = u->capacity;
	u->out = NULL;
}

int unroll_loops(struct flat *f, const struct graph *g, bool *changed,
	struct error *error)
{
	struct unroll u = {.f = f, .g = g};
	int code = liveness_make(&u.live, f, g, error);

	*changed = false;
	u.place = calloc(f->count + 1, sizeof(*u.place));
	u.divided = calloc(g->block_count + 1, sizeof(*u.divided));
	if (!code && (!u.place || !u.divided))
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code)
		code = divided_find(f, g, u.divided, error);
	if (!code)
		emit_all(&u, changed);
	if (u.failed)
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code && *changed)
		take_over(&u);
	liveness_free(&u.live);
	free(u.out);
	free(u.is_new);
	free(u.place);
	free(u.divided);
	return code;
}
