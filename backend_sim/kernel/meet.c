/* Where lanes of a warp wait for each other: barriers, and operations that name
   the lanes that take part. */
#include "backend_sim/kernel/issue.h"
#include "backend_sim/kernel/meet.h"
#include "backend_sim/grid/order.h"

static unsigned members_operand(const struct code_insn *c)
{
	switch (c->insn->op) {
	case PTXO_SHFL:
		return 3;
	case PTXO_MATCH:
	case PTXO_REDUX:
		return 1;
	default:
		return 0;
	}
}

/* All lanes of the warp execute the same instruction. */
static bool is_aligned(const struct code_insn *c)
{
	return c->kind == CODE_MATRIX || c->kind == CODE_TILES ||
	       c->kind == CODE_FRAGMENT;
}

/* The lanes that the lane waits for, which it names, itself among them. */
static uint32_t members_of(const struct grid *g, const struct kernel_warp *k,
	const struct code_insn *c, unsigned lane)
{
	const row_u32 *row;

	if (c->kind == CODE_BARRIER || is_aligned(c))
		return UINT32_MAX;
	row = kernel_row(g, k, &c->s[members_operand(c)]);
	return row[lane];
}

/* Those of `lanes` that name the same lanes as the first of them. */
static uint32_t agreeing(const struct grid *g, const struct kernel_warp *k,
	const struct code_insn *c, uint32_t lanes, uint32_t members)
{
	uint32_t same = 0, rest;

	for (rest = lanes; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);

		same |= (uint32_t)(members_of(g, k, c, lane) == members)
			<< lane;
	}
	return same;
}

/* Whether lanes at `b` take part in what lanes at `a` do. */
static bool goes_with(const struct code_insn *a, const struct code_insn *b)
{
	const struct ptx_insn *p = a->insn, *q = b->insn;

	if (a == b)
		return true;
	if (is_aligned(a) || is_aligned(b))
		return false;
	if (a->kind == CODE_BARRIER || b->kind == CODE_BARRIER)
		return a->kind == b->kind && a->count == b->count &&
		       a->is_reduction == b->is_reduction &&
		       a->only_arrives == b->only_arrives;
	return p->op == q->op && p->type == q->type &&
	       p->word[PTX_CLASS_SHUFFLE] == q->word[PTX_CLASS_SHUFFLE] &&
	       p->word[PTX_CLASS_VOTE] == q->word[PTX_CLASS_VOTE] &&
	       p->word[PTX_CLASS_REDUCE] == q->word[PTX_CLASS_REDUCE];
}

/* ---- groups ---- */

/* Lanes of a path that waits, by those of `group`. */
static uint32_t waiting_with(const struct grid *g, const struct kernel_warp *k,
	const struct meet_group *group, uint32_t path)
{
	const struct path *p = &k->paths[path];
	const struct code_insn *c;

	if (!p->waits || p->mask & group->parts[0].lanes)
		return 0;
	c = &g->code.insns[p->pc];
	return goes_with(group->parts[0].c, c)
		       ? agreeing(g, k, c, p->mask, group->members)
		       : 0;
}

uint32_t meet_group(const struct grid *g, const struct kernel_warp *k,
	const struct code_insn *c, uint32_t lanes, struct meet_group *group)
{
	uint32_t i, with;

	group->members = members_of(g, k, c, (unsigned)__builtin_ctz(lanes));
	group->parts[0] =
		(struct meet_part){c, agreeing(g, k, c, lanes, group->members)};
	group->lanes = group->parts[0].lanes;
	group->part_count = 1;
	for (i = 0; k->depth > 1 && i < k->depth; i++) {
		with = waiting_with(g, k, group, i);
		if (!with)
			continue;
		group->parts[group->part_count++] = (struct meet_part){
			&g->code.insns[k->paths[i].pc], with};
		group->lanes |= with;
	}
	return lanes & ~group->parts[0].lanes;
}

/* Those of `lanes`, which stand at `c`, that need to wait for nobody. */
static uint32_t complete(const struct grid *g, const struct kernel_warp *k,
	const struct code_insn *c, uint32_t lanes)
{
	const uint32_t alive = paths_alive(k);
	struct meet_group group;
	uint32_t done = 0;

	while (lanes) {
		lanes = meet_group(g, k, c, lanes, &group);
		if (!(group.members & alive & ~group.lanes))
			done |= group.parts[0].lanes;
	}
	return done;
}

/* ---- who goes on ---- */

/* A path that waits for nobody any more: others have ended. */
static bool find_complete(
	const struct grid *g, const struct kernel_warp *k, uint32_t *path)
{
	uint32_t i;

	for (i = k->depth - 1u; i-- > 0;) {
		const struct path *p = &k->paths[i];

		if (!p->waits ||
			!complete(g, k, &g->code.insns[p->pc], p->mask))
			continue;
		*path = i;
		return true;
	}
	return false;
}

static void fail_ways(struct execution *x, uint32_t warp, uint32_t pc)
{
	grid_fail(x, warp, pc,
		"the threads of a warp go more than %u ways at once, "
		"which is not modelled",
		PATHS_MAX);
}

/* The top waits, and another path goes on. */
static void let_others(struct execution *x, uint32_t warp)
{
	const struct grid *g = x->grid;
	struct kernel_warp *k = &x->grid->warps[warp];
	const uint32_t pc = kernel_path(k)->pc;
	char standing[STANDING_BYTES];
	uint32_t path;

	kernel_path(k)->waits = true;
	if (paths_find(k, true, &path) || find_complete(g, k, &path)) {
		if (paths_rise(k, path))
			fail_ways(x, warp, pc);
		return;
	}
	standing_lanes(x, warp, standing, sizeof(standing));
	grid_fail(x, warp, pc,
		"threads of a warp wait for each other and never meet: %s",
		standing);
}

/* Who goes on with `lanes`, which stand at `c`: as long as the registers that
   name them are not written. */
static void note_going(struct kernel_warp *k, const struct grid *g,
	const struct code_insn *c, uint32_t lanes)
{
	struct meet_group group;
	uint32_t i;

	for (i = 0; i < k->depth; i++)
		k->goes[i] = 0;
	while (k->depth > 1 && lanes) {
		lanes = meet_group(g, k, c, lanes, &group);
		for (i = 0; i + 1u < k->depth; i++)
			k->goes[i] |= waiting_with(g, k, &group, i);
	}
}

/* The top one joins a path beside it, unless that one waits for others and the
   top one does not. */
static bool joins(struct kernel_warp *k, const struct grid *g,
	const struct code_insn *c, uint32_t mask, uint32_t done)
{
	uint32_t path, all;

	if (!paths_beside(k, &path))
		return false;
	all = mask | k->paths[path].mask;
	if (k->paths[path].waits && done == mask &&
		complete(g, k, c, all) != all)
		return false;
	paths_join(k, path);
	return true;
}

bool meet_gather(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	struct path *top;
	uint32_t done;

	done = complete(x->grid, k, c, mask);
	if (joins(k, x->grid, c, mask, done))
		return false;
	if (done == mask) {
		note_going(k, x->grid, c, mask);
		return true;
	}
	if (mask == kernel_path(k)->mask && !done) {
		let_others(x, warp);
		return false;
	}
	/* Those that wait stay behind those that go on or around it. */
	if (paths_part(k, k->depth - 1u,
		    mask == kernel_path(k)->mask
			    ? done
			    : kernel_path(k)->mask & ~mask)) {
		fail_ways(x, warp, kernel_path(k)->pc);
		return false;
	}
	top = kernel_path(k);
	top[-1].waits = true;
	top->waits = false;
	if (!(top->mask & mask))
		paths_next(k);
	return false;
}

void meet_pass(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t lanes)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	uint32_t goes, i;

	for (i = k->depth - 1u; i-- > 0;) {
		goes = k->goes[i];
		if (!goes)
			continue;
		k->goes[i] = 0;
		lanes |= goes;
		if (c->kind == CODE_WARP)
			write_later(k, &x->grid->code.insns[k->paths[i].pc],
				core_now(x->core));
		if (paths_next_of(k, i, goes))
			fail_ways(x, warp, kernel_path(k)->pc);
	}
	order_meet(x, warp, lanes);
}
