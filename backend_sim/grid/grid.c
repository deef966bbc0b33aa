/* A launch of a kernel: blocks get their slots, warps their registers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/memory.h"
#include "backend_sim/lives/residents.h"
#include "backend_sim/grid/cluster.h"
#include "backend_sim/calls/calls.h"
#include "backend_sim/grid/copies.h"
#include "backend_sim/grid/order.h"
#include "backend_sim/grid/room.h"
#include "backend_sim/grid/ready.h"
#include "backend_sim/grid/spin.h"
#include "backend_sim/sm/qualifiers.h"
#include "backend_sim/sm/residency.h"

/* ---- what stops a run ---- */

void grid_fail(struct execution *x, uint32_t warp, uint32_t pc,
	const char *format, ...)
{
	struct grid *g = x->grid;
	const struct ptx_insn *insn =
		pc < g->code.count ? g->code.insns[pc].insn : NULL;
	char text[512];
	va_list arguments;

	(void)warp;
	if (x->core->failed)
		return;
	x->core->failed = true;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	error_set(g->error, ERR_FAILED, "%s:%u: %s", g->file,
		insn ? insn->place.line : 0, text);
	if (insn && insn->source_line)
		error_prefix(g->error, ERR_FAILED, "source line %u, ",
			insn->source_line);
}

/* ---- before it starts ---- */

static int take_parameters(struct grid *g, const struct ptx_module *m,
	const struct ptx_function *f, struct error *error)
{
	const struct job_launch *launch = g->launch;
	const struct job_places places = {.buffers = g->space->addresses,
		.maps = g->space->map_addresses,
		.map_bytes = g->space->map_bytes};
	size_t count = job_parameters(launch), i;

	g->parameter_bytes = 0;
	for (i = 0; i < f->parameter_count; i++) {
		const struct ptx_variable *v =
			&m->variables[f->parameter_first + i];

		if (v->offset + v->bytes > g->parameter_bytes)
			g->parameter_bytes = (uint32_t)(v->offset + v->bytes);
	}
	g->parameters = calloc(1, g->parameter_bytes + 8);
	if (!g->parameters)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < count; i++) {
		const struct ptx_variable *v =
			&m->variables[f->parameter_first + i];

		job_parameter_write(
			launch, i, &places, g->parameters + v->offset);
	}
	return 0;
}

/* ---- slots ---- */

/* To a line of the host's cache. */
static size_t align(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

static bool has_cluster_barrier(const struct code *code)
{
	uint32_t i;

	for (i = 0; i < code->count; i++)
		if (code->insns[i].kind == CODE_CLUSTER)
			return true;
	return false;
}

/* What a block has, and, if the kernel asks where it is, the system's memory
   behind it: on a chip it lies before a block's own, which begins at offset 0
   here. */
static void size_shared(struct grid *g, uint64_t reserved_bytes)
{
	uint32_t i;

	g->shared_own_bytes = ((g->code.shared_bytes + 15) & ~UINT64_C(15)) +
			      g->launch->shared_bytes;
	g->shared_bytes = g->shared_own_bytes;
	for (i = 0; i < g->code.special_count; i++) {
		const uint8_t special = g->code.specials[i].special;

		if (special < PTXS_reserved_smem_offset_begin ||
			special > PTXS_reserved_smem_offset_1)
			continue;
		g->shared_bytes =
			((g->shared_own_bytes + 127) & ~UINT64_C(127)) +
			reserved_bytes;
		return;
	}
}

static int make_slots(struct grid *g, struct execution *x, struct error *error)
{
	const uint32_t slots = g->end_slot;
	const uint32_t first = g->first_slot * g->block_warps;
	uint32_t warps, i;
	size_t rows, local, marks, shared, each;
	uint8_t *at;

	warps = g->end_slot * g->block_warps;
	marks = align(g->code.slot_count * sizeof(struct mark));
	rows = align(g->code.register_bytes);
	local = align(g->code.local_bytes * LANES);
	shared = align(g->shared_bytes);
	each = marks + rows + local;
	g->warp_bytes = each;
	g->marks_bytes = marks;
	g->warps_bytes = (warps + 1) * sizeof(*g->warps);
	g->warps = memory_zeroed(g->warps_bytes);
	g->replays = calloc(g->trace ? warps + 1 : 1, sizeof(*g->replays));
	g->blocks = calloc(slots + 1, sizeof(*g->blocks));
	if (!g->beside)
		g->sms = calloc(x->core->cost.sm_count, sizeof(*g->sms));
	if (has_cluster_barrier(&g->code))
		g->clusters =
			calloc(slots / g->cluster_blocks, sizeof(*g->clusters));
	else
		g->clusters = NULL;
	g->memory_bytes = each * (warps - first) + shared * g->slot_count + 64;
	g->memory = memory_zeroed(g->memory_bytes);
	if (!g->warps || !g->replays || !g->blocks || !g->sms || !g->memory ||
		(!g->clusters && has_cluster_barrier(&g->code)))
		return error_set(error, ERR_FAILED,
			"out of memory for %u resident warps", warps);
	at = g->memory;
	for (i = first; i < warps; i++, at += each) {
		struct kernel_warp *k = &g->warps[i];

		k->marks = (struct mark *)(void *)at;
		k->local = at + marks + rows;
	}
	for (i = g->first_slot; i < slots; i++, at += shared)
		g->blocks[i].shared = at;
	if (launch_reserve(x, slots, warps, g->beside != NULL, error))
		return ERR_FAILED;
	/* Nothing of it is under way when a launch starts. */
	for (i = first; i < warps; i++)
		x->warps[i].loose = x->warps[i].far = 0;
	return 0;
}

static void start_blocks(struct execution *x)
{
	struct grid *g = x->grid;
	uint64_t first = core_now(x->core) + 1;
	uint32_t i;

	x->is_warm = g->finds != FINDS_NOTHING;
	first += x->is_warm ? x->core->cost.kernel_warm_cycles
			    : x->core->cost.kernel_cold_cycles;
	x->block_count = g->slot_count;
	x->queued = (g->block_count - g->slot_count) / g->cluster_blocks;
	for (i = 0; i < g->slot_count; i++)
		block_open(x, i, g->placed[i], first);
}

/* What other launches need is known, and what this one needs to be found. */
static void take_needs(struct grid *g)
{
	if (!g->space->needs)
		return;
	g->needs = *g->space->needs;
	g->needs.space.parameters = g->parameters;
	g->needs.space.parameter_bytes = g->parameter_bytes;
	if (!g->space->idle)
		return;
	g->needs.idle_lines = g->space->idle[g->launch->module].lines;
	g->needs.idle_count = g->space->idle[g->launch->module].count;
}

int grid_compile(struct grid *g, struct error *error)
{
	const struct job_launch *launch = g->launch;
	const struct ptx_module *m = &g->space->modules[launch->module];
	const struct ptx_function *entry = NULL;
	int code = ready_launch(m, g->file, launch, &entry, error);

	if (!code)
		code = cluster_take(entry, launch, g->cluster, error);
	if (code)
		return code;
	g->cluster_blocks = cluster_size(g->cluster);
	g->is_explicit = launch->cluster[0] || entry->reqnctapercluster[0];
	code = take_parameters(g, m, entry, error);
	if (code)
		return code;
	take_needs(g);
	code = code_make(g->file, m, entry, g->space->variables[launch->module],
		g->as_written, g->cluster_blocks > 1,
		g->space->needs ? &g->needs : NULL, &g->code, error);
	return code ? code : ready_memory(&g->code, g->file, error);
}

static const char *find_assumed(const struct code *code)
{
	uint32_t i;

	for (i = 0; i < code->count; i++)
		if (code->insns[i].time_assumed)
			return ptx_ops[code->insns[i].insn->op].text;
	return NULL;
}

static int make_code(struct grid *g, const struct job *job, struct error *error)
{
	const struct job_module *module = &job->modules[g->launch->module];
	int code = 0;

	g->file = module->path;
	g->go = module->is_trace ? replay_insns : run_insns;
	if (module->is_trace) {
		g->trace = &g->space->traces[g->launch->module];
		g->code = g->trace->code;
		g->code.module = &g->space->modules[g->launch->module];
		code = cluster_take_traced(
			g->trace->cluster, g->launch, g->cluster, error);
		g->cluster_blocks = cluster_size(g->cluster);
	} else {
		code = grid_compile(g, error);
	}
	if (code)
		return code;
	g->assumed = find_assumed(&g->code);
	g->accesses = calloc(g->code.count + 1, sizeof(*g->accesses));
	g->asks = calloc(g->code.count + 1, sizeof(*g->asks));
	g->promoted = calloc(g->code.tensor_count * TENSOR_PROMOTION_COUNT + 1,
		sizeof(*g->promoted));
	return g->accesses && g->asks && g->promoted
		       ? 0
		       : error_set(error, ERR_FAILED, "out of memory");
}

#define INSN_BYTES 16u

/* What a launch reads beside what its warps ask for, as Nsight counts it: its
   parameters and what the chip itself reads, and where caches are cold its
   code. That comes from DRAM once, and every GPC reads it, by its own side of
   L2: so H200s count the same for one block and for a thousand. */
void grid_count_code(const struct grid *g, struct core *core)
{
	struct counts *counts = &core->counts;
	uint64_t partitions = core->slices.partitions;
	uint64_t sectors = core->cost.kernel_code_sectors, bytes = 0, lookups;
	uint32_t i;

	counts->l2_reads += core->cost.kernel_other_sectors;
	counts->l2_hits += core->cost.kernel_other_sectors;
	if (g->finds != FINDS_NOTHING) {
		counts->l2_reads += sectors;
		counts->l2_hits += sectors;
		return;
	}
	for (i = 0; i < g->code.count; i++)
		bytes += (uint64_t)g->code.insns[i].slots * INSN_BYTES;
	if (sectors)
		sectors += bytes / 32;
	lookups = core->floor.gpc_count + partitions - 1;
	counts->l2_reads += sectors * lookups;
	counts->l2_misses += sectors * partitions;
	counts->l2_hits += sectors * (lookups - partitions);
	counts->dram_reads += sectors;
}

int grid_make(struct grid *g, struct execution *x, struct space *space,
	const struct job *job, const struct job_launch *launch,
	const struct job_wishes *wishes, enum finds finds, struct error *error)
{
	int code;

	*g = (struct grid){
		.launch = launch,
		.space = space,
		.block_threads = job_block_threads(launch),
		.block_count = job_grid_blocks(launch),
		.cluster = {1, 1, 1},
		.cluster_blocks = 1,
		.max_cycles = wishes->max_cycles,
		.as_written = wishes->as_written,
		.values_ieee = wishes->values == JOB_VALUES_IEEE,
		.even_banks = wishes->even_banks,
		.side_by_side = wishes->side_by_side,
		.summed_first = wishes->summed_first,
		.finds = finds,
		.error = error,
	};
	g->block_warps = (g->block_threads + LANES - 1) / LANES;
	g->ends = &g->own_ends;
	g->turns.asleep = NONE;
	if (space->turns && space->turns[launch->module])
		g->turns.place = space->bytes +
				 (space->turns[launch->module] - SPACE_BASE);
	g->words = space_grid(space, job, (size_t)(launch - job->launches));
	x->grid = g;
	x->sequencer = &sequencer_kernel;
	code = make_code(g, job, error);
	if (code)
		return code;
	if (wishes->fast_pipe && !g->trace)
		grid_hasten(g, wishes->fast_pipe);
	size_shared(g, x->core->cost.shared_reserved_bytes);
	room_registers(g, &x->core->cost);
	return room_of_sm(g, x, error);
}

int grid_hold(struct grid *g, struct execution *x,
	const struct job_wishes *wishes, struct error *error)
{
	int code = 0;

	if (wishes->profile || x->core->lives)
		code = profile_make(g, x, wishes->races, error);
	if (!code)
		code = room_places(g, x, error);
	if (!code)
		code = make_slots(g, x, error);
	if (code)
		return code;
	if (g->launch->cooperative)
		space_begin_grid(g->space, g->words);
	grid_ask(g, x);
	if (calls_make(&g->calls, &g->code, g->slot_count * g->block_warps) ||
		copies_make(g, x) ||
		(!wishes->unchecked && !g->trace &&
			order_make(g, wishes->races)))
		return error_set(error, ERR_FAILED, "out of memory");
	if (!g->trace)
		ahead_prepare(g);
	if ((!g->trace && !fetched_make(&g->fetched, &g->code, x,
				  g->finds == FINDS_CODE)) ||
		spins_make(g, x))
		return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}

void grid_start(struct grid *g, struct execution *x)
{
	if (x->core->progress)
		atomic_fetch_add_explicit(&x->core->progress->blocks,
			g->block_count, memory_order_relaxed);
	/* Of all blocks that fit: for a kernel the driver chooses. */
	launch_clear(x, residency_l1_lines_beside(x, room_shared(g, x)));
	if (x->core->books)
		grid_servers(g, x->core);
	g->first_cycle = core_now(x->core);
	grid_count_code(g, x->core);
	start_blocks(x);
}

void grid_end(struct grid *g)
{
	if (!g->trace)
		code_free(&g->code);
	fetched_free(&g->fetched);
	calls_free(g->calls);
	copies_free(g->copies);
	spins_free(g->spins);
	order_free(g->order);
	free(g->replays);
	free(g->accesses);
	free(g->asks);
	free(g->promoted);
	free(g->parameters);
	free(g->placed);
	memory_zeroed_free(g->warps, g->warps_bytes);
	free(g->blocks);
	free(g->clusters);
	if (!g->beside)
		free(g->sms);
	memory_zeroed_free(g->memory, g->memory_bytes);
	free(g->lines);
	free(g->notes);
	residents_free(g->residents);
	job_profile_free(g->profile);
	*g = (struct grid){0};
}
