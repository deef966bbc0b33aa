#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/plot/plot_cells.h"

TestSuite(plot_cells, .timeout = 60);

static const struct plot window = {.width = 40, .height = 20};

static char *histogram_of(const double *values, size_t count,
	const struct plot_mark *marks, size_t mark_count)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	cr_assert_eq(plot_put_histogram(&window, "latency_cycles", values,
			     count, marks, mark_count, out, NULL),
		0);
	fclose(out);
	return text;
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	while (*text) {
		const size_t length = strcspn(text, "\n");

		longest = length > longest ? length : longest;
		text += length + (text[length] == '\n');
	}
	return longest;
}

Test(plot_cells, a_histogram_fits_the_window_and_marks_its_modes)
{
	const struct plot_mark marks[] = {{285, "285.0"}, {485, "485.0"}};
	static double values[2000];
	char *text;
	size_t i;

	for (i = 0; i < 2000; i++)
		values[i] = (i % 2 ? 280 : 480) + (double)(i % 11);
	text = histogram_of(values, 2000, marks, 2);
	cr_assert_leq(longest_line(text), 40 + 8, "%s", text);
	cr_assert(strstr(text, "^ 285.0"));
	cr_assert(strstr(text, "^ 485.0"));
	cr_assert(strchr(text, '#'));
	cr_assert(strstr(text, "percent of the samples, by latency_cycles"));
	free(text);
	text = histogram_of(values, 0, NULL, 0);
	cr_assert_str_eq(text, "");
	free(text);
}

Test(plot_cells, a_matrix_is_shown_in_its_order)
{
	const double cells[] = {9, 1, 1, 9};
	const size_t turned[] = {1, 0};
	struct plot_matrix matrix = {cells, 2, 2, NULL, NULL, "SMs", "lines"};
	char *text = NULL;
	size_t bytes, i;

	for (i = 0; i < 2; i++) {
		FILE *out = open_memstream(&text, &bytes);

		matrix.row_order = i ? turned : NULL;
		cr_assert_eq(plot_put_matrix(&window, &matrix, out, NULL), 0);
		fclose(out);
		cr_assert(strstr(text, i ? "\n   #\n  # \n" : "\n  # \n   #\n"),
			"%s", text);
		free(text);
	}
}

Test(plot_cells, a_matrix_without_cells_is_nothing)
{
	struct plot_matrix matrix = {NULL, 0, 2, NULL, NULL, "SMs", "lines"};
	char *text = NULL;
	size_t bytes, i;
	FILE *out = open_memstream(&text, &bytes);

	for (i = 0; i < 2; i++) {
		cr_assert_eq(plot_put_matrix(&window, &matrix, out, NULL), 0);
		matrix.rows = 2;
		matrix.columns = 0;
	}
	fclose(out);
	cr_assert_str_eq(text, "");
	free(text);
}
