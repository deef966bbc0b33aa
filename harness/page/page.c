#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/page/assets.h"
#include "harness/page/pack.h"
#include "harness/page/parts.h"
#include "harness/visible/visible.h"

#define TITLE "GPU memory hierarchy"
/* More data are gzipped, which the scripts undo; fewer can be read as they
   stand. */
#define PLAIN_BYTES ((size_t)4 << 20)

/* ---- making the parts ---- */

static void page_free(struct page *page)
{
	page_cells_free(&page->cells);
	page_maps_free(&page->maps);
	page_histograms_free(&page->histograms);
	page_charts_free(&page->charts);
	page_notes_free(&page->notes);
	page_input_free(&page->input);
}

static int page_make(const char *const *paths, size_t path_count,
	struct page *page, struct error *error)
{
	int code = page_input_read(paths, path_count, &page->input, error);

	if (!code)
		code = page_notes_find(&page->input, &page->notes, error);
	if (!code)
		code = page_charts_make(&page->input, &page->charts, error);
	if (!code)
		code = page_histograms_make(
			&page->input, &page->histograms, error);
	if (!code)
		code = page_maps_make(&page->input, &page->maps, error);
	if (!code)
		code = page_cells_make(&page->input, &page->cells, error);
	return code;
}

/* ---- writing them ---- */

static void put_head(const char *title, FILE *out)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n",
		out);
	fprintf(out,
		"<meta http-equiv=\"Content-Security-Policy\" "
		"content=\"default-src 'none'; script-src '%s'; "
		"style-src '%s'; base-uri 'none'; form-action 'none'\">\n",
		page_script_digest, page_style_digest);
	fputs("<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>",
		out);
	visible_put_html(out, title);
	fprintf(out, "</title>\n<style>%s</style>\n</head>\n", page_style);
}

/* What there is, for the line below the title. */
static void put_counts(const struct page *page, FILE *out)
{
	size_t roles[ROLE_COUNT] = {0}, launches = 0, files, i;

	for (i = 0; i < page->input.count; i++)
		roles[page->input.series[i].role]++;
	fprintf(out, "<p class=\"counts\">%zu series", page->input.count);
	for (i = 0; i < ROLE_COUNT; i++)
		if (roles[i])
			fprintf(out, ", %zu %s", roles[i], page_role_names[i]);
	for (i = 0; i < page->input.profile_count; i++)
		launches += page->input.profiles[i].list.count;
	if (launches)
		fprintf(out, ", %zu launch%s of kernels", launches,
			launches == 1 ? "" : "es");
	files = page->input.file_count + page->input.sample_count +
		page->input.profile_count;
	fprintf(out, "; %zu file%s; nearfar " NEARFAR_VERSION "</p>\n", files,
		files == 1 ? "" : "s");
}

static void put_title(const struct page *page, const char *title, FILE *out)
{
	size_t i;

	fputs("<body>\n<a class=\"skip\" href=\"#main\">To the results</a>\n"
	      "<header><h1>",
		out);
	visible_put_html(out, title);
	fputs("</h1>\n", out);
	put_counts(page, out);
	for (i = 0; i < page->words->note_count; i++) {
		fputs("<p class=\"note\">", out);
		visible_put_html(out, page->words->notes[i]);
		fputs("</p>\n", out);
	}
	fputs("</header>\n<div class=\"bar\">"
	      "<nav id=\"nav\" aria-label=\"Sections\"></nav>\n"
	      "<div id=\"controls\" class=\"tools\"></div></div>\n"
	      "<main id=\"main\">\n",
		out);
}

static int put_chart(
	const struct page *page, size_t index, FILE *out, struct error *error)
{
	const struct page_chart *chart = &page->charts.items[index];
	int code;

	fprintf(out,
		"<figure class=\"chart\" id=\"chart-%zu\" "
		"data-chart=\"%zu\"><figcaption><h3>",
		index, index);
	visible_put_html(out, chart->first->bench);
	fputs("</h3> <span>", out);
	visible_put_html(out, metric_columns[chart->metric]);
	fputs(" over ", out);
	visible_put_html(out, chart->first->axis);
	fputs("</span></figcaption>\n<div class=\"plot\">", out);
	code = page_put_picture(page, chart, out, error);
	fputs("</div></figure>\n", out);
	return code;
}

static int put_section(const struct page *page, enum page_section section,
	FILE *out, struct error *error)
{
	bool open = false;
	size_t i;
	int code = 0;

	for (i = 0; !code && i < page->charts.count; i++) {
		if (page->charts.items[i].section != section)
			continue;
		if (!open)
			fprintf(out, "<section id=\"section-%d\"><h2>%s</h2>\n",
				(int)section, page_section_names[section]);
		open = true;
		code = put_chart(page, i, out, error);
	}
	if (open)
		fputs("</section>\n", out);
	return code;
}

static int put_histograms(
	const struct page *page, FILE *out, struct error *error)
{
	size_t i;
	int code = 0;

	if (!page->histograms.count)
		return 0;
	fputs("<section id=\"distributions\"><h2>Distributions</h2>\n", out);
	for (i = 0; !code && i < page->histograms.count; i++) {
		const struct page_histogram *h = &page->histograms.items[i];

		fprintf(out,
			"<figure class=\"chart\" id=\"histogram-%zu\" "
			"data-histogram=\"%zu\"><figcaption><h3>",
			i, i);
		visible_put_html(out, h->title);
		fputs("</h3> <span>latency_cycles of single samples</span>"
		      "</figcaption>\n<div class=\"plot\">",
			out);
		code = page_put_bars(h, &h->places[0], out, error);
		fputs("</div></figure>\n", out);
	}
	fputs("</section>\n", out);
	return code;
}

static void put_maps(const struct page *page, FILE *out)
{
	size_t i;

	if (!page->maps.count)
		return;
	fputs("<section id=\"maps\"><h2>SM × line maps</h2>\n", out);
	for (i = 0; i < page->maps.count; i++) {
		const struct page_map *map = &page->maps.items[i];

		fprintf(out,
			"<figure class=\"chart\" id=\"map-%zu\" "
			"data-map=\"%zu\"><figcaption><h3>",
			i, i);
		visible_put_html(
			out, page_who(page->input.series[map->series].series));
		fprintf(out,
			"</h3> <span>%zu SMs × %zu lines, latency_cycles of an "
			"atomic</span></figcaption>\n<div class=\"plot\">"
			"</div></figure>\n",
			map->map.cells.sms, map->map.cells.lines);
	}
	fputs("</section>\n", out);
}

static int put_body(const struct page *page, FILE *out, struct error *error)
{
	size_t section, i;
	int code = 0;

	page_put_tiles(page, out);
	for (section = 0; !code && section < SECTION_COUNT; section++) {
		code = put_section(
			page, (enum page_section)section, out, error);
		if (!code && section == SECTION_LATENCY) {
			code = put_histograms(page, out, error);
			put_maps(page, out);
		}
	}
	for (i = 0; i < PAGE_CELL_LISTS; i++)
		if (page->cells.lists[i].count)
			break;
	if (i < PAGE_CELL_LISTS)
		fputs("<section id=\"cells\"><h2>Cells</h2>\n</section>\n",
			out);
	if (!code)
		code = page_put_profiles(page, out, error);
	page_put_provenance(page, out);
	fputs("</main>\n", out);
	return code;
}

/* No text can end the element: '<' occurs in strings alone. */
static void put_plain(const char *text, size_t bytes, FILE *out)
{
	size_t i;

	fputs("<script type=\"application/json\" id=\"data\">", out);
	for (i = 0; i < bytes; i++)
		if (text[i] == '<')
			fputs("\\u003c", out);
		else
			fputc(text[i], out);
}

static int put_packed(
	const char *text, size_t bytes, FILE *out, struct error *error)
{
	char *packed;
	int code = pack_base64(text, bytes, &packed, error);

	if (code)
		return code;
	fprintf(out, "<script type=\"text/plain\" id=\"data\">%s", packed);
	free(packed);
	return 0;
}

static int put_data(const struct page *page, FILE *out, struct error *error)
{
	char *text = NULL;
	size_t bytes;
	int code = 0;
	FILE *data = stream_open_text(&text, &bytes);

	if (!data)
		return error_set(error, ERR_FAILED, "out of memory");
	page_put_data(page, data);
	if (fclose(data))
		code = error_set(error, ERR_FAILED, "out of memory");
	else if (bytes > PLAIN_BYTES)
		code = put_packed(text, bytes, out, error);
	else
		put_plain(text, bytes, out);
	fputs("</script>\n", out);
	free(text);
	return code;
}

int page_write(const char *const *paths, size_t path_count,
	const struct page_words *words, FILE *out, struct error *error)
{
	const char *title = words->title ? words->title : TITLE;
	struct page page = {.words = words};
	int code = page_make(paths, path_count, &page, error);

	if (!code) {
		put_head(title, out);
		put_title(&page, title, out);
		code = put_body(&page, out, error);
	}
	if (!code)
		code = put_data(&page, out, error);
	if (!code)
		fprintf(out, "<script>%s</script>\n</body>\n</html>\n",
			page_script);
	page_free(&page);
	if (!code && ferror(out))
		code = error_set(
			error, ERR_FAILED, "cannot write: %s", strerror(errno));
	return code;
}
