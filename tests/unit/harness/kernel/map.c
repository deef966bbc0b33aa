/* The statement `tensormap` of a job, and arguments that are maps. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kernel/job.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD         "nearfar-kernel 1\nmodule m\nbuffer a bytes=4KiB\n"

static const char canonical[] =
	HEAD "buffer b bytes=1MiB type=bf16\n"
	     "tensormap in buffer=b type=bf16 dims=512,512 strides=1024 "
	     "box=64,64 swizzle=128B promotion=256B\n"
	     "tensormap deep buffer=a type=tf32.ftz dims=4,4,4,4,4294967296 "
	     "strides=16,64,256,0 box=4,1,2,1,1 interleave=16B fill=nan "
	     "elements=1,1,2,1,8\n"
	     "tensormap row buffer=a type=u8 dims=1000 box=256\n"
	     "launch k grid=1 block=32 args=map:in,&map:deep,{s32:1,map:row},"
	     "a\n";

static int check(const char *text, struct job *job, struct error *e)
{
	int code;

	e->text[0] = '\0';
	code = job_parse(text, "f", job, e);
	if (code)
		return code;
	code = job_check(job, e);
	if (code)
		job_free(job);
	return code;
}

Test(job_map, canonical_text_is_printed_as_it_is_read)
{
	struct job job;
	struct error e;
	char *text;

	cr_assert_eq(check(canonical, &job, &e), 0, "%s", e.text);
	text = job_text(&job);
	cr_expect_str_eq(text, canonical);
	free(text);
	job_free(&job);
}

Test(job_map, arguments_are_its_bytes_or_their_address)
{
	const uint64_t buffers[] = {0x1000, 0x2000}, maps[] = {1, 0x80, 3};
	unsigned char bytes[3][TENSOR_MAP_BYTES], to[256];
	const struct job_places places = {buffers, maps, bytes};
	const struct job_launch *l;
	struct job job;
	struct error e;
	uint64_t address = 0;

	memset(bytes[0], 7, TENSOR_MAP_BYTES);
	memset(bytes[2], 9, TENSOR_MAP_BYTES);
	cr_assert_eq(check(canonical, &job, &e), 0, "%s", e.text);
	l = &job.launches[0];
	cr_assert_eq(job_parameters(l), 4);
	cr_expect_eq(job_parameter_bytes(l, 0), TENSOR_MAP_BYTES);
	job_parameter_write(l, 0, &places, to);
	cr_expect_eq(memcmp(to, bytes[0], TENSOR_MAP_BYTES), 0);
	cr_expect_eq(job_parameter_bytes(l, 1), 8);
	job_parameter_write(l, 1, &places, to);
	memcpy(&address, to, sizeof(address));
	cr_expect_eq(address, 0x80);
	/* A member begins at a multiple of 64. */
	cr_expect_eq(job_parameter_bytes(l, 2), 192);
	job_parameter_write(l, 2, &places, to);
	cr_expect_eq(memcmp(to + 64, bytes[2], TENSOR_MAP_BYTES), 0);
	job_free(&job);
}

Test(job_map, a_map_that_a_driver_refuses_is_refused)
{
	static const struct {
		const char *map, *message;
	} rows[] = {
#include "tests/unit/harness/kernel/malformed.inc"
	};
	char text[1024];
	struct job job;
	struct error e;
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		snprintf(text, sizeof(text),
			HEAD "tensormap m buffer=a %s\n"
			     "launch k grid=1 block=1\n",
			rows[i].map);
		cr_expect_eq(
			check(text, &job, &e), ERR_USAGE, "%s", rows[i].map);
		cr_expect_str_eq(e.text, rows[i].message);
	}
}

Test(job_map, errors_name_line_and_column)
{
	static const struct {
		const char *line, *message;
	} rows[] = {
		{"tensormap", "f:4:10: expected the tensormap's name"},
		{"tensormap m", "f:4:12: expected buffer=, type=, dims= and "
				"box= of the tensormap"},
		{"tensormap m buffer=c",
			"f:4:13: expected a buffer of the job, found 'c'"},
		{"tensormap m type=f8", "f:4:13: expected type=u8|u16|u32"},
		{"tensormap m swizzle=128B_ATOM_32B",
			"f:4:13: expected swizzle=none|32B|64B|128B"},
		{"tensormap m dims=1,2,3,4,5,6",
			"f:4:13: expected one to 5 numbers"},
		{"tensormap m dims=4,", "f:4:13: '' is not a whole number"},
		{"tensormap m dims=4 dims=4", "f:4:20: expected 'dims' once"},
		{"tensormap m buffer=a type=u32 dims=4,4 box=4,4",
			"f:4:47: expected 1 number of strides=, for dims= has "
			"2"},
		{"tensormap m buffer=a type=u32 dims=4 box=4 strides=16",
			"f:4:44: expected no strides=: dims= has one number"},
		{"tensormap m buffer=a type=u32 dims=4,4 strides=16 box=4",
			"f:4:51: expected 2 numbers of box=, for dims= has 2"},
		{"tensormap m buffer=a type=u8 dims=64 box=64\n"
		 "tensormap m buffer=a type=u8 dims=64 box=64",
			"f:5:11: expected another name: there is a tensormap "
			"'m'"},
		{"launch k grid=1 block=1 args=map:m",
			"f:4:30: expected a tensormap of the job behind map:"},
		{"launch k grid=1 block=1 args=&map:m",
			"f:4:30: expected a tensormap of the job behind map:"},
	};
	char text[512];
	struct job job;
	struct error e;
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		snprintf(text, sizeof(text), HEAD "%s\n", rows[i].line);
		cr_expect_eq(
			check(text, &job, &e), ERR_USAGE, "%s", rows[i].line);
		cr_expect(!strncmp(e.text, rows[i].message,
				  strlen(rows[i].message)),
			"%s: %s", rows[i].line, e.text);
	}
}
