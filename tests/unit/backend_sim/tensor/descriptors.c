/* Products of what descriptors of shared memory say: the words are those of an
   H100, and what it refuses is refused. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(tensor_descriptors, .timeout = 120);

static const struct descriptor {
	unsigned layout, start, lead, stride, base, bit;
	uint64_t digest;
} rows[] = {
#include "tests/unit/backend_sim/tensor/descriptors.inc"
};

#define ROW_COUNT (sizeof(rows) / sizeof(*rows))

/* 16 KiB of small whole numbers of bf16; A from %r10 and `start` on, B 2 KiB
   behind it. */
static const char head[] =
	".version 8.6\n.target sm_90a\n.address_size 64\n"
	".extern .shared .align 1024 .b8 dyn[];\n"
	".visible .entry k(.param .u64 p_a, .param .u64 p_b)\n{\n"
	".reg .pred %p<8>;\n.reg .b16 %h<4>;\n.reg .b32 %r<12>;\n"
	".reg .b64 %d<8>;\n.reg .f32 %f<8>;\n.shared .align 8 .b64 own;\n"
	"ld.param.u64 %d0, [p_b];\nmov.u32 %r0, %tid.x;\nmov.u32 %r10, dyn;\n"
	"mov.u32 %r1, own;\nst.shared.u32 [%r1], 0;\nmov.u32 %r1, %r0;\n"
	"L: add.u32 %r2, %r10, %r1;\nadd.u32 %r2, %r2, %r1;\n"
	"mul.lo.u32 %r3, %r1, 7;\nrem.u32 %r3, %r3, 31;\n"
	"sub.s32 %r3, %r3, 15;\ncvt.rn.f32.s32 %f1, %r3;\n"
	"cvt.rn.bf16.f32 %h1, %f1;\nst.shared.b16 [%r2], %h1;\n"
	"add.u32 %r1, %r1, 128;\nsetp.lt.u32 %p1, %r1, 8192;\n@%p1 bra L;\n"
	"fence.proxy.async;\nbar.sync 0;\n"
	"mov.f32 %f1, 0f00000000;\nmov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\n"
	"mov.f32 %f4, %f1;\n";

#define DESCRIPTOR(register)                                                   \
	"add.u32 %%r4, %%r10, %u;\nand.b32 %%r4, %%r4, 0x3ffff;\n"             \
	"shr.u32 %%r4, %%r4, 4;\ncvt.u64.u32 " register ", %%r4;\nmov.u64 "    \
							"%%d5, 0x%" PRIx64     \
							";\nor.b64 " register ", " register ", %%d5;\n"

static const char tail[] =
	"wgmma.fence.sync.aligned;\n"
	"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
	"{%f1, %f2, %f3, %f4}, %d3, %d4, 1, 1, 1, 0, 0;\n"
	"wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
	"mul.wide.u32 %d6, %r0, 16;\nadd.s64 %d6, %d6, %d0;\n"
	"st.global.v4.f32 [%d6], {%f1, %f2, %f3, %f4};\nret;\n}\n";

static uint64_t bits_of(const struct descriptor *d)
{
	return (uint64_t)(d->lead >> 4) << 16 |
	       (uint64_t)(d->stride >> 4) << 32 | (uint64_t)d->base << 49 |
	       (uint64_t)d->layout << 62 | (d->bit ? UINT64_C(1) << d->bit : 0);
}

static uint64_t digest_of(const unsigned char *bytes)
{
	uint64_t digest = UINT64_C(14695981039346656037);
	uint32_t word;
	size_t i;

	for (i = 0; i < 2048; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		digest = (digest ^ word) * UINT64_C(1099511628211);
	}
	return digest;
}

Test(tensor_descriptors, products_are_those_of_the_hardware)
{
	const struct job_wishes wishes = {
		.contents = true, .max_cycles = 1000000};
	char ptx[4096], both[1024];
	struct ran r;
	size_t i;

	for (i = 0; i < ROW_COUNT; i++) {
		const struct descriptor *d = &rows[i];

		snprintf(both, sizeof(both),
			DESCRIPTOR("%%d3") DESCRIPTOR("%%d4"), d->start,
			bits_of(d), 2048u, bits_of(d));
		snprintf(ptx, sizeof(ptx), "%s%s%s", head, both, tail);
		kernel_run(NULL, &r, ptx, BUFFERS,
			"grid=1 block=128 shared=16384", &wishes);
		if (d->digest)
			cr_expect(!r.code && digest_of(r.result.contents[1]) ==
						     d->digest,
				"row %zu: %s", i, r.error.text);
		else
			cr_expect(r.code && strstr(r.error.text,
						    "a descriptor leads to "
						    "shared memory, offset"),
				"row %zu: %s", i, r.error.text);
		kernel_end(&r);
	}
}
