#include <string.h>

#include "harness/exchange/import_gpu_benches.h"

#define SOURCE "te42kyfo/gpu-benches (GPL-3.0)"

const char *gpu_benches_rows(const struct import_file *file)
{
	const char *text = file->text + strspn(file->text, " \t\r\n");

	if (!strncmp(text, "clock:", 6))
		text += strcspn(text, "\n");
	return text + strspn(text, " \t\r\n");
}

int gpu_benches_clock(struct import_scan *scan, double *clock_mhz)
{
	double reading = 0;
	int code;

	do {
		code = import_scan_positive(
			scan, "the SM clock in MHz", &reading);
		if (code)
			return code;
	} while (import_scan_end(scan)); /* its sentence is of no interest */
	*clock_mhz = reading;
	return 0;
}

struct series *gpu_benches_series(const struct import_file *file,
	const char *tool, const char *const *biases,
	const struct import_curve *curve, struct series_list *list,
	struct error *error)
{
	char name[64];
	const struct import_origin origin = {.tool = tool,
		.version = "unknown: the output does not say",
		.source = SOURCE,
		.gpu = name,
		.gpu_from = "the file's name",
		.biases = biases};

	import_name(file, 0, name, sizeof(name));
	return import_series(file, &origin, curve, list, error);
}
