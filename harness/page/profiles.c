/* Where the time of kernels went: a bar and tables for each launch. */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/page/parts.h"
#include "harness/visible/visible.h"

#define BAR_WIDTH    1000
#define BAR_HEIGHT   28
#define SOURCE_BYTES 256

static double share(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* ---- the stack ---- */

/* A text for those who do not see the bar. */
static void put_label(const struct job_profile *where, FILE *out)
{
	size_t i;

	fputs("aria-label=\"what warps waited for:", out);
	for (i = 0; i < JOB_WAIT_COUNT; i++)
		if (where->wait_cycles[i] > 0)
			fprintf(out, " %s %.1f %%,", job_wait_names[i],
				share(where->wait_cycles[i],
					where->warp_cycles));
	fputs("\"", out);
}

static void put_bar(const struct job_profile *where, FILE *out)
{
	double at = 0;
	size_t i;

	fprintf(out,
		"<svg class=\"stack\" role=\"img\" viewBox=\"0 0 %d %d\" "
		"preserveAspectRatio=\"none\" ",
		BAR_WIDTH, BAR_HEIGHT);
	put_label(where, out);
	fputs(">", out);
	for (i = 0; i < JOB_WAIT_COUNT; i++) {
		double wide = share(where->wait_cycles[i], where->warp_cycles) *
			      BAR_WIDTH / 100;

		if (wide > 0)
			fprintf(out,
				"<rect class=\"w%zu\" x=\"%.2f\" y=\"0\" "
				"width=\"%.2f\" height=\"%d\"><title>%s: %.1f "
				"%%</title></rect>",
				i, at, wide, BAR_HEIGHT, job_wait_names[i],
				share(where->wait_cycles[i],
					where->warp_cycles));
		at += wide;
	}
	fputs("</svg>\n", out);
}

static void put_stack(const struct job_profile *where, FILE *out)
{
	size_t i;

	put_bar(where, out);
	fputs("<table class=\"waits\"><thead><tr><th>warps wait for</th>"
	      "<th>share</th><th>warp-cycles</th><th>which is</th></tr>"
	      "</thead><tbody>\n",
		out);
	for (i = 0; i < JOB_WAIT_COUNT; i++)
		fprintf(out,
			"<tr><th scope=\"row\"><svg class=\"key\" "
			"viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect "
			"class=\"w%zu\" width=\"10\" height=\"10\"/></svg> "
			"%s</th><td>%.1f "
			"%%</td><td>%.0f</td><td>%s</td></tr>\n",
			i, job_wait_names[i],
			share(where->wait_cycles[i], where->warp_cycles),
			where->wait_cycles[i], job_wait_whats[i]);
	fputs("</tbody></table>\n", out);
}

/* ---- lines ---- */

static void put_share(double part, double whole, FILE *out)
{
	if (whole > 0)
		fprintf(out, "<td>%.1f %%</td>", share(part, whole));
	else
		fputs("<td></td>", out);
}

static void put_mean(double sum, uint64_t count, FILE *out)
{
	if (count && sum > 0)
		fprintf(out, "<td>%.1f</td>", sum / (double)count);
	else
		fputs("<td></td>", out);
}

/* What warps waited for at a line, in the colours of the stack. */
static void put_waits(
	const struct job_profile *where, const struct job_line *l, FILE *out)
{
	double at = 0;
	size_t i;

	fputs("<td><svg class=\"share\" viewBox=\"0 0 100 5\" "
	      "preserveAspectRatio=\"none\" aria-hidden=\"true\">",
		out);
	for (i = 0; i < JOB_WAIT_COUNT; i++) {
		const double wide =
			share(l->wait_cycles[i], where->warp_cycles);

		if (wide > 0)
			fprintf(out,
				"<rect class=\"w%zu\" x=\"%.2f\" "
				"width=\"%.2f\" height=\"5\"/>",
				i, at, wide);
		at += wide;
	}
	fputs("</svg></td>", out);
}

/* What is the same of a line of PTX and of source. */
static void put_numbers(
	const struct job_profile *where, const struct job_line *l, FILE *out)
{
	enum job_wait most = profile_most(l->wait_cycles);
	double found = (double)profile_found(l);
	size_t i;

	put_share(profile_waited(l->wait_cycles), where->warp_cycles, out);
	put_waits(where, l, out);
	fprintf(out, "<td>%s</td><td>%" PRIu64 "</td>",
		most == JOB_WAIT_COUNT ? "" : job_wait_names[most],
		l->executions);
	put_mean((double)l->sectors, l->requests, out);
	for (i = 0; i < JOB_LEVEL_COUNT; i++)
		put_share((double)l->found[i], found, out);
	put_mean(l->latency_cycles, l->answered, out);
}

static void put_head(const char *first, const char *last, FILE *out)
{
	fprintf(out,
		"<div class=\"wide\" tabindex=\"0\" role=\"region\" "
		"aria-label=\"by %s\"><table class=\"lines\"><thead><tr>"
		"<th>%s</th><th>waiting</th><td></td><th>for</"
		"th><th>executions</th>"
		"<th>sectors/request</th><th>L1</th><th>near L2</th>"
		"<th>far L2</th><th>DRAM</th><th>latency cycles</th>%s</tr>"
		"</thead><tbody>\n",
		first, first, last);
}

static void put_end(FILE *out)
{
	fputs("</tbody></table></div>\n", out);
}

static void put_code(const char *text, FILE *out)
{
	fputs("<td><code>", out);
	visible_put_html(out, text);
	fputs("</code></td>", out);
}

static void put_source_text(
	const struct profile *p, const struct job_line *row, FILE *out)
{
	const char *text = profile_source_text(p, row);

	put_code(text ? text : "", out);
}

static int put_sources(const struct profile *p, FILE *out, struct error *error)
{
	char source[SOURCE_BYTES];
	size_t count, i;
	struct job_line *rows = profile_by_source(p->where, &count);

	if (!rows)
		return error_set(error, ERR_FAILED, "out of memory");
	if (count && rows[count - 1].source) {
		put_head("source line", "<th>source</th>", out);
		for (i = 0; i < count; i++) {
			if (!profile_tells(p, &rows[i]))
				continue;
			profile_source(
				p->where, &rows[i], source, sizeof(source));
			fputs("<tr><th scope=\"row\">", out);
			visible_put_html(out, source);
			fputs("</th>", out);
			put_numbers(p->where, &rows[i], out);
			put_source_text(p, &rows[i], out);
			fputs("</tr>\n", out);
		}
		put_end(out);
	}
	free(rows);
	return 0;
}

static void put_lines(const struct profile *p, FILE *out)
{
	size_t i;

	put_head("line of PTX", "<th>PTX</th>", out);
	for (i = 0; i < p->where->line_count; i++) {
		const struct job_line *l = &p->where->lines[i];

		if (!profile_tells(p, l))
			continue;
		fprintf(out, "<tr><th scope=\"row\">%" PRIu32 "</th>", l->line);
		put_numbers(p->where, l, out);
		put_code(p->texts[i], out);
		fputs("</tr>\n", out);
	}
	put_end(out);
}

/* ---- the section ---- */

static int put_launch(const struct profile *p, FILE *out, struct error *error)
{
	char launch[PROFILE_LAUNCH_BYTES];
	int code;

	profile_launch(p, launch);
	fputs("<article class=\"profile\"><h3>", out);
	visible_put_html(out, p->kernel);
	fputs("</h3> <span class=\"counts\">job ", out);
	visible_put_html(out, p->job);
	fputs(", ", out);
	visible_put_html(out, launch);
	fprintf(out, ", repeat %" PRIu32 ", ", p->repeat);
	visible_put_html(out, p->machine);
	fprintf(out, ": %.0f cycles</span>\n", p->cycles);
	put_stack(p->where, out);
	code = page_put_explained(p, out, error);
	if (!code)
		code = put_sources(p, out, error);
	put_lines(p, out);
	fputs("</article>\n", out);
	return code;
}

int page_put_profiles(const struct page *page, FILE *out, struct error *error)
{
	size_t i, k;
	int code = 0;

	if (page->input.profile_count)
		fputs("<section id=\"kernels\"><h2>Where the time of kernels "
		      "went</h2>\n",
			out);
	for (i = 0; i < page->input.profile_count; i++) {
		const struct profile_list *list = &page->input.profiles[i].list;

		for (k = 0; !code && k < list->count; k++)
			code = put_launch(&list->items[k], out, error);
	}
	if (page->input.profile_count)
		fputs("</section>\n", out);
	return code;
}
