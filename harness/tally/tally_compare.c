#include <math.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/tally/tally.h"
#include "harness/visible/visible.h"

/* Two launches and a counter that both have. */
struct row {
	size_t launch;
	const char *base_kernel, *new_kernel, *name;
	double base, new;
};

typedef void (*put_fn)(void *to, const struct row *row);

static const struct tally_value *find(
	const struct tally_launch *launch, const char *name)
{
	size_t i;

	for (i = 0; i < launch->count; i++)
		if (!strcmp(launch->values[i].name, name))
			return &launch->values[i];
	return NULL;
}

/* The number of rows; those of which both are 0 say nothing. */
static size_t walk(const struct tally *base, const struct tally *new,
	const char *only, put_fn put, void *to)
{
	size_t rows = 0, i, k;

	for (i = 0; i < base->count && i < new->count; i++)
		for (k = 0; k < base->launches[i].count; k++) {
			const struct tally_value *b =
				&base->launches[i].values[k];
			const struct tally_value *n =
				find(&new->launches[i], b->name);

			if (!n || (only && strcmp(only, b->name)) ||
				(b->value == 0 && n->value == 0))
				continue;
			rows++;
			if (put)
				put(to, &(struct row){i,
						base->launches[i].kernel,
						new->launches[i].kernel,
						b->name, b->value, n->value});
		}
	return rows;
}

/* Counters of launches of `of` that those of `other` have not. */
static size_t count_alone(const struct tally *of, const struct tally *other)
{
	size_t alone = 0, i, k;

	for (i = 0; i < of->count && i < other->count; i++)
		for (k = 0; k < of->launches[i].count; k++) {
			const struct tally_value *v =
				&of->launches[i].values[k];

			alone += v->value != 0 &&
				 !find(&other->launches[i], v->name);
		}
	return alone;
}

/* NaN: there is none. */
static double ratio_of(const struct row *row)
{
	return row->base == 0 ? NAN : row->new / row->base;
}

/* ---- for people ---- */

static void put_cells(void *to, const struct row *row)
{
	struct text_table *table = to;
	char base[128], new[128];

	visible_copy(row->base_kernel, base, sizeof(base));
	visible_copy(row->new_kernel, new, sizeof(new));
	text_table_row(table);
	text_table_add(table, "%s", row->name);
	text_table_number(table, row->base);
	text_table_number(table, row->new);
	text_table_number(table, ratio_of(row));
	text_table_add(table, "%zu", row->launch);
	text_table_add(table, "%s%s%s", base, strcmp(base, new) ? " | " : "",
		strcmp(base, new) ? new : "");
}

static void put_table(const struct tally *base, const struct tally *new,
	const char *only, bool md, FILE *out)
{
	struct text_table table = {.left = true};

	text_table_add(&table, "counter");
	text_table_add(&table, "base");
	text_table_add(&table, "new");
	text_table_add(&table, "ratio");
	text_table_add(&table, "launch");
	text_table_add(&table, "kernel");
	walk(base, new, only, put_cells, &table);
	text_table_put_as(&table, md ? TEXT_MD : TEXT_PLAIN, out);
	text_table_free(&table);
	if (base->count != new->count)
		fprintf(out,
			"\nlaunches: %zu in the base, %zu in the new one; "
			"the first ones are compared\n",
			base->count, new->count);
	if (!only && (count_alone(base, new) || count_alone(new, base)))
		fprintf(out,
			"\ncounters: %zu only in the base, %zu only in the new "
			"one\n",
			count_alone(base, new), count_alone(new, base));
}

/* ---- for programs ---- */

static void put_csv(void *to, const struct row *row)
{
	FILE *out = to;

	fprintf(out, "%zu,", row->launch);
	emit_csv_string(out, row->base_kernel);
	fputc(',', out);
	emit_csv_string(out, row->new_kernel);
	fputc(',', out);
	emit_csv_string(out, row->name);
	fputc(',', out);
	emit_csv_number(out, row->base);
	fputc(',', out);
	emit_csv_number(out, row->new);
	fputc(',', out);
	emit_csv_number(out, ratio_of(row));
	fputc('\n', out);
}

struct json {
	FILE *out;
	bool begun;
};

static void put_json(void *to, const struct row *row)
{
	struct json *json = to;

	fprintf(json->out, "%s\n  {\"launch\": %zu", json->begun ? "," : "",
		row->launch);
	json->begun = true;
	emit_json_string_member(json->out, "base_kernel", row->base_kernel);
	emit_json_string_member(json->out, "new_kernel", row->new_kernel);
	emit_json_string_member(json->out, "counter", row->name);
	emit_json_number_member(json->out, "base", row->base);
	emit_json_number_member(json->out, "new", row->new);
	emit_json_number_member(json->out, "ratio", ratio_of(row));
	fputc('}', json->out);
}

int tally_compare(const struct tally *base, const struct tally *new,
	const char *only, enum series_format format, FILE *out,
	struct error *error)
{
	struct json json = {.out = out};

	if (!walk(base, new, only, NULL, NULL))
		return error_set(error, ERR_USAGE,
			only ? "the two files do not share the counter '%s'"
			     : "the two files share no counter (of Nsight "
			       "Compute: ncu --csv --page raw)",
			only);
	if (format == FORMAT_CSV) {
		fputs("launch,base_kernel,new_kernel,counter,base,new,ratio\n",
			out);
		walk(base, new, only, put_csv, out);
	} else if (format == FORMAT_JSON) {
		fputs("{\"schema\": \"nearfar-counters/1\", \"rows\": [", out);
		walk(base, new, only, put_json, &json);
		fputs("\n]}\n", out);
	} else {
		put_table(base, new, only, format == FORMAT_MD, out);
	}
	return 0;
}
