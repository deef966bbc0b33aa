/* Programs as the kernels that a GPU runs for them, on the model: they ask for
   the same as programs do, and begin with the same memory. */
#include <criterion/criterion.h>
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

static struct backend *open_model(struct device *device)
{
	const struct backend_config config = {0};
	struct backend *model = NULL;
	struct facts facts = {0};
	struct error error = {""};

	cr_assert_eq(
		backend_sim.open(&model, &config, &error), 0, "%s", error.text);
	cr_assert_eq(backend_sim.describe(model, device, &facts, &error), 0);
	facts_free(&facts);
	return model;
}

/* ---- what runs twice as long asks for twice as much ---- */

/* A program's text with a place for a number, 4 or 8, and what it counts: how
   much more. */
struct asking {
	const char *text;
	struct counter more[3];
};

static const struct asking askings[] = {
	{HEAD "buffer b bytes=1MiB\nlaunch l\n role r blocks=3 threads=96\n"
	      "repeat %u time=region region=m\n"
	      "ld.global.ca.v2.b32 [b + lane*8 + warp*256 + block*4KiB + "
	      "loop0*12KiB wrap 192KiB]\nend\n",
		{{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 36},
			{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
				288}}},
	{HEAD "buffer b bytes=1MiB\nlaunch l\n role r blocks=2 threads=64\n"
	      "repeat %u time=each region=m\n"
	      "st.global.b32 [b + lane*128 + warp*4KiB + block*16KiB + "
	      "loop0*64KiB]\n"
	      "atom.global.add.u32 [b + lane*4 + loop0*128]\n"
	      "red.global.add.u32 [b + 8KiB + lane*64]\nend\n",
		{{"lts__t_sectors_op_atom.sum", 64}}},
};

Test(lowered, an_iteration_asks_for_what_its_program_says)
{
	size_t i, k;

	for (i = 0; i < sizeof(askings) / sizeof(askings[0]); i++) {
		struct result few = {0}, many = {0};

		model_run(NULL, &few, askings[i].text, 4);
		model_run(NULL, &many, askings[i].text, 8);
		for (k = 0; askings[i].more[k].name; k++) {
			const struct counter *c = &askings[i].more[k];
			double more = model_counter(&many, c->name) -
				      model_counter(&few, c->name);

			cr_expect_eq(more, c->value, "%s: %g", c->name, more);
		}
		result_free(&few);
		result_free(&many);
	}
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
	model = open_model(&device);
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

/* Its lanes write what it has measured: the last warp may have fewer. */
Test(lowered, a_warp_that_is_cut_short_has_all_samples)
{
	struct result r = {0};
	size_t i;

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

/* ---- what is seen inside ---- */

#define INSIDE                                                                 \
	HEAD "buffer b bytes=1MiB\nlaunch l\n role r sms=0:2 threads=64\n"     \
	     "\n  # line 7 is empty\n  repeat 50 time=region region=m\n"       \
	     "   ld.global.cg.b32 [b + lane*4 + warp*128 + loop0*4KiB]\n"      \
	     "   red.global.add.u32 [b + 512KiB]\n  end\n"

static int run_inside(const struct job_wishes *wishes, struct result *result,
	struct error *error)
{
	struct program_places places;
	struct backend *model;
	struct device device;
	struct program p;
	int code;

	cr_assert_eq(
		program_parse_places(INSIDE, "in.txt", &p, &places, error), 0);
	model = open_model(&device);
	result->wishes = wishes;
	result->places = &places;
	code = backend_sim.run(model, &p, result, error);
	backend_sim.close(model);
	return code;
}

/* Requests and sectors of the program's lines are those of its text, and the
   run is the same with a profile and without. */
Test(lowered, a_profile_names_lines_of_the_program)
{
	const struct job_wishes wishes = {.profile = true};
	struct result r = {0}, plain = {0};
	struct error error = {""};
	struct job_profile *w;
	uint64_t loads = 0, sectors = 0, reds = 0;
	size_t i;

	cr_assert_eq(run_inside(&wishes, &r, &error), 0, "%s", error.text);
	model_run(NULL, &plain, INSIDE);
	cr_expect_eq(plain.spans[0].cycles, r.spans[0].cycles);
	cr_assert_eq(r.launches.launch_count, 1);
	cr_expect_gt(r.launches.launches[0].cycles, r.spans[0].cycles);
	w = r.launches.launches[0].profile;
	cr_assert_not_null(w);
	cr_assert_eq(w->source_count, 1);
	cr_expect_str_eq(w->sources[0], "in.txt");
	for (i = 0; i < w->line_count; i++) {
		const struct job_line *l = &w->lines[i];

		cr_expect(l->source == 1 && l->source_line >= 5 &&
				  l->source_line <= 12,
			"%u: %u", l->line, l->source_line);
		loads += l->source_line == 10 ? l->requests : 0;
		sectors += l->source_line == 10 ? l->sectors : 0;
		reds += l->source_line == 11 ? l->requests : 0;
	}
	cr_expect_eq(loads, 4 * 50);
	cr_expect_eq(sectors, 4 * 50 * 4);
	cr_expect_eq(reds, 4 * 50);
	cr_expect_null(plain.launches.launches[0].profile);
	result_free(&r);
	result_free(&plain);
}

Test(lowered, a_launch_that_takes_longer_is_stopped_at_its_lines)
{
	const struct job_wishes wishes = {.max_cycles = 20000};
	struct result r = {0};
	struct error error = {""};

	cr_assert_eq(run_inside(&wishes, &r, &error), ERR_FAILED);
	cr_expect(strstr(error.text, "launch 'l' of program 'test' runs for "
				     "more than 20000 cycles: ") &&
			  strstr(error.text, " (in.txt:1"),
		"%s", error.text);
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
	model = open_model(&device);
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

	model_run("gk110", &r,
		HEAD "buffer b bytes=1MiB\nlaunch l\n"
		     " role r sms=0:2 threads=64 lanes=20\n"
		     "repeat 8 unroll=2 time=region region=m\n"
		     "ld.global.b32 [b + lane*4 + warp*128]\n"
		     "st.global.b32 [b + lane*4 + warp*128 + block*8KiB + "
		     "loop0*256]\nend\n");
	cr_expect_gt(r.spans[0].cycles, 100);
	result_free(&r);
	model_run("gk110", &r,
		HEAD "buffer b bytes=1MiB\nlaunch l turns\n"
		     " role r sms=0:2 threads=32\n"
		     "repeat 8 time=region region=m\n"
		     "ld.global.b32 [b + lane*4]\nend\n");
	cr_expect_eq(r.sample_count, 2);
	result_free(&r);
}

/* 33,792 words of 64 GiB, each in a page of its own. */
Test(lowered, memory_of_the_host_is_what_is_touched)
{
	struct result r = {0};
	struct rusage usage;

	model_run(NULL, &r,
		HEAD "buffer b bytes=64GiB\nlaunch l\n"
		     " role r sms=all threads=128\n"
		     "repeat 64 time=region region=m\n"
		     "st.global.b32 [b random slot=128 per=warp + lane*4]\n"
		     "end\n");
	cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
	cr_expect_lt(usage.ru_maxrss, 768 << 10, "%ld KiB", usage.ru_maxrss);
	result_free(&r);
}
