#include "backend_sim/tensor/box.h"

/* Of each swizzle: the bytes of a row, and which bits of an address above the
   lowest 128 change which bits of it. */
static const struct {
	uint32_t span, bits;
} swizzles[TENSOR_SWIZZLE_COUNT] = {
	[TENSOR_SWIZZLE_NONE] = {0, 0},
	[TENSOR_SWIZZLE_32B] = {32, 1},
	[TENSOR_SWIZZLE_64B] = {64, 3},
	[TENSOR_SWIZZLE_128B] = {128, 7},
};

#define SWIZZLE_FROM 7u /* bit of an address */
#define SWIZZLE_TO   4u

struct walk {
	const struct tensor_map *map;
	tensor_run_fn take;
	void *object;
	bool stores;
	struct tensor_run run; /* that may go on; no bytes: none */
};

static uint32_t swizzled(const struct tensor_map *m, uint32_t address)
{
	return address ^ (address >> SWIZZLE_FROM & swizzles[m->swizzle].bits)
				 << SWIZZLE_TO;
}

static bool follows(const struct tensor_run *run, const struct tensor_run *next)
{
	if (run->shared + run->bytes != next->shared)
		return false;
	return run->global == TENSOR_OUTSIDE
		       ? next->global == TENSOR_OUTSIDE
		       : next->global == run->global + run->bytes;
}

static bool flush(struct walk *w)
{
	const bool goes_on = !w->run.bytes || w->take(w->object, &w->run);

	w->run.bytes = 0;
	return goes_on;
}

static bool add(
	struct walk *w, uint64_t global, uint32_t shared, uint32_t bytes)
{
	const struct tensor_run run = {global, shared, bytes};

	if (w->run.bytes && follows(&w->run, &run)) {
		w->run.bytes += bytes;
		return true;
	}
	if (!flush(w))
		return false;
	w->run = run;
	return true;
}

/* Bytes side by side but for the swizzle. */
static bool add_pieces(
	struct walk *w, uint64_t global, uint32_t shared, uint64_t bytes)
{
	while (bytes) {
		uint32_t piece =
			TENSOR_PIECE_BYTES - shared % TENSOR_PIECE_BYTES;

		piece = piece < bytes ? piece : (uint32_t)bytes;
		if (!add(w, global, swizzled(w->map, shared), piece))
			return false;
		global += global == TENSOR_OUTSIDE ? 0 : piece;
		shared += piece;
		bytes -= piece;
	}
	return true;
}

/* What lies side by side in a row: elements, or pixels of an interleaved
   tensor, of which hardware takes every so many. */
static uint32_t unit_bytes(const struct tensor_map *m)
{
	static const uint32_t pixels[TENSOR_INTERLEAVE_COUNT] = {0, 16, 32};

	return m->interleave ? pixels[m->interleave]
			     : tensor_types[m->type].bytes;
}

static uint32_t step(const struct tensor_map *m)
{
	return m->interleave ? m->elements[0] : 1;
}

/* Units that a box takes of dimension `i`: of an interleaved tensor one slice
   of the last dimension but one. */
static uint32_t taken(const struct tensor_map *m, uint32_t i)
{
	if (m->interleave && i + 2 == m->rank)
		return 1;
	return (m->box[i] + (i ? m->elements[i] : step(m)) - 1) /
	       (i ? m->elements[i] : step(m));
}

static uint32_t row_bytes(const struct tensor_map *m)
{
	return taken(m, 0) * unit_bytes(m);
}

static uint32_t row_pitch(const struct tensor_map *m)
{
	return m->swizzle && !m->interleave ? swizzles[m->swizzle].span
					    : row_bytes(m);
}

/* How much of dimension 0 there is: what is stored ends with a whole piece of
   16 bytes. */
static int64_t extent(const struct tensor_map *m, bool stores)
{
	const uint32_t unit = unit_bytes(m);
	const uint64_t bytes = m->dims[0] * unit + TENSOR_PIECE_BYTES - 1;

	return (int64_t)(stores ? bytes / TENSOR_PIECE_BYTES *
					  TENSOR_PIECE_BYTES / unit
				: m->dims[0]);
}

/* Units of a row up to coordinate `end`. */
static uint32_t units_before(
	const struct tensor_map *m, int64_t at, int64_t end)
{
	const int64_t units = (end - at + step(m) - 1) / step(m);

	return end <= at             ? 0
	       : units > taken(m, 0) ? taken(m, 0)
				     : (uint32_t)units;
}

/* Units from `first` up to and without `end`, of which the first is at `global`
   if they are inside. */
static bool add_units(struct walk *w, uint64_t global, uint32_t shared,
	uint32_t first, uint32_t end)
{
	const uint32_t unit = unit_bytes(w->map);
	const uint32_t together = step(w->map) == 1 ? end - first : 1;

	for (; first < end; first += together) {
		if (!add_pieces(w, global, shared + first * unit,
			    (uint64_t)together * unit))
			return false;
		if (global != TENSOR_OUTSIDE)
			global += (uint64_t)step(w->map) * unit;
	}
	return true;
}

/* One row of the box, whose other coordinates are inside of the tensor or not.
 */
static bool add_row(struct walk *w, const int32_t *at, bool is_inside,
	uint64_t begin, uint32_t shared)
{
	const struct tensor_map *m = w->map;
	const uint32_t all = taken(m, 0);
	const uint32_t before = is_inside ? units_before(m, at[0], 0) : all;
	uint32_t end =
		is_inside ? units_before(m, at[0], extent(m, w->stores)) : all;
	const int64_t first = at[0] + (int64_t)before * step(m);

	end = end < before ? before : end;
	return add_units(w, TENSOR_OUTSIDE, shared, 0, before) &&
	       add_units(w, begin + (uint64_t)first * unit_bytes(m), shared,
		       before, end) &&
	       add_units(w, TENSOR_OUTSIDE, shared, end, all);
}

static uint64_t rows_of(const struct tensor_map *m)
{
	uint64_t rows = 1;
	uint32_t i;

	for (i = 1; i < m->rank; i++)
		rows *= taken(m, i);
	return rows;
}

uint64_t tensor_box_bytes(const struct tensor_map *m)
{
	return rows_of(m) * row_bytes(m);
}

uint64_t tensor_box_end(const struct tensor_map *m, uint32_t shared)
{
	return shared + rows_of(m) * row_pitch(m);
}

bool tensor_box_begins(const struct tensor_map *m, const int32_t *at)
{
	return at[0] * (int64_t)unit_bytes(m) % TENSOR_PIECE_BYTES == 0;
}

/* To the next row. */
static bool next_row(const struct tensor_map *m, uint32_t *index)
{
	uint32_t i;

	for (i = 1; i < m->rank; i++) {
		if (++index[i] < taken(m, i))
			return true;
		index[i] = 0;
	}
	return false;
}

bool tensor_box_runs(const struct tensor_map *m, const int32_t *at,
	uint32_t shared, bool stores, tensor_run_fn take, void *object)
{
	struct walk w = {
		.map = m, .take = take, .object = object, .stores = stores};
	uint32_t index[TENSOR_RANK_MAX] = {0}, i;

	do {
		bool is_inside = true;
		uint64_t begin = m->address;

		for (i = 1; i < m->rank; i++) {
			int64_t x = (int64_t)at[i] +
				    (int64_t)index[i] * m->elements[i];

			is_inside &= x >= 0 && (uint64_t)x < m->dims[i];
			begin += (uint64_t)x * m->strides[i - 1];
		}
		if (!add_row(&w, at, is_inside, begin, shared))
			return false;
		shared += row_pitch(m);
	} while (next_row(m, index));
	return flush(&w);
}
