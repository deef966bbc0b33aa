/* What accesses to memory cost: requests, passes through banks, scoreboards. */
#include <inttypes.h>
#include <string.h>

#include "backend_sim/idle/needed.h"
#include "backend_sim/grid/order.h"
#include "backend_sim/kernel/cost.h"
#include "backend_sim/kernel/run_parts.h"
#include "backend_sim/sm/qualifiers.h"
#include "backend_sim/sm/touch.h"

/* Of what moves no value: of its line a word counts. */
#define WORD_BYTES 4u

_Static_assert(!(SPACE_BASE & UINT32_MAX),
	"an offset has the blocks of a range that its address has");

bool memory_is_global(const struct code_insn *c)
{
	return c->kind == CODE_COPY || c->kind == CODE_PRINT ||
	       (c->kind == CODE_FRAGMENT && c->space != PTX_SHARED) ||
	       (c->kind == CODE_MEMORY && c->space != PTX_SHARED &&
		       c->space != PTX_PARAM && c->space != PTX_CONST &&
		       c->space != PTX_LOCAL);
}

static bool reads(const struct code_insn *c)
{
	return c->insn->op == PTXO_LD || c->insn->op == PTXO_ATOM ||
	       (c->kind == CODE_FRAGMENT && c->write_count);
}

/* What others may have changed since it was read the last time. */
static bool polls(const struct code_insn *c)
{
	const uint8_t *q = c->insn->qualifiers;

	return c->insn->op == PTXO_ATOM ||
	       (c->insn->op == PTXO_LD &&
		       (q[Q_COP] == QV_COP_cv ||
			       (q[Q_SEM] && q[Q_SEM] != QV_SEM_weak)));
}

/* It could order what others do. */
static bool synchronizes(const struct code_insn *c)
{
	return c->insn->op == PTXO_ATOM || c->insn->op == PTXO_RED ||
	       (c->insn->qualifiers[Q_SEM] &&
		       c->insn->qualifiers[Q_SEM] != QV_SEM_weak);
}

/* A scoreboard that nothing waits for, or the next one in turn. */
static unsigned take_board(struct kernel_warp *k)
{
	unsigned i;

	for (i = 0; i < BOARDS; i++) {
		unsigned b = (k->next_board + i) % BOARDS;

		if (!k->boards[b]) {
			k->next_board = (b + 1) % BOARDS & 15;
			return b;
		}
	}
	i = k->next_board;
	k->next_board = (i + 1) % BOARDS & 15;
	return i;
}

static void note_lines(struct access_of *a, const struct touch *t)
{
	uint32_t sectors = 0, i;

	if (!a->g->lines)
		return;
	for (i = 0; i < t->count; i++)
		sectors += sector_count(t->lines[i].sectors);
	access_note(a, t->count, sectors);
}

static void send(struct access_of *a, const struct touch *t)
{
	unsigned board, waits;

	note_lines(a, t);
	if (reads(a->c)) {
		board = take_board(a->k);
		a->k->boards[board] += t->count;
		waits = WAITS_BOARD + board;
		access_mark(a, (uint8_t)(board + 1), 0, JOB_WAIT_L1);
	} else {
		waits = fence_stores(a->x, a->warp, t->count);
	}
	issue_lines(a->x, a->warp, &a->g->accesses[a->pc], &a->g->asks[a->pc],
		waits, t);
}

/* Lanes that are equally far apart, as fields of structures are, have the
   places of such fields by 32 structures: the first one's, and the others
   behind it. They lie within what the lanes reach. */
static bool close_up(const struct access_of *a, uint32_t lanes, uint32_t bytes,
	uint64_t *first)
{
	const uint64_t begin = a->address[0], stride = a->address[1] - begin;
	const uint64_t field = stride ? begin % stride : 0;
	const uint64_t end = begin + (LANES - 1) * stride + bytes;
	uint32_t i;

	if (lanes != UINT32_MAX || stride <= bytes || stride > UINT32_MAX)
		return false;
	for (i = 1; i < LANES; i++)
		if (a->address[i] - a->address[i - 1] != stride)
			return false;
	*first = begin - field + field / bytes * bytes * LANES;
	if (*first < begin || *first + (uint64_t)LANES * bytes > end)
		*first = end - (uint64_t)LANES * bytes;
	return true;
}

static void send_dense(struct access_of *a, uint64_t offset, uint32_t bytes);

static void send_lanes(struct access_of *a, uint32_t lanes, uint32_t bytes)
{
	const uint32_t count = lane_count(lanes);
	struct touch t;
	uint64_t first;

	if (a->g->side_by_side && close_up(a, lanes, bytes, &first)) {
		send_dense(a, first, bytes);
		return;
	}

	if (a->alike)
		touch_alike(&t, a->address[__builtin_ctz(lanes)], count, bytes);
	else
		touch_offsets(&t, a->address, lanes, bytes);
	access_wants(a, count * bytes);
	send(a, &t);
}

static void send_dense(struct access_of *a, uint64_t offset, uint32_t bytes)
{
	struct touch t;

	touch_side_by_side(&t, offset, bytes);
	access_wants(a, LANES * bytes);
	send(a, &t);
}

/* Local memory is taken to hit in L1. */
static void pass_local(struct access_of *a)
{
	const struct core *core = a->x->core;

	access_mark(
		a, 0, core_now(core) + core->cost.l1_hit_cycles, JOB_WAIT_L1);
}

/* ---- beside other launches ---- */

static bool moves_values(const struct code_insn *c)
{
	return c->kind == CODE_FRAGMENT || c->kind == CODE_COPY ||
	       c->insn->op == PTXO_LD || c->insn->op == PTXO_ST ||
	       c->insn->op == PTXO_ATOM || c->insn->op == PTXO_RED;
}

static bool tell_run(const struct access_of *a, uint64_t offset, uint64_t bytes,
	unsigned lane)
{
	const struct beside_access access = {
		.offset = offset,
		.bytes = bytes,
		.lane = lane,
		.writes = (!reads(a->c) && a->c->kind != CODE_COPY) ||
			  a->c->insn->op == PTXO_ATOM,
		.orders = a->c->kind == CODE_MEMORY && synchronizes(a->c),
	};

	return a->g->beside->touches(a->x, a->warp, a->pc, &access);
}

static void tell_lanes(
	const struct access_of *a, uint32_t lanes, uint32_t bytes)
{
	bool goes_on = moves_values(a->c);

	for (; lanes && goes_on; lanes &= lanes - 1) {
		const unsigned l = (unsigned)__builtin_ctz(lanes);

		goes_on = tell_run(a, a->address[l], bytes, l);
	}
}

/* ---- all of it ---- */

void memory_cost(struct access_of *a, uint32_t bytes)
{
	if (a->g->beside && a->global && !a->g->trace)
		tell_lanes(a, a->global, bytes);
	if (a->c->gathered)
		a->global &= ~a->global + 1;
	if (a->global && a->g->summed_first && shared_is_summed(a->c)) {
		shared_instead(a, bytes);
		return;
	}
	if (a->global)
		send_lanes(a, a->global, bytes);
	if (a->shared)
		shared_banks(a);
	if (a->remote)
		shared_remote(a, bytes);
	if (a->shared || a->remote)
		return;
	if (a->local && a->c->slots)
		pass_local(a);
	else if (!a->global)
		access_mark(a, 0, 0, JOB_WAIT_ARITHMETIC);
}

/* The hardware takes a policy from a register of the warp, not of a lane: here
   it is the first lane's that executes. */
static bool take_policy(struct access_of *a)
{
	const row_u64 *row = kernel_row(a->g, a->k, &a->c->s[3]);
	const unsigned lane = (unsigned)__builtin_ctz(a->mask);
	struct warp *w = &a->x->warps[a->warp];

	if (qualifiers_take_policy(w, row[lane]))
		return true;
	grid_fail(a->x, a->warp, a->pc,
		"block %" PRIu64 ", thread %u: createpolicy makes no policy "
		"0x%016" PRIx64 ", and what the hardware does with it is not "
		"modelled",
		a->g->blocks[w->block_index].number, w->index * LANES + lane,
		row[lane]);
	return false;
}

/* What moves no value, but says what becomes of lines. */
static bool is_of_lines(const struct code_insn *c)
{
	return c->insn->op >= PTXO_PREFETCH &&
	       c->insn->op <= PTXO_APPLYPRIORITY;
}

/* A discard leaves the values of its line as they are: PTX says that they are
   undefined. */
static void ask_lines(struct access_of *a)
{
	const uint8_t op = a->c->insn->op;

	if (op == PTXO_PREFETCH || op == PTXO_PREFETCHU) {
		access_drop(a, a->c->space);
		if (!access_places(a, PTX_GLOBAL, 1))
			return;
	} else if (!access_lines(a)) {
		return;
	}
	memory_cost(a, WORD_BYTES);
}

void memory_access(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	uint32_t bytes = (uint32_t)c->bytes * c->count;
	struct access_of a;
	uint64_t offset;

	access_begin(&a, x, warp, c, pc, mask);
	/* Before a load writes its register. */
	if (c->has_policy && !take_policy(&a))
		return;
	if (polls(c))
		a.k->polled = 1;
	if (a.g->order && synchronizes(c))
		order_strong(x, warp, c);
	if (wait_acquires(c))
		l1_empty(x->l1, x->warps[warp].sm);
	if (dense_values(&a, &offset)) {
		if (a.g->beside)
			tell_run(&a, offset, (uint64_t)bytes * LANES, 0);
		if (!needed_run(&a, offset, c->insn->op == PTXO_LD,
			    c->insn->op == PTXO_ST))
			return;
		send_dense(&a, offset, bytes);
		/* Where it goes next is fetched before its turn comes. */
		dense_find(a.g, a.k, pc + 1);
		return;
	}
	access_addresses(&a, &c->s[0], c->has_base, c->offset, c->is_wide);
	if (is_of_lines(c)) {
		ask_lines(&a);
		return;
	}
	if (!access_places(&a, c->space, bytes) ||
		!order_access(&a, bytes, c->insn->op != PTXO_LD) ||
		!needed_access(&a, reads(c), c->insn->op != PTXO_LD))
		return;
	if (!c->idle)
		access_values(&a);
	if (x->core->failed)
		return;
	memory_cost(&a, bytes);
}

void memory_copy_cost(struct access_of *from)
{
	struct kernel_warp *k = from->k;
	unsigned group = k->group % GROUPS;
	struct touch t;

	if (from->g->beside && !from->g->trace)
		tell_lanes(from, from->mask, from->c->bytes);
	touch_offsets(&t, from->address, from->mask, from->c->bytes);
	note_lines(from, &t);
	access_wants(from, lane_count(from->mask) * from->c->bytes);
	k->copies[group] += t.count;
	issue_lines(from->x, from->warp, &from->g->accesses[from->pc],
		&from->g->asks[from->pc], WAITS_COPY + group, &t);
}

/* A lane of which the source is left out reads nothing. */
static uint32_t left_out(const struct access_of *a)
{
	const struct code_insn *c = a->c;
	uint32_t bits;

	if (c->p.slot == NO_SLOT)
		return 0;
	memcpy(&bits, kernel_row(a->g, a->k, &c->p), sizeof(bits));
	return c->p_negated ? ~bits : bits;
}

/* How many bytes each lane reads: all that are written, or the first so many.
 */
static void copied(const struct access_of *a, uint32_t bytes[LANES])
{
	const struct code_insn *c = a->c;
	const row_u32 *row =
		c->sources > 2 ? kernel_row(a->g, a->k, &c->s[2]) : NULL;
	const uint32_t none = left_out(a);
	unsigned l;

	for (l = 0; l < LANES; l++)
		bytes[l] = none >> l & 1              ? 0
			   : row && row[l] < c->bytes ? row[l]
						      : c->bytes;
}

/* cp.async: read as a load, written when it is issued; the block may use it
   when the group is waited for. */
void memory_copy(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t pc, uint32_t mask)
{
	struct access_of to, from;
	uint32_t bytes[LANES], rest;
	bool sized = c->sources > 2 || c->p.slot != NO_SLOT;

	access_begin(&to, x, warp, c, pc, mask);
	access_begin(&from, x, warp, c, pc, mask);
	if (c->has_policy && !take_policy(&from))
		return;
	access_addresses(&to, &c->s[0], c->has_base, c->offset, c->is_wide);
	access_addresses(
		&from, &c->s[1], c->p_constant, c->second_offset, true);
	copied(&from, bytes);
	if (!access_places(&to, PTX_SHARED, c->bytes) ||
		!order_load(&to, c->bytes) ||
		!(sized ? access_sized(&from, bytes)
			: access_places(&from, PTX_GLOBAL, c->bytes)) ||
		!needed_access(&from, true, false))
		return;
	for (rest = c->idle ? 0 : mask; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);

		if (bytes[l])
			memcpy(to.place[l], from.place[l], bytes[l]);
		memset(to.place[l] + bytes[l], 0, c->bytes - bytes[l]);
	}
	if (from.mask)
		memory_copy_cost(&from);
}
