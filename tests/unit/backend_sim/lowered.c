/* Programs as the kernels that a GPU runs for them, on the model: they ask for
   the same as programs do, and begin with the same memory. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "backend_sim/space/space.h"
#include "harness/base/facts.h"
#include "harness/lower/program_job.h"
#include "harness/lower/contents.h"
#include "harness/program/address.h"
#include "harness/program/legality/legality.h"
#include "harness/program/text/text.h"
#include "tests/unit/model_fixture.h"

#define HEAD "nearfar-program 1\nname test\nseed 7\n"

static void parse(const char *text, struct program *p)
{
	struct error error = {""};
	int code = program_parse(text, "test", p, &error);

	if (!code)
		code = program_check(p, &error);
	cr_assert_eq(code, 0, "%s in\n%s", error.text, text);
}

static struct backend *open_model(bool by_kernels, struct device *device)
{
	const struct backend_config config = {.by_kernels = by_kernels};
	struct backend *model = NULL;
	struct facts facts = {0};
	struct error error = {""};

	cr_assert_eq(
		backend_sim.open(&model, &config, &error), 0, "%s", error.text);
	cr_assert_eq(backend_sim.describe(model, device, &facts, &error), 0);
	cr_assert_eq(facts_find(&facts, "engine") != NULL, by_kernels);
	facts_free(&facts);
	return model;
}

/* ---- what runs twice as long asks for twice as much ---- */

/* A program's text with a place for a number, 4 or 8, and what it counts. */
struct asking {
	const char *text;
	const char *counters[4];
};

static const struct asking askings[] = {
	{HEAD "buffer b bytes=1MiB\nlaunch l\n role r blocks=3 threads=96\n"
	      "repeat %u time=region region=m\n"
	      "ld.global.ca.v2.b32 [b + lane*8 + warp*256 + block*4KiB + "
	      "loop0*12KiB wrap 192KiB]\nend\n",
		{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
			"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}},
	{HEAD "buffer b bytes=1MiB fill=random seed=3\nlaunch l\n"
	      " role r blocks=5 threads=40 lanes=20\n"
	      "repeat %u unroll=2 time=region region=m\n"
	      "ld.global.cg.b64 [b random slot=256 per=warp + lane*8]\n"
	      "ld.global.ca.b32 [b random slot=4 + loop0*64]\nend\n",
		{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
			"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}},
	{HEAD "buffer b bytes=1MiB\nlaunch l\n role r blocks=2 threads=64\n"
	      "repeat %u time=each region=m\n"
	      "st.global.b32 [b + lane*128 + warp*4KiB + block*16KiB + "
	      "loop0*64KiB]\n"
	      "atom.global.add.u32 [b + lane*4 + loop0*128]\n"
	      "red.global.add.u32 [b + 8KiB + lane*64]\nend\n",
		{"lts__t_sectors_op_atom.sum", "lts__t_sectors_op_red.sum"}},
};

static const char *machine; /* NULL: the default */

static void sizes_of(const struct asking *a, bool by_kernels, double more[4])
{
	struct result r[2] = {{0}};
	size_t i;

	model_by_kernels(by_kernels);
	for (i = 0; i < 2; i++)
		model_run(machine, &r[i], a->text, i ? 8 : 4);
	for (i = 0; i < 4 && a->counters[i]; i++)
		more[i] = model_counter(&r[1], a->counters[i]) -
			  model_counter(&r[0], a->counters[i]);
	result_free(&r[0]);
	result_free(&r[1]);
}

Test(lowered, both_ways_ask_for_the_same)
{
	double program[4] = {0}, kernel[4] = {0};
	size_t i, k;

	for (i = 0; i < sizeof(askings) / sizeof(askings[0]); i++) {
		sizes_of(&askings[i], false, program);
		sizes_of(&askings[i], true, kernel);
		for (k = 0; k < 4 && askings[i].counters[k]; k++) {
			cr_expect_gt(program[k], 0);
			cr_expect_eq(program[k], kernel[k], "%zu: %s: %g, %g",
				i, askings[i].counters[k], program[k],
				kernel[k]);
		}
	}
}

/* ---- samples ---- */

#define CHASES                                                                 \
	HEAD "buffer b bytes=4MiB fill=ring slot=256 order=shuffle seed=5 "    \
	     "rings=2 element=4\n"                                             \
	     "buffer c bytes=2MiB\n"                                           \
	     "launch l\n"                                                      \
	     " role r sms=3:2 threads=32 lanes=2\n"                            \
	     "  repeat 64 unroll=8\n   ld.global.cg.b32 [b chase]\n  end\n"    \
	     "  repeat 8 time=each region=m\n"                                 \
	     "   repeat 16 unroll=16\n    ld.global.cg.b32 [b chase]\n"        \
	     "   end\n  end\n"                                                 \
	     " role s sms=9:1 threads=64\n"                                    \
	     "  repeat 4 time=region region=w\n"                               \
	     "   st.global.b32 [c + lane*4 + warp*128 + loop0*256]\n  end\n"

/* Who was measured, where, and in which order; links that come from L2 or DRAM
   take as long. */
Test(lowered, samples_are_those_of_a_program)
{
	struct result a = {0}, b = {0};
	double program = 0, kernel = 0;
	size_t i;

	model_run(NULL, &a, CHASES);
	model_by_kernels(true);
	model_run(NULL, &b, CHASES);
	cr_assert_eq(a.sample_count, b.sample_count);
	for (i = 0; i < a.sample_count; i++) {
		cr_expect_eq(a.samples[i].region, b.samples[i].region);
		cr_expect_eq(a.samples[i].warp, b.samples[i].warp);
		cr_expect_eq(a.samples[i].iteration, b.samples[i].iteration);
		cr_expect_eq(a.samples[i].sm, b.samples[i].sm);
		if (!a.samples[i].region) {
			program += a.samples[i].cycles;
			kernel += b.samples[i].cycles;
		}
	}
	cr_expect_lt(
		fabs(kernel / program - 1), 0.03, "%g, %g", kernel, program);
	cr_expect_gt(b.spans[0].cycles, 0);
	cr_expect_eq(b.spans[0].step_ns, 0);
	cr_expect_eq(a.clock_hz, b.clock_hz);
	result_free(&a);
	result_free(&b);
}

#define THROUGH                                                                \
	HEAD "buffer a bytes=64KiB fill=ring slot=128 order=shuffle seed=3 "   \
	     "rings=2 through=3\n"                                             \
	     "buffer b bytes=64KiB fill=ring slot=128 order=shuffle seed=3 "   \
	     "rings=2\n"                                                       \
	     "buffer c bytes=64KiB fill=ring slot=128 order=shuffle seed=3 "   \
	     "rings=2\nlaunch chase\n"                                         \
	     " role chase sms=0:1 threads=32 lanes=2\n"                        \
	     "  repeat 8 time=each region=measure\n"                           \
	     "    repeat 64 unroll=16\n      ld.global.cg.b64 [a chase]\n"     \
	     "      ld.global.cg.b64 [b chase]\n"                              \
	     "      ld.global.cg.b64 [c chase]\n    end\n  end\n"

/* Each link waits for the one before in any buffer. */
Test(lowered, a_ring_through_several_buffers_is_one_chase)
{
	struct result a = {0}, b = {0};

	model_run(NULL, &a, THROUGH);
	model_by_kernels(true);
	model_run(NULL, &b, THROUGH);
	cr_expect_lt(fabs(b.spans[0].cycles / a.spans[0].cycles - 1), 0.01,
		"%g, %g", b.spans[0].cycles, a.spans[0].cycles);
	result_free(&a);
	result_free(&b);
}

/* ---- the first content ---- */

/* What the kernels leave in the buffers that fill them, and what is made piece
   by piece. */
static void compare_contents(const char *text, uint64_t piece)
{
	static unsigned char made[1 << 20];
	const struct job_wishes wishes = {.contents = true};
	struct job_result result = {0};
	struct program_job *m = NULL;
	struct backend *model;
	struct device device;
	struct error error = {""};
	struct program p;
	uint64_t at, next;
	uint32_t i;

	parse(text, &p);
	model = open_model(false, &device);
	cr_assert_eq(program_job_filled(&m, &p, &device, &error), 0);
	cr_assert_eq(backend_sim.run_job(model, program_job_of(m), &wishes,
			     &result, &error),
		0, "%s", error.text);
	for (i = 0; i < p.buffer_count; i++) {
		const uint64_t bytes = p.buffers[i].bytes;

		next = SPACE_BASE + JOB_PAGE_BYTES * program_ring_next(&p, i);
		memset(made, 0, sizeof(made));
		for (at = 0; at < bytes; at += piece)
			contents_write(&p, i, next, at,
				piece < bytes - at ? piece : bytes - at,
				made + at);
		cr_expect_eq(memcmp(made, result.contents[i], bytes), 0,
			"%s in\n%s", p.buffers[i].name, text);
	}
	job_result_free(&result);
	program_job_free(m);
	backend_sim.close(model);
}

#define LAUNCH                                                                 \
	"launch l\n role r blocks=1 threads=32\n"                              \
	"  ld.global.ca.b32 [b + lane*4]\n"

Test(lowered, buffers_begin_as_kernels_fill_them)
{
	compare_contents(HEAD "buffer b bytes=96KiB fill=ring slot=128 "
			      "order=shuffle seed=9 rings=3\n" LAUNCH,
		4096);
	compare_contents(HEAD "buffer b bytes=66000 fill=ring slot=88 "
			      "order=sequential rings=5 element=4\n" LAUNCH,
		4096);
	compare_contents(HEAD "buffer b bytes=20000 fill=random seed=4 "
			      "random_bytes=12\n" LAUNCH,
		1000);
	compare_contents(
		HEAD "buffer b bytes=20000 fill=random\n" LAUNCH, 4096);
	compare_contents(HEAD
		"buffer b bytes=64KiB fill=ring slot=64 order=shuffle "
		"through=2\nbuffer c bytes=64KiB fill=ring slot=64 "
		"order=shuffle\n" LAUNCH,
		4096);
}

static long peak_kib(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return used.ru_maxrss;
}

/* A word of each 64 KiB of 4 GiB is read, and decides nothing; links of 1 GiB
   of slots are read, and those alone are made. */
#define WIDE                                                                   \
	HEAD "buffer b bytes=4GiB fill=random\n"                               \
	     "buffer c bytes=1GiB fill=ring slot=4096 order=shuffle\n"         \
	     "launch l\n role r sms=0:1 threads=1024\n"                        \
	     "  repeat %u time=region region=m\n   ld.global.cg.b32 [b + "     \
	     "lane*64KiB + warp*2MiB + loop0*64MiB wrap 4GiB]\n  end\n"        \
	     " role s sms=2:1 threads=32\n  repeat %u\n"                       \
	     "   ld.global.cg.b64 [c chase]\n  end\n"

Test(lowered, memory_that_is_read_takes_no_room)
{
	struct result r[2] = {{0}};
	long before;

	model_by_kernels(true);
	model_run(NULL, &r[0], WIDE, 4u, 4u);
	before = peak_kib();
	model_run(NULL, &r[1], WIDE, 64u, 512u);
	cr_expect_lt(peak_kib() - before, 64 * 1024);
	result_free(&r[0]);
	result_free(&r[1]);
}

static void write_numbers(const void *of, const uint64_t *addresses,
	uint64_t offset, uint64_t bytes, unsigned char *to)
{
	uint64_t at, word;

	(void)of;
	(void)addresses;
	for (at = 0; at < bytes; at += sizeof(word)) {
		word = (offset + at) * 3 + 1;
		memcpy(to + at, &word, sizeof(word));
	}
}

/* What a look sees is what a touch leaves, and many looks touch. */
Test(lowered, words_are_made_where_they_are_read)
{
	const struct job_content content = {.write = write_numbers};
	unsigned char made[SPACE_LOOK_BYTES], two[SPACE_LOOK_BYTES], *place;
	const struct space_region *r;
	struct job_buffer buffer = {
		.name = "b", .bytes = 10000, .content = &content};
	const struct job job = {.buffers = &buffer, .buffer_count = 1};
	struct error error = {""};
	struct space s;
	uint64_t word;
	uint32_t i;

	cr_assert_eq(space_make(&s, &job, &error), 0, "%s", error.text);
	r = space_find(&s, 0, 8);
	for (i = 0; i <= SPACE_LOOKS_MAX; i++) {
		place = space_look(&s, r, 4096 + 8 * i, 4, made);
		word = (4096 + 8 * i) * UINT64_C(3) + 1;
		cr_expect_eq(memcmp(place, &word, 4), 0);
		cr_expect_eq(place == made, i < SPACE_LOOKS_MAX);
	}
	cr_expect_eq(s.bytes[4096], 1);
	cr_expect_eq(s.bytes[0], 0);
	place = space_look(&s, r, 20, 4, made);
	word = (UINT64_C(16) * 3 + 1) >> 32;
	cr_expect_eq(memcmp(place, &word, 4), 0);
	place = space_look(&s, r, 32, 16, made);
	write_numbers(NULL, NULL, 32, 16, two);
	cr_expect_eq(memcmp(place, two, 16), 0);
	space_free(&s);
}

/* Of compressible memory the content decides what is compressed, far memory is
   behind a link: what comes from DRAM is the same either way. */
Test(lowered, kinds_of_memory_and_host_actions)
{
	static const struct asking asked = {HEAD
		"buffer b bytes=2MiB memory=compressible fill=random "
		"random_bytes=8 seed=2\n"
		"buffer h bytes=2MiB memory=host\nlaunch l\n"
		" role r blocks=4 threads=128\n  repeat 32 unroll=8\n"
		"ld.global.cg.v4.b32 [b + lane*16 + warp*512 + block*2KiB "
		"+ loop0*8KiB]\nend\n"
		"flush\ncarveout 2MiB\nwindow b bytes=1MiB ratio=1 "
		"hit=persisting miss=streaming\n"
		"launch m\n role r blocks=4 threads=128\n"
		"repeat %u time=region region=m\n"
		"ld.global.cg.v4.b32 [b + lane*16 + warp*512 + block*2KiB "
		"+ loop0*8KiB]\n"
		"st.global.b32 [h + lane*4 + warp*128 + block*512 + "
		"loop0*2KiB]\nend\n",
		{"dram__sectors_read.sum",
			"l1tex__m_xbar2l1tex_read_sectors.sum"}};
	double program[4] = {0}, kernel[4] = {0};
	size_t k;

	machine = "h200-sxm-x2";
	sizes_of(&asked, false, program);
	sizes_of(&asked, true, kernel);
	for (k = 0; k < 2; k++) {
		cr_expect_gt(program[k], 0);
		cr_expect_eq(
			program[k], kernel[k], "%g, %g", program[k], kernel[k]);
	}
}

/* Its lanes write what it has measured: the last warp may have fewer. */
Test(lowered, a_warp_that_is_cut_short_has_all_samples)
{
	struct result r = {0};
	size_t i;

	model_by_kernels(true);
	model_run(NULL, &r,
		HEAD "buffer b bytes=4KiB\nlaunch l\n"
		     " role r blocks=2 threads=35\n"
		     "repeat 7 time=each region=m\n"
		     "ld.global.cg.b32 [b + lane*4]\nend\n");
	cr_assert_eq(r.sample_count, 2u * 2 * 7);
	for (i = 0; i < r.sample_count; i++)
		cr_expect_gt(r.samples[i].cycles, 20, "%zu", i);
	result_free(&r);
}

/* One after the other; who waits does not take the model's time. */
Test(lowered, blocks_that_wait_for_their_turn_sleep)
{
	struct result r = {0};

	model_by_kernels(true);
	model_run(NULL, &r,
		HEAD "buffer b bytes=1MiB\nlaunch l turns\n"
		     " role r sms=all threads=1 lanes=1\n"
		     "repeat 100 time=each region=m\n"
		     "ld.global.cg.b32 [b + loop0*128]\nend\n");
	cr_expect_eq(r.sample_count, 132u * 100);
	cr_expect_gt(r.spans[0].cycles, 132 * 100 * 200);
	cr_expect_lt(r.spans[0].cycles, 132 * (100 * 400 + 3000));
	cr_expect_lt(model_counter(&r, "nearfar__events.sum"), 1e6);
	result_free(&r);
}

/* ---- refusals ---- */

static void refuse(const char *text, const char *why)
{
	struct result result = {0};
	struct backend *model;
	struct device device;
	struct error error = {""};
	struct program p;

	parse(text, &p);
	model = open_model(true, &device);
	cr_expect_eq(backend_sim.run(model, &p, &result, &error), ERR_SKIPPED);
	cr_expect(strstr(error.text, why), "%s", error.text);
	cr_expect_eq(result.sample_count, 0);
	result_free(&result);
	backend_sim.close(model);
}

Test(lowered, what_the_machine_has_not_is_skipped)
{
	refuse(HEAD "buffer b bytes=4KiB memory=host\n" LAUNCH,
		"buffer 'b' is in the memory of the host, which the model's "
		"machine does not reach");
	refuse(HEAD "buffer b bytes=4KiB memory=peer\n" LAUNCH,
		"buffer 'b' is in the memory of a peer");
	refuse(HEAD "buffer b bytes=4KiB\ncarveout 1GiB\n" LAUNCH,
		"'carveout' needs");
	refuse(HEAD "buffer b bytes=4KiB\nlaunch all\n"
		    " role r blocks=131073 threads=1024\n"
		    "repeat 1 time=region region=m\n"
		    "ld.global.cg.b32 [b + lane*4]\nend\n",
		"launch 'all' has more than 4194304 warps");
}

/* The writer keeps to what the machine's target has. */
Test(lowered, an_older_machine_takes_its_text)
{
	struct result r = {0};

	model_by_kernels(true);
	model_run("gk110", &r,
		HEAD "buffer b bytes=1MiB\nlaunch l\n"
		     " role r sms=0:2 threads=64 lanes=20\n"
		     "repeat 8 unroll=2 time=region region=m\n"
		     "ld.global.b32 [b + lane*4 + warp*128]\n"
		     "st.global.b32 [b + lane*4 + warp*128 + block*8KiB + "
		     "loop0*256]\nend\n");
	cr_expect_gt(r.spans[0].cycles, 100);
	result_free(&r);
}
