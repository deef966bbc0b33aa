#ifndef NEARFAR_RUN_PARTS_H
#define NEARFAR_RUN_PARTS_H

/* What the interpreter of a kernel's warp shares with its parts. */
#include "backend_sim/grid/grid.h"
#include "backend_sim/grid/paths.h"
#include "backend_sim/grid/room.h"
#include "backend_sim/matrix/matrix.h"

/* ---- wait.c: before an instruction ---- */
enum pace wait_until(
	struct execution *x, uint32_t warp, uint64_t cycle, uint8_t why);
enum pace wait_for(
	struct execution *x, uint32_t warp, enum warp_state state, uint8_t why);
/* The part of the code in which it stands. */
enum pace wait_code(
	struct execution *x, uint32_t warp, const struct code_insn *c);
/* The rows that it reads and writes. */
enum pace wait_rows(
	struct execution *x, uint32_t warp, const struct code_insn *c);
/* Whether what the warp waits for is there. */
bool wait_wakes(const struct execution *x, uint32_t warp);
/* A write to far memory, which had left the chip, is there; whether the warp
   waits for that alone. One of a launch beside which this one has begun does
   not count. */
bool wait_reached(struct execution *x, uint32_t warp);
/* The way from and to the registers, the load/store pipe, room on the SM. */
enum pace take_pipe(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask);

/* Whether an access acquires beyond its block: what follows reads what others
   have written. */
bool wait_acquires(const struct code_insn *c);
/* Whether the warp waits for the answer to such an access, which it has just
   made: the instruction behind it empties L1 and is not issued before (ptxas
   13.0 writes LDG.STRONG, and CCTL.IVALL with its scoreboard). */
bool wait_answered(
	struct execution *x, uint32_t warp, const struct code_insn *c);

/* Of an instruction that costs nothing: when what it writes can be read. */
void write_with(struct kernel_warp *k, const struct code_insn *c);

/* A warp that has waited for others at a barrier goes on, because of `by`. */
static inline void meeting_goes(
	const struct execution *x, uint32_t warp, struct sender by)
{
	server_unqueued(&x->grid->sms[x->warps[warp].sm].meeting,
		warp_sender(x, warp, SENDER_OF_LIFE), core_now(x->core), by);
}

/* ---- barrier.c ---- */
enum pace run_barrier(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask);
/* A warp that ends may be the last one that others wait for. */
void barrier_without(struct execution *x, uint32_t block);

/* ---- matrix.c ---- */

/* Matrices of the warp's lanes, all of which must be there: products and moves,
   loads and stores. */
void matrix_run(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t pc, uint32_t mask);

/* Register `i` of matrix `which` of the instruction. */
const struct row *matrix_row(const struct grid *g, const struct code_insn *c,
	uint32_t which, uint32_t i);
/* What it multiplies. */
struct matrix_product matrix_product_of(
	const struct grid *g, const struct ptx_insn *insn);
/* enum matrix_type of enum ptx_type. */
uint8_t matrix_type(uint8_t type);

/* ---- products.c: wgmma ---- */

/* A product of the warp's rows, at once, though the warp may go on before it is
   over. */
void products_run(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t pc);
/* A product of the warp is issued at `now`; a group of products ends. */
void products_begin(
	struct kernel_warp *k, const struct code_insn *c, uint64_t now);
void products_commit(struct kernel_warp *k);
/* Groups of them: a commit, and a wait. */
enum pace products_group(
	struct execution *x, uint32_t warp, const struct code_insn *c);

/* The instruction reads what a product has not left yet: it waits. */
enum pace products_touched(
	struct execution *x, uint32_t warp, const struct code_insn *c);

/* ---- fragment.c ---- */

/* A fragment of wmma from or to memory. */
void fragment_run(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t pc);

/* ---- cluster.c: barrier.cluster ---- */
enum pace run_cluster(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask);
/* Lanes that end may be the last ones that others wait for. */
void cluster_without(struct execution *x, uint32_t warp, uint32_t mask);
/* ---- registers.c: setmaxnreg ---- */
enum pace run_registers(
	struct execution *x, uint32_t warp, const struct code_insn *c);

/* ---- mbarrier.c: asynchronous barriers ---- */
enum pace run_mbarrier(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask);

/* ---- bulk.c: bulk copies, their groups, proxies' fences ---- */
enum pace run_bulk(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask);
enum pace run_proxy(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask);

/* ---- print.c ---- */
enum pace run_call(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask);
enum pace run_print(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask);

/* ---- tensor.c: copies of tensors; map.c: their maps ---- */
enum pace run_tensor(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask);
enum pace run_map(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t pc, uint32_t mask);
/* The place of the 128 bytes of a map at a thread's address; NULL: the run has
   failed. Maps that are written lie in shared or in global memory alone. */
struct bulk_issue;
uint8_t *map_place(const struct bulk_issue *s, uint8_t space, uint64_t address,
	bool is_written);
/* Behind the fence that acquires maps. */
void map_acquire(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t mask);

/* ---- fence.c ---- */

/* The warp issues so many requests that store: what waits for them (WAITS_*).
 */
unsigned fence_stores(struct execution *x, uint32_t warp, uint32_t count);
/* A slice has answered a request of the warp. */
void fence_answered(struct execution *x, const struct request *r);
/* One of the SM has arrived. */
void fence_stored(struct execution *x, uint32_t sm, unsigned waits);
struct fence_kind {
	bool system;  /* the host sees it, too */
	bool empties; /* L1, as it acquires */
};

/* The warp waits until others see what its SM has stored until now. */
enum pace fence_wait(
	struct execution *x, uint32_t warp, const struct fence_kind *kind);
enum pace run_fence(
	struct execution *x, uint32_t warp, const struct code_insn *c);

/* ---- control.c: copies, branches, exits ---- */
enum pace run_group(
	struct execution *x, uint32_t warp, const struct code_insn *c);
void run_branch(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t mask);
void run_exit(struct execution *x, uint32_t warp, uint32_t mask);
enum pace run_sleep(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask);
/* The word that says whose turn it is has been written. */
void turn_written(struct execution *x);
/* What others complete, or wait for: barriers of clusters, asynchronous ones,
   copies, products, registers. */
enum pace run_asynchronous(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask);

/* ---- dependent.c ---- */
enum pace run_dependent(
	struct execution *x, uint32_t warp, const struct code_insn *c);

/* ---- lookahead.c: as sequencer.foresee and .foresee_next ---- */
void lookahead_warp(const struct execution *x, uint32_t warp);
void lookahead_next(const struct execution *x, uint32_t warp);

/* ---- run.c ---- */

/* The instruction's turn of the scheduler and of the pipe for memory; then it
   is issued, and counted. */
enum pace issue_insn(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask);
/* Has the warp loads under way? */
static inline bool under_way(const struct kernel_warp *k)
{
	unsigned i;

	for (i = 0; i < BOARDS; i++)
		if (k->boards[i])
			return true;
	return false;
}

#endif
