/*
 * What the GPU computes is what the host computes: rings and addresses,
 * read back from device memory, and failures that end in one sentence. Needs
 * a GPU; exits with 77 and one sentence where there is none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda/backend.h"
#include "harness/program/address.h"
#include "harness/program/legality/legality.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static unsigned failures;

static void report(bool good, const char *name, const char *why)
{
	if (good)
		printf("ok %s\n", name);
	else
		printf("not ok %s\n  %s\n", name, why);
	failures += !good;
}

static int open_gpu(struct backend **b, struct error *error)
{
	return backend_cuda.open(b, &(struct backend_config){0}, error);
}

/* Runs the program; then what its first buffer holds, or NULL. */
static void *run_and_read(
	struct backend *b, const struct program *p, struct error *error)
{
	struct cuda_block *block = &b->memory.blocks[CUDA_USE_BUFFER][0];
	struct result result = {0};
	void *bytes = malloc(p->buffers[0].bytes);
	int code = program_check(p, error);

	if (!code)
		code = backend_cuda.run(b, p, &result, error);
	result_free(&result);
	if (!code && bytes)
		code = CUDA_CALL(b, error, cuMemcpyDtoH, bytes, block->address,
			p->buffers[0].bytes);
	if (!code)
		return bytes;
	free(bytes);
	return NULL;
}

/* ---- rings ---- */

static uint32_t ring_slot(const struct buffer *ring,
	const struct permutation *order, uint64_t position)
{
	uint32_t at = (uint32_t)(position % buffer_ring_slots(ring));

	return ring->order == ORDER_SHUFFLE ? permutation_slot(order, at) : at;
}

/* The links that differ from the host's. */
static uint64_t wrong_links(
	const struct buffer *ring, const unsigned char *bytes, uint64_t address)
{
	uint64_t part_bytes = ring->bytes / ring->rings, wrong = 0, part, i;

	for (part = 0; part < ring->rings; part++) {
		struct permutation order;
		uint64_t base = part * part_bytes;

		permutation_init(&order, (uint32_t)buffer_ring_slots(ring),
			ring->seed + (uint32_t)part);
		for (i = 0; i < buffer_ring_slots(ring); i++) {
			uint64_t at =
				base + (uint64_t)ring_slot(ring, &order, i) *
					       ring->slot_bytes;
			uint64_t next = base + (uint64_t)ring_slot(
						       ring, &order, i + 1) *
						       ring->slot_bytes;
			uint64_t found = 0;

			memcpy(&found, bytes + at, ring->element_bytes);
			if (ring->element_bytes == 8)
				next += address;
			wrong += found != next;
		}
	}
	return wrong;
}

static void chase_program(struct program *p, const struct buffer *ring)
{
	program_init(p, "ring", 1);
	program_buffer(p, ring);
	program_launch(p, "chase");
	program_role(p, "chase");
	program_timed(p, 16, TIMING_EACH, "measure");
	program_ptx(
		p, ring->element_bytes == 4 ? "ld.global.b32" : "ld.global.b64")
		->address.mode = ADDRESS_CHASE;
	program_end(p);
}

static void check_ring(struct backend *b, const struct buffer *ring)
{
	struct error error = {""};
	struct program p;
	char name[96], why[ERROR_TEXT_BYTES];
	void *bytes;
	uint64_t wrong = 0;

	chase_program(&p, ring);
	snprintf(name, sizeof(name),
		"ring of %llu B, slot %u, order %d, rings %u, element %d",
		(unsigned long long)ring->bytes, ring->slot_bytes, ring->order,
		ring->rings, ring->element_bytes);
	bytes = run_and_read(b, &p, &error);
	if (bytes)
		wrong = wrong_links(ring, bytes,
			b->memory.blocks[CUDA_USE_BUFFER][0].address);
	if (bytes)
		snprintf(why, sizeof(why), "%llu links differ",
			(unsigned long long)wrong);
	else
		snprintf(why, sizeof(why), "%s", error.text);
	report(bytes && !wrong, name, why);
	free(bytes);
}

static void check_rings(struct backend *b)
{
	static const struct buffer rings[] = {
		{.bytes = 1 << 20,
			.slot_bytes = 128,
			.element_bytes = 8,
			.order = ORDER_SHUFFLE,
			.rings = 1,
			.seed = 1},
		{.bytes = 128 * 8191,
			.slot_bytes = 128,
			.element_bytes = 4,
			.order = ORDER_SHUFFLE,
			.rings = 1,
			.seed = 77},
		{.bytes = 1 << 20,
			.slot_bytes = 32,
			.element_bytes = 8,
			.order = ORDER_SHUFFLE,
			.rings = 32,
			.seed = 5},
		{.bytes = 1 << 16,
			.slot_bytes = 8,
			.element_bytes = 8,
			.order = ORDER_SEQUENTIAL,
			.rings = 4,
			.seed = 1},
		{.bytes = 256 << 20,
			.slot_bytes = 4096,
			.element_bytes = 8,
			.order = ORDER_SHUFFLE,
			.rings = 1,
			.seed = 3},
	};
	size_t i;

	for (i = 0; i < COUNT(rings); i++) {
		struct buffer ring = rings[i];

		snprintf(ring.name, sizeof(ring.name), "ring");
		ring.fill = FILL_RING;
		check_ring(b, &ring);
	}
}

/* ---- addresses ---- */

#define OUTER 5
#define INNER 12

/* Every way of the PTX writer to make an address. */
static const struct address_case {
	const char *name;
	uint8_t unroll;
	struct address address;
} address_cases[] = {
	{"draws of lanes", 1,
		{.mode = ADDRESS_RANDOM, .slot_bytes = 4, .base_bytes = 8}},
	{"draws of warps, four at a time", 4,
		{.mode = ADDRESS_RANDOM,
			.per = DRAW_PER_WARP,
			.slot_bytes = 128,
			.lane_bytes = 4}},
	{"draws under a wrap", 3,
		{.mode = ADDRESS_RANDOM, .slot_bytes = 4, .wrap_bytes = 4000}},
	{"draws beside moving terms, under a wrap", 4,
		{.mode = ADDRESS_RANDOM,
			.slot_bytes = 16,
			.base_bytes = 4,
			.loop_bytes = {4, 12},
			.wrap_bytes = 4000}},
	{"terms that share an address", 4,
		{.mode = ADDRESS_AFFINE,
			.lane_bytes = 4,
			.loop_bytes = {1536, 128}}},
	{"terms under a wrap", 4,
		{.mode = ADDRESS_AFFINE,
			.lane_bytes = 4,
			.warp_bytes = 128,
			.block_bytes = 384,
			.loop_bytes = {20, 2684},
			.wrap_bytes = 4000}},
	{"terms that do not move", 6,
		{.mode = ADDRESS_AFFINE, .lane_bytes = 4, .warp_bytes = 64}},
};

/* Adds 1 to an addressed word: the counts say which words were reached. */
static void address_program(struct program *p, const struct address_case *c)
{
	struct insn *insn;
	struct role *role;

	program_init(p, "addresses", 12345);
	program_buffer(p, &(struct buffer){.name = "words", .bytes = 1 << 16});
	program_launch(p, "go");
	role = program_role(p, "go");
	role->blocks = 7;
	role->threads = 96;
	program_repeat(p, OUTER);
	program_repeat(p, INNER);
	p->insns[p->insn_count - 1].unroll = c->unroll;
	insn = program_ptx(p, "red.global.add.u32");
	insn->address = c->address;
	program_end(p);
	program_end(p);
	program_insn(p, OP_FENCE);
	p->insns[p->insn_count - 1].q[Q_SEM] = QV_SEM_acq_rel;
	p->insns[p->insn_count - 1].q[Q_SCOPE] = QV_SCOPE_gpu;
}

static void count_addresses(const struct program *p, uint32_t *counts)
{
	const struct role *role = &p->roles[0];
	const struct address *a = &p->insns[2].address;
	struct whereabouts w = {
		.warps_per_block = role->threads / 32, .insn = 2};
	uint32_t thread, i;

	for (thread = 0; thread < role->blocks * role->threads; thread++)
		for (i = 0; i < OUTER * INNER; i++) {
			w.lane = thread % 32;
			w.warp = thread / 32 % w.warps_per_block;
			w.block = thread / role->threads;
			w.loop[0] = i / INNER;
			w.loop[1] = i % INNER;
			counts[address_offset(p, a, &w) / 4]++;
		}
}

static void check_addresses(struct backend *b, const struct address_case *c)
{
	struct error error = {""};
	struct program p;
	uint32_t *found, *expected, words, wrong = 0, i;
	char why[ERROR_TEXT_BYTES];

	address_program(&p, c);
	words = (uint32_t)(p.buffers[0].bytes / 4);
	expected = calloc(words, sizeof(*expected));
	found = run_and_read(b, &p, &error);
	if (found && expected) {
		count_addresses(&p, expected);
		for (i = 0; i < words; i++)
			wrong += found[i] != expected[i];
		snprintf(why, sizeof(why), "%u of %u counts differ", wrong,
			words);
	} else {
		snprintf(why, sizeof(why), "%s", error.text);
	}
	report(found && expected && !wrong, c->name, why);
	free(found);
	free(expected);
}

/* ---- failures ---- */

/* A chase through noise follows pointers to nowhere. No check allows it, so
   the backend is called directly. */
static void check_illegal_address(struct backend *b)
{
	struct buffer noise = {.name = "noise",
		.bytes = 1 << 20,
		.fill = FILL_RANDOM,
		.slot_bytes = 128,
		.rings = 1,
		.element_bytes = 8,
		.seed = 9};
	struct result result = {0};
	struct error error = {""};
	struct program p;
	int code;

	chase_program(&p, &noise);
	code = backend_cuda.run(b, &p, &result, &error);
	report(code == ERR_LOST && strstr(error.text, "ILLEGAL_ADDRESS"),
		"an illegal address fails by name", error.text);
	code = backend_cuda.run(b, &p, &result, &error);
	report(code == ERR_LOST && strstr(error.text, "lost"),
		"a lost context says so", error.text);
	result_free(&result);
}

int main(void)
{
	struct error error = {""};
	struct backend *b;
	int code = open_gpu(&b, &error);
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (code) {
		fprintf(stderr, "nearfar: %s\n", error.text);
		return error_status(code);
	}
	check_rings(b);
	for (i = 0; i < sizeof(address_cases) / sizeof(*address_cases); i++)
		check_addresses(b, &address_cases[i]);
	check_illegal_address(b);
	backend_cuda.close(b);
	/* CUDA: after an illegal address the process must be started anew. */
	code = open_gpu(&b, &error);
	report(!code || strstr(error.text, "(700)"),
		"a process that lost its context is told why", error.text);
	if (!code) {
		check_addresses(b, &address_cases[0]);
		backend_cuda.close(b);
	}
	return failures ? 1 : 0;
}
