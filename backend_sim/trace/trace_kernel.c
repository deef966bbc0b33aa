#include <stdlib.h>
#include <string.h>

#include "backend_sim/trace/sass.h"
#include "backend_sim/trace/trace_cluster.h"

/* ---- pages ---- */

/* Where the page is, or would be. */
static uint32_t place_of(const struct trace_pages *p, uint64_t page)
{
	uint32_t first = 0, end = p->count;

	while (first < end) {
		uint32_t middle = (first + end) / 2;

		if (p->pages[middle] < page)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

uint64_t trace_pages_offset(const struct trace_pages *p, uint64_t address)
{
	uint64_t page = address >> TRACE_PAGE_SHIFT;

	return ((uint64_t)place_of(p, page) << TRACE_PAGE_SHIFT) |
	       (address & ((UINT64_C(1) << TRACE_PAGE_SHIFT) - 1));
}

static int add_page(
	struct trace_pages *p, uint64_t page, const struct trace_reader *r)
{
	uint32_t place = place_of(p, page);

	if (place < p->count && p->pages[place] == page)
		return 0;
	if (p->count == TRACE_PAGES_MAX)
		return trace_fail(r,
			"the traces touch more than %u pages of "
			"2 MiB",
			TRACE_PAGES_MAX);
	if (p->count == p->capacity) {
		uint32_t larger = p->capacity * 2 + 64;
		uint64_t *grown = realloc(p->pages, larger * sizeof(*grown));

		if (!grown)
			return error_set(r->error, ERR_FAILED, "out of memory");
		p->pages = grown;
		p->capacity = larger;
	}
	memmove(p->pages + place + 1, p->pages + place,
		(p->count - place) * sizeof(*p->pages));
	p->pages[place] = page;
	p->count++;
	return 0;
}

void trace_pages_free(struct trace_pages *p)
{
	free(p->pages);
	*p = (struct trace_pages){0};
}

/* ---- spaces ---- */

/* Shared and local memory have a window of this size each among generic
   addresses; in a cluster each block's shared memory has one, in the order of
   the ranks. */
#define WINDOW_BYTES (UINT64_C(1) << 24)

enum ptx_space trace_kernel_space(const struct trace_kernel *k,
	const struct code_insn *c, uint64_t *address, uint32_t *rank)
{
	const uint64_t offset = *address - k->head.shared_base;

	*rank = TRACE_OWN_RANK;
	if (c->space == PTX_SHARED && trace_cluster_blocks(k) > 1)
		*address &= WINDOW_BYTES - 1;
	if (c->space != PTX_GENERIC)
		return c->space;
	if (k->head.shared_base &&
		offset < trace_cluster_blocks(k) * WINDOW_BYTES) {
		if (trace_cluster_blocks(k) > 1)
			*rank = (uint32_t)(offset / WINDOW_BYTES);
		*address = offset % WINDOW_BYTES;
		return PTX_SHARED;
	}
	if (k->head.local_base &&
		*address - k->head.local_base < WINDOW_BYTES) {
		*address -= k->head.local_base;
		return PTX_LOCAL;
	}
	return PTX_GLOBAL;
}

/* ---- instructions ---- */

#define PC_MAX (UINT64_C(1) << 24)

static int grow_pcs(struct trace_kernel *k, uint64_t pc)
{
	uint32_t larger = (uint32_t)pc / 8 + 64;
	uint32_t *grown = realloc(k->by_pc, larger * sizeof(*grown));

	if (!grown)
		return -1;
	memset(grown + k->pc_count, 0, (larger - k->pc_count) * sizeof(*grown));
	k->by_pc = grown;
	k->pc_count = larger;
	return 0;
}

/* Room for one more; what instructions point to moves along. */
static int grow_code(struct trace_kernel *k)
{
	uint32_t larger = k->code_capacity * 2 + 64, i;
	struct code_insn *insns;
	struct ptx_insn *made;

	if (k->code.count < k->code_capacity)
		return 0;
	insns = realloc(k->code.insns, larger * sizeof(*insns));
	if (!insns)
		return -1;
	k->code.insns = insns;
	made = realloc(k->code.made, larger * sizeof(*made));
	if (!made)
		return -1;
	k->code.made = made;
	for (i = 0; i < k->code.count; i++)
		insns[i].insn = &made[i];
	k->code_capacity = larger;
	return 0;
}

static int add_insn(struct trace_kernel *k, const struct trace_reader *at,
	const struct trace_insn *insn)
{
	const int bytes =
		insn->opcode_bytes < 64 ? (int)insn->opcode_bytes : 64;
	uint32_t n = k->code.count;
	const char *why;

	if (grow_code(k))
		return error_set(at->error, ERR_FAILED, "out of memory");
	if (!sass_code(insn, at->number, &k->code.insns[n], &k->code.made[n],
		    &why))
		return trace_fail(at, "'%.*s' is not modelled%s%s", bytes,
			insn->opcode, why ? ": " : "", why ? why : "");
	k->by_pc[insn->pc / 8] = ++k->code.count;
	return 0;
}

/* Rows of matrices, which have 16 bytes, whatever a trace says. */
static int check_rows(const struct trace_reader *at,
	const struct trace_insn *insn, const struct code_insn *c)
{
	uint32_t rest = insn->mask;

	if (rest != UINT32_MAX && rest)
		return trace_fail(at, "all lanes load and store matrices");
	for (; rest; rest &= rest - 1)
		if (insn->address[__builtin_ctz(rest)] % c->bytes)
			return trace_fail(at,
				"a row of a matrix begins at a multiple of "
				"16 bytes");
	return 0;
}

static int take_accesses(struct trace_kernel *k, const struct trace_reader *at,
	const struct trace_insn *insn, struct trace_pages *pages)
{
	const struct code_insn *c =
		&k->code.insns[trace_kernel_insn(k, insn->pc)];
	const uint8_t bytes =
		c->kind == CODE_TILES && insn->bytes ? c->bytes : insn->bytes;
	uint32_t rest, rank;
	int status = 0;

	if (c->bytes != bytes)
		return trace_fail(at,
			"the instruction of this PC has accesses of %u bytes "
			"elsewhere",
			c->bytes);
	if (c->kind == CODE_TILES)
		return check_rows(at, insn, c);
	if (c->kind != CODE_MEMORY && c->kind != CODE_COPY)
		return 0;
	for (rest = insn->mask; !status && rest; rest &= rest - 1) {
		uint64_t address = insn->address[__builtin_ctz(rest)];

		if (trace_kernel_space(k, c, &address, &rank) == PTX_GLOBAL)
			status = add_page(
				pages, address >> TRACE_PAGE_SHIFT, at);
	}
	return status;
}

/* The instruction at the reader's place, which has been read. */
static int take_insn(struct trace_kernel *k, const struct trace_reader *at,
	const struct trace_insn *insn, struct trace_pages *pages)
{
	int status = 0;

	if (insn->pc >= PC_MAX || insn->pc % 8)
		return trace_fail(at, "a PC is a multiple of 8 below 16 MiB");
	if (insn->pc / 8 >= k->pc_count && grow_pcs(k, insn->pc))
		return error_set(at->error, ERR_FAILED, "out of memory");
	if (!k->by_pc[insn->pc / 8])
		status = add_insn(k, at, insn);
	if (status)
		return status;
	return take_accesses(k, at, insn, pages);
}

/* ---- blocks and warps ---- */

static int make_warps(struct trace_kernel *k, struct trace_reader *r)
{
	const uint32_t *grid = k->head.grid, *block = k->head.block;
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];

	k->block_count = (uint64_t)grid[0] * grid[1];
	if (!threads || threads > 1024 || !k->block_count || !grid[2] ||
		k->block_count > UINT32_MAX / grid[2])
		return trace_fail(r,
			"a grid has 1 to 2^32 blocks, a block 1 to 1024 "
			"threads");
	k->block_count *= grid[2];
	k->block_warps = ((uint32_t)threads + TRACE_LANES - 1) / TRACE_LANES;
	/* "thread block = 0,0,0" */
	if (strlen(r->at) / 16 < k->block_count)
		return trace_fail(r, "the trace has not all of its blocks");
	k->warps = calloc(k->block_count * k->block_warps, sizeof(*k->warps));
	return k->warps ? 0 : error_set(r->error, ERR_FAILED, "out of memory");
}

static int take_warp(struct trace_kernel *k, struct trace_reader *r,
	const struct trace_part *part, uint64_t block,
	struct trace_pages *pages)
{
	struct trace_warp *w;
	struct trace_insn insn;
	uint32_t i;
	int status = 0;

	if (!block || part->warp >= k->block_warps)
		return trace_fail(r, "there is no such warp");
	w = &k->warps[(block - 1) * k->block_warps + part->warp];
	if (w->insns)
		return trace_fail(r, "the warp is there already");
	*w = (struct trace_warp){*r, part->insns};
	for (i = 0; !status && i < part->insns; i++) {
		struct trace_reader at;

		if (!trace_next_line(r))
			return trace_fail(r, "the trace ends within a warp");
		at = *r;
		status = trace_read_insn(r, &k->head, &insn);
		if (!status)
			status = take_insn(k, &at, &insn, pages);
	}
	return status;
}

/* Where the text is read: a block's number, from 1 on, and its place. */
struct at_block {
	uint64_t number;
	uint32_t block[3];
};

static int take_part(struct trace_kernel *k, struct trace_reader *r,
	struct at_block *at, const struct trace_part *part,
	struct trace_pages *pages)
{
	switch (part->item) {
	case TRACE_BLOCK:
		if (++at->number > k->block_count)
			return trace_fail(
				r, "the trace has more blocks than its grid");
		memcpy(at->block, part->block, sizeof(at->block));
		return 0;
	case TRACE_WARP:
		return take_warp(k, r, part, at->number, pages);
	default:
		return 0;
	}
}

static int take_parts(struct trace_kernel *k, struct trace_reader *r,
	struct trace_pages *pages)
{
	struct at_block at = {.number = 0};
	struct trace_part part;
	int status = 0;

	while (!status && trace_next_line(r)) {
		const struct trace_reader line = *r;

		status = trace_read_part(r, &part);
		if (!status && part.item == TRACE_CLUSTER && part.is_place)
			status = trace_check_place(
				k, &line, at.block, part.block);
		else if (!status)
			status = take_part(k, r, &at, &part, pages);
	}
	if (!status && at.number < k->block_count)
		status = trace_fail(r,
			"the trace has %llu blocks, its grid %llu",
			(unsigned long long)at.number,
			(unsigned long long)k->block_count);
	return status;
}

int trace_kernel_make(struct trace_kernel *k, const char *source,
	const char *text, struct trace_pages *pages, struct error *error)
{
	struct trace_reader r = trace_reader_at(source, text, error);
	int status;

	*k = (struct trace_kernel){.block_count = 0};
	k->code.slot_count = SASS_SLOTS;
	status = trace_read_head(&r, &k->head);
	if (!status)
		status = make_warps(k, &r);
	if (!status)
		status = trace_find_cluster(k, &r);
	return status ? status : take_parts(k, &r, pages);
}

void trace_kernel_free(struct trace_kernel *k)
{
	code_free(&k->code);
	free(k->warps);
	free(k->by_pc);
	*k = (struct trace_kernel){.block_count = 0};
}
