/* Loads, stores and atomics: first the values, then what they cost. */
#include <inttypes.h>
#include <string.h>

#include "backend_sim/core/server.h"
#include "backend_sim/kernel/grid.h"
#include "backend_sim/sm/touch.h"

/* An access while it is carried out. */
struct access_of {
	struct execution *x;
	struct grid *g;
	struct kernel_warp *k;
	const struct code_insn *c;
	uint32_t warp, pc;
	uint32_t mask; /* lanes that execute */
	uint64_t address[LANES];
	uint32_t shared, local, global; /* lanes by where they go */
	uint8_t *place[LANES];          /* where the lane's first byte is */
};

bool memory_is_global(const struct code_insn *c)
{
	return c->kind == CODE_COPY ||
	       (c->kind == CODE_MEMORY && c->space != PTX_SHARED &&
		       c->space != PTX_PARAM && c->space != PTX_CONST &&
		       c->space != PTX_LOCAL);
}

/* ---- addresses ---- */

static void take_addresses(struct access_of *a, const struct row *base,
	bool has_base, uint64_t offset, bool is_wide)
{
	const void *row = kernel_row(a->g, a->k, base);
	unsigned l;

	for (l = 0; l < LANES; l++)
		a->address[l] =
			offset + (!has_base        ? 0
					 : is_wide ? ((const row_u64 *)row)[l]
						   : ((const row_u32 *)row)[l]);
}

static void out_of_bounds(
	struct access_of *a, unsigned lane, const char *where, uint64_t offset)
{
	const struct warp *w = &a->x->warps[a->warp];

	grid_fail(a->x, a->warp, a->pc,
		"block %" PRIu64 ", thread %u: an access of %u bytes at %s "
		"offset %" PRIu64,
		a->g->blocks[w->block_index].number, w->index * LANES + lane,
		(unsigned)a->c->bytes * a->c->count, where, offset);
}

/* Names what is nearest to an address that belongs to nothing. */
static void outside(struct access_of *a, unsigned lane)
{
	const struct space *s = a->g->space;
	uint64_t offset = a->address[lane] - SPACE_BASE;
	const struct space_region *near = NULL;
	char where[64];
	uint32_t i;

	for (i = 0; i < s->region_count; i++)
		if (s->regions[i].first <= offset)
			near = &s->regions[i];
	if (a->address[lane] < SPACE_BASE || offset >= s->size || !near) {
		const struct warp *w = &a->x->warps[a->warp];

		grid_fail(a->x, a->warp, a->pc,
			"block %" PRIu64 ", thread %u: an access at address "
			"0x%" PRIx64 ", which belongs to no buffer",
			a->g->blocks[w->block_index].number,
			w->index * LANES + lane, a->address[lane]);
		return;
	}
	snprintf(where, sizeof(where), "'%s' (%" PRIu64 " bytes),", near->name,
		near->bytes);
	out_of_bounds(a, lane, where, offset - near->first);
}

static bool misaligned(struct access_of *a, unsigned lane, uint32_t bytes)
{
	const struct warp *w = &a->x->warps[a->warp];

	if (!(a->address[lane] & (bytes - 1)))
		return false;
	grid_fail(a->x, a->warp, a->pc,
		"block %" PRIu64 ", thread %u: address 0x%" PRIx64
		" is not a multiple of the access's %u bytes",
		a->g->blocks[w->block_index].number, w->index * LANES + lane,
		a->address[lane], bytes);
	return true;
}

static bool find_shared(struct access_of *a, unsigned lane, uint32_t bytes)
{
	const struct warp *w = &a->x->warps[a->warp];
	uint64_t offset = a->address[lane] & ~WINDOW_BITS;

	if (offset + bytes > a->g->shared_bytes) {
		out_of_bounds(a, lane, "shared memory,", offset);
		return false;
	}
	a->address[lane] = offset;
	a->place[lane] = a->g->blocks[w->block_index].shared + offset;
	a->shared |= 1u << lane;
	return true;
}

static bool find_local(struct access_of *a, unsigned lane, uint32_t bytes)
{
	uint64_t offset = a->address[lane] & ~WINDOW_BITS;

	if (offset + bytes > a->g->code.local_bytes) {
		out_of_bounds(a, lane, "local memory,", offset);
		return false;
	}
	a->place[lane] = a->k->local + lane * a->g->code.local_bytes + offset;
	a->local |= 1u << lane;
	return true;
}

static bool find_parameter(struct access_of *a, unsigned lane, uint32_t bytes)
{
	uint64_t offset = a->address[lane] & ~WINDOW_BITS;

	if (offset + bytes > a->g->parameter_bytes) {
		out_of_bounds(a, lane, "the parameters,", offset);
		return false;
	}
	a->place[lane] = a->g->parameters + offset;
	return true;
}

static bool find_global(struct access_of *a, unsigned lane, uint32_t bytes)
{
	const struct space *s = a->g->space;
	uint64_t offset = a->address[lane] - SPACE_BASE;

	if (!space_find(s, offset, bytes)) {
		outside(a, lane);
		return false;
	}
	a->address[lane] = offset;
	a->place[lane] = s->bytes + offset;
	a->global |= 1u << lane;
	return true;
}

static bool find_lane(
	struct access_of *a, uint8_t space, unsigned lane, uint32_t bytes)
{
	uint64_t window = a->address[lane] & WINDOW_BITS;

	if (misaligned(a, lane, bytes))
		return false;
	if (space == PTX_SHARED || window == WINDOW_SHARED)
		return find_shared(a, lane, bytes);
	if (space == PTX_LOCAL || window == WINDOW_LOCAL)
		return find_local(a, lane, bytes);
	if (space == PTX_PARAM || window == WINDOW_PARAM)
		return find_parameter(a, lane, bytes);
	return find_global(a, lane, bytes);
}

/* All lanes of a global access are often in one region, side by side. */
static bool find_together(struct access_of *a, uint32_t bytes)
{
	const struct space *s = a->g->space;
	uint64_t least = UINT64_MAX, most = 0, joined = 0;
	uint32_t rest;
	unsigned l;

	for (rest = a->mask; rest; rest &= rest - 1) {
		uint64_t address = a->address[__builtin_ctz(rest)];

		least = address < least ? address : least;
		most = address > most ? address : most;
		joined |= address;
	}
	if (joined & (bytes - 1) || least < SPACE_BASE ||
		most - least > UINT32_MAX / 2 ||
		!space_find(s, least - SPACE_BASE,
			(uint32_t)(most - least) + bytes))
		return false;
	for (l = 0; l < LANES; l++) {
		a->address[l] -= SPACE_BASE;
		a->place[l] = s->bytes + a->address[l];
	}
	a->global = a->mask;
	return true;
}

static bool find_places(struct access_of *a, uint8_t space, uint32_t bytes)
{
	uint32_t rest;

	if ((space == PTX_GLOBAL || space == PTX_GENERIC) &&
		find_together(a, bytes))
		return true;
	for (rest = a->mask; rest; rest &= rest - 1)
		if (!find_lane(a, space, (unsigned)__builtin_ctz(rest), bytes))
			return false;
	return true;
}

/* ---- values ---- */

static uint64_t fetch(const uint8_t *place, unsigned bytes)
{
	uint64_t value = 0;

	memcpy(&value, place, bytes);
	return value;
}

static uint64_t signed_value(uint64_t x, unsigned bytes)
{
	unsigned shift = 64 - 8 * bytes;

	return (uint64_t)((int64_t)(x << shift) >> shift);
}

static void load_element(struct access_of *a, uint32_t element)
{
	const struct code_insn *c = a->c;
	bool is_signed = ptx_types[c->insn->type].kind == 's';
	void *row = kernel_row(a->g, a->k, &c->rows[element]);
	uint32_t rest;

	if (c->rows[element].is_constant)
		return;
	for (rest = a->mask; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);
		uint64_t value =
			fetch(a->place[l] + element * c->bytes, c->bytes);

		value = is_signed ? signed_value(value, c->bytes) : value;
		if (c->wide_rows)
			((row_u64 *)row)[l] = value;
		else
			((row_u32 *)row)[l] = (uint32_t)value;
	}
}

static void store_element(struct access_of *a, uint32_t element)
{
	const struct code_insn *c = a->c;
	const void *row = kernel_row(a->g, a->k, &c->rows[element]);
	bool wide = c->wide_rows;
	uint32_t rest;

	for (rest = a->mask; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);
		uint64_t value = wide ? ((const row_u64 *)row)[l]
				      : ((const row_u32 *)row)[l];

		memcpy(a->place[l] + element * c->bytes, &value, c->bytes);
	}
}

static uint64_t operand(
	const struct access_of *a, uint32_t source, unsigned lane)
{
	const struct row *r = &a->c->s[source];
	const void *row = kernel_row(a->g, a->k, r);

	return a->c->bytes == 8 ? ((const row_u64 *)row)[lane]
				: ((const row_u32 *)row)[lane];
}

/* Lane by lane, in their order. */
static void change(struct access_of *a)
{
	const struct code_insn *c = a->c;
	void *row = kernel_row(a->g, a->k, &c->d);
	bool returns = c->insn->op == PTXO_ATOM && !c->d.is_constant, known;
	uint32_t rest;

	for (rest = a->mask; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);
		uint64_t was = fetch(a->place[l], c->bytes), now;

		now = atomic_result(
			c, was, operand(a, 1, l), operand(a, 2, l), &known);
		if (!known) {
			grid_fail(a->x, a->warp, a->pc,
				"this atomic operation is not modelled");
			return;
		}
		memcpy(a->place[l], &now, c->bytes);
		if (returns && c->bytes == 8)
			((row_u64 *)row)[l] = was;
		else if (returns)
			((row_u32 *)row)[l] = (uint32_t)was;
	}
}

static void move_values(struct access_of *a)
{
	uint32_t i;

	switch (a->c->insn->op) {
	case PTXO_LD:
		for (i = 0; i < a->c->count; i++)
			load_element(a, i);
		break;
	case PTXO_ST:
		for (i = 0; i < a->c->count; i++)
			store_element(a, i);
		break;
	case PTXO_ATOM:
	case PTXO_RED:
		change(a);
		break;
	default:
		break;
	}
}

/* ---- what it costs ---- */

static bool reads(const struct code_insn *c)
{
	return c->insn->op == PTXO_LD || c->insn->op == PTXO_ATOM;
}

/* A scoreboard that nothing waits for, or the next one in turn. */
static unsigned take_board(struct kernel_warp *k)
{
	unsigned i;

	for (i = 0; i < BOARDS; i++) {
		unsigned b = (k->next_board + i) % BOARDS;

		if (!k->boards[b]) {
			k->next_board = (uint8_t)((b + 1) % BOARDS);
			return b;
		}
	}
	i = k->next_board;
	k->next_board = (uint8_t)((i + 1) % BOARDS);
	return i;
}

static void mark(
	struct access_of *a, uint8_t board, uint64_t ready, uint8_t cause)
{
	uint32_t i;

	for (i = 0; i < a->c->write_count; i++) {
		a->k->board[a->c->writes[i]] = board;
		a->k->ready[a->c->writes[i]] = ready;
		a->k->cause[a->c->writes[i]] = cause;
	}
}

static void note(struct access_of *a, uint32_t requests, uint32_t sectors)
{
	if (!a->g->lines)
		return;
	a->g->lines[a->pc].requests += requests;
	a->g->lines[a->pc].sectors += sectors;
}

static void send(struct access_of *a, uint32_t lanes, uint32_t bytes)
{
	const struct code_insn *c = a->c;
	struct asks asks = a->g->asks[a->pc];
	struct touch t;
	uint32_t sectors = 0, i;
	unsigned board;

	touch_offsets(&t, a->address, lanes, bytes);
	for (i = 0; i < t.count; i++)
		sectors += sector_count(t.lines[i].sectors);
	note(a, t.count, sectors);
	if (reads(c)) {
		board = take_board(a->k);
		a->k->boards[board] += t.count;
		asks.form.waits = (WAITS_BOARD + board) & 15;
		mark(a, (uint8_t)(board + 1), 0, JOB_WAIT_L1);
	} else {
		a->x->warps[a->warp].loose += t.count;
		asks.form.waits = WAITS_LOOSE;
	}
	issue_lines(a->x, a->warp, &a->g->accesses[a->pc], &asks, &t);
}

/* Passes through the banks: the most words of one bank; 8 bytes a lane go by
   half warps, 16 by quarters. An atomic goes again for each lane that meets
   another one on its word. */
static uint32_t bank_passes(const struct access_of *a, uint32_t bytes)
{
	uint32_t group = bytes > 8 ? 8 : bytes > 4 ? 16 : 32, first, passes = 0;
	bool atomic = a->c->insn->op == PTXO_ATOM || a->c->insn->op == PTXO_RED;

	for (first = 0; first < LANES; first += group) {
		uint64_t words[LANES * 4];
		uint32_t load[32] = {0}, count = 0, most = 0, l, i, j;

		for (l = first; l < first + group; l++)
			for (i = 0; a->shared >> l & 1 && i < bytes;
				i += i + 4 <= bytes || !i ? 4 : bytes) {
				uint64_t word = (a->address[l] + i) / 4;

				for (j = 0; j < count && !atomic; j++)
					if (words[j] == word)
						break;
				if (j < count && !atomic)
					continue;
				words[count++] = word;
				if (++load[word % 32] > most)
					most = load[word % 32];
			}
		passes += most;
	}
	return passes ? passes : 1;
}

static void pass_banks(struct access_of *a, uint32_t bytes)
{
	const struct core *core = a->x->core;
	struct sm *sm = &a->x->sms[a->x->warps[a->warp].sm];
	uint32_t passes = bank_passes(a, bytes);
	bool atomic = a->c->insn->op == PTXO_ATOM || a->c->insn->op == PTXO_RED;
	uint64_t over = serve(&sm->lsu_free, core_now(core),
		passes * (uint64_t)(atomic ? core->cost.shared_atomic_ticks
					   : TICKS_A_CYCLE));

	note(a, passes, 0);
	mark(a, 0, over + core->cost.shared_cycles, JOB_WAIT_SHARED);
}

/* Local memory is taken to hit in L1. */
static void pass_local(struct access_of *a)
{
	const struct core *core = a->x->core;

	mark(a, 0, core_now(core) + core->cost.l1_hit_cycles, JOB_WAIT_L1);
}

void memory_access(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	struct access_of a = {
		.x = x,
		.g = x->grid,
		.k = &x->grid->warps[warp],
		.c = c,
		.warp = warp,
		.pc = pc,
		.mask = mask,
	};
	uint32_t bytes = (uint32_t)c->bytes * c->count;
	bool prefetches = c->insn->op >= PTXO_PREFETCH &&
			  c->insn->op <= PTXO_APPLYPRIORITY;

	take_addresses(&a, &c->s[0], c->has_base, c->offset, c->is_wide);
	/* Of what has no value the line counts. */
	if (prefetches)
		bytes = 1;
	if (!find_places(&a, c->space, bytes))
		return;
	move_values(&a);
	if (x->core->failed)
		return;
	if (a.global)
		send(&a, a.global, prefetches ? 4 : bytes);
	if (a.shared)
		pass_banks(&a, bytes);
	else if (a.local && c->slots)
		pass_local(&a);
	else if (!a.global)
		mark(&a, 0, 0, JOB_WAIT_ARITHMETIC);
}

/* cp.async: read as a load, written when it is issued; the block may use it
   when the group is waited for. */
void memory_copy(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t pc, uint32_t mask)
{
	struct access_of to = {
		.x = x,
		.g = x->grid,
		.k = &x->grid->warps[warp],
		.c = c,
		.warp = warp,
		.pc = pc,
		.mask = mask,
	};
	struct access_of from = to;
	struct asks asks = x->grid->asks[pc];
	unsigned group = to.k->group % GROUPS;
	uint32_t rest, sectors = 0, i;
	struct touch t;

	take_addresses(&to, &c->s[0], c->has_base, c->offset, c->is_wide);
	take_addresses(&from, &c->s[1], c->p_constant, c->second_offset, true);
	if (!find_places(&to, PTX_SHARED, c->bytes) ||
		!find_places(&from, PTX_GLOBAL, c->bytes))
		return;
	for (rest = mask; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);
		uint32_t bytes = c->bytes;

		if (!c->s[2].is_constant || c->s[2].slot != NO_SLOT ||
			c->insn->operand_count > 3)
			bytes = ((const row_u32 *)kernel_row(
				to.g, to.k, &c->s[2]))[l];
		bytes = bytes < c->bytes ? bytes : c->bytes;
		memcpy(to.place[l], from.place[l], bytes);
		memset(to.place[l] + bytes, 0, c->bytes - bytes);
	}
	touch_offsets(&t, from.address, mask, c->bytes);
	for (i = 0; i < t.count; i++)
		sectors += sector_count(t.lines[i].sectors);
	note(&from, t.count, sectors);
	to.k->copies[group] += t.count;
	asks.form.waits = (WAITS_COPY + group) & 15;
	issue_lines(x, warp, &x->grid->accesses[pc], &asks, &t);
}
