/* printf as a kernel has it. */
#include "backend_sim/values/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX    65536u /* of a format or a string */
#define COLUMNS_MAX 4096   /* of a width or a precision */

bool printed_add(struct printed *p, const char *text, size_t bytes)
{
	size_t larger = p->capacity * 2 + 256;
	char *grown;

	if (!bytes)
		return true;
	if (p->bytes + bytes > PRINTED_BYTES_MAX) {
		p->is_full = true;
		return true;
	}
	if (p->bytes + bytes > p->capacity) {
		larger = larger < p->bytes + bytes ? p->bytes + bytes : larger;
		grown = realloc(p->text, larger);
		if (!grown)
			return false;
		p->text = grown;
		p->capacity = larger;
	}
	memcpy(p->text + p->bytes, text, bytes);
	p->bytes += bytes;
	return true;
}

struct formatting {
	struct printed *out;
	const struct format_source *from;
	uint64_t at; /* of the next argument */
	uint32_t count;
	enum format_end end;
};

/* A text of the kernel's; NULL: it is nowhere, or there is no memory. */
static char *take_text(struct formatting *f, uint64_t address)
{
	size_t length = 0, capacity = 0;
	char *text = NULL;
	int byte;

	do {
		if (length == capacity) {
			char *grown =
				realloc(text, capacity = capacity * 2 + 64);

			if (!grown) {
				f->end = FORMAT_MEMORY;
				break;
			}
			text = grown;
		}
		byte = f->from->byte(f->from->context, address + length);
		if (byte < 0 || length == TEXT_MAX)
			f->end = FORMAT_NOWHERE;
		text[length++] = (char)byte;
	} while (byte > 0 && f->end == FORMAT_DONE);
	if (f->end == FORMAT_DONE)
		return text;
	free(text);
	return NULL;
}

static void take(struct formatting *f, void *to, unsigned bytes)
{
	f->at = (f->at + bytes - 1) & ~(uint64_t)(bytes - 1);
	if (f->end == FORMAT_DONE &&
		!f->from->argument(f->from->context, f->at, to, bytes))
		f->end = FORMAT_NOWHERE;
	f->at += bytes;
}

/* ---- one conversion ---- */

struct conversion {
	char flags[8];
	int width, precision; /* -1: not said */
	char size;            /* of a whole number: h, H: hh, l; 0 */
	char letter;
	size_t shown; /* bytes before its size */
};

/* Digits, or a '*' for an argument. */
static int take_columns(struct formatting *f, const char **at)
{
	int32_t columns = 0;

	if (**at == '*') {
		take(f, &columns, sizeof(columns));
		(*at)++;
		return columns > COLUMNS_MAX    ? COLUMNS_MAX
		       : columns < -COLUMNS_MAX ? -COLUMNS_MAX
						: columns;
	}
	for (; **at >= '0' && **at <= '9'; (*at)++)
		if (columns < COLUMNS_MAX)
			columns = columns * 10 + (**at - '0');
	return columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
}

static char take_size(const char **at)
{
	char size = 0;

	for (; **at && strchr("hlLzjt", **at); (*at)++)
		size = **at != 'h' ? 'l' : size == 'h' ? 'H' : 'h';
	return size;
}

/* Behind the '%'. */
static void take_conversion(
	struct formatting *f, const char **at, struct conversion *c)
{
	const char *from = *at - 1;
	size_t flags = 0;

	*c = (struct conversion){.width = -1, .precision = -1};
	for (; **at && strchr("-+ #0", **at); (*at)++)
		if (flags + 2 < sizeof(c->flags) && !strchr(c->flags, **at))
			c->flags[flags++] = **at;
	if (**at == '*' || (**at >= '1' && **at <= '9')) {
		f->count += **at == '*';
		c->width = take_columns(f, at);
	}
	if (c->width < -1) {
		c->width = -c->width;
		c->flags[flags] = '-';
	}
	if (**at == '.') {
		(*at)++;
		c->precision = **at == '*' ? 0 : take_columns(f, at);
	}
	c->shown = (size_t)(*at - from);
	c->size = take_size(at);
	c->letter = **at;
	*at += **at != 0;
}

/* The host's printf does it: width and precision as numbers. */
static void describe(const struct conversion *c, const char *size, char *to)
{
	to += sprintf(to, "%%%s", c->flags);
	if (c->width >= 0)
		to += sprintf(to, "%d", c->width);
	if (c->precision >= 0)
		to += sprintf(to, ".%d", c->precision);
	sprintf(to, "%s%c", size, c->letter);
}

static long long whole(struct formatting *f, const struct conversion *c)
{
	const bool is_signed = c->letter == 'd' || c->letter == 'i';
	uint64_t wide = 0;
	uint32_t word = 0;

	if (c->size == 'l') {
		take(f, &wide, sizeof(wide));
		return (long long)wide;
	}
	take(f, &word, sizeof(word));
	if (c->size == 'h')
		return is_signed ? (int16_t)word : (uint16_t)word;
	if (c->size == 'H')
		return is_signed ? (int8_t)word : (uint8_t)word;
	return is_signed ? (int32_t)word : (long long)word;
}

static void put(struct formatting *f, const char *text, size_t bytes)
{
	if (f->end == FORMAT_DONE && !printed_add(f->out, text, bytes))
		f->end = FORMAT_MEMORY;
}

static void put_string(struct formatting *f, const struct conversion *c)
{
	char spec[64], *text, *made;
	uint64_t address = 0;
	size_t bytes;

	take(f, &address, sizeof(address));
	if (f->end != FORMAT_DONE)
		return;
	text = take_text(f, address);
	describe(c, "", spec);
	bytes = text ? strlen(text) + COLUMNS_MAX + 1 : 0;
	made = text ? malloc(bytes) : NULL;
	if (made)
		put(f, made, (size_t)snprintf(made, bytes, spec, text));
	else if (text)
		f->end = FORMAT_MEMORY;
	free(made);
	free(text);
}

static void put_value(struct formatting *f, const struct conversion *c)
{
	char spec[64], made[COLUMNS_MAX + 512];
	uint64_t address = 0;
	double real = 0;
	int length;

	if (strchr("diouxX", c->letter)) {
		describe(c, "ll", spec);
		length = snprintf(made, sizeof(made), spec, whole(f, c));
	} else if (c->letter == 'c') {
		describe(c, "", spec);
		length = snprintf(made, sizeof(made), spec, (int)whole(f, c));
	} else if (c->letter == 'p') {
		describe(c, "", spec);
		take(f, &address, sizeof(address));
		length = snprintf(
			made, sizeof(made), spec, (void *)(uintptr_t)address);
	} else {
		describe(c, "", spec);
		take(f, &real, sizeof(real));
		length = snprintf(made, sizeof(made), spec, real);
	}
	put(f, made, (size_t)length);
}

/* What is no conversion is printed as it stands, but for a size; as on an H200,
   a precision of `*` is none. */
static const char *convert(struct formatting *f, const char *from)
{
	const char *at = from + 1;
	struct conversion c;

	take_conversion(f, &at, &c);
	if (c.letter == '%') {
		put(f, "%", 1);
		return at;
	}
	if (!c.letter || !strchr("diouxXcpeEfFgGaAs", c.letter)) {
		put(f, from, c.shown);
		put(f, &c.letter, c.letter != 0);
		return at;
	}
	f->count++;
	if (c.letter == 's')
		put_string(f, &c);
	else
		put_value(f, &c);
	return at;
}

enum format_end format_print(struct printed *out,
	const struct format_source *from, uint64_t format, uint32_t *count,
	uint64_t *bytes)
{
	struct formatting f = {.out = out, .from = from};
	char *text = take_text(&f, format);
	const char *at = text;

	while (f.end == FORMAT_DONE && *at) {
		const size_t plain = strcspn(at, "%");

		put(&f, at, plain);
		at += plain;
		if (*at)
			at = convert(&f, at);
	}
	free(text);
	*count = f.count;
	*bytes = f.at;
	return f.end;
}
