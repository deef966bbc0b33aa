#define _DEFAULT_SOURCE
#include "backend_sim/space/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backend_sim/code/code.h"
#include "harness/kernel/fill.h"
#include "harness/tensor/map.h"

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + JOB_PAGE_BYTES - 1) & ~(JOB_PAGE_BYTES - 1);
}

static int read_module(struct space *s, const struct job_module *module,
	size_t i, struct error *error)
{
	return module->is_trace ? trace_kernel_make(&s->traces[i], module->path,
					  module->text, &s->pages, error)
				: ptx_parse(module->path, module->text,
					  module->bytes, &s->modules[i], error);
}

static int read_modules(
	struct space *s, const struct job *job, struct error *error)
{
	size_t i;
	int code;

	s->modules = calloc(job->module_count + 1, sizeof(*s->modules));
	s->traces = calloc(job->module_count + 1, sizeof(*s->traces));
	s->variables = calloc(job->module_count + 1, sizeof(*s->variables));
	if (!s->modules || !s->traces || !s->variables)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < job->module_count; i++) {
		code = read_module(s, &job->modules[i], i, error);
		if (code)
			return code;
		s->module_count++;
		s->variables[i] = calloc(s->modules[i].variable_count + 1,
			sizeof(**s->variables));
		if (!s->variables[i])
			return error_set(error, ERR_FAILED, "out of memory");
	}
	return 0;
}

static void add_region(struct space *s, const char *name, uint64_t bytes)
{
	struct space_region *r = &s->regions[s->region_count++];

	snprintf(r->name, sizeof(r->name), "%s", name);
	r->first = s->size;
	r->bytes = bytes;
	s->size += page_up(bytes ? bytes : 1);
}

static bool has_place(const struct ptx_variable *v)
{
	return v->space == PTX_GLOBAL || v->space == PTX_CONST;
}

/* Whether a module names a function that prints. */
static bool prints(const struct space *s)
{
	uint32_t i, k;

	for (i = 0; i < s->module_count; i++)
		for (k = 0; k < s->modules[i].function_count; k++)
			if (ptx_name_is(&s->modules[i].functions[k].name,
				    "vprintf"))
				return true;
	return false;
}

/* Tensor maps side by side, in a page that there is only if there are any. */
static void lay_maps(struct space *s, const struct job *job)
{
	size_t i;

	for (i = 0; i < job->map_count; i++) {
		struct tensor_map m = job->maps[i].tensor;

		m.address += s->addresses[job->maps[i].buffer];
		tensor_map_encode(&m, s->map_bytes[i]);
		s->map_addresses[i] =
			SPACE_BASE + s->size + i * TENSOR_MAP_BYTES;
	}
	if (job->map_count)
		add_region(s, "tensor maps", job->map_count * TENSOR_MAP_BYTES);
}

/* Of all launches, so that each has its place; none where none cooperates. */
static void lay_grids(struct space *s, const struct job *job)
{
	size_t i;

	s->grids_first = s->size;
	for (i = 0; i < job->launch_count; i++)
		if (job->launches[i].cooperative)
			break;
	if (i < job->launch_count)
		add_region(s, "grids", job->launch_count * SPACE_GRID_BYTES);
}

uint64_t space_grid(const struct space *s, const struct job *job, size_t launch)
{
	const uint32_t stream = job->launches[launch].stream;
	size_t i;

	for (i = launch + 1; i--;)
		if (job->launches[i].cooperative &&
			job->launches[i].stream == stream)
			return SPACE_BASE + s->grids_first +
			       i * SPACE_GRID_BYTES;
	return 0;
}

void space_begin_grid(struct space *s, uint64_t address)
{
	static const uint32_t words[] = SPACE_GRID_WORDS;

	memcpy(s->bytes + address - SPACE_BASE, words, sizeof(words));
}

/* Buffers first, a page or more each, then each module's variables. */
static int lay(struct space *s, const struct job *job, struct error *error)
{
	size_t i;

	s->regions = calloc(job->buffer_count + 2 * job->module_count + 4,
		sizeof(*s->regions));
	s->addresses = calloc(job->buffer_count + 1, sizeof(*s->addresses));
	s->map_bytes = calloc(job->map_count + 1, sizeof(*s->map_bytes));
	s->map_addresses =
		calloc(job->map_count + 1, sizeof(*s->map_addresses));
	if (!s->regions || !s->addresses || !s->map_bytes || !s->map_addresses)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < job->buffer_count; i++) {
		s->addresses[i] = SPACE_BASE + s->size;
		add_region(s, job->buffers[i].name, job->buffers[i].bytes);
	}
	lay_maps(s, job);
	for (i = 0; i < job->module_count; i++) {
		const struct ptx_module *m = &s->modules[i];
		uint64_t global = s->size, constant;
		uint32_t k;

		add_region(s, "variables", m->global_bytes);
		constant = s->size;
		add_region(s, "constants", m->const_bytes);
		for (k = 0; k < m->variable_count; k++)
			s->variables[i][k] =
				SPACE_BASE + m->variables[k].offset +
				(m->variables[k].space == PTX_CONST ? constant
								    : global);
	}
	s->print_first = s->size;
	if (prints(s))
		add_region(s, "printed records", PRINTED_BYTES_MAX);
	lay_grids(s, job);
	s->traced_first = s->size;
	s->size += (uint64_t)s->pages.count << TRACE_PAGE_SHIFT;
	s->local_first = s->size;
	return 0;
}

/* An address among initial values. */
static uint64_t pointed(
	const struct space *s, size_t module, const struct ptx_pointer *p)
{
	const struct ptx_module *m = &s->modules[module];

	if (p->is_function)
		return code_address(p->index) >> p->shift;
	return (s->variables[module][p->index] + p->offset +
		       (p->is_generic && m->variables[p->index].space ==
						       PTX_CONST
				       ? WINDOW_CONST
				       : 0)) >>
	       p->shift;
}

static void fill_pointers(struct space *s, size_t module)
{
	const struct ptx_module *m = &s->modules[module];
	uint32_t i;

	for (i = 0; i < m->pointer_count; i++) {
		const struct ptx_pointer *p = &m->pointers[i];
		const uint64_t address = pointed(s, module, p);

		if (has_place(&m->variables[p->owner]))
			memcpy(s->bytes + s->variables[module][p->owner] -
					SPACE_BASE + p->at,
				&address, p->bytes);
	}
}

static void fill(struct space *s, const struct job *job)
{
	size_t i;
	uint32_t k;

	if (job->map_count)
		memcpy(s->bytes + s->map_addresses[0] - SPACE_BASE,
			s->map_bytes, job->map_count * TENSOR_MAP_BYTES);
	for (i = 0; i < s->module_count; i++)
		for (k = 0; k < s->modules[i].variable_count; k++) {
			const struct ptx_variable *v =
				&s->modules[i].variables[k];

			if (has_place(v) && v->initial)
				memcpy(s->bytes + s->variables[i][k] -
						SPACE_BASE,
					v->initial, v->bytes);
		}
	for (i = 0; i < s->module_count; i++)
		fill_pointers(s, i);
}

/* The buffers' content comes later. */
static int fill_later(
	struct space *s, const struct job *job, struct error *error)
{
	size_t i;

	for (i = 0; i < job->buffer_count; i++) {
		const struct job_buffer *b = &job->buffers[i];
		struct space_region *r = &s->regions[i];

		if (b->fill == JOB_FILL_ZERO && !b->content)
			continue;
		r->buffer = b;
		r->written = calloc(b->bytes / SPACE_PIECE_BYTES / 64 + 1,
			sizeof(*r->written));
		if (!r->written)
			return error_set(error, ERR_FAILED, "out of memory");
	}
	return 0;
}

/* Of many huge pages few pieces may be touched. Wishes, as in memory_table().
 */
static void wish_pages(const struct space *s)
{
	const uint64_t huge =
		s->size < SPACE_HUGE_BYTES ? s->size : SPACE_HUGE_BYTES;

	madvise(s->bytes, huge, MADV_HUGEPAGE);
	if (s->size > huge)
		madvise(s->bytes + huge, s->size - huge, MADV_NOHUGEPAGE);
}

int space_make(struct space *s, const struct job *job, struct error *error)
{
	void *bytes;
	int code;

	*s = (struct space){0};
	code = read_modules(s, job, error);
	if (!code)
		code = lay(s, job, error);
	if (code)
		return code;
	bytes = mmap(NULL, s->size ? s->size : 1, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return error_set(error, ERR_FAILED,
			"out of memory for %" PRIu64 " bytes of buffers",
			s->size);
	s->bytes = bytes;
	wish_pages(s);
	fill(s, job);
	return fill_later(s, job, error);
}

void space_free(struct space *s)
{
	uint32_t i;

	if (s->bytes)
		munmap(s->bytes, s->size ? s->size : 1);
	for (i = 0; i < s->module_count; i++) {
		ptx_free(&s->modules[i]);
		free(s->variables[i]);
	}
	for (i = 0; s->traces && i <= s->module_count; i++)
		trace_kernel_free(&s->traces[i]);
	for (i = 0; i < s->region_count; i++)
		free(s->regions[i].written);
	trace_pages_free(&s->pages);
	free(s->traces);
	free(s->variables);
	free(s->modules);
	free(s->regions);
	free(s->addresses);
	free(s->map_bytes);
	free(s->map_addresses);
	free(s->printed.text);
	*s = (struct space){0};
}

/* ---- content that comes later ---- */

static void write_piece(const struct space *s, const struct space_region *r,
	uint64_t at, uint64_t bytes)
{
	const struct job_content *c = r->buffer->content;
	unsigned char *to = s->bytes + r->first + at;

	if (c)
		c->write(c->of, s->addresses, at, bytes, to);
	else
		fill_write(r->buffer, at, bytes, to);
}

void space_touch(const struct space *s, const struct space_region *r,
	uint64_t offset, uint64_t bytes)
{
	uint64_t piece = (offset - r->first) / SPACE_PIECE_BYTES;
	uint64_t last = (offset - r->first + bytes - 1) / SPACE_PIECE_BYTES;

	for (; bytes && piece <= last; piece++) {
		const uint64_t bit = UINT64_C(1) << piece % 64;
		const uint64_t at = piece * SPACE_PIECE_BYTES;
		const uint64_t left = r->bytes - at;

		if (r->written[piece / 64] & bit)
			continue;
		r->written[piece / 64] |= bit;
		write_piece(s, r, at,
			left < SPACE_PIECE_BYTES ? left : SPACE_PIECE_BYTES);
	}
}

const struct space_region *space_find(
	const struct space *s, uint64_t offset, uint32_t bytes)
{
	uint32_t first = 0, end = s->region_count;

	while (first < end) {
		uint32_t middle = (first + end) / 2;
		const struct space_region *r = &s->regions[middle];

		if (offset < r->first)
			end = middle;
		else if (offset - r->first >= r->bytes)
			first = middle + 1;
		else
			return offset - r->first + bytes <= r->bytes ? r : NULL;
	}
	return NULL;
}

const struct space_region *space_take(
	const struct space *s, uint64_t offset, uint32_t bytes)
{
	const struct space_region *r = space_find(s, offset, bytes);

	if (r && r->written)
		space_touch(s, r, offset, bytes);
	return r;
}
