/* What the servers of a launch did. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_servers, .timeout = 120);

static const struct job_server *server_of(
	const struct job_profile *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->server_count; i++)
		if (!strcmp(p->servers[i].name, name))
			return &p->servers[i];
	cr_assert_fail("server '%s' did nothing", name);
	return NULL;
}

/* The first of the servers, that is no room. */
static void is_busiest(const struct job_profile *p, const char *name)
{
	size_t i;

	cr_assert_str_eq(p->servers[0].name, name);
	cr_assert_geq(p->servers[0].busiest_cycles, 0.5 * p->server_cycles);
	for (i = 0; i < p->server_count; i++) {
		const struct job_server *s = &p->servers[i];

		cr_assert_gt(s->served, 0);
		cr_assert_leq(s->busiest_cycles, s->busy_cycles);
		cr_assert_leq(
			s->busiest_cycles, p->server_cycles, "%s", s->name);
		cr_assert_leq(s->busy_cycles, s->count * s->busiest_cycles);
		cr_assert_lt(s->busiest, s->count, "%s", s->name);
	}
}

/* All lanes of all warps, one word. */
#define HOT_WORD                                                               \
	HEAD ".reg .b32 %n;\nmov.u32 %n, 0;\nL:\n"                             \
	     "red.global.add.u32 [%d1], 1;\n"                                  \
	     "add.u32 %n, %n, 1;\nsetp.lt.u32 %p1, %n, 16;\n@%p1 bra "         \
	     "L;\n" TAIL

Test(kernel_servers, a_hot_word_has_its_atomic_unit_busiest)
{
	struct ran r;
	const struct job_profile *p = kernel_profile_of(
		NULL, &r, HOT_WORD, BUFFERS, "grid=8 block=128");
	const struct job_server *unit = server_of(p, "atomic_unit");

	is_busiest(p, "atomic_unit");
	/* of all units one alone */
	cr_assert_eq(unit->busiest_cycles, unit->busy_cycles);
	cr_assert_gt(unit->waited_cycles, 0);
	cr_assert_gt(unit->longest_line, 1);
	/* a request of each warp and round, and looks again when data come */
	cr_assert_geq(unit->served, 8 * 4 * 16);
	cr_assert_leq(unit->served, 8 * 4 * 16 + 4);
	kernel_end(&r);
}

#define WIDE_BUFFERS                                                           \
	"buffer a bytes=16MiB type=u32 fill=iota\n"                            \
	"buffer b bytes=16MiB type=u32\n"

#define STREAM                                                                 \
	HEAD "mul.wide.u32 %d2, %r3, 16;\nadd.s64 %d3, %d0, %d2;\n"            \
	     "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d3];\n"                 \
	     "add.u32 %r4, %r4, %r5;\nadd.u32 %r4, %r4, %r6;\n"                \
	     "add.u32 %r4, %r4, %r7;\nsetp.eq.u32 %p1, %r4, 77;\n"             \
	     "@%p1 st.global.u32 [%d4], %r4;\n" TAIL

/* What is carried takes the time that its ceiling says. */
Test(kernel_servers, a_stream_has_its_dram_bus_busiest)
{
	struct ran r;
	const struct job_profile *p = kernel_profile_of("dram_bytes_per_s=1e11",
		&r, STREAM, WIDE_BUFFERS, "grid=4096 block=256");
	const struct job_server *bus = server_of(p, "dram_bus");
	double sectors = kernel_counter(&r, "dram__sectors_read.sum") +
			 kernel_counter(&r, "dram__sectors_write.sum");

	is_busiest(p, "dram_bus");
	cr_assert_geq(bus->busy_cycles * bus->rate, 0.99 * sectors);
	cr_assert_leq(bus->busy_cycles * bus->rate, 1.03 * sectors);
	kernel_end(&r);
}

/* Each request that leaves an SM is served once by the ports on its way, and
   takes the time of one. */
Test(kernel_servers, busy_times_add_up_to_what_is_counted)
{
	struct ran r;
	const struct job_profile *p = kernel_profile_of(
		NULL, &r, STREAM, WIDE_BUFFERS, "grid=1024 block=256");
	const struct job_server *port = server_of(p, "gpc_port_out");
	const struct job_server *back = server_of(p, "gpc_port_in");
	const struct job_server *look = server_of(p, "slice_lookup");
	double requests = kernel_counter(&r, "nearfar__requests.sum");
	double replies =
		kernel_counter(&r, "l1tex__m_xbar2l1tex_read_sectors.sum");

	cr_assert_eq(port->served, requests);
	cr_assert_float_eq(port->busy_cycles * port->rate, requests, 1e-6);
	cr_assert_float_eq(
		look->busy_cycles * look->rate, (double)look->served, 1e-6);
	cr_assert_eq(back->served * 4, replies);
	kernel_end(&r);
}

Test(kernel_servers, without_a_profile_there_are_none)
{
	static const struct job_wishes none = {.max_cycles = 0};
	struct ran r;

	kernel_run(NULL, &r, HOT_WORD, BUFFERS, "grid=8 block=128", &none);
	cr_assert_eq(r.code, 0);
	cr_assert_null(r.result.launches[0].profile);
	kernel_end(&r);
}
