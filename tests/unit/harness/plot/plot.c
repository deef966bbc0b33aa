#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/plot/plot.h"
#include "harness/chart/scale.h"
#include "harness/base/progress.h"
#include "tests/unit/series_fixture.h"
#include "harness/figure/draw.h"

TestSuite(plot, .timeout = 30);

static double x[] = {4096, 16384, 65536, 262144, 1048576};
static double fast[] = {30, 30, 270, 270, 270};
static double slow[] = {270, 270, 270, 270, 700};

static char name_ca[] = "ld.ca", name_cg[] = "ld.cg";
static char title[] = "chase", x_name[] = "footprint_bytes";
static char y_name[] = "latency_cycles";
static struct chart_line lines[] = {
	{.name = name_ca, .x = x, .y = fast, .count = 5},
	{.name = name_cg, .x = x, .y = slow, .count = 5}};
static const struct chart two_curves = {.title = title,
	.x_name = x_name,
	.y_name = y_name,
	.x_is_bytes = true,
	.lines = lines,
	.line_count = 2};
static const struct plot narrow = {.width = 46, .height = 13};

static char *draw(const struct plot *plot, const struct chart *chart)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct error error;

	cr_assert_eq(0, plot_put(plot, chart, out, &error));
	fclose(out);
	return text;
}

Test(plot, ascii_golden)
{
	static const char expected[] =
		"chase\n"
		"     latency_cycles\n"
		"1000 +\n"
		"     |\n"
		"     |                                      .o\n"
		"     |                                    ..\n"
		" 500 +                                 ...\n"
		"     |                               ..\n"
		"     |o.........o.........o........o.........*\n"
		"     |             .....\n"
		"   0 +*.........*..\n"
		"     ++--------------+-------------+----------\n"
		"    4KiB           32KiB        256KiB\n"
		"      footprint_bytes (log2)\n"
		"      * ld.ca\n"
		"      o ld.cg\n";
	char *text = draw(&narrow, &two_curves);

	cr_expect_str_eq(text, expected);
	free(text);
}

static size_t widest(const char *text)
{
	size_t most = 0, width = 0;

	for (; *text; text++) {
		if (*text == '\n')
			width = 0;
		else if (((unsigned char)*text & 0xc0) != 0x80)
			width++;
		most = width > most ? width : most;
	}
	return most;
}

/* The step of ticks on 0 .. `most` where so many fit. */
static double step_of(double most, size_t room)
{
	double ends[] = {0, most};
	struct chart_line line = {.x = ends, .y = ends, .count = 2};
	const struct chart chart = {.lines = &line, .line_count = 1};
	struct chart_scale scale;

	chart_scale_x(&chart, room, &scale);
	cr_assert_gt(scale.tick_count, 1);
	return scale.ticks[1] - scale.ticks[0];
}

/* A step that fits exactly is taken. */
Test(plot, steps_are_1_2_or_5)
{
	cr_expect_eq(step_of(10, 10), 1);
	cr_expect_eq(step_of(11, 10), 2);
	cr_expect_eq(step_of(10, 5), 2);
	cr_expect_eq(step_of(11, 5), 5);
	cr_expect_eq(step_of(10, 2), 5);
	cr_expect_eq(step_of(11, 2), 10);
}

/* What differs by less looks flat. */
Test(plot, an_axis_spans_a_twentieth_of_its_values)
{
	double places[] = {1, 2, 3}, values[] = {1000, 1000.5, 1001};
	struct chart_line line = {.x = places, .y = values, .count = 3};
	const struct chart chart = {.lines = &line, .line_count = 1};
	struct chart_scale scale;

	chart_scale_y(&chart, 5, &scale);
	cr_expect_geq(scale.high - scale.low, 0.05 * 1001);
	cr_expect_leq(scale.low, 976);
	cr_expect_geq(scale.high, 1025);
	values[1] = 1200;
	chart_scale_y(&chart, 5, &scale);
	cr_expect_eq(scale.low, 1000);
	cr_expect_eq(scale.high, 1200);
}

Test(plot, fits_its_width_in_every_style)
{
	struct chart chart = two_curves;
	struct plot plot = narrow;
	unsigned style;

	for (style = 0; style < 4; style++) {
		plot.unicode = style & 1;
		chart.line_count = style & 2 ? 1 : 2;
		for (plot.width = 32; plot.width < 200; plot.width += 7) {
			char *text = draw(&plot, &chart);

			cr_expect_leq(widest(text), plot.width, "%s", text);
			cr_expect(!strchr(text, '\033'));
			free(text);
		}
	}
}

Test(plot, color_and_braille)
{
	struct plot plot = narrow;
	char *text;

	plot.unicode = plot.color = true;
	text = draw(&plot, &two_curves);
	cr_expect(strstr(text, "\033[36m") && strstr(text, "\033[33m"));
	cr_expect(strstr(text, "\xe2\xa0") || strstr(text, "\xe2\xa1"));
	free(text);
}

Test(plot, awkward_values)
{
	static double values[][3] = {{0, 0, 0}, {5, 5, 5}, {-3, 0, 3},
		{1e-12, 2e-12, 3e-12}, {1e300, 2e300, 3e300}, {1, 1e6, 1e12}};
	const struct plot plot = {.width = 60, .height = 12};
	size_t i, k, count;

	for (i = 0; i < 6; i++) {
		for (k = 0; k < 6; k++) {
			for (count = 0; count <= 3; count++) {
				struct chart_line line = {.name = title,
					.x = values[i],
					.y = values[k],
					.count = count};
				struct chart chart = two_curves;
				char *text;

				chart.lines = &line;
				chart.line_count = 1;
				chart.x_is_bytes = k & 1;
				text = draw(&plot, &chart);
				cr_expect_eq(count == 0, *text == '\0');
				cr_expect_leq(widest(text), 60, "%s", text);
				free(text);
			}
		}
	}
}

Test(plot, fit_honours_the_environment)
{
	struct plot plot = {0};

	setenv("COLUMNS", "123", 1);
	setenv("LC_ALL", "C", 1);
	setenv("NO_COLOR", "1", 1);
	plot_fit(&plot, stdout);
	cr_expect_eq(plot.width, 123);
	cr_expect(!plot.unicode);
	cr_expect(!plot.color);
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("COLUMNS", "x", 1);
	plot_fit(&plot, stdout);
	cr_expect(plot.unicode);
	cr_expect_geq(plot.width, 32);
}

Test(plot, show_names_what_differs)
{
	struct series_list list = {0};
	struct series *series;
	struct error error;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	setenv("LC_ALL", "C", 1);
	series = fixture_curve(&list, "chase", x, fast, 5);
	facts_add(&series->options, "op", "ld.ca");
	facts_add(&series->options, "slot", "128");
	facts_add(&series->provenance, "backend", "sim");
	series = fixture_curve(&list, "chase", x, slow, 5);
	facts_add(&series->options, "op", "ld.cg");
	facts_add(&series->options, "slot", "128");
	facts_add(&series->provenance, "backend", "cuda");
	cr_expect_eq(0, draw_in_terminal(&list, out, &error));
	fclose(out);
	cr_expect(strstr(text, "* op=ld.ca, sim\n"), "%s", text);
	cr_expect(strstr(text, "o op=ld.cg, cuda\n"), "%s", text);
	free(text);
	series_list_free(&list);
}

Test(plot, progress_line)
{
	struct progress progress = {
		.label = "pointer-chase", .total = 40, .done = 10};
	char text[160];

	progress_line(&progress, 5, text, sizeof(text));
	cr_expect_str_eq(text,
		"pointer-chase [======                  ] 10/40, 2/s, "
		"15 s left");
	progress.parts = 528;
	progress.parts_done = 12;
	progress.parts_name = "blocks";
	progress_line(&progress, 5, text, sizeof(text));
	cr_expect(strstr(text, "] 10/40, blocks 12/528, "), "%s", text);
	progress.done = 40;
	progress_line(&progress, 150, text, sizeof(text));
	cr_expect_str_eq(text,
		"pointer-chase [========================] 40/40, 0.267/s, "
		"2:30 min in all");
}
