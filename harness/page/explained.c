/* What binds a launch: the lines that do, and pictures. */
#include "harness/explain/explain_picture.h"
#include "harness/page/parts.h"
#include "harness/visible/visible.h"

#define BINDS_MOST 8u
#define BIND_LEAST 0.02
#define BAR_WIDTH  200

static void put_bind(
	const struct explanation *e, const struct explain_bind *bind, FILE *out)
{
	const double part = bind->share < 1 ? bind->share : 1;
	char place[256];

	explain_place(e, bind, place, sizeof(place));
	fputs("<tr><th scope=\"row\">", out);
	visible_put_html(out, bind->server);
	fputs("</th><td>", out);
	visible_put_html(out, place);
	fprintf(out,
		"</td><td>%.0f %%</td><td><svg class=\"share\" viewBox=\"0 0 "
		"%d 10\" aria-hidden=\"true\"><rect class=\"load\" "
		"width=\"%.1f\" height=\"10\"/></svg></td></tr>\n",
		100 * bind->share, BAR_WIDTH, part * BAR_WIDTH);
}

static void put_binds(const struct explanation *e, FILE *out)
{
	size_t i;

	fputs("<table class=\"binds\"><thead><tr><th>binds</th><th>at</th>"
	      "<th>share</th><td></td></tr></thead><tbody>\n",
		out);
	for (i = 0; i < e->bind_count && i < BINDS_MOST; i++)
		if (!i || e->binds[i].share >= BIND_LEAST)
			put_bind(e, &e->binds[i], out);
	fputs("</tbody></table>\n", out);
}

int page_put_explained(const struct profile *p, FILE *out, struct error *error)
{
	struct explanation e;
	int code = explain_borrow(&e, p, error);

	if (!code) {
		put_binds(&e, out);
		fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" "
		      "aria-label=\"units of the chip\">\n",
			out);
		explain_put_memory(&e, NULL, out);
		fputs("</div>\n", out);
		fputs("<div class=\"halves\">\n", out);
		if (explain_has_spans(&e))
			explain_put_spans(&e, NULL, out);
		if (explain_has_queues(&e))
			explain_put_queues(&e, NULL, out);
		if (explain_has_roofline(&e))
			explain_put_roofline(&e, NULL, out);
		fputs("</div>\n", out);
	}
	explain_free(&e);
	return code;
}
