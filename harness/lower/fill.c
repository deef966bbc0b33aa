/* Kernels that prepare memory: rings, random data, and the flush. */
#include <inttypes.h>

#include "harness/program/address.h"
#include "harness/lower/writer.h"

#define FILL_THREADS       512
#define FILL_BLOCKS_PER_SM 4

struct grid_loop {
	unsigned index, stride, top, bottom, done;
};

/* for (d index = global thread; index < count; index += all threads) */
static void loop_open(
	struct ptx_writer *w, struct grid_loop *loop, uint64_t count)
{
	unsigned tid = ptx_r_special(w, "%tid.x");
	unsigned block = ptx_r_special(w, "%ctaid.x");
	unsigned threads = ptx_r_special(w, "%ntid.x");
	unsigned blocks = ptx_r_special(w, "%nctaid.x");
	unsigned thread = ptx_r(w);

	loop->index = ptx_d(w);
	loop->stride = ptx_d(w);
	loop->top = ptx_new_label(w);
	loop->bottom = ptx_new_label(w);
	loop->done = ptx_p(w);
	ptx_emit(w, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u", thread, block,
		threads, tid);
	ptx_emit(w, "cvt.u64.u32 %%d%u, %%r%u", loop->index, thread);
	ptx_emit(w, "mul.wide.u32 %%d%u, %%r%u, %%r%u", loop->stride, blocks,
		threads);
	ptx_label(w, loop->top);
	ptx_emit(w, "setp.ge.u64 %%p%u, %%d%u, %" PRIu64, loop->done,
		loop->index, count);
	ptx_emit(w, "@%%p%u bra L%u", loop->done, loop->bottom);
}

static void loop_close(struct ptx_writer *w, const struct grid_loop *loop)
{
	ptx_emit(w, "add.u64 %%d%u, %%d%u, %%d%u", loop->index, loop->index,
		loop->stride);
	ptx_emit(w, "bra L%u", loop->top);
	ptx_label(w, loop->bottom);
}

/* Index -> ring and position; writes the element at P(position). `to` is where
   the buffer begins that it points to, `step` by how many positions. */
static void ring_body(struct ptx_writer *w, const struct buffer *b,
	unsigned base, unsigned to, unsigned step, unsigned index)
{
	uint64_t slots = buffer_ring_slots(b);
	uint64_t part = b->bytes / b->rings;
	unsigned ring_d = ptx_d(w), position_d = ptx_d(w), at = ptx_d(w);
	unsigned next_d = ptx_d(w), seed = ptx_r(w), position = ptx_r(w);
	unsigned following = ptx_r(w), last = ptx_p(w), slot, next;
	struct ptx_permutation order;

	ptx_emit(w, "div.u64 %%d%u, %%d%u, %" PRIu64, ring_d, index, slots);
	ptx_emit(w, "rem.u64 %%d%u, %%d%u, %" PRIu64, position_d, index, slots);
	ptx_emit(w, "cvt.u32.u64 %%r%u, %%d%u", seed, ring_d);
	ptx_emit(w, "add.u32 %%r%u, %%r%u, %" PRIu32, seed, seed, b->seed);
	ptx_emit(w, "cvt.u32.u64 %%r%u, %%d%u", position, position_d);
	ptx_emit(w, "add.u32 %%r%u, %%r%u, %u", following, position, step);
	ptx_emit(w, "setp.ge.u32 %%p%u, %%r%u, %" PRIu64, last, following,
		slots);
	ptx_emit(w, "@%%p%u mov.b32 %%r%u, 0", last, following);
	if (b->order == ORDER_SHUFFLE) {
		ptx_permutation_init(w, &order, (uint32_t)slots, seed);
		slot = ptx_permutation_slot(w, &order, position);
		next = ptx_permutation_slot(w, &order, following);
	} else {
		slot = position;
		next = following;
	}
	ptx_emit(w, "mul.lo.u64 %%d%u, %%d%u, %" PRIu64, ring_d, ring_d, part);
	ptx_emit(w, "mul.wide.u32 %%d%u, %%r%u, %" PRIu32, at, slot,
		b->slot_bytes);
	ptx_emit(w, "add.u64 %%d%u, %%d%u, %%d%u", at, at, ring_d);
	ptx_emit(w, "add.u64 %%d%u, %%d%u, %%d%u", at, at, base);
	ptx_emit(w, "mul.wide.u32 %%d%u, %%r%u, %" PRIu32, next_d, next,
		b->slot_bytes);
	ptx_emit(w, "add.u64 %%d%u, %%d%u, %%d%u", next_d, next_d, ring_d);
	if (b->element_bytes == 8) {
		ptx_emit(w, "add.u64 %%d%u, %%d%u, %%d%u", next_d, next_d, to);
		ptx_emit(w, "st.global.u64 [%%d%u], %%d%u", at, next_d);
	} else {
		ptx_emit(w, "cvt.u32.u64 %%r%u, %%d%u", position, next_d);
		ptx_emit(w, "st.global.u32 [%%d%u], %%r%u", at, position);
	}
}

/* Zeroes a value whose place, 8 * index + offset within its 32 bytes, is at
   or past `bytes`. */
static void zero_past(struct ptx_writer *w, unsigned index, unsigned bytes,
	unsigned offset, unsigned value)
{
	unsigned place = ptx_r(w), past = ptx_p(w);

	ptx_emit(w, "cvt.u32.u64 %%r%u, %%d%u", place, index);
	ptx_emit(w, "and.b32 %%r%u, %%r%u, 3", place, place);
	ptx_emit(w, "mad.lo.u32 %%r%u, %%r%u, 8, %u", place, place, offset);
	ptx_emit(w, "setp.ge.u32 %%p%u, %%r%u, %u", past, place, bytes);
	ptx_emit(w, "@%%p%u mov.b32 %%r%u, 0", past, value);
}

/* One 8-byte word of seeded noise for each index. */
static void random_body(struct ptx_writer *w, const struct buffer *b,
	unsigned base, unsigned index)
{
	unsigned low = ptx_r(w), high = ptx_r(w), at = ptx_d(w);

	ptx_emit(w, "cvt.u32.u64 %%r%u, %%d%u", low, index);
	ptx_emit(w, "xor.b32 %%r%u, %%r%u, %" PRIu32, low, low, b->seed);
	ptx_mix(w, low);
	ptx_emit(w, "add.u32 %%r%u, %%r%u, 0x9e3779b9", high, low);
	ptx_mix(w, high);
	if (b->random_bytes) {
		zero_past(w, index, b->random_bytes, 0, low);
		zero_past(w, index, b->random_bytes, 4, high);
	}
	ptx_emit(w, "shl.b64 %%d%u, %%d%u, 3", at, index);
	ptx_emit(w, "add.u64 %%d%u, %%d%u, %%d%u", at, at, base);
	ptx_emit(w, "st.global.v2.u32 [%%d%u], {%%r%u, %%r%u}", at, low, high);
}

static void whole_chip(const struct device *device, struct ptx_kernel *kernel)
{
	*kernel = (struct ptx_kernel){
		.grid = device->sm_count * FILL_BLOCKS_PER_SM,
		.resident = 1,
		.threads = FILL_THREADS,
	};
}

int ptx_fill(const struct program *p, uint32_t buffer,
	const struct device *device, struct ptx_kernel *kernel,
	struct error *error)
{
	const struct buffer *b = &p->buffers[buffer];
	const uint32_t next = program_ring_next(p, buffer);
	uint64_t count = b->fill == FILL_RING ? buffer_ring_slots(b) * b->rings
					      : b->bytes / 8;
	struct ptx_writer w;
	struct grid_loop loop;
	unsigned base, to;

	if (ptx_writer_open(&w, error))
		return ERR_FAILED;
	w.buffer_count = next == buffer ? 1 : 2;
	base = ptx_d_parameter(&w, "buffer0");
	to = next == buffer ? base : ptx_d_parameter(&w, "buffer1");
	loop_open(&w, &loop, count);
	if (b->fill == FILL_RING)
		ring_body(&w, b, base, to, next <= buffer, loop.index);
	else
		random_body(&w, b, base, loop.index);
	loop_close(&w, &loop);
	whole_chip(device, kernel);
	return ptx_writer_finish(&w, ptx_version_of_target(device->sm_arch),
		device->sm_arch, kernel, error);
}

int ptx_flush(uint64_t bytes, const struct device *device,
	struct ptx_kernel *kernel, struct error *error)
{
	struct ptx_writer w;
	struct grid_loop loop;
	unsigned base, output, at, sum, i, unlikely;
	unsigned value[4];

	if (ptx_writer_open(&w, error))
		return ERR_FAILED;
	w.buffer_count = 1;
	base = ptx_d_parameter(&w, "buffer0");
	output = ptx_d_parameter(&w, "output");
	sum = ptx_r_constant(&w, 0);
	loop_open(&w, &loop, bytes / 16);
	at = ptx_d(&w);
	for (i = 0; i < 4; i++)
		value[i] = ptx_r(&w);
	ptx_emit(&w, "shl.b64 %%d%u, %%d%u, 4", at, loop.index);
	ptx_emit(&w, "add.u64 %%d%u, %%d%u, %%d%u", at, at, base);
	ptx_emit(&w,
		"ld.global.cg.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, "
		"[%%d%u]",
		value[0], value[1], value[2], value[3], at);
	for (i = 0; i < 4; i++)
		ptx_emit(&w, "xor.b32 %%r%u, %%r%u, %%r%u", sum, sum, value[i]);
	loop_close(&w, &loop);
	unlikely = ptx_p(&w);
	ptx_emit(&w, "setp.eq.u32 %%p%u, %%r%u, 0x5eed5eed", unlikely, sum);
	ptx_emit(&w, "@%%p%u st.global.u32 [%%d%u], %%r%u", unlikely, output,
		sum);
	whole_chip(device, kernel);
	kernel->output_bytes = 4;
	return ptx_writer_finish(&w, ptx_version_of_target(device->sm_arch),
		device->sm_arch, kernel, error);
}
