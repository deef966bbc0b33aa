#ifndef NEARFAR_TESTS_ASYNC_H
#define NEARFAR_TESTS_ASYNC_H

/* Pieces of kernels with asynchronous barriers and bulk copies, behind the HEAD
   of fixture.h: thread 0 is %p0; s has 4 KiB of shared memory, %r10 its
   address, %r11 that of barriers, of 8 bytes each. */
#include "tests/unit/backend_sim/kernel/fixture.h"

/* Such a kernel of 1,024 threads, in blocks of 128; kernel_end() always. */
void async_run(
	struct ran *r, const char *body, const struct job_wishes *wishes);
/* It fails with a sentence that has the part. */
void async_fails(const char *body, const char *part);

#define SHARED                                                                 \
	".shared .align 128 .b8 s[4096];\n.shared .align 8 .b64 bars[4];\n"    \
	"mov.u32 %r10, s;\nmov.u32 %r11, bars;\n"                              \
	"setp.eq.u32 %p0, %r0, 0;\nshl.b32 %r12, %r0, 2;\n"                    \
	"add.u32 %r12, %r12, %r10;\n"

#define INIT(count)                                                            \
	"@%p0 mbarrier.init.shared.b64 [%r11], " count ";\nbar.sync 0;\n"
#define EXPECT(bytes)                                                          \
	"@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r11], " bytes ";\n"
#define COPY(to, from, bytes)                                                  \
	"@%p0 cp.async.bulk.shared::cluster.global."                           \
	"mbarrier::complete_tx::bytes [" to "], [" from "], " bytes            \
	", [%r11];\n"
#define WAIT(label, parity)                                                    \
	label ": mbarrier.try_wait.parity.shared.b64 %p1, [%r11], " parity     \
	      ";\n@!%p1 bra " label ";\n"
#define STORE(to, from, bytes)                                                 \
	"@%p0 cp.async.bulk.global.shared::cta.bulk_group [" to "], [" from    \
	"], " bytes ";\n"
#define COMMIT "@%p0 cp.async.bulk.commit_group;\n"
#define FENCE  "fence.proxy.async.shared::cta;\n"
/* The block's part of a: 512 bytes from %d5 on. */
#define PART                                                                   \
	"mul.wide.u32 %d5, %r1, 512;\nadd.s64 %d6, %d1, %d5;\n"                \
	"add.s64 %d5, %d0, %d5;\n"

#endif
