#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/kernel/entry.h"
#include "harness/kernel/job.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Every statement and word, in canonical text. */
static const char canonical[] =
	"nearfar-kernel 1\n"
	"name every-word\n"
	"module kernels/one.ptx\n"
	"module two.ptx\n"
	"buffer keys bytes=4MiB fill=random below=1000 power=2 seed=7\n"
	"buffer rows bytes=4100 type=s32 fill=iota first=-5 step=8 below=9\n"
	"buffer half bytes=2KiB type=f16 fill=random compare=ulp:2\n"
	"buffer next bytes=1MiB type=u64 fill=ring slot=64 order=shuffle\n"
	"buffer order bytes=1KiB fill=permutation compare=multiset\n"
	"buffer data bytes=16 type=f64 fill=file file=data.bin compare=none\n"
	"launch first grid=65536 block=256 args=keys,rows+64,f32:0.1,s32:-1,"
	"u64:18446744073709551615,f16:1.5,bf16:3.14,f64:1e-300\n"
	"launch second grid=16,8 block=8,8,4 args={keys,s32:4,half+2},u8:255 "
	"shared=48KiB registers=40 warmups=2 repeats=3 flush\n"
	"launch third grid=1,1,2 block=32\n"
	"launch fourth grid=8,2 block=32 cluster=4,2\n"
	"launch fifth grid=1 block=1 stream=127\n"
	"launch sixth grid=1 block=1 stream=127 after=programmatic\n"
	"launch seventh grid=2 block=1 cooperative\n";

static int parse(const char *text, struct job *job, struct error *e)
{
	e->text[0] = '\0';
	return job_parse(text, "f", job, e);
}

Test(job, canonical_text_is_printed_as_it_is_read)
{
	struct job job;
	struct error e;
	char *text;

	cr_assert_eq(parse(canonical, &job, &e), 0, "%s", e.text);
	cr_assert_eq(job_check(&job, &e), 0, "%s", e.text);
	text = job_text(&job);
	cr_expect_str_eq(text, canonical);
	free(text);
	job_free(&job);
}

Test(job, a_struct_is_laid_out_as_c_does)
{
	struct {
		uint64_t keys;
		int32_t four;
		uint64_t half;
	} expected = {0x1000, 4, 0x3002};
	const uint64_t addresses[] = {0x1000, 0x2000, 0x3000, 0, 0, 0};
	const struct job_places places = {.buffers = addresses};
	unsigned char bytes[64];
	struct job_launch *launch;
	struct job job;
	struct error e;

	cr_assert_eq(parse(canonical, &job, &e), 0, "%s", e.text);
	launch = &job.launches[1];
	cr_assert_eq(job_parameters(launch), 2);
	cr_assert_eq(job_parameter_bytes(launch, 0), sizeof(expected));
	job_parameter_write(launch, 0, &places, bytes);
	cr_expect_eq(memcmp(bytes, &expected.keys, 8), 0);
	cr_expect_eq(memcmp(bytes + 8, &expected.four, 4), 0);
	cr_expect_eq(memcmp(bytes + 16, &expected.half, 8), 0);
	cr_assert_eq(job_parameter_bytes(launch, 1), 1);
	job_parameter_write(launch, 1, &places, bytes);
	cr_expect_eq(bytes[0], 255);
	cr_expect_eq(job_parameters(&job.launches[2]), 0);
	job_free(&job);
}

Test(job, arguments_have_the_bits_of_their_types)
{
	const float tenth = 0.1f;
	uint32_t bits;
	struct job job;
	struct error e;

	memcpy(&bits, &tenth, sizeof(bits));
	cr_assert_eq(parse(canonical, &job, &e), 0, "%s", e.text);
	cr_expect_eq(job.launches[0].arguments[2].value, bits);
	cr_expect_eq(job.launches[0].arguments[3].value, 0xffffffffu);
	cr_expect_eq(job.launches[0].arguments[5].value, 0x3e00u);
	cr_expect_eq(job.launches[0].arguments[6].value, 0x4049u);
	job_free(&job);
}

#define HEAD "nearfar-kernel 1\nmodule m\nbuffer a bytes=4KiB\n"

Test(job, errors_name_line_and_column)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "f:1:1: expected 'nearfar-kernel 1'"},
		{"nearfar-program 1", "f:1:1: expected 'nearfar-kernel 1'"},
		{"nearfar-kernel 2", "f:1:16: expected version 1, found '2'"},
		{HEAD "buffers b", "f:4:1: expected name, module, buffer, "
				   "tensormap, launch or a host action, "
				   "found 'buffers'"},
		{HEAD "buffer  a bytes=4",
			"f:4:9: expected another name: there is a buffer 'a'"},
		{HEAD "buffer b", "f:4:9: expected bytes=SIZE of the buffer"},
		{HEAD "buffer b+ bytes=4", "f:4:8: expected the buffer's name "
					   "of letters, digits, '_', '-' and "
					   "'.'"},
		{HEAD "buffer b bytes=4 compare=ulp",
			"f:4:18: expected compare=exact|ulp:N|multiset|none"},
		{HEAD "buffer b bytes=4 type=u3", "f:4:18: expected type="},
		{HEAD "launch k block=1",
			"f:4:17: expected grid=X and block=X of the launch"},
		{HEAD "launch k grid=1,1,1,1 block=1",
			"f:4:10: expected one to three numbers, X,Y,Z"},
		{HEAD "launch k grid=1 grid=1 block=1",
			"f:4:17: expected 'grid' once"},
		{HEAD "launch k grid=1 block=1 args=a,b",
			"f:4:32: expected a buffer of the job, or "
			"TYPE:NUMBER"},
		{HEAD "launch k grid=1 block=1 args=a,",
			"f:4:32: expected an argument"},
		{HEAD "launch k grid=1 block=1 args={a,u32:1",
			"f:4:38: expected ',' or '}'"},
		{HEAD "launch k grid=1 block=1 args={a,{a}}",
			"f:4:33: expected an argument"},
		{HEAD "launch k grid=1 block=1 args=a}",
			"f:4:31: expected ','"},
		{HEAD "launch k grid=1 block=1 args=u8:256",
			"f:4:30: expected a whole number of that type"},
		{HEAD "launch k grid=1 block=1 args=s8:-129",
			"f:4:30: expected a whole number of that type"},
		{HEAD "launch k grid=1 block=1 args=u32:-1",
			"f:4:30: expected a whole number of that type"},
		{HEAD "launch k grid=1 block=1 args=u64:18446744073709551616",
			"f:4:30: expected a whole number of that type"},
		{HEAD "launch k grid=1 block=1 args=s32:",
			"f:4:30: expected a whole number of that type"},
		{HEAD "launch k grid=1 block=1 args=u32:12x",
			"f:4:30: expected a whole number of that type"},
		{HEAD "launch k grid=1 block=1 args=u64:000000000000000000001",
			"f:4:30: expected a whole number of that type"},
		{HEAD "launch k grid=1 block=1 args=f16:70000",
			"f:4:30: expected a smaller number of that type"},
		{HEAD "launch k grid=1 block=1 args=q:1",
			"f:4:30: expected a type such as"},
		{HEAD "launch k grid=1 block=1 args=a+5KiB",
			"f:4:25: expected a number up to 4096, found 5120"},
	};
	struct job job;
	struct error e;
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		cr_expect_eq(parse(cases[i].text, &job, &e), ERR_USAGE, "%s",
			cases[i].text);
		cr_expect(!strncmp(e.text, cases[i].message,
				  strlen(cases[i].message)),
			"%s: %s", cases[i].text, e.text);
	}
}

#define LAUNCH "launch k grid=1 block=1"

Test(job, the_check_names_the_rule_that_is_broken)
{
	static const struct {
		const char *lines, *message;
	} cases[] = {
		{"", "a job has a launch"},
		{"buffer b bytes=6\n" LAUNCH,
			"buffer 'b' holds 6 bytes, which are no whole "
			"elements of u32"},
		{"buffer b bytes=8 step=2\n" LAUNCH,
			"buffer 'b': first= and step= belong to fill=iota"},
		{"buffer b bytes=8 fill=iota step=0.5\n" LAUNCH,
			"buffer 'b': first= and step= of whole elements are "
			"whole numbers"},
		{"buffer b bytes=8 type=f32 fill=random below=3\n" LAUNCH,
			"buffer 'b': below= belongs to fill=iota and to "
			"fill=random of whole numbers"},
		{"buffer b bytes=8 fill=random power=2\n" LAUNCH,
			"buffer 'b': power= belongs to fill=random with "
			"below="},
		{"buffer b bytes=8 fill=random below=5 power=9\n" LAUNCH,
			"buffer 'b': power= is 1 to 8"},
		{"buffer b bytes=8 slot=8\n" LAUNCH,
			"buffer 'b': slot= and order= belong to fill=ring"},
		{"buffer b bytes=24 fill=ring slot=16\n" LAUNCH,
			"buffer 'b': a ring is whole slots, and a slot whole "
			"elements"},
		{"buffer b bytes=512 type=s8 fill=permutation\n" LAUNCH,
			"buffer 'b': its type cannot hold the index of every "
			"element"},
		{"buffer b bytes=8 fill=file\n" LAUNCH,
			"buffer 'b': fill=file and file= go together"},
		{"buffer b bytes=8 compare=ulp:1\n" LAUNCH,
			"buffer 'b': compare=ulp belongs to floats"},
		{"launch k grid=1,70000 block=1",
			"launch 'k': a grid has at most 65535 blocks in y and "
			"in z"},
		{"launch k grid=1,0 block=1",
			"launch 'k': a grid has at least one block"},
		{"launch k grid=1 block=64,32",
			"launch 'k': a block has 1 to 1024 threads"},
		{"launch k grid=1 block=1,1,65",
			"launch 'k': a block has at most 64 threads in z"},
		{"launch k grid=4 block=1 cluster=0",
			"launch 'k': a cluster has at least one block"},
		{"launch k grid=17 block=1 cluster=17",
			"launch 'k': a cluster has at most 16 blocks"},
		{"launch k grid=8,8 block=1 cluster=8,4",
			"launch 'k': a cluster has at most 16 blocks"},
		{"launch k grid=4,3 block=1 cluster=2,2",
			"launch 'k': its grid is no whole number of clusters"},
		{"launch k grid=1 block=1 registers=256",
			"launch 'k': a thread has at most 255 registers"},
		{"launch k grid=1 block=1 stream=128",
			"launch 'k': stream= is at most 127"},
		{LAUNCH "\nlaunch k grid=1 block=1 flush after=programmatic",
			"launch 'k': after=programmatic and flush exclude each "
			"other: a flush waits for all launches"},
		{LAUNCH "\nlaunch k grid=1 block=1 stream=1 "
			"after=programmatic",
			"launch 'k': after=programmatic: no launch comes "
			"before "
			"it in stream 1"},
		{"launch k grid=1 block=1 repeats=0",
			"launch 'k': repeats= is at least 1"},
		{"launch k grid=1 block=1 warmups=70000",
			"a job runs at most 65536 launches, repeats and "
			"warm-ups included"},
	};
	char text[1024];
	struct job job;
	struct error e;
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		snprintf(text, sizeof(text), "nearfar-kernel 1\nmodule m\n%s\n",
			cases[i].lines);
		cr_assert_eq(parse(text, &job, &e), 0, "%s", e.text);
		cr_expect_eq(job_check(&job, &e), ERR_USAGE, "%s", text);
		cr_expect_str_eq(e.text, cases[i].message);
		job_free(&job);
	}
}

/* The folder of a test, which is removed with its files. */
static char folder[] = "/tmp/nearfar-job-XXXXXX";

static void begin_folder(void)
{
	cr_assert(mkdtemp(folder));
}

static void remove_folder(void)
{
	static const char *const names[] = {
		"m.ptx", "data", "my job.job", "a.job"};
	char path[64];
	size_t i;

	for (i = 0; i < COUNT(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	cr_assert(file && fputs(text, file) >= 0 && !fclose(file));
}

static const char ptx[] = ".version 8.0\n.target sm_90\n"
			  "// .entry other\n/* .entry third */\n"
			  ".visible .entry k(.param .u64 p) { ret; }\n";

Test(job, files_lie_beside_the_job_and_count_in_its_digest,
	.init = begin_folder, .fini = remove_folder)
{
	char path[64];
	uint64_t digests[3];
	struct job job;
	struct error e;

	snprintf(path, sizeof(path), "%s/m.ptx", folder);
	write_file(path, ptx);
	snprintf(path, sizeof(path), "%s/data", folder);
	write_file(path, "01234567");
	snprintf(path, sizeof(path), "%s/my job.job", folder);
	write_file(path, "nearfar-kernel 1\nmodule m.ptx\n"
			 "buffer b bytes=8 fill=file file=data\n"
			 "launch k grid=1 block=32 args=b\n");
	cr_assert_eq(job_load(path, &job, &e), 0, "%s", e.text);
	cr_expect_str_eq(job.name, "my_job");
	cr_expect_str_eq(job.modules[0].text, ptx);
	cr_expect_eq(memcmp(job.buffers[0].file_content, "01234567", 8), 0);
	cr_assert_eq(job_digest(&job, &digests[0]), 0);
	job.modules[0].text[20]++;
	cr_assert_eq(job_digest(&job, &digests[1]), 0);
	job.buffers[0].file_content[7]++;
	cr_assert_eq(job_digest(&job, &digests[2]), 0);
	cr_expect_neq(digests[0], digests[1]);
	cr_expect_neq(digests[1], digests[2]);
	job_free(&job);
}

Test(job, a_missing_entry_or_file_is_named, .init = begin_folder,
	.fini = remove_folder)
{
	char path[64];
	struct job job;
	struct error e;

	snprintf(path, sizeof(path), "%s/m.ptx", folder);
	write_file(path, ptx);
	snprintf(path, sizeof(path), "%s/a.job", folder);
	write_file(path, "nearfar-kernel 1\nmodule m.ptx\n"
			 "launch other grid=1 block=32\n");
	cr_expect_eq(job_load(path, &job, &e), ERR_USAGE);
	cr_expect(
		strstr(e.text, "no module has an entry 'other'"), "%s", e.text);
	write_file(path, "nearfar-kernel 1\nmodule m.ptx\nmodule m.ptx\n"
			 "launch k grid=1 block=32\n");
	cr_expect_eq(job_load(path, &job, &e), ERR_USAGE);
	cr_expect(strstr(e.text, "more than one module has an entry 'k'"), "%s",
		e.text);
	write_file(path, "nearfar-kernel 1\nmodule n.ptx\n"
			 "launch k grid=1 block=32\n");
	cr_expect_eq(job_load(path, &job, &e), ERR_FAILED);
	cr_expect(strstr(e.text, "n.ptx"), "%s", e.text);
}

static bool is_in(const char *text, const char *name)
{
	struct entries entries;
	bool is;

	cr_assert_eq(entries_read(&entries, text), 0);
	is = entries_have(&entries, name);
	entries_free(&entries);
	return is;
}

Test(job, entries_are_found_outside_of_comments)
{
	cr_expect(is_in(ptx, "k"));
	cr_expect_not(is_in(ptx, "other"));
	cr_expect_not(is_in(ptx, "third"));
	cr_expect_not(is_in(ptx, "p"));
	cr_expect_not(is_in(".entry kk(", "k"));
	cr_expect_not(is_in(".file 1 \".entry k\"", "k"));
	cr_expect_not(is_in(".entry", "k"));
	cr_expect(is_in(".entry // x\n k(", "k"));
}

Test(job, entries_are_listed_with_their_names_in_cpp)
{
	static const struct {
		const char *mangled, *plain;
	} names[] = {
		{"_Z5triadPfS_", "triad"},
		{"_ZN2ns5triadEPf", "ns::triad"},
		{"_ZN12_GLOBAL__N_11kEv", "(anonymous)::k"},
		{"_Z3sumIfLi4EEvPT_", "sum<...>"},
		{"_ZN1a1bIiEEvv", "a::b<...>"},
		{"_Z9triad", NULL},
		{"_Zxx", NULL},
		{"triad", NULL},
		{"_Z", NULL},
	};
	struct entries entries;
	char plain[64], words[64];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const bool is = entry_plain_name(names[i].mangled,
			strlen(names[i].mangled), plain, sizeof(plain));

		cr_expect_eq(
			is, names[i].plain != NULL, "%s", names[i].mangled);
		if (is && names[i].plain)
			cr_expect_str_eq(plain, names[i].plain);
	}
	cr_assert_eq(
		entries_read(&entries, ".entry _Z5triadPf() .entry a()"), 0);
	entries_words(&entries, words, sizeof(words));
	cr_expect_str_eq(words, "'_Z5triadPf' (triad), 'a'");
	entries_words(&entries, words, 40);
	cr_expect_str_eq(words, "2 more");
	entries_free(&entries);
}

/* Of 80,000 buffers the first too many is refused, and not after minutes. */
Test(job, a_job_has_so_many_buffers, .timeout = 20)
{
	const size_t count = JOB_BUFFERS_MAX + 1;
	char *text = malloc(64 + count * 32);
	struct error error = {""};
	struct job job;
	size_t i, at;

	cr_assert_not_null(text);
	at = (size_t)sprintf(text, "nearfar-kernel 1\nmodule m.ptx\n");
	for (i = 0; i < count; i++)
		at += (size_t)sprintf(text + at, "buffer b%zu bytes=4\n", i);
	cr_expect_eq(job_parse(text, "j", &job, &error), ERR_USAGE);
	cr_expect_str_eq(
		error.text, "j:16387:8: expected at most 16384 buffers");
	free(text);
}

/* How many go together from each run on. */
Test(job, runs_go_together_up_to_a_flush)
{
	static const struct {
		const char *lines;
		size_t runs, together;
	} rows[] = {
		{"launch k grid=1 block=1 repeats=3", 3, 1},
		{"launch k grid=1 block=1 stream=4 warmups=2\n"
		 "launch k grid=1 block=1 stream=4",
			4, 1},
		{"launch k grid=1 block=1\nlaunch k grid=1 block=1 stream=1", 2,
			2},
		{"launch k grid=1 block=1 repeats=3 after=programmatic", 3, 3},
		{"launch k grid=1 block=1 repeats=2\n"
		 "launch k grid=1 block=1 stream=1\n"
		 "launch k grid=1 block=1 stream=1 flush",
			4, 3},
		{"launch k grid=1 block=1\n"
		 "launch k grid=1 block=1 stream=1 flush",
			2, 1},
	};
	struct job_run *runs;
	struct error e;
	struct job job;
	char text[512];
	size_t count, i;

	for (i = 0; i < COUNT(rows); i++) {
		snprintf(text, sizeof(text), "nearfar-kernel 1\nmodule m\n%s\n",
			rows[i].lines);
		cr_assert_eq(parse(text, &job, &e), 0, "%s", e.text);
		cr_assert_eq(job_check(&job, &e), 0, "%s", e.text);
		cr_assert_eq(job_list_runs(&job, &runs, &count, &e), 0);
		cr_expect_eq(count, rows[i].runs, "%s", text);
		cr_expect_eq(job_runs_together(&job, runs, count),
			rows[i].together, "%s", text);
		free(runs);
		job_free(&job);
	}
}
