#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "harness/program/legality/legality.h"
#include "harness/program/text/text.h"

/* A statement that replaces one of a legal program, or follows it. */
static const struct row {
	const char *buffer, *action, *launch;
	const char *reason; /* NULL: legal */
} rows[] = {
	{.reason = NULL},
	{.buffer = "buffer b bytes=0", .reason = "buffer 'b' has no bytes"},
	{.buffer = "buffer b bytes=32\nbuffer b bytes=32",
		.reason = "buffer 'b' is declared twice"},
	{.buffer = "buffer none bytes=32", .reason = "keeps for itself"},
	{.buffer = "buffer shared bytes=32", .reason = "keeps for itself"},
	{.buffer = "buffer 2b bytes=32", .reason = "'2b' is no name"},
	{.buffer = "buffer b*c bytes=32", .reason = "'b*c' is no name"},
	{.buffer = "buffer b bytes=64 fill=ring slot=64"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 element=4"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 through=2\n"
		   "buffer c bytes=64 fill=ring slot=8 memory=peer"},
	{.buffer = "buffer b bytes=64 memory=peer peer=7"},
	{.buffer = "buffer b bytes=64 memory=host peer=1",
		.reason = "takes peer= only with memory=peer"},
	{.buffer = "buffer b bytes=64 through=2\nbuffer c bytes=64",
		.reason = "takes through= only with fill=ring"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 element=4 through=2\n"
		   "buffer c bytes=64 fill=ring slot=8 element=4",
		.reason = "takes through= only with fill=ring"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 through=1",
		.reason = "at least 2 buffers"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 through=2",
		.reason = "through more buffers than follow it"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 through=2\n"
		   "buffer c bytes=128 fill=ring slot=8",
		.reason = "with the same bytes, slot, order, seed and rings"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 through=2\n"
		   "buffer c bytes=64 fill=ring slot=16",
		.reason = "with the same bytes"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 through=2\n"
		   "buffer c bytes=64 fill=ring slot=8 order=shuffle",
		.reason = "with the same bytes"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 through=2\n"
		   "buffer c bytes=64 fill=ring slot=8 seed=2",
		.reason = "with the same bytes"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 through=2\n"
		   "buffer c bytes=64 fill=ring slot=8 rings=2",
		.reason = "with the same bytes"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 through=2\n"
		   "buffer c bytes=64 fill=ring slot=8 through=2\n"
		   "buffer d bytes=64 fill=ring slot=8",
		.reason = "with the same bytes"},
	{.buffer = "buffer b bytes=64 fill=ring slot=0",
		.reason = "multiples of 8"},
	{.buffer = "buffer b bytes=64 fill=ring slot=12",
		.reason = "multiples of 8"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 element=2",
		.reason = "not 4 or 8 bytes"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 rings=3",
		.reason = "not cut into equal rings"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 rings=0",
		.reason = NULL},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 rings=8"},
	{.buffer = "buffer b bytes=64 fill=ring slot=16 rings=8",
		.reason = "smaller than a slot"},
	{.buffer = "buffer b bytes=64 fill=ring slot=8 rings=16",
		.reason = "multiples of 8"},
	{.buffer = "buffer b bytes=128 fill=ring slot=256",
		.reason = "smaller than a slot"},
	{.buffer = "buffer b bytes=16GiB fill=ring slot=8"},
	{.buffer = "buffer b bytes=32GiB fill=ring slot=8",
		.reason = "more than 2^31 slots"},
	{.buffer = "buffer b bytes=4GiB fill=ring slot=64 element=4"},
	{.buffer = "buffer b bytes=8GiB fill=ring slot=64 element=4",
		.reason = "larger than elements of 4 bytes can span"},

	{.action = "granularity 32"},
	{.action = "granularity 64"},
	{.action = "granularity 128"},
	{.action = "granularity 256", .reason = "32, 64 or 128"},
	{.action = "carveout 0"},
	{.action = "window buf bytes=1MiB ratio=1 hit=persisting"},
	{.action = "window buf base=128 bytes=1MiB ratio=1",
		.reason = "'window' leaves its buffer"},
	{.action = "window buf bytes=128 ratio=1.5", .reason = "ratio"},
	{.action = "window buf bytes=128 ratio=-0.5", .reason = "ratio"},
	{.action = "window buf bytes=128 ratio=0 miss=streaming"},
	{.action = "window buf bytes=128 ratio=0 miss=persisting",
		.reason = "miss=normal or miss=streaming"},
	{.action = "window none"},
	{.buffer = "buffer b bytes=128 memory=peer",
		.action = "copy buf b bytes=128"},
	{.buffer = "buffer b bytes=128",
		.action = "copy b b bytes=128",
		.reason = "from a buffer to itself"},
	{.buffer = "buffer b bytes=128",
		.action = "copy buf b bytes=129",
		.reason = "as many as both of its buffers have"},
	{.buffer = "buffer b bytes=128",
		.action = "copy b buf bytes=0",
		.reason = "1 byte or more"},
	{.buffer = "buffer b bytes=128 memory=peer",
		.action = "window b bytes=128 ratio=1",
		.reason = "'window' is over far memory, of which the GPU's L2 "
			  "keeps no lines"},
	{.buffer = "buffer b bytes=128 memory=host",
		.action = "window b bytes=128 ratio=1",
		.reason = "far memory"},

	{.launch = "launch a\nrole r threads=1024 lanes=32\nbarrier"},
	{.launch = "launch a\nrole r threads=1025\nbarrier",
		.reason = "role 'r' takes 1 to 1024 threads"},
	{.launch = "launch a\nrole r threads=0 lanes=1\nbarrier",
		.reason = "1 to 1024 threads"},
	{.launch = "launch a\nrole r lanes=33\nbarrier", .reason = "lanes"},
	{.launch = "launch a\nrole r lanes=0\nbarrier", .reason = "lanes"},
	{.launch = "launch a\nrole r threads=8\nbarrier", .reason = "lanes"},
	{.launch = "launch a\nrole r threads=8 lanes=8\nbarrier"},
	{.launch = "launch a\nrole r blocks=0\nbarrier",
		.reason = "has no blocks"},
	{.launch = "launch a\nrole r", .reason = "has no instructions"},
	{.launch = "launch a", .reason = "needs a role"},
	{.launch = "flush", .reason = "has no launch"},
	{.launch = "launch a\nrole r background\nbarrier",
		.reason = "needs a role that is not background"},
	{.launch = "launch a turns\nrole r sms=all\nbarrier"},
	{.launch = "launch a turns\nrole r sms=0:1\nbarrier\n"
		   "role s sms=1:1\nbarrier",
		.reason = "takes turns, so it has a single role"},
	{.launch = "launch a\nrole r\nbarrier\nlaunch a\nrole r\nbarrier",
		.reason = "launch 'a' stands twice"},
	{.launch = "launch a\nrole r\nbarrier\nlaunch b\nrole r\nbarrier"},
	{.launch = "launch a\nrole r\nbarrier\nrole r\nbarrier",
		.reason = "two roles 'r'"},
	{.launch = "launch a\nrole r\nend", .reason = "without a 'repeat'"},
	{.launch = "launch a\nrole r\nrepeat 2", .reason = "without an 'end'"},
	{.launch = "launch a\nrole r\nrepeat 2\nrole s\nend",
		.reason = "without an 'end'"},
	{.launch = "launch a\nrole r\nrepeat 1\nrepeat 1\nrepeat 1\nend\nend\n"
		   "end"},
	{.launch = "launch a\nrole r\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\n"
		   "end\nend\nend\nend",
		.reason = "nests more than 3 repeats"},
	{.launch = "launch a\nrole r sms=0:2\nbarrier\n"
		   "role s sms=2:2\nbarrier\nrole t sms=others\nbarrier"},
	{.launch = "launch a\nrole r sms=0:3\nbarrier\nrole s sms=2:2\nbarrier",
		.reason = "role 's' names SM 2, which is already taken"},
	{.launch = "launch a\nrole r sms=0:3:2\nbarrier\n"
		   "role s sms=1:3:2\nbarrier"},
	{.launch = "launch a\nrole r sms=0:2:0\nbarrier",
		.reason = "names SM 0"},
	{.launch = "launch a\nrole r sms=0:70000\nbarrier",
		.reason = "beyond 65535"},
	{.launch = "launch a\nrole r sms=4294967295:4294967295\nbarrier",
		.reason = "beyond 65535"},
	{.launch = "launch a\nrole r sms=all\nbarrier\nrole s sms=0:1\nbarrier",
		.reason = "sms=all beside another"},
	{.launch = "launch a\nrole r sms=all\nbarrier\n"
		   "role s sms=others\nbarrier",
		.reason = "sms=all beside another"},
	{.launch = "launch a\nrole r sms=others\nbarrier\n"
		   "role s sms=others\nbarrier",
		.reason = "more than one role with sms=others"},
	{.launch = "launch a\nrole r\nrepeat 1 time=region region=x\nend\n"
		   "repeat 1 time=region region=x\nend",
		.reason = "region 'x' stands twice"},
	{.launch = "launch a\nrole r\nrepeat 1 time=region\nend",
		.reason = "'' is no name for a region"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

Test(legality_steps, wrong_statements_are_refused_with_their_reason)
{
	char text[4096];
	struct program p;
	struct error e;
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		int status;

		snprintf(text, sizeof(text),
			"nearfar-program 1\nname test\n"
			"buffer buf bytes=1MiB\n%s\n%s\n%s\n",
			row->buffer ? row->buffer : "",
			row->action ? row->action : "",
			row->launch ? row->launch
				    : "launch a\nrole r\nbarrier");
		e.text[0] = '\0';
		cr_assert_eq(program_parse(text, "test", &p, &e), 0, "%s: %s",
			text, e.text);
		status = program_check(&p, &e);
		cr_expect_eq(status, row->reason ? ERR_USAGE : 0, "%s: %s",
			text, e.text);
		if (row->reason)
			cr_expect(strstr(e.text, row->reason), "%s: %s", text,
				e.text);
	}
}

Test(legality_steps, more_regions_than_fit_are_refused)
{
	struct program p;
	struct error e;
	char name[16];
	int i;

	program_init(&p, "test", 1);
	program_launch(&p, "a");
	program_role(&p, "r");
	for (i = 0; i <= PROGRAM_REGIONS_MAX; i++) {
		cr_expect_eq(i ? program_check(&p, &e) : 0, 0, "%s", e.text);
		snprintf(name, sizeof(name), "r%d", i);
		program_timed(&p, 1, TIMING_REGION, name);
		program_end(&p);
	}
	cr_expect_eq(program_check(&p, &e), ERR_USAGE);
	cr_expect(strstr(e.text, "times more than 12 regions"), "%s", e.text);
}
