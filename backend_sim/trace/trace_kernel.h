#ifndef NEARFAR_TRACE_KERNEL_H
#define NEARFAR_TRACE_KERNEL_H

/*
 * A traced kernel, made ready to be replayed: an instruction of the model's for
 * each PC, and where each warp's instructions stand in the text, which are read
 * again as they are issued. Addresses of memory are those of the traced GPU;
 * the pages of 2 MiB that all traces of a job touch lie side by side in the
 * model's memory, in the order of their addresses.
 */
#include "backend_sim/code/code.h"
#include "harness/trace/trace.h"

#define TRACE_PAGE_SHIFT 21
#define TRACE_PAGES_MAX  65536u

struct trace_pages {
	uint64_t *pages; /* numbers, ascending; owned */
	uint32_t count, capacity;
};

struct trace_warp {
	struct trace_reader at;
	uint32_t insns;
};

struct trace_kernel {
	struct trace_head head;
	uint32_t cluster[3]; /* blocks; 1 where the trace says nothing */
	uint32_t block_warps;
	uint64_t block_count;
	struct trace_warp *warps; /* [block * block_warps + warp]; owned */
	struct code code;         /* owned; its module has no lines */
	uint32_t *by_pc;          /* [PC / 8]: 1 + index in the code; owned */
	uint32_t pc_count;
	uint32_t code_capacity;
};

/* Reads and checks all of the text, which must outlive the kernel, and adds
   what it touches to `pages`. ERR_USAGE with "SOURCE:LINE:COLUMN", ERR_FAILED
   without memory; trace_kernel_free() then, too. */
int trace_kernel_make(struct trace_kernel *k, const char *source,
	const char *text, struct trace_pages *pages, struct error *error);
void trace_kernel_free(struct trace_kernel *k);

/* The instruction at a PC that the trace has. */
static inline uint32_t trace_kernel_insn(
	const struct trace_kernel *k, uint64_t pc)
{
	return k->by_pc[pc / 8] - 1;
}

static inline uint32_t trace_cluster_blocks(const struct trace_kernel *k)
{
	return k->cluster[0] * k->cluster[1] * k->cluster[2];
}

/* Which memory an address of an instruction is in: PTX_GLOBAL, PTX_SHARED or
   PTX_LOCAL; the last two become offsets. `*rank`: the rank of the block whose
   shared memory a generic address names; TRACE_OWN_RANK: the block's own. */
#define TRACE_OWN_RANK UINT32_MAX
enum ptx_space trace_kernel_space(const struct trace_kernel *k,
	const struct code_insn *c, uint64_t *address, uint32_t *rank);

/* An address in the model's memory. */
uint64_t trace_pages_offset(const struct trace_pages *p, uint64_t address);
void trace_pages_free(struct trace_pages *p);

#endif
