#include <math.h>
#include <string.h>

#include "harness/figure/script.h"

/* Even in lightness, and legible in grey. */
#define PALETTE                                                                \
	"set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', "         \
	"3 '#5ec962', 4 '#fde725')\n"
/* Pale, since words stand on it. */
#define PALETTE_WORDS                                                          \
	"set palette defined (0 '#ffffff', 1 '#d6e6f5', 2 '#9ecae1')\n"

#define LETTER 6

size_t script_longest(char *const *words, size_t count)
{
	size_t longest = 0, i;

	for (i = 0; i < count; i++)
		if (words[i] && strlen(words[i]) > longest)
			longest = strlen(words[i]);
	return longest;
}

static bool is_turned(const struct chart *panel)
{
	return script_longest(panel->column_names, panel->columns) >
	       script_longest(panel->texts, panel->rows * panel->columns) + 2;
}

double script_tilt(const struct chart *panel)
{
	return is_turned(panel)
		       ? LETTER * (double)script_longest(
					  panel->column_names, panel->columns)
		       : 0;
}

static void put_cells(const struct chart *panel, size_t number, FILE *out)
{
	size_t row, column;

	fprintf(out, "$grid%zu << EOD\n", number);
	for (row = 0; row < panel->rows; row++) {
		for (column = 0; column < panel->columns; column++) {
			const double cell =
				panel->cells[row * panel->columns + column];

			if (isfinite(cell))
				fprintf(out, "%s%.6g", column ? " " : "", cell);
			else
				fprintf(out, "%sNaN", column ? " " : "");
		}
		fputc('\n', out);
	}
	fputs("EOD\n", out);
}

static void put_names(
	const char *axis, char *const *names, size_t count, FILE *out)
{
	size_t i;

	fprintf(out, "set %stics (", axis);
	for (i = 0; i < count; i++) {
		fputs(i ? ", " : "", out);
		script_put_text(names[i] ? names[i] : "", out);
		fprintf(out, " %zu", i);
	}
	fputs(") scale 0\n", out);
}

/* Rows and columns are counted: there is none between two. */
static void put_steps(const char *axis, size_t count, FILE *out)
{
	fprintf(out, "set %stics norotate %s\n", axis,
		count < 10 ? "1" : "autofreq");
}

static void put_words(const struct chart *panel, FILE *out)
{
	size_t i;

	for (i = 0; i < panel->rows * panel->columns; i++) {
		if (!panel->texts[i])
			continue;
		fputs("set label ", out);
		script_put_text(panel->texts[i], out);
		fprintf(out, " at %zu, %zu center front noenhanced\n",
			i % panel->columns, i / panel->columns);
	}
}

void script_put_grid(const struct chart *panel, size_t number, FILE *out)
{
	put_cells(panel, number, out);
	fputs("unset lmargin\nunset rmargin\n", out);
	fprintf(out,
		"unset logscale x\nunset key\nset xrange [-0.5:%.1f]\n"
		"set yrange [%.1f:-0.5]\n%s",
		(double)panel->columns - 0.5, (double)panel->rows - 0.5,
		panel->texts ? PALETTE_WORDS : PALETTE);
	if (panel->texts) {
		fputs("unset colorbox\nunset grid\n", out);
		put_names("x", panel->column_names, panel->columns, out);
		fprintf(out, "set xtics %s\n",
			is_turned(panel) ? "rotate by 90 right" : "norotate");
		put_names("y", panel->row_names, panel->rows, out);
		put_words(panel, out);
	} else {
		fputs("set colorbox\n", out);
		put_steps("x", panel->columns, out);
		put_steps("y", panel->rows, out);
	}
	fprintf(out, "plot $grid%zu matrix using 1:2:3 with image %s notitle\n",
		number, panel->texts ? "pixels" : "");
}
