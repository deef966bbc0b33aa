#include "harness/figure/draw.h"
#include "harness/plot/plot.h"

int draw_in_terminal(
	const struct series_list *list, FILE *out, struct error *error)
{
	struct charts charts = {0};
	struct plot plot;
	size_t i;
	int code = draw_series(list, &charts, error);

	plot_fit(&plot, out);
	for (i = 0; !code && i < charts.count; i++) {
		fputc('\n', out);
		code = plot_put(&plot, &charts.items[i], out, error);
	}
	charts_free(&charts);
	return code;
}
