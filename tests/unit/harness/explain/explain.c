/* What binds: profiles that are made so that one thing does. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explain/explain.h"

TestSuite(explain, .timeout = 60);

enum { LOAD, ATOMIC, LINES };

static const char *const texts[LINES] = {
	"ld.global.nc.L2::128B.v2.u32 {%r1, %r2}, [%d1];",
	"@%p1 red.global.add.u32 [%d2], %r1;"};

/* A load of line 7, an atomic of line 9, and a server. */
static struct profile *add(struct profile_list *list)
{
	struct profile *p = profile_list_add(list);
	struct job_profile *where = calloc(1, sizeof(*where));
	size_t i;

	cr_assert(p && where);
	p->where = where;
	p->job = strdup("j");
	p->kernel = strdup("k");
	p->module = strdup("m.ptx");
	p->machine = strdup("h200-sxm, sm_count=66");
	p->cycles = 3000;
	p->texts = calloc(LINES + 1, sizeof(*p->texts));
	where->sources = calloc(1, sizeof(*where->sources));
	where->sources[where->source_count++] = strdup("k.cu");
	where->lines = calloc(LINES + 1, sizeof(*where->lines));
	where->line_count = LINES;
	for (i = 0; i < LINES; i++) {
		p->texts[i] = strdup(texts[i]);
		where->lines[i] = (struct job_line){.line = 20 + (uint32_t)i,
			.source = 1,
			.source_line = 7 + 2 * (uint32_t)i,
			.executions = 10,
			.lanes = 320,
			.requests = 20,
			.sectors = 80,
			.bytes = 2560};
	}
	where->servers = calloc(2, sizeof(*where->servers));
	where->servers[0] = (struct job_server){
		.name = "slice_lookup", .count = 1, .served = 1};
	where->servers[1] = (struct job_server){
		.name = "pipe_alu", .count = 1, .served = 1};
	where->server_count = 2;
	where->queues = calloc(2 * LINES, sizeof(*where->queues));
	where->warp_cycles = 1000;
	return p;
}

static void stand(struct job_profile *where, uint32_t line, uint32_t server,
	double suffered, double caused)
{
	where->queues[where->queue_count++] =
		(struct job_queue){line, server, suffered, caused};
}

static void make(struct explanation *e, struct profile_list *list)
{
	struct error error;

	cr_assert_eq(explain_make(e, list, NULL, false, &error), 0);
}

static void expect(const struct explanation *e, size_t index,
	const char *server, const char *place, double share)
{
	char text[64];

	cr_assert_lt(index, e->bind_count);
	explain_place(e, &e->binds[index], text, sizeof(text));
	cr_expect_str_eq(e->binds[index].server, server);
	cr_expect_str_eq(text, place);
	cr_expect_float_eq(e->binds[index].share, share, 1e-9);
}

/* Three quarters of the load's requests stand in line, behind the atomic's. */
Test(explain, a_wait_in_line_belongs_to_who_is_served)
{
	struct profile_list list = {0};
	struct job_profile *where = add(&list)->where;
	struct explanation e;

	where->lines[LOAD].wait_cycles[JOB_WAIT_DRAM] = 1000;
	where->lines[LOAD].took = (struct job_parts){20, 2000, 7500, 500};
	stand(where, LOAD, 0, 7500, 750);
	stand(where, ATOMIC, 0, 0, 6750);
	make(&e, &list);
	expect(&e, 0, "slice_lookup", "k.cu:9", 0.675);
	expect(&e, 1, "latency of dram", "k.cu:7", 0.25);
	expect(&e, 2, "slice_lookup", "k.cu:7", 0.075);
	cr_expect_eq(e.bind_count, 3);
	explain_free(&e);
}

Test(explain, a_pipe_takes_what_warps_wait_for_slots)
{
	struct profile_list list = {0};
	struct job_profile *where = add(&list)->where;
	struct explanation e;

	where->lines[LOAD].wait_cycles[JOB_WAIT_ISSUE] = 800;
	where->lines[LOAD].wait_cycles[JOB_WAIT_ARITHMETIC] = 200;
	stand(where, LOAD, 1, 600, 600);
	make(&e, &list);
	expect(&e, 0, "pipe_alu", "k.cu:7", 0.6);
	cr_expect_eq(e.bind_count, 3);
	explain_free(&e);
}

Test(explain, lanes_that_do_nothing_are_divergence)
{
	struct profile_list list = {0};
	struct job_profile *where = add(&list)->where;
	struct explanation e;

	where->lines[ATOMIC].lanes = 80;
	where->lines[ATOMIC].wait_cycles[JOB_WAIT_ISSUE] = 1000;
	make(&e, &list);
	expect(&e, 0, "divergence", "k.cu:9", 0.75);
	expect(&e, 1, "issue", "k.cu:9", 0.25);
	explain_free(&e);
}

static const struct {
	enum job_wait wait;
	const char *name;
} levels[] = {
	{JOB_WAIT_CODE, "instruction_fetch"},
	{JOB_WAIT_SHARED, "latency of shared_memory"},
	{JOB_WAIT_BARRIER, "barrier"},
	{JOB_WAIT_L1, "latency of l1"},
	{JOB_WAIT_NEAR, "latency of near_l2"},
	{JOB_WAIT_FAR, "latency of far_l2"},
	{JOB_WAIT_TLB, "tlb"},
	{JOB_WAIT_ATOMIC, "latency of atomic_unit"},
	{JOB_WAIT_WRITE, "latency of write"},
};

Test(explain, what_has_no_queue_is_named_too)
{
	size_t i;

	for (i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		struct profile_list list = {0};
		struct job_profile *where = add(&list)->where;
		struct explanation e;

		where->lines[LOAD].wait_cycles[levels[i].wait] = 1000;
		make(&e, &list);
		expect(&e, 0, levels[i].name, "k.cu:7", 1);
		explain_free(&e);
	}
}

/* One of two SMs is idle for nine tenths of the time. */
Test(explain, a_tail_is_of_the_time_of_sms)
{
	struct profile_list list = {0};
	struct job_profile *where = add(&list)->where;
	struct explanation e;

	where->lines[LOAD].wait_cycles[JOB_WAIT_L1] = 1000;
	where->occupancy = (struct job_occupancy){.sms = 3,
		.sms_used = 2,
		.cycles = 1000,
		.idle_cycles = 1950,
		.start_cycles = 50,
		.warps_per_sm = 64,
		.blocks = 2,
		.block_warps = 8,
		.blocks_per_sm = 8,
		.warp_cycles = 9600,
		.limits = {8, 16, 12, 32}};
	make(&e, &list);
	expect(&e, 1, "tail", "k.cu:7", 0.45);
	cr_expect_float_eq(explain_occupancy_most(&where->occupancy), 1, 1e-9);
	cr_expect_float_eq(explain_occupancy(&where->occupancy), 0.05, 1e-9);
	explain_free(&e);
}

/* Slots are empty for half of the time; in the other half warps wait for what
   would bring no block sooner. */
Test(explain, ends_of_blocks_bind_who_waits_meanwhile)
{
	struct profile_list list = {0};
	struct job_profile *where = add(&list)->where;
	struct explanation e;

	strcpy(where->servers[1].name, "block_ends");
	where->servers[1].busiest_cycles = 950;
	where->lines[LOAD].wait_cycles[JOB_WAIT_DRAM] = 800;
	where->lines[ATOMIC].wait_cycles[JOB_WAIT_ISSUE] = 200;
	where->occupancy = (struct job_occupancy){.sms = 1,
		.sms_used = 1,
		.cycles = 1000,
		.warps_per_sm = 64,
		.blocks = 100,
		.block_warps = 8,
		.blocks_per_sm = 8,
		.warp_cycles = 32000,
		.limits = {8, 16, 12, 32}};
	make(&e, &list);
	expect(&e, 0, "block_ends", "-", 0.8 + 0.5 * 0.95 * 0.2);
	expect(&e, 1, "issue", "k.cu:9", 0.2);
	explain_free(&e);
}

/* Who was first waits for the others as long as these stand in line. */
Test(explain, warps_that_come_together_wait_for_arrivals)
{
	struct profile_list list = {0};
	struct job_profile *where = add(&list)->where;
	struct explanation e;

	strcpy(where->servers[1].name, "barrier_arrivals");
	where->lines[LOAD].wait_cycles[JOB_WAIT_BARRIER] = 1000;
	stand(where, LOAD, 1, 300, 300);
	make(&e, &list);
	expect(&e, 0, "barrier_arrivals", "k.cu:7", 0.6);
	expect(&e, 1, "barrier", "k.cu:7", 0.4);
	explain_free(&e);
}

Test(explain, lines_of_code_come_with_what_stands_there)
{
	struct profile_list list = {0};
	struct job_profile *where = add(&list)->where;
	struct explanation e;
	struct job_line *rows;
	char place[64];
	size_t count;

	where->lines[ATOMIC].wait_cycles[JOB_WAIT_ATOMIC] = 1000;
	list.items[0].source_texts = calloc(LINES + 1, sizeof(char *));
	list.items[0].source_texts[ATOMIC] = strdup("add(to, x);");
	make(&e, &list);
	rows = explain_lines(&e, &count);
	cr_assert_eq(count, 2);
	explain_line_place(&e, &rows[0], place, sizeof(place));
	cr_expect_str_eq(place, "k.cu:9");
	cr_expect_str_eq(explain_line_text(&e, &rows[0]), "add(to, x);");
	cr_expect_str_eq(explain_line_text(&e, &rows[1]), "");
	free(rows);
	where = e.profiles.items[0].where;
	where->lines[LOAD].source = where->lines[ATOMIC].source = 0;
	rows = explain_lines(&e, &count);
	cr_assert_eq(count, 2);
	explain_line_place(&e, &rows[0], place, sizeof(place));
	cr_expect_str_eq(place, "m.ptx:21");
	cr_expect_str_eq(explain_line_text(&e, &rows[0]), texts[ATOMIC]);
	free(rows);
	explain_free(&e);
}

Test(explain, what_limits_an_sm_is_named)
{
	const struct job_occupancy grid = {.sms = 132,
		.blocks = 131,
		.blocks_per_sm = 1,
		.limits = {1, 2, 1, 32}};
	struct job_occupancy full = grid;
	char text[96];

	explain_limited(&grid, text);
	cr_expect_str_eq(text, "the grid");
	full.blocks = 132;
	explain_limited(&full, text);
	cr_expect_str_eq(text, "warps, shared_memory");
}

Test(explain, operators_are_those_of_ptx)
{
	struct profile_list list = {0};
	struct explanation e;

	add(&list);
	make(&e, &list);
	cr_assert_eq(e.operator_count, 2);
	cr_expect_str_eq(e.operators[0].name, "ld.global.nc.L2::128B");
	cr_expect_str_eq(e.operators[1].name, "red.global");
	explain_free(&e);
}

/* Of results/limits.tsv, which is the program's own. */
Test(explain, the_error_is_of_the_machine_and_the_kind)
{
	struct profile_list list = {0};
	struct explanation e;

	add(&list);
	make(&e, &list);
	cr_expect(e.error.known);
	cr_expect_gt(e.error.percent, 1);
	explain_free(&e);
	free(add(&list)->machine);
	list.items[0].machine = strdup("mine.yaml");
	make(&e, &list);
	cr_expect_not(e.error.known);
	cr_expect_gt(e.error.percent, 1);
	explain_free(&e);
}
