/* How far the model is from silicon on launches of a kind: results/limits.tsv,
   which travels inside the program. */
#include <stdlib.h>
#include <string.h>

#include "harness/explain/explain.h"

/* harness/base/embed.sh makes it. */
extern const struct {
	const char *name, *text, *end;
} explain_limits[];

/* What binds, by the beginning of its name, and the nets whose programs are
   bound by it; others count as mixed. */
static const struct {
	const char *begins, *net;
} nets[] = {
	{"atomic", "net-atomic"},
	{"latency of atomic", "net-atomic"},
	{"latency of", "net-chase"},
	{"l1", "net-l1"},
	{"register_path", "net-l1"},
	{"load_store_pipe", "net-l1"},
	{"dram_b", "net-read"},
	{"dram_activates", "net-stride"},
	{"crossbar_to_slices", "net-write"},
	{"slice_write", "net-write"},
	{"cpc_port_out", "net-write"},
	{"tail", "net-waves"},
	{"grid_too_small", "net-waves"},
	{"block_", "net-waves"},
	{"", "net-mix"},
};

#define KERNELS "kernels\tnever looked at cycles\t"

static const char *net_of(const struct explanation *e)
{
	const char *name = e->bind_count ? e->binds[0].server : "";
	size_t i;

	for (i = 0; strncmp(name, nets[i].begins, strlen(nets[i].begins)); i++)
		;
	return nets[i].net;
}

/* The median in the row "CHIP<tab>ROW"; less than 0: there is none. */
static double median_of(const char *chip, size_t chip_bytes, const char *row)
{
	const char *line = explain_limits[0].text;
	const size_t bytes = strlen(row);
	double median;
	unsigned points;
	char kind[16];

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, chip, chip_bytes) &&
			line[chip_bytes] == '\t' &&
			!strncmp(line + chip_bytes + 1, row, bytes) &&
			sscanf(line + chip_bytes + 1 + bytes, "%15s %u %lf",
				kind, &points, &median) == 3)
			return median;
	return -1;
}

/* On machines that were not measured, at least that of one that was. */
#define OTHER_CHIP "h100-sxm"

void explain_find_error(struct explanation *e)
{
	const char *chip = e->profile->machine;
	const size_t chip_bytes = strcspn(chip, ", ");
	const char *net = net_of(e);
	char row[64];
	double kernels, own;

	snprintf(row, sizeof(row), "net\t%s\t", net);
	kernels = median_of(chip, chip_bytes, KERNELS);
	own = median_of(chip, chip_bytes, row);
	e->error.known = kernels >= 0;
	if (!e->error.known) {
		kernels = median_of(OTHER_CHIP, strlen(OTHER_CHIP), KERNELS);
		own = median_of(OTHER_CHIP, strlen(OTHER_CHIP), row);
	}
	snprintf(e->error.kind, sizeof(e->error.kind), "%s",
		own > kernels ? net : "kernels that were never looked at");
	e->error.percent = own > kernels ? own : kernels;
}
