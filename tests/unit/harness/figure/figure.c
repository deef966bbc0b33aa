#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/figure/draw.h"
#include "harness/figure/script.h"
#include "tests/unit/series_fixture.h"

TestSuite(figure, .timeout = 60);

/* What a writer says; the caller frees it. */
static char *script_of(const struct charts *figure)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	script_put(figure, figure_format_of("x.svg"), out);
	fclose(out);
	return text;
}

static char *drawn(const struct charts *figure, const char *path, size_t *bytes)
{
	struct error error = {""};
	char *text = NULL;
	FILE *out = open_memstream(&text, bytes);

	cr_assert_eq(figure_write(figure, figure_format_of(path), out, &error),
		0, "%s", error.text);
	fclose(out);
	return text;
}

static void add_curve(struct charts *figure, const char *words)
{
	struct chart *panel =
		charts_add(figure, CHART_CURVES, words, words, words);
	struct chart_line *line = chart_add_line(panel, words, 3, true);
	size_t i;

	for (i = 0; i < 3; i++) {
		line->x[i] = (double)(4096 << i);
		line->y[i] = 30 + (double)i;
		line->low[i] = line->y[i] - 1;
		line->high[i] = line->y[i] + 1;
	}
	panel->x_is_bytes = true;
	chart_add_mark(panel, 8192, 1, "%s", words);
}

/* A comparison has no errors where the base is zero: no panel without scales.
 */
Test(figure, a_panel_without_points_is_not_drawn)
{
	struct charts figure = {0};
	char *alone, *both, *svg;
	size_t bytes;

	add_curve(&figure, "curve");
	alone = script_of(&figure);
	chart_add_line(
		draw_errors(&figure, "footprint_bytes"), "none", 0, false);
	both = script_of(&figure);
	svg = drawn(&figure, "x.svg", &bytes);
	cr_assert_str_eq(both, alone);
	cr_assert_null(strstr(both, "inf"));
	free(svg);
	free(both);
	free(alone);
	charts_free(&figure);
}

Test(figure, endings_choose_the_form)
{
	cr_assert_str_eq(figure_format_of("a/b.svg")->ending, "svg");
	cr_assert_str_eq(figure_format_of("b.pdf")->terminal, "pdfcairo");
	cr_assert_str_eq(figure_format_of("b.svg.gz")->ending, "svg");
	cr_assert_null(figure_format_of("b.csv"));
	cr_assert_null(figure_format_of("svg"));
	cr_assert_null(figure_format_of(".svg"));
	cr_assert_null(figure_format_of(NULL));
}

Test(figure, every_form_is_drawn_and_twice_the_same)
{
	static const struct {
		const char *path, *begin;
	} forms[] = {
		{"x.svg", "<?xml"}, {"x.pdf", "%PDF"}, {"x.png", "\x89PNG"}};
	struct charts figure = {0};
	size_t i;

	add_curve(&figure, "a chase");
	for (i = 0; i < 3; i++) {
		size_t one_bytes, two_bytes;
		char *one = drawn(&figure, forms[i].path, &one_bytes), *two;

		if (i == 1)
			sleep(1); /* a PDF has a date */
		two = drawn(&figure, forms[i].path, &two_bytes);
		cr_assert(!strncmp(one, forms[i].begin, 4));
		cr_assert_eq(one_bytes, two_bytes);
		cr_assert_arr_eq(one, two, one_bytes, "%s", forms[i].path);
		free(one);
		free(two);
	}
	charts_free(&figure);
}

Test(figure, words_run_nothing)
{
	char *path = fixture_path("ran"), *bad, *script, *svg;
	struct charts figure = {0};
	size_t bytes;

	cr_assert_gt(asprintf(&bad,
			     "a'; system 'touch %s'; set output 'x'\n"
			     "!touch %s\nEOD\n`touch %s` $(touch %s) \"<b>\\n",
			     path, path, path, path),
		0);
	add_curve(&figure, bad);
	script = script_of(&figure);
	cr_assert_null(strstr(script, "\n!touch"));
	cr_assert_null(strstr(script, "'a'; "));
	cr_assert(strstr(script, "'a''; system ''touch"));
	svg = drawn(&figure, "x.svg", &bytes);
	cr_assert_neq(access(path, F_OK), 0);
	cr_assert(strstr(svg, "&lt;b>"));
	free(svg);
	free(script);
	free(bad);
	charts_free(&figure);
	fixture_remove(path);
}

/* A map of few SMs has no ticks between two of them. */
Test(figure, rows_and_columns_are_counted_whole)
{
	struct charts figure = {0};
	struct chart *panel =
		charts_add(&figure, CHART_GRID, "map", "lines", "SMs");
	char *text;

	panel->rows = 4;
	panel->columns = 32;
	panel->cells = calloc(4 * 32, sizeof(*panel->cells));
	text = script_of(&figure);
	cr_expect(strstr(text, "set xtics norotate autofreq\n"), "%s", text);
	cr_expect(strstr(text, "set ytics norotate 1\n"), "%s", text);
	free(text);
	charts_free(&figure);
}

Test(figure, nothing_to_draw_is_refused)
{
	struct charts figure = {0};
	struct error error = {""};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	cr_assert_eq(
		figure_write(&figure, figure_format_of("x.svg"), out, &error),
		ERR_FAILED);
	cr_assert_str_eq(error.text, "there is nothing to draw");
	add_curve(&figure, "a");
	cr_assert_eq(setenv("PATH", "/nowhere", 1), 0);
	cr_assert_eq(
		figure_write(&figure, figure_format_of("x.svg"), out, &error),
		ERR_FAILED);
	cr_assert(strstr(error.text, "gnuplot-nox"));
	fclose(out);
	free(text);
	charts_free(&figure);
}

Test(figure, series_become_lines_and_comparisons_errors)
{
	const double x[] = {1024, 2048, 4096}, y[] = {30, 31, 300};
	const double z[] = {30, 32, 310};
	struct series_list list = {0}, base = {0}, new = {0};
	struct comparison_list compared;
	struct charts figure = {0};
	struct error error = {""};

	facts_add(&fixture_curve(&list, "chase", x, y, 3)->options, "op", "a");
	facts_add(&fixture_curve(&list, "chase", x, z, 3)->options, "op", "b");
	cr_assert_eq(draw_series(&list, &figure, &error), 0);
	cr_assert_eq(figure.count, 1);
	cr_assert_eq(figure.items->line_count, 2);
	cr_assert_str_eq(figure.items->lines[1].name, "op=b");
	cr_assert_eq(figure.items->lines[1].y[2], 310);
	charts_free(&figure);

	fixture_curve(&base, "chase", x, y, 3);
	fixture_curve(&new, "chase", x, z, 3);
	cr_assert_eq(
		comparison_list_make(&base, &new, -1, &compared, &error), 0);
	cr_assert_eq(draw_comparisons(&compared, &figure, &error), 0);
	cr_assert_eq(figure.count, 2);
	cr_assert_float_eq(figure.items[1].lines->y[2], 100.0 * 10 / 300, 1e-9);
	charts_free(&figure);
	comparison_list_free(&compared);
	series_list_free(&list);
	series_list_free(&base);
	series_list_free(&new);
}

Test(figure, samples_become_bars_with_marks)
{
	static double cycles[1000];
	struct sample_set set = {.cycles = cycles, .count = 1000, .x = 8192};
	struct charts figure = {0};
	struct error error = {""};
	struct modes modes;
	double sum = 0;
	size_t i;

	for (i = 0; i < 1000; i++)
		cycles[i] = (i % 2 ? 280 : 480) + (double)(i % 20);
	cr_assert_eq(modes_find(cycles, 1000, 1, &modes, &error), 0);
	cr_assert_eq(draw_modes(&set, &modes, &figure, &error), 0);
	cr_assert_eq(figure.items->mark_count, modes.count);
	for (i = 0; i < figure.items->lines->count; i++)
		sum += figure.items->lines->y[i];
	cr_assert_float_eq(sum, 100, 1);
	charts_free(&figure);
}
