#include <stdlib.h>

#include "harness/base/error.h"
#include "harness/plot/plot_canvas.h"

#define MARKS       8
#define COLORS      6
#define LEGEND_DOTS 0x36 /* four in the middle */

static const char *const ascii_marks[MARKS] = {
	"*", "o", "x", "+", "#", "@", "%", "&"};
static const char *const marks[MARKS] = {
	"●", "○", "■", "□", "▲", "△", "◆", "◇"};
static const int colors[COLORS] = {36, 33, 35, 32, 34, 31};

int canvas_init(struct canvas *canvas, size_t columns, size_t rows,
	enum canvas_style style, bool color)
{
	struct canvas_cell *cells = calloc(columns * rows, sizeof(*cells));

	if (!cells)
		return ERR_FAILED;
	*canvas = (struct canvas){cells, columns, rows, style, color};
	return 0;
}

void canvas_free(struct canvas *canvas)
{
	free(canvas->cells);
	canvas->cells = NULL;
}

size_t canvas_dots_x(const struct canvas *canvas)
{
	return canvas->columns * (canvas->style == CANVAS_BRAILLE ? 2 : 1);
}

size_t canvas_dots_y(const struct canvas *canvas)
{
	return canvas->rows * (canvas->style == CANVAS_BRAILLE ? 4 : 1);
}

static struct canvas_cell *set_dot(struct canvas *canvas, size_t x, size_t y)
{
	static const uint8_t bits[4][2] = {
		{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
	const bool braille = canvas->style == CANVAS_BRAILLE;
	const size_t column = braille ? x / 2 : x, row = braille ? y / 4 : y;
	struct canvas_cell *cell =
		&canvas->cells[row * canvas->columns + column];

	cell->dots |= bits[y % 4][x % 2];
	return cell;
}

void canvas_point(struct canvas *canvas, size_t x, size_t y, size_t curve)
{
	struct canvas_cell *cell = set_dot(canvas, x, y);

	cell->point = true;
	cell->drawn = (uint8_t)(1 + curve % UINT8_MAX);
}

/* A line never covers a point of another curve. */
static void set_line_dot(
	struct canvas *canvas, size_t x, size_t y, size_t curve)
{
	struct canvas_cell *cell = set_dot(canvas, x, y);

	if (!cell->point)
		cell->drawn = (uint8_t)(1 + curve % UINT8_MAX);
}

/* Without its ends, which are points. */
void canvas_line(struct canvas *canvas, size_t from_x, size_t from_y,
	size_t to_x, size_t to_y, size_t curve)
{
	const long dx = (long)to_x - (long)from_x;
	const long dy = (long)to_y - (long)from_y;
	const long steps = labs(dx) > labs(dy) ? labs(dx) : labs(dy);
	const long half_x = dx < 0 ? -(steps / 2) : steps / 2;
	const long half_y = dy < 0 ? -(steps / 2) : steps / 2;
	long i;

	for (i = 1; i < steps; i++)
		set_line_dot(canvas,
			(size_t)((long)from_x + (dx * i + half_x) / steps),
			(size_t)((long)from_y + (dy * i + half_y) / steps),
			curve);
}

static void put_braille(unsigned bits, FILE *out)
{
	fputc(0xe2, out);
	fputc(0xa0 | (int)(bits >> 6), out);
	fputc(0x80 | (int)(bits & 0x3f), out);
}

/* `*color` is the terminal's current one; 0: none. */
static void set_color(
	const struct canvas *canvas, unsigned drawn, int *color, FILE *out)
{
	const int wanted =
		canvas->color && drawn ? colors[(drawn - 1) % COLORS] : 0;

	if (wanted != *color)
		fprintf(out, "\033[%dm", wanted);
	*color = wanted;
}

static void put_cell(
	const struct canvas *canvas, const struct canvas_cell *cell, FILE *out)
{
	const size_t curve = cell->drawn - 1u;

	if (!cell->drawn)
		fputc(' ', out);
	else if (canvas->style == CANVAS_BRAILLE)
		put_braille(cell->dots, out);
	else if (canvas->style == CANVAS_MARKS)
		fputs(cell->point ? marks[curve % MARKS] : "·", out);
	else
		fputs(cell->point ? ascii_marks[curve % MARKS] : ".", out);
}

void canvas_put_row(const struct canvas *canvas, size_t row, FILE *out)
{
	const struct canvas_cell *cells = &canvas->cells[row * canvas->columns];
	size_t end = canvas->columns, column;
	int color = 0;

	while (end && !cells[end - 1].drawn)
		end--;
	for (column = 0; column < end; column++) {
		set_color(canvas, cells[column].drawn, &color, out);
		put_cell(canvas, &cells[column], out);
	}
	set_color(canvas, 0, &color, out);
}

void canvas_put_mark(const struct canvas *canvas, size_t curve, FILE *out)
{
	const struct canvas_cell cell = {.dots = LEGEND_DOTS,
		.drawn = (uint8_t)(1 + curve % UINT8_MAX),
		.point = true};
	int color = 0;

	set_color(canvas, cell.drawn, &color, out);
	put_cell(canvas, &cell, out);
	set_color(canvas, 0, &color, out);
}
