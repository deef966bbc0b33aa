#ifndef NEARFAR_KERNEL_FIXTURE_H
#define NEARFAR_KERNEL_FIXTURE_H

/* Kernels on a small machine of the model, for tests. */
#include "harness/contract/backend.h"

/* A kernel k(a, b): %d3 and %d4 are the addresses of each thread's elements of
   four bytes, %r3 is the thread's number in the grid, %d2 four times that. */
#define HEAD                                                                   \
	".version 8.6\n.target sm_90\n.address_size 64\n"                      \
	".visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"             \
	".reg .pred %p<8>;\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n"            \
	".reg .f32 %f<8>;\n.reg .b16 %h<4>;\n"                                 \
	"ld.param.u64 %d0, [p_a];\nld.param.u64 %d1, [p_b];\n"                 \
	"cvta.to.global.u64 %d0, %d0;\ncvta.to.global.u64 %d1, %d1;\n"         \
	"mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"                       \
	"mov.u32 %r2, %ntid.x;\nmad.lo.u32 %r3, %r1, %r2, %r0;\n"              \
	"mul.wide.u32 %d2, %r3, 4;\nadd.s64 %d3, %d0, %d2;\n"                  \
	"add.s64 %d4, %d1, %d2;\n"
#define TAIL "ret;\n}\n"

#define BUFFERS                                                                \
	"buffer a bytes=4KiB type=u32 fill=iota\n"                             \
	"buffer b bytes=4KiB type=u32\n"

struct ran {
	struct job job;
	struct job_result result;
	struct error error;
	int code;
};

/* Runs a job of one launch; `set` is a parameter's NAME=VALUE or NULL. The
   outcome is in `r`; kernel_end() always. */
void kernel_run(const char *set, struct ran *r, const char *ptx,
	const char *buffers, const char *launch,
	const struct job_wishes *wishes);
/* The same of a job that has these lines. */
void kernel_run_lines(const char *set, struct ran *r, const char *ptx,
	const char *lines, const struct job_wishes *wishes);
void kernel_end(struct ran *r);

/* The profile of its launch, in `r`; the test fails where the run does. */
const struct job_profile *kernel_profile_of(const char *set, struct ran *r,
	const char *ptx, const char *buffers, const char *launch);

/* A counter of its first launch, or of any. */
double kernel_counter(const struct ran *r, const char *name);
double kernel_counter_of(const struct ran *r, size_t launch, const char *name);

/* What a kernel HEAD BODY TAIL of 1,024 threads, in blocks of 128, leaves in
   b: a word for each. The test fails where the run does. */
void kernel_leaves(const char *body, uint32_t (*expected)(uint32_t i));
/* It fails with the sentence. */
void kernel_fails(const char *body, const char *sentence);

#endif
