/* The servers that a launch brings along. */
#include <string.h>

#include "backend_sim/core/books.h"
#include "backend_sim/grid/copies.h"
#include "backend_sim/grid/room.h"

static const struct {
	uint8_t pipe;
	enum server_id id;
} pipes[] = {
	{PIPE_ALU, SERVER_PIPE_ALU},
	{PIPE_HEAVY, SERVER_PIPE_HEAVY},
	{PIPE_LITE, SERVER_PIPE_LITE},
	{PIPE_F64, SERVER_PIPE_F64},
	{PIPE_SPECIAL, SERVER_PIPE_SPECIAL},
	{PIPE_CONTROL, SERVER_PIPE_CONTROL},
	{PIPE_TENSOR, SERVER_PIPE_TENSOR},
};

static void add_sm(struct grid *g, const struct core *core, uint32_t sm)
{
	const uint32_t schedulers = core->cost.schedulers;
	uint32_t s;
	size_t i;

	books_add(core->books, SERVER_REMOTE, sm, &g->sms[sm].remote);
	books_add(core->books, SERVER_MEETING, sm, &g->sms[sm].meeting);
	for (s = 0; s < schedulers; s++)
		for (i = 0; i < sizeof(pipes) / sizeof(*pipes); i++)
			books_add(core->books, pipes[i].id, sm * schedulers + s,
				&g->sms[sm].pipes[s][pipes[i].pipe]);
}

void grid_servers(struct grid *g, const struct core *core)
{
	uint32_t i;

	for (i = 0; i < core->cost.sm_count; i++)
		add_sm(g, core, i);
	for (i = 0; g->fetched.gpcs && i < core->floor.gpc_count; i++)
		books_add(core->books, SERVER_CODE, i, &g->fetched.gpcs[i]);
	books_add(core->books, SERVER_BLOCK_ENDS, 0, g->ends);
	copies_servers(g->copies, core);
}

/* ---- another machine ---- */

/* Of an instruction that takes one of two pipes it is the first one. */
static bool goes_to(const struct code_insn *c, uint8_t pipe)
{
	return c->pipe == pipe || (c->pipe == PIPE_FMA && pipe == PIPE_HEAVY) ||
	       (c->pipe == PIPE_SUM && pipe == PIPE_ALU);
}

void grid_hasten(struct grid *g, const char *pipe)
{
	size_t i;
	uint32_t k;

	for (i = 0; i < sizeof(pipes) / sizeof(*pipes); i++)
		for (k = 0; k < g->code.count &&
			    !strcmp(server_kinds[pipes[i].id].name, pipe);
			k++) {
			struct code_insn *c = &g->code.insns[k];

			if (goes_to(c, pipes[i].pipe))
				c->pipe_cycles =
					(uint16_t)((c->pipe_cycles + 1) / 2);
		}
}
