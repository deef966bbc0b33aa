#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/base/output.h"
#include "harness/fit/start.h"

#define ATTRIBUTE  "measured: device attribute"
#define NEAR_FAR   "measured: near-far"
#define LINE_BYTES 128
#define SLICE_SNAP 0.03 /* counted slices that are a known number */
#define SETS_TRIED 32

static void add(struct fit_start *s, const struct model_parameters *known,
	const char *name, double value, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

static void add(struct fit_start *s, const struct model_parameters *known,
	const char *name, double value, const char *format, ...)
{
	const struct model_parameter *p = model_parameters_find(known, name);
	struct start_value *item = &s->items[s->count];
	va_list arguments;

	/* A driver that does not know an attribute says 0. */
	if (!p || s->count == START_MAX || !(value >= p->minimum) ||
		value > p->maximum)
		return;
	*item = (struct start_value){p->name, p->unit, value, ""};
	va_start(arguments, format);
	vsnprintf(item->origin, sizeof(item->origin), format, arguments);
	va_end(arguments);
	s->count++;
}

/* ---- what the driver says ---- */

static void add_device(struct fit_start *s,
	const struct model_parameters *known, const struct device *d,
	double clock_hz)
{
	const struct attribute {
		const char *name;
		double value;
	} attributes[] = {
		{"sm_count", d->sm_count},
		{"sm_arch", d->sm_arch},
		{"ptx_version", d->ptx_version},
		{"warps_per_sm", d->warps_per_sm_max},
		{"blocks_per_sm", d->blocks_per_sm_max},
		{"registers_per_sm", d->registers_per_sm},
		{"shared_reserved_bytes", (double)d->shared_reserved_bytes},
		{"memory_bytes", (double)d->memory_bytes},
		{"l2_bytes", (double)d->l2_bytes},
		{"l2_persisting_max_bytes", (double)d->persisting_bytes_max},
	};
	const double total = (double)d->l1_bytes;
	size_t i;

	for (i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		add(s, known, attributes[i].name, attributes[i].value,
			ATTRIBUTE);
	if (isfinite(clock_hz))
		add(s, known, "clock_hz", clock_hz,
			"measured: SM clock during the runs");
	else
		add(s, known, "clock_hz", d->clock_hz, ATTRIBUTE);
	if (total <= 0 || total == chip_known(known, "l1_total_bytes"))
		return;
	add(s, known, "l1_total_bytes", total,
		"measured: shared memory of an SM, and what of L1 it leaves");
	if (chip_known(known, "l1_cache_bytes") > total)
		add(s, known, "l1_cache_bytes", total, "assumed: all of it");
	add(s, known, "l1_cache_min_bytes",
		total - (double)d->shared_bytes_per_block_max, ATTRIBUTE);
}

/* ---- what the series say ---- */

static void add_rotation(struct fit_start *s,
	const struct model_parameters *known, const struct chip *chip)
{
	char origin[96];

	snprintf(origin, sizeof(origin), "%s",
		!chip->mapped ? "assumed: nothing was seen of it"
		: chip->gpcs_seen
			? "measured: SMs that share what a GPC is given"
		: chip->partitions == 1
			? "assumed: one side shows nothing of it"
		: !chip->rotation_fits ? "assumed: near-far contradicts it"
		: chip->rotation_is_known
			? "assumed: gives the sides that near-far saw"
			: "assumed: the one that gives the sides that near-far "
			  "saw");
	add(s, known, "gpc_count", chip->gpc_count, "%s", origin);
	add(s, known, "gpc_tpcs", (double)chip->gpc_tpcs, "%s", origin);
	add(s, known, "gpc_of_rest", chip->gpc_of_rest, "%s", origin);
	add(s, known, "gpc_side_mask", (double)chip->gpc_side_mask, "%s",
		origin);
}

/* The bits beyond the page are not seen, unless by contention; else they stay
   the known machine's. */
static void add_homes(struct fit_start *s, const struct model_parameters *known,
	const struct chip *chip)
{
	const bool seen = chip->page_first >= 0;
	const uint64_t mask =
		seen ? chip->home_beyond
		     : (uint64_t)chip_known(known, "home_hash_mask");

	if (!chip->mapped)
		return;
	add(s, known, "l2_partitions", chip->partitions, NEAR_FAR);
	if (chip->hash_settled)
		add(s, known, "home_hash_mask",
			(double)(chip->home_hash_mask |
				 mask >> chip->page_shift << chip->page_shift),
			NEAR_FAR ", bits 7 to %u; beyond, %s%s",
			chip->page_shift - 1,
			seen ? "what gives all that one busy slice delays one "
			       "slice"
			     : s->nearest,
			seen ? "" : "'s");
}

static bool whole_sets(double l2_bytes, double slices, double ways)
{
	double sets = l2_bytes / slices / ways / LINE_BYTES;

	return sets >= 1 && sets == floor(sets);
}

/* The number of slices with whole sets that is next above those in use; ways
   that have whole sets, if no number has. */
static void add_slice_count(struct fit_start *s,
	const struct model_parameters *known, const struct chip *chip,
	double used, const char *origin)
{
	const double l2 = (double)chip->device.l2_bytes;
	const double ways = chip_known(known, "l2_ways");
	double slices = used;
	int tried, other;

	for (tried = 0; tried < SETS_TRIED && !whole_sets(l2, slices, ways);
		tried++)
		slices += chip->partitions;
	if (tried == SETS_TRIED) {
		slices = used;
		for (other = 1; other <= 32; other++)
			if (whole_sets(l2, used, other) &&
				fabs(other - ways) < fabs(16 - ways) + 16)
				break;
		add(s, known, "l2_ways", other,
			"assumed: gives slices whole sets");
	}
	add(s, known, "l2_slices_used", used, "%s", origin);
	add(s, known, "l2_slices", slices,
		"assumed: the next number above those in use that gives whole "
		"sets");
}

static void add_slices(struct fit_start *s,
	const struct model_parameters *known, const struct chip *chip)
{
	const double was = chip_known(known, "l2_slices_used");
	const double all = chip_known(known, "l2_slices");
	const double grain = chip->partitions;
	const bool sets = whole_sets((double)chip->device.l2_bytes, all,
		chip_known(known, "l2_ways"));
	const bool even = fmod(was, grain) == 0 && fmod(all, grain) == 0;
	double counted = round(chip->slices / grain) * grain;

	if (chip->page_first >= 0)
		add(s, known, "page_first", (double)chip->page_first,
			"measured: what one busy slice delays is one slice by "
			"%s's hash if memory begins there",
			s->nearest);
	if (isfinite(chip->slices) &&
		fabs(chip->slices / was - 1) < SLICE_SNAP / 4)
		counted = was; /* as many as known, within what is counted */
	if (!isfinite(chip->slices) || counted < grain || counted == was) {
		if (sets && even)
			return; /* the known machine's */
		add_slice_count(s, known, chip, ceil(was / grain) * grain,
			"assumed: nothing was counted");
		return;
	}
	add_slice_count(s, known, chip, counted,
		"measured: share of lines that one busy slice delays");
}

static void add_times(struct fit_start *s, const struct model_parameters *known,
	const struct chip *chip, double clock_hz)
{
	static const char *const of_dram[] = {"dram_near_cycles",
		"dram_row_cycles", "dram_row_busy_cycles",
		"dram_activate_cycles", "dram_reread_cycles",
		"dram_spread_cycles", "dram_drain_cycles",
		"dram_turnaround_cycles", "dram_refresh_interval_cycles",
		"dram_refresh_cycles"};
	const double hz = isfinite(clock_hz) ? clock_hz : chip->device.clock_hz;
	const double ratio = hz / chip_known(known, "clock_hz");
	size_t i;

	if (!(ratio > 0) || fabs(ratio - 1) < 1e-3)
		return;
	for (i = 0; i < sizeof(of_dram) / sizeof(of_dram[0]); i++) {
		double value = chip_known(known, of_dram[i]) * ratio;

		add(s, known, of_dram[i], fmax(round(value * 10) / 10, 1),
			"assumed: the time of %s", s->nearest);
	}
}

void start_make(struct fit_start *start, const struct chip *chip,
	double clock_hz, const char *nearest,
	const struct model_parameters *known)
{
	*start = (struct fit_start){.nearest = nearest};
	add_device(start, known, &chip->device, clock_hz);
	add_rotation(start, known, chip);
	add_homes(start, known, chip);
	add_slices(start, known, chip);
	add_times(start, known, chip, clock_hz);
}

/* ---- on paper ---- */

int start_write(
	const struct fit_start *start, const char *path, struct error *error)
{
	struct output output;
	char value[MODEL_VALUE_BYTES];
	size_t i;
	int code = output_open(&output, path, error);

	if (code)
		return code;
	fputs("schema: nearfar-machine/1\nname: start\nbase: ", output.stream);
	emit_json_string(output.stream, start->nearest);
	fputs("\nabout: the geometry that was found\nparameters:\n",
		output.stream);
	for (i = 0; i < start->count; i++) {
		const struct start_value *v = &start->items[i];

		model_value_format(v->unit, v->value, value);
		fprintf(output.stream,
			"  %s: {value: %s, unit: %s, origin: ", v->name, value,
			v->unit);
		emit_json_string(output.stream, v->origin);
		fputs("}\n", output.stream);
	}
	return output_commit(&output, error);
}

void start_put(
	const struct fit_start *start, const struct chip *chip, FILE *out)
{
	uint32_t sm, near = 0;

	for (sm = 0; sm < chip->device.sm_count; sm++)
		near += chip->side[sm] == 0;
	fprintf(out, "%s: %u SMs, compute capability %u.%u, L2 of %.4g MiB\n",
		chip->device.name, chip->device.sm_count,
		chip->device.sm_arch / 10, chip->device.sm_arch % 10,
		(double)chip->device.l2_bytes / 0x1p20);
	if (!chip->mapped)
		fputs("sides: not measured (near-far)\n", out);
	else if (chip->partitions == 1)
		fputs("sides: one\n", out);
	else
		fprintf(out,
			"sides: two, of %u and %u SMs; home hash %s%#llx\n",
			near, chip->device.sm_count - near,
			chip->hash_settled ? "" : "not settled, ",
			(unsigned long long)chip->home_hash_mask);
	if (isfinite(chip->slices))
		fprintf(out, "slices: %.1f, by contention%s\n", chip->slices,
			chip->page_first >= 0
				? "; the known hash gives which lines share one"
				: "");
	fprintf(out,
		"GPCs: %u, %s\n"
		"nearest known machine: %s; what no series says is taken from "
		"it\n",
		chip->gpc_count,
		chip->gpcs_seen ? "by what their SMs share"
		: chip->rotation_fits
			? "in a rotation that gives the sides"
			: "whose rotation does not give the sides",
		start->nearest);
}
