/* The names of a module, scope by scope. */
#include <stdlib.h>
#include <string.h>

#include "harness/ptx/reader.h"

#define BUCKETS 4096u

int reader_grow(struct reader *r, void *items, uint32_t *capacity,
	uint32_t count, size_t size)
{
	void **at = items;
	uint32_t larger = *capacity ? *capacity * 2 : 16;
	void *grown;

	if (count < *capacity)
		return 0;
	grown = realloc(*at, larger * size);
	if (!grown)
		return error_set(r->error, ERR_FAILED, "out of memory");
	*at = grown;
	*capacity = larger;
	return 0;
}

int names_init(struct reader *r)
{
	r->buckets = calloc(BUCKETS, sizeof(*r->buckets));
	return r->buckets ? 0
			  : error_set(r->error, ERR_FAILED, "out of memory");
}

uint32_t ptx_hash(const struct ptx_name *name)
{
	uint32_t hash = 2166136261u, i;

	for (i = 0; i < name->length; i++)
		hash = (hash ^ (unsigned char)name->text[i]) * 16777619u;
	return hash;
}

static uint32_t *bucket_of(const struct reader *r, const struct ptx_name *name)
{
	return &r->buckets[ptx_hash(name) % BUCKETS];
}

const struct symbol *names_find(
	const struct reader *r, const struct ptx_name *name)
{
	uint32_t at = *bucket_of(r, name);

	while (at) {
		const struct symbol *s = &r->symbols[at - 1];

		if (s->name.length == name->length &&
			!memcmp(s->name.text, name->text, name->length))
			return s;
		at = s->shadowed;
	}
	return NULL;
}

static bool is_taken(const struct reader *r, const struct symbol *known)
{
	return known && known >= r->symbols + r->scope &&
	       known->kind != SYMBOL_SECTION;
}

int names_shadow(struct reader *r, const struct ptx_name *name, uint8_t kind,
	uint32_t index)
{
	uint32_t *bucket = bucket_of(r, name);
	int code = reader_grow(r, &r->symbols, &r->symbol_capacity,
		r->symbol_count, sizeof(*r->symbols));

	if (code)
		return code;
	r->symbols[r->symbol_count] = (struct symbol){
		.name = *name,
		.index = index,
		.kind = kind,
		.shadowed = *bucket,
	};
	*bucket = ++r->symbol_count;
	return 0;
}

int names_add(struct reader *r, const struct ptx_name *name,
	const struct ptx_place *place, uint8_t kind, uint32_t index)
{
	if ((ptx_name_is(name, "_") && r->where != OF_ENTRY) ||
		ptx_name_is(name, "WARP_SZ"))
		return reader_refuse(r, place, "'%.*s' is no name that PTX has",
			(int)name->length, name->text);
	if (is_taken(r, names_find(r, name)))
		return reader_refuse(r, place, "'%.*s' stands for two things",
			(int)name->length, name->text);
	return names_shadow(r, name, kind, index);
}

void names_leave(struct reader *r, uint32_t scope)
{
	while (r->symbol_count > scope) {
		const struct symbol *s = &r->symbols[--r->symbol_count];

		*bucket_of(r, &s->name) = s->shadowed;
	}
}

void names_free(struct reader *r)
{
	free(r->symbols);
	free(r->buckets);
	free(r->uses);
	free(r->prototypes);
}

uint32_t ptx_file(const struct ptx_module *module, uint32_t number)
{
	uint32_t i;

	for (i = 0; i < module->file_count; i++)
		if (module->files[i].number == number)
			return i + 1;
	return 0;
}
