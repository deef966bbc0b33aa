#include <stdlib.h>

#include "backend_sim/passes/unroll.h"
#include "backend_sim/passes/unroll_parts.h"
#include "backend_sim/flow/divided.h"
#include "backend_sim/flow/uses.h"

/* Loops behind so many instructions stay as they are: it is their number in a
   code, not in a text, that has no bound otherwise. */
#define UNROLLED_MOST (1u << 18)

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

uint32_t unroll_emit(struct unroll *u, const struct flat_insn *from,
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

/* What the round writes before it reads it has another register there; in a
   last round what is read behind the loop stays where it is. */
static uint32_t name_all(
	struct unroll *u, struct flat_name *names, const uint64_t *kept)
{
	const struct counted *loop = &u->loop;
	const uint32_t base =
		u->f->instances[unroll_at(u, loop->first)->instance]
			.register_base;
	struct uses uses;
	uint32_t i, k, count = 0;

	u->mark++;
	for (i = loop->first; i < loop->end; i++) {
		uses_of(u->f, i, &uses);
		for (k = 0; k < uses.write_count; k++) {
			const uint32_t reg = uses.writes[k];
			int64_t other;

			if (u->marks[reg] == u->mark ||
				liveness_has(&u->live, kept, loop->block, reg))
				continue;
			u->marks[reg] = u->mark;
			other = flat_new_register(u->f, u->f->types[reg]);
			u->failed = u->failed || other < 0;
			names[count++] =
				(struct flat_name){reg - base, (uint32_t)other};
		}
	}
	return count;
}

static void name_round(struct unroll *u, uint32_t round, bool is_last)
{
	const struct counted *loop = &u->loop;
	struct flat_name *names = calloc(
		(size_t)(loop->end - loop->first) * USES_MAX, sizeof(*names));
	const uint32_t count =
		names ? name_all(u, names, is_last ? u->live.out : u->live.in)
		      : 0;
	const int64_t copy = flat_copy_instance(
		u->f, unroll_at(u, loop->first)->instance, names, count);

	free(names);
	u->failed = u->failed || !names || copy < 0;
	u->rounds[round] = (uint32_t)copy;
}

/* With what the counters have not counted yet beside the addresses. */
static void emit_copy(struct unroll *u, uint32_t i, uint32_t instance)
{
	struct ptx_insn insn = *unroll_at(u, i)->insn;
	struct flat_insn copy = *unroll_at(u, i);
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
		unroll_emit(u, unroll_at(u, i), instance, &insn);
	else
		emit(u, &copy);
}

static void emit_sum(struct unroll *u, struct fold *fold)
{
	struct ptx_insn insn = *unroll_at(u, fold->at)->insn;

	insn.op = PTXO_ADD;
	insn.operands[2].bits =
		(uint64_t)(fold->step * (int64_t)(fold->passed + 1));
	fold->passed = 0;
	unroll_emit(u, unroll_at(u, fold->at), unroll_at(u, fold->at)->instance,
		&insn);
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
	struct ptx_insn test = unroll_test(u);
	const uint32_t before = unroll_unless(u, instance, &test);
	const uint32_t short_of_four =
		unroll_unless_left(u, instance, own, ROUNDS - 1);
	uint32_t four, beyond, short_of_two, done, one, i;

	test = unroll_last_test(u, instance, own);
	four = u->count;
	emit_rounds(u, u->rounds, ROUNDS);
	unroll_emit(u, unroll_at(u, loop->test), instance, &test);
	aim(u, emit(u, unroll_at(u, loop->end - 1)), four);
	aim(u, short_of_four, u->count);
	test = unroll_test(u);
	beyond = may_be_beyond(&test) ? unroll_unless(u, instance, &test) : 0;
	short_of_two = unroll_unless_left(u, instance, own, 1);
	emit_rounds(u, u->rounds + ROUNDS, PAIR);
	aim(u, short_of_two, u->count);
	if (beyond)
		aim(u, beyond, u->count);
	done = unroll_unless(u, instance, unroll_at(u, loop->test)->insn);
	one = u->count;
	aim(u, before, one);
	for (i = loop->first; i + 1 < loop->end; i++)
		emit(u, unroll_at(u, i));
	aim(u, emit(u, unroll_at(u, loop->end - 1)), one);
	aim(u, done, u->count);
}

static void emit_loop(struct unroll *u)
{
	const struct counted *loop = &u->loop;
	const struct flat_insn *test = unroll_at(u, loop->test);
	const uint32_t own =
		u->f->instances[test->instance].function->register_count;
	const int64_t distance = flat_new_register(
		u->f, u->f->types[flat_register(u->f, test->instance,
			      test->insn->operands[1].index)]);
	const struct flat_name name = {own, (uint32_t)distance};
	const int64_t instance =
		flat_copy_instance(u->f, test->instance, &name, 1);
	uint32_t round;

	u->failed = u->failed || instance < 0 || distance < 0;
	for (round = 0; !u->failed && round < ROUNDS + PAIR; round++)
		name_round(u, round,
			round + 1 == ROUNDS || round + 1 == ROUNDS + PAIR);
	if (u->failed)
		return;
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
		if (u->count < UNROLLED_MOST &&
			counted_find(&of, b, &u->loop)) {
			emit_loop(u);
			*changed = true;
			continue;
		}
		for (i = block->first; i < block->end; i++)
			emit(u, unroll_at(u, i));
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
	u.marks = calloc(f->register_count + 1, sizeof(*u.marks));
	if (!code && (!u.place || !u.divided || !u.marks))
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
	free(u.marks);
	return code;
}
