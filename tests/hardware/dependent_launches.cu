// Launches of one stream that need not wait for the end of the one before, and of
// two streams: when their blocks begin, when griddepcontrol.wait is over, and what
// is there by then. For results/probes/dependent_launches.tsv:
//
//   nvcc -std=c++17 -arch=sm_90 -O3 tests/hardware/dependent_launches.cu -o dependent && ./dependent
//
// A row for each launch of a case, in nanoseconds since the first block of the case:
// when its blocks begin, go on behind the wait and end, the first and the last of
// them; when the last one triggers; on how many SMs they are; and how many see what
// the launch before stores last, when they begin and behind the wait.
#include <algorithm>
#include <set>
#include <vector>
#include "call.cuh"
#include "cycles.cuh"
#define BLOCKS_MAX 2112
#define LAUNCHES   4
#define STREAMS    2
#define REPEATS    3
#define GATE_NS    300000
#define ALONE      200000 // of shared memory: one block an SM
#define STORED     7

// Who triggers: nobody, all, the first thread of each block, all blocks but the
// first.
enum { NOBODY, ALL, THREAD, OTHERS };

struct seen {
	u64 begin, go, triggered, end;
	unsigned sm, first, then;
};

struct launch {
	int stream;
	bool programmatic;
	int blocks, threads, shared, trigger;
	bool waits;
	// cycles to the trigger and to the end, and more of them a block
	unsigned trigger_at, end_at, step;
};

__global__ void __launch_bounds__(1024) work(struct launch l, struct seen *out,
	unsigned *stores, const unsigned *loads)
{
	unsigned begin = cycles(), id = blockIdx.x;
	struct seen s = {nanoseconds(), 0, 0, 0, sm_id(), 0, 0};
	bool triggers = l.trigger == ALL ||
			(l.trigger == THREAD && !threadIdx.x) ||
			(l.trigger == OTHERS && id);

	if (loads)
		s.first = *(volatile const unsigned *)loads;
	if (l.waits)
		asm volatile("griddepcontrol.wait;" ::: "memory");
	s.go = nanoseconds();
	if (loads)
		s.then = *(volatile const unsigned *)loads;
	while (cycles() - begin < l.trigger_at)
		;
	s.triggered = nanoseconds();
	if (triggers)
		asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
	while (cycles() - begin < l.end_at + l.step * id)
		;
	if (!threadIdx.x)
		*(volatile unsigned *)stores = STORED;
	s.end = nanoseconds();
	if (!threadIdx.x)
		out[id] = s;
}

__global__ void gate()
{
	u64 begin = nanoseconds();
	while (nanoseconds() - begin < GATE_NS)
		;
}

static struct seen *out[LAUNCHES];
static unsigned *stored;
static cudaStream_t streams[STREAMS], before;
static cudaEvent_t open_, joins;

static void enqueue(const std::vector<launch> &launches)
{
	for (size_t i = 0; i < launches.size(); i++) {
		const launch &l = launches[i];
		cudaLaunchConfig_t c = {};
		cudaLaunchAttribute a = {};

		c.gridDim = dim3(l.blocks);
		c.blockDim = dim3(l.threads);
		c.dynamicSmemBytes = l.shared;
		c.stream = streams[l.stream];
		a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
		a.val.programmaticStreamSerializationAllowed = 1;
		c.attrs = &a;
		c.numAttrs = l.programmatic;
		DO(cudaLaunchKernelEx(&c, work, l, out[i], stored + i,
			(const unsigned *)(i ? stored + i - 1 : NULL)));
	}
}

static void run_in_graph(const std::vector<launch> &launches)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	DO(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
	DO(cudaEventRecord(open_, streams[0]));
	DO(cudaStreamWaitEvent(streams[1], open_, 0));
	enqueue(launches);
	DO(cudaEventRecord(joins, streams[1]));
	DO(cudaStreamWaitEvent(streams[0], joins, 0));
	DO(cudaStreamEndCapture(streams[0], &graph));
	DO(cudaGraphInstantiate(&exec, graph, 0));
	DO(cudaGraphLaunch(exec, streams[0]));
	DO(cudaDeviceSynchronize());
	DO(cudaGraphExecDestroy(exec));
	DO(cudaGraphDestroy(graph));
}

// All stand in line behind a kernel before the first may begin.
static void run_in_line(const std::vector<launch> &launches)
{
	gate<<<1, 1, 0, before>>>();
	DO(cudaEventRecord(open_, before));
	for (int i = 0; i < STREAMS; i++)
		DO(cudaStreamWaitEvent(streams[i], open_, 0));
	enqueue(launches);
	DO(cudaDeviceSynchronize());
}

static void print(const char *name, bool graph,
	const std::vector<launch> &launches)
{
	std::vector<std::vector<seen>> all;
	u64 zero = ~0ull;

	for (size_t i = 0; i < launches.size(); i++) {
		std::vector<seen> s(launches[i].blocks);
		DO(cudaMemcpy(s.data(), out[i], s.size() * sizeof(seen),
			cudaMemcpyDeviceToHost));
		for (const seen &b : s)
			zero = std::min(zero, b.begin);
		all.push_back(s);
	}
	for (size_t i = 0; i < all.size(); i++) {
		const launch &l = launches[i];
		u64 begin[2] = {~0ull, 0}, go[2] = {~0ull, 0};
		u64 end[2] = {~0ull, 0}, last = 0;
		std::set<unsigned> sms;
		int first = 0, then = 0;

		for (const seen &b : all[i]) {
			begin[0] = std::min(begin[0], b.begin);
			begin[1] = std::max(begin[1], b.begin);
			go[0] = std::min(go[0], b.go);
			go[1] = std::max(go[1], b.go);
			end[0] = std::min(end[0], b.end);
			end[1] = std::max(end[1], b.end);
			last = std::max(last, b.triggered);
			sms.insert(b.sm);
			first += b.first == STORED;
			then += b.then == STORED;
		}
		static const char *const triggers[] = {
			"nobody", "all", "one thread", "all blocks but one"};
		printf("%s\t%s\t%zu\t%d\t%s\t%d\t%d\t%d\t%s\t%s\t%lld\t%lld\t"
		       "%lld\t%lld\t%lld\t%lld\t%lld\t%zu\t%d\t%d\n",
			name, graph ? "graph" : "streams", i, l.stream,
			l.programmatic ? "programmatic" : "end", l.blocks,
			l.threads, l.shared, triggers[l.trigger],
			l.waits ? "waits" : "-", begin[0] - zero,
			begin[1] - zero, go[0] - zero, go[1] - zero,
			l.trigger ? last - zero : 0, end[0] - zero,
			end[1] - zero, sms.size(), first, then);
	}
}

static void show(const char *name, const std::vector<launch> &launches)
{
	for (int graph = 0; graph < 2; graph++) {
		for (int i = 0; i < REPEATS; i++) {
			DO(cudaMemset(stored, 0, LAUNCHES * sizeof(*stored)));
			DO(cudaDeviceSynchronize());
			if (graph)
				run_in_graph(launches);
			else
				run_in_line(launches);
		}
		print(name, graph, launches);
	}
}

static void show_orders()
{
	const struct launch plain = {0, false, 132, 128, 0, ALL, false,
		2000, 40000, 0};
	const struct launch waits = {0, true, 132, 128, 0, NOBODY, true, 0,
		4000, 0};
	struct launch a = plain, b = waits, c;

	b.programmatic = false;
	show("a wait without the attribute", {a, b});
	b = waits;
	show("all trigger", {a, b});
	b.waits = false;
	show("nobody waits", {a, b});
	b.waits = true;
	a.trigger = NOBODY;
	show("nobody triggers", {a, b});
	a.trigger = THREAD;
	show("one thread of each block triggers", {a, b});
	a.trigger = OTHERS;
	show("one block does not trigger", {a, b});
	a = plain;
	a.blocks = 264;
	a.shared = ALONE;
	show("blocks that have not begun do not trigger", {a, b});
	a = plain;
	b.trigger = ALL;
	b.waits = false;
	c = waits;
	show("the second ends first, the third waits", {a, b, c});
	c.programmatic = c.waits = false;
	show("the second ends first, the third is plain", {a, b, c});
	b.end_at = c.end_at = 40000;
	c.programmatic = true;
	c.trigger = ALL;
	show("four at the same time", {a, b, c, c});
}

static void show_room()
{
	const struct launch first = {0, false, 132, 128, 0, ALL, false, 2000,
		40000, 200};
	const struct launch then = {0, true, 132, 128, 0, NOBODY, false, 0,
		4000, 0};
	struct launch a = first, b = then;

	b.shared = ALONE;
	show("no shared memory, then much", {a, b});
	a.shared = 16384;
	b.shared = 100000;
	show("some shared memory, then much", {a, b});
	a.shared = ALONE;
	b.shared = 16384;
	show("much shared memory, then some", {a, b});
	b.shared = ALONE;
	show("much shared memory, then much", {a, b});
	a = first;
	a.blocks = b.blocks = 66;
	show("half the SMs", {a, b});
	a.step = b.step = 0;
	a.blocks = b.blocks = 66;
	a.shared = b.shared = 0;
	b.end_at = a.end_at;
	b.programmatic = false;
	b.stream = 1;
	show("two streams, half the SMs each", {a, b});
	a.blocks = 264;
	a.shared = ALONE;
	a.step = 100;
	a.end_at = 20000;
	show("two streams, the first waits for room", {a, b});
}

static void show_times()
{
	static const int blocks[] = {1, 132, 1056};

	for (int n : blocks) {
		struct launch a = {0, false, n, 128, 0, NOBODY, false, 0,
			20000, 0};
		struct launch b = {0, false, n, 128, 0, NOBODY, false, 0, 4000,
			0};

		show("times: plain", {a, b});
		b.programmatic = b.waits = true;
		show("times: nobody triggers", {a, b});
		a.trigger = ALL;
		show("times: a trigger at the start", {a, b});
		a.trigger_at = 10000;
		show("times: a trigger in the middle", {a, b});
	}
}

int main()
{
	for (int i = 0; i < LAUNCHES; i++)
		DO(cudaMalloc(&out[i], BLOCKS_MAX * sizeof(struct seen)));
	DO(cudaMalloc(&stored, LAUNCHES * sizeof(*stored)));
	for (int i = 0; i < STREAMS; i++)
		DO(cudaStreamCreateWithFlags(
			&streams[i], cudaStreamNonBlocking));
	DO(cudaStreamCreateWithFlags(&before, cudaStreamNonBlocking));
	DO(cudaEventCreate(&open_));
	DO(cudaEventCreate(&joins));
	DO(cudaFuncSetAttribute(work,
		cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
	printf("case\tin\tlaunch\tstream\tafter\tblocks\tthreads\tshared bytes\t"
	       "triggers\twaits\tfirst begins\tlast begins\tfirst goes on\t"
	       "last goes on\tlast triggers\tfirst ends\tlast ends\tSMs\t"
	       "see it at first\tsee it then\n");
	show_orders();
	show_room();
	show_times();
	return 0;
}
