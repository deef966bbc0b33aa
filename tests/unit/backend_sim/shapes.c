/*
 * Chips of other shapes than the known ones: any number of GPCs and slices, one
 * side or two, with near copies or without, L1 and L2 of other sizes. Each is
 * drawn by a seed; on each the laws hold that hold for all.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/contract/backend.h"
#include "harness/judge/bounds.h"
#include "harness/program/legality/legality.h"
#include "harness/program/text/text.h"
#include "tests/support/machine_random.h"

TestSuite(shapes, .timeout = 240);

#define SHAPES 60

static const struct machine_shape most = {192, 2048, 64};

/* h200-sxm in the shape of a seed. */
static struct backend *open_shape(uint32_t seed, struct device *device)
{
	struct machine_random m = {.count = 0};
	struct backend_config config = {0};
	struct backend *model = NULL;
	struct facts facts = {0};
	struct error error = {""};
	char path[64];
	int fd = memfd_create("machine", 0);
	FILE *file;

	cr_assert_geq(fd, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = fopen(path, "w");
	cr_assert(file);
	machine_random_shape(&m, seed, &most);
	cr_assert_eq(machine_random_print(&m, file), 0);
	fclose(file);
	config.machine = path;
	cr_assert_eq(backend_sim.open(&model, &config, &error), 0, "%u: %s",
		seed, error.text);
	cr_assert_eq(backend_sim.describe(model, device, &facts, &error), 0);
	facts_free(&facts);
	close(fd);
	return model;
}

/* The mean of the samples of region 0, all laws kept. */
static double run(struct backend *model, const struct device *device,
	uint32_t seed, const char *text)
{
	static struct program p;
	struct result result = {0};
	struct error error = {""};
	double sum = 0;
	size_t i;

	cr_assert_eq(
		program_parse(text, "test", &p, &error), 0, "%s", error.text);
	cr_assert_eq(program_check(&p, &error), 0, "%s", error.text);
	cr_assert_eq(backend_sim.run(model, &p, &result, &error), 0, "%u: %s",
		seed, error.text);
	cr_expect_eq(bounds_check(&p, &result, device, &error), 0, "%u: %s",
		seed, error.text);
	for (i = 0; i < result.sample_count; i++)
		sum += result.samples[i].cycles;
	cr_assert_gt(result.sample_count, 0);
	sum /= (double)result.sample_count;
	result_free(&result);
	return sum;
}

#define HEAD "nearfar-program 1\nname test\nseed 1\n"

/* A chase with `bytes`, twice round or as far as it takes, then timed. */
static double chase(struct backend *model, const struct device *device,
	uint32_t seed, const char *op, uint64_t bytes)
{
	const unsigned long long slots = bytes / 128;
	char text[512];

	snprintf(text, sizeof(text),
		HEAD "buffer a bytes=%llu fill=ring slot=128 order=shuffle\n"
		     "launch l\n  role r sms=0:1 threads=1 lanes=1\n"
		     "    repeat %llu\n      ld.global.%s.b64 [a chase]\n"
		     "    end\n    repeat 256 time=each region=measure\n"
		     "      ld.global.%s.b64 [a chase]\n    end\n",
		slots * 128, 2 * slots < 20000 ? 2 * slots : 20000, op, op);
	return run(model, device, seed, text);
}

/* Farther levels are slower, wherever the few lines of the nearer ones are. */
Test(shapes, levels_stand_in_their_order)
{
	uint32_t seed;

	for (seed = 1; seed <= SHAPES; seed++) {
		struct device device;
		struct backend *model = open_shape(seed, &device);
		double l1 = chase(model, &device, seed, "ca", 1024);
		double l2 = chase(model, &device, seed, "cg", 512);
		double dram = chase(model, &device, seed, "cg",
			(uint64_t)device.l2_bytes * 8 / 128 * 128);

		cr_expect_lt(l1, l2, "%u: %g, %g", seed, l1, l2);
		cr_expect_lt(l2, dram, "%u: %g, %g", seed, l2, dram);
		backend_sim.close(model);
	}
}

/* Reads, writes and atomics of the whole chip, within what it can move. */
Test(shapes, chips_keep_their_bounds)
{
	static const char format[] =
		HEAD "buffer a bytes=32MiB\nlaunch l\n"
		     "  role r sms=all threads=256\n"
		     "    repeat 8 time=region region=measure\n"
		     "      %s [a + lane*%u + warp*%u + block*65536 + "
		     "loop0*8192]%s\n    end\n";
	static const struct {
		const char *op, *tail;
		unsigned width;
	} ops[] = {{"ld.global.cg.v4.b32", "", 16}, {"ld.global.ca.b32", "", 4},
		{"st.global.v4.b32", "", 16}, {"red.global.add.u32", "", 4}};
	uint32_t seed;
	char text[512];
	size_t i;

	for (seed = 1; seed <= SHAPES; seed++) {
		struct device device;
		struct backend *model = open_shape(seed, &device);

		for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
			snprintf(text, sizeof(text), format, ops[i].op,
				ops[i].width, 32 * ops[i].width, ops[i].tail);
			run(model, &device, seed, text);
		}
		backend_sim.close(model);
	}
}
