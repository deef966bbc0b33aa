#include <string.h>

#include "harness/exchange/import_known.h"

/* How much of a text is looked at: a heading and the first entries. */
#define LOOKED_AT_BYTES ((size_t)1 << 16)

#define MARKS_MOST 3

/* A text is of a format if it begins with `begins`, behind blanks, and has all
   of the marks. Rows are asked in order. */
struct known {
	const char *begins;
	const char *marks[MARKS_MOST];
	const char *what;
};

#define AMD_SAYS                                                               \
	"is mt4g's JSON of a GPU by AMD, whose levels no machine here has"

static const struct known known[] = {
	{"{", {"\"nearfar-series/"},
		"is a series already: show, compare and table read it"},
	{"{", {"\"nearfar-"},
		"is a file of nearfar's, but no measurement by another tool"},
	{"nearfar-program ", {NULL},
		"is an access program: 'nearfar run --program' runs it"},
	{"nearfar-kernel ", {NULL}, "is a job: 'nearfar run --kernel' runs it"},
	{"{", {"\"nvbandwidth\""},
		"is nvbandwidth's JSON, whose copies no bench here makes"},
	{"nvbandwidth Version", {NULL},
		"is nvbandwidth's output, whose copies no bench here makes"},
	{"{", {"\"results\"", "\"command\"", "\"times\""},
		"is hyperfine's JSON: times of whole commands, no memory's"},
	{"command,mean,stddev,", {NULL},
		"is hyperfine's CSV: times of whole commands, no memory's"},
	{"{", {"\"context\"", "\"benchmarks\""},
		"is google-benchmark's JSON: nearfar writes it (show -f "
		"gbench) and does not read it"},
	{"name,iterations,real_time,", {NULL},
		"is google-benchmark's CSV: nearfar writes its JSON (show -f "
		"gbench) and reads neither"},
	{"{", {"\"general\"", "\"vendor\":\"AMD\""}, AMD_SAYS},
	{"{", {"\"general\"", "\"vendor\": \"AMD\""}, AMD_SAYS},
	{"\"ID\"", {"\"Kernel Name\""},
		"is Nsight Compute's CSV: compare reads it beside a profile"},
	{"==PROF==", {NULL},
		"is what ncu prints: compare reads its CSV (ncu --csv --page "
		"raw) beside a profile"},
	{"-kernel name", {NULL},
		"is one kernel's trace by Accel-Sim's tracer: 'nearfar run "
		"--kernel' runs the kernelslist.g beside it"},
	{"kernel-", {".traceg"},
		"is Accel-Sim's list of traces: 'nearfar run --kernel' runs "
		"it"},
	{"Memcpy", {".traceg"},
		"is Accel-Sim's list of traces: 'nearfar run --kernel' runs "
		"it"},
	{"blockSize ", {"threads", "GB/s"},
		"is the output of gpu-benches' gpu-stream, which is not read"},
	{"clock:", {"data set", "Eff. bw"},
		"is the output of gpu-benches' gpu-cache, which is not read"},
	{"data set", {"exec time", "DRAM write"},
		"is the output of gpu-benches' gpu-cache, which is not read"},
};

static bool has(const struct import_file *file, const char *mark)
{
	const size_t most =
		file->bytes < LOOKED_AT_BYTES ? file->bytes : LOOKED_AT_BYTES;

	return memmem(file->text, most, mark, strlen(mark)) != NULL;
}

static bool is(const struct import_file *file, const struct known *k)
{
	const char *text = file->text + strspn(file->text, " \t\r\n");
	size_t i;

	if (strncmp(text, k->begins, strlen(k->begins)) != 0)
		return false;
	for (i = 0; i < MARKS_MOST && k->marks[i]; i++)
		if (!has(file, k->marks[i]))
			return false;
	return true;
}

const char *import_known(const struct import_file *file)
{
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (is(file, &known[i]))
			return known[i].what;
	return NULL;
}
