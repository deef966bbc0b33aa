#include <criterion/criterion.h>
#include <string.h>

#include "harness/exchange/import_known.h"

TestSuite(import_known, .timeout = 60);

/* A text in the shape of a tool's own, and a word of the answer; NULL where
   the text is left to the importers. */
static const struct {
	const char *text, *word;
} rows[] = {
	{"{\"schema\": \"nearfar-series/1\", \"series\": []}", "show"},
	{"{\"schema\": \"nearfar-fingerprint/1\"}", "nearfar's"},
	{"nearfar-program 1\nname p\n", "--program"},
	{"nearfar-kernel 1\nmodule k.ptx\n", "--kernel"},
	{"{\"nvbandwidth\" : {\"testcases\": []}}", "nvbandwidth's JSON"},
	{"nvbandwidth Version: v0.8\n", "nvbandwidth's output"},
	{"{\"results\": [{\"command\": \"ls\", \"times\": [1]}]}", "hyperfine"},
	{"{\"context\": {\"library_build_type\": \"release\"},\n"
	 "\"benchmarks\": []}",
		"google-benchmark"},
	{"{\"context\":{\"date\":\"x\"},\"benchmarks\":[]}",
		"google-benchmark's JSON"},
	{"name,iterations,real_time,cpu_time,time_unit\n",
		"google-benchmark's CSV"},
	{"command,mean,stddev,median,user,system,min,max\n", "hyperfine"},
	{"{\"general\": {\"vendor\": \"AMD\"}, \"memory\": {}}", "AMD"},
	{"{\"general\":{\"vendor\":\"AMD\"},\"memory\":{}}", "AMD"},
	{"\"ID\",\"Process ID\",\"Kernel Name\"\n", "Nsight"},
	{"==PROF== Connected to process 1\n", "ncu"},
	{"-kernel name = k\n-kernel id = 1\n", "one kernel's trace"},
	{"MemcpyHtoD,0x1000,32\nkernel-1.traceg\n", "list of traces"},
	{"kernel-1.traceg\n", "list of traces"},
	{"blockSize   threads  %occ  |  init\n 32 64 3 % |  GB/s: 1\n",
		"gpu-stream"},
	{"clock: 2490 2490\n     data set   exec time  spread  Eff. bw\n",
		"gpu-cache"},
	{"  data set  exec time  spread  Eff. bw  DRAM read  DRAM write\n",
		"gpu-cache"},
	/* beside them, what is read */
	{"  data set  exec time  spread  Eff. bw\n  512 kB  512 kB\n", NULL},
	{"clock: 1755 1755\n  1000000  1755  1  19.5  34.2\n", NULL},
	{"{\"general\": {\"vendor\": \"NVIDIA\"}, \"memory\": {}}", NULL},
	{"{\"results\": []}", NULL},
	{"", NULL},
};

Test(import_known, is_named)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct import_file file = {
			"f", rows[i].text, strlen(rows[i].text), NULL};
		const char *what = import_known(&file);

		if (rows[i].word)
			cr_expect(what && strstr(what, rows[i].word), "%s: %s",
				rows[i].text, what ? what : "nothing");
		else
			cr_expect_null(what, "%s: %s", rows[i].text, what);
	}
}

/* Any JSON is not mt4g's. */
Test(import_known, json_of_nobody)
{
	static const char text[] = "{\"memory\": 1}";
	const struct import_file file = {"f", text, strlen(text), NULL};
	size_t i;

	for (i = 0; importers[i]; i++)
		cr_expect_not(
			importers[i]->detect(&file), "%s", importers[i]->name);
}
