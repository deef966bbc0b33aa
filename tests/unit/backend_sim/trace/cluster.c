/* Clusters of a trace: blocks' places. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "backend_sim/trace/trace_kernel.h"

TestSuite(trace_cluster, .timeout = 10);

#define HEAD                                                                   \
	"-kernel name = k\n-grid dim = (4,1,1)\n-block dim = (32,1,1)\n"       \
	"-shmem = 0\n-nregs = 16\n-accelsim tracer version = 6\n"
#define BLOCK(number) "thread block = " number ",0,0\n"
#define PLACE(number) "cluster cta = " number ",0,0\n"
#define ALL(second)                                                            \
	HEAD BLOCK("0") PLACE("0") BLOCK("1") second BLOCK("2") BLOCK("3")     \
		PLACE("1")

static int make(const char *text, struct trace_kernel *k, struct error *e)
{
	struct trace_pages pages = {0};
	int code = trace_kernel_make(k, "t", text, &pages, e);

	trace_pages_free(&pages);
	return code;
}

Test(trace_cluster, places_say_how_large_it_is)
{
	static const char *const seconds[] = {"cluster cta = 1,0,0\n",
		" cluster  cta = 1,0,0\r\n",
		"cluster id = 0,0,0\n\tcluster cta = 1,0,0\ncluster rank = 1\n",
		"# cluster cta = 2,0,0\n", ""};
	struct error e = {""};
	struct trace_kernel k;
	size_t i;

	for (i = 0; i < sizeof(seconds) / sizeof(*seconds); i++) {
		char text[512];

		snprintf(text, sizeof(text), ALL("%s"), seconds[i]);
		cr_expect_eq(make(text, &k, &e), 0, "%s", e.text);
		cr_expect_eq(k.cluster[0], 2, "%s", seconds[i]);
		cr_expect_eq(trace_cluster_blocks(&k), 2);
		trace_kernel_free(&k);
	}
	/* Blanks before a place hide it from nobody. */
	cr_expect_eq(make(HEAD BLOCK("0") BLOCK("1") "  " PLACE("1") BLOCK("2")
				     BLOCK("3"),
			     &k, &e),
		0, "%s", e.text);
	cr_expect_eq(k.cluster[0], 2);
	trace_kernel_free(&k);
}

Test(trace_cluster, other_places_are_refused)
{
	static const struct {
		const char *text, *sentence;
	} rows[] = {
		{ALL("cluster cta = 4294967295,0,0\n"),
			"t:10:15: a block is too large"},
		{ALL("cluster cta = 0,4294967295,0\n"),
			"t:10:17: a block is too large"},
		{ALL("cluster cta = 2147483647,0,0\n"),
			"t:7:1: a cluster has at most 16 blocks, and the grid "
			"is a whole number of clusters"},
		{ALL("cluster cta = 1,0,x\n"), "t:10:19: expected a block"},
		{ALL("# no place\ncluster cta = 0,0,0\n"),
			"t:11:1: block 1,0,0 has another place in its cluster "
			"of 2,1,1 blocks"},
	};
	struct trace_kernel k;
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_expect_eq(make(rows[i].text, &k, &e), ERR_USAGE);
		cr_expect_str_eq(e.text, rows[i].sentence, "%s", e.text);
		trace_kernel_free(&k);
	}
}
