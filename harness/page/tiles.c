#include <math.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/page/tiles.h"
#include "harness/visible/visible.h"

void tile_open(
	const char *title, const char *const *heads, size_t count, FILE *out)
{
	size_t i;

	fputs("<article class=\"tile\"><h3>", out);
	visible_put_html(out, title);
	fputs("</h3><table><thead><tr><td></td>", out);
	for (i = 0; i < count; i++) {
		fputs("<th scope=\"col\">", out);
		visible_put_html(out, heads[i]);
		fputs("</th>", out);
	}
	fputs("</tr></thead><tbody>\n", out);
}

void tile_close(FILE *out)
{
	fputs("</tbody></table></article>\n", out);
}

void tile_row(const char *name, FILE *out)
{
	fputs("<tr><th scope=\"row\">", out);
	visible_put_html(out, name);
	fputs("</th>", out);
}

void tile_row_end(FILE *out)
{
	fputs("</tr>\n", out);
}

void tile_text(const char *text, FILE *out)
{
	fputs("<td>", out);
	visible_put_html(out, text);
	fputs("</td>", out);
}

void tile_number(double value, FILE *out)
{
	char text[EMIT_NUMBER_BYTES];

	text_table_format(value, text);
	tile_text(isnan(value) ? "" : text, out);
}

void tile_interval(double value, double low, double high, FILE *out)
{
	char text[EMIT_NUMBER_BYTES], from[EMIT_NUMBER_BYTES],
		to[EMIT_NUMBER_BYTES];

	text_table_format(value, text);
	text_table_format(low, from);
	text_table_format(high, to);
	fprintf(out, "<td>%s <small>%s–%s</small></td>", text, from, to);
}

const struct series *tile_partner(
	const struct page *page, const struct series *series)
{
	const struct comparison *c = page_judging(&page->input, series);

	return c ? c->pair.new : NULL;
}

size_t tile_next(
	const struct page *page, size_t from, const char *bench, int metric)
{
	for (; from < page->input.count; from++) {
		const struct series *series = page->input.series[from].series;

		if (!strcmp(series->bench, bench) &&
			series->metrics >> metric & 1 &&
			!page_judged(&page->input, series))
			return from;
	}
	return from;
}

void page_put_tiles(const struct page *page, FILE *out)
{
	if (!page->input.count)
		return;
	fputs("<section id=\"tiles\"><h2>At a glance</h2>\n"
	      "<div class=\"tiles\">\n",
		out);
	tiles_levels(page, out);
	tiles_near_far(page, out);
	tiles_ceilings(page, out);
	tiles_tlb(page, out);
	tiles_agreement(page, out);
	fputs("</div></section>\n", out);
}
