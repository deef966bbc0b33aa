/* printf as a kernel has it. */
#include "backend_sim/values/format.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX    65536u /* of a format or a string */
#define COLUMNS_MAX 65536  /* of a width or a precision */

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

/* As an H200's driver (580) does it, in two steps, which know other forms: the
   kernel's side takes the arguments of conversions into slots of 8 bytes,
   behind which the format lies; the host's side prints one conversion after the
   other with what its slot holds. `%hhd` has a slot for the host alone: it
   prints what an argument further on, or the format, left there. So do
   conversions behind the 32nd. */
#define SLOTS 32u

struct formatting {
	struct printed *out;
	const struct format_source *from;
	uint64_t at; /* of the next argument */
	const char *format;
	size_t format_bytes;
	const char *last; /* behind the last conversion that is printed */
	uint64_t slots[SLOTS];
	uint32_t count; /* of slots that are filled */
	uint32_t slot;  /* the next one to print */
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

/* ---- one conversion ---- */

#define FROM_SLOT INT_MIN /* a width of `*` */

struct conversion {
	char flags[8];
	int width, precision; /* -1: not said */
	char size;            /* h, H: hh, l, M: ll, or another one's letter */
	char letter;
	bool is_printed; /* the host's side has it; the kernel's, too, but hh */
};

static int read_columns(const char **at)
{
	int columns = 0;

	for (; **at >= '0' && **at <= '9'; (*at)++)
		if (columns < COLUMNS_MAX)
			columns = columns * 10 + (**at - '0');
	return columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
}

static char read_size(const char **at)
{
	const char size = **at;

	if (!size || !strchr("hlLqjztZ", size))
		return 0;
	(*at)++;
	if ((size != 'h' && size != 'l') || **at != size)
		return size;
	(*at)++;
	return size == 'h' ? 'H' : 'M';
}

/* Behind the '%'. */
static void read_conversion(const char **at, struct conversion *c)
{
	size_t flags = 0;
	bool takes = true;

	*c = (struct conversion){.width = -1, .precision = -1};
	for (; **at && strchr("-+ #0", **at); (*at)++)
		if (flags + 2 < sizeof(c->flags) && !strchr(c->flags, **at))
			c->flags[flags++] = **at;
	if (**at == '*') {
		c->width = FROM_SLOT;
		(*at)++;
	} else if (**at >= '1' && **at <= '9') {
		c->width = read_columns(at);
	}
	if (**at == '.') {
		(*at)++;
		takes = **at != '*';
		c->precision = read_columns(at);
	}
	c->size = read_size(at);
	c->letter = **at;
	*at += **at != 0;
	c->is_printed = takes && c->letter &&
			strchr("diouxXcpeEfFgGaAs", c->letter) &&
			(!c->size || strchr("hHlM", c->size));
}

/* ---- the kernel's side ---- */

static unsigned bytes_of(const struct conversion *c)
{
	return strchr("diouxX", c->letter)
		       ? (c->size == 'l' || c->size == 'M' ? 8 : 4)
		       : (c->letter == 'c' ? 4 : 8);
}

static void take(struct formatting *f, unsigned bytes)
{
	uint64_t slot = 0;

	if (f->count == SLOTS || f->end != FORMAT_DONE)
		return;
	f->at = (f->at + bytes - 1) & ~(uint64_t)(bytes - 1);
	if (!f->from->argument(f->from->context, f->at, &slot, bytes))
		f->end = FORMAT_NOWHERE;
	f->at += bytes;
	f->slots[f->count++] = slot;
}

static void take_arguments(struct formatting *f)
{
	const char *at = f->format;
	struct conversion c;

	f->last = at;
	while ((at = strchr(at, '%'))) {
		at++;
		read_conversion(&at, &c);
		if (!c.is_printed)
			continue;
		f->last = at;
		if (c.size == 'H')
			continue;
		if (c.width == FROM_SLOT)
			take(f, 4);
		take(f, bytes_of(&c));
	}
}

/* ---- the host's side ---- */

/* What the next slot holds. The host ends the format behind the conversion that
   it prints, at `end`. */
static uint64_t next_slot(struct formatting *f, const char *end)
{
	const uint32_t slot = f->slot++;
	uint8_t bytes[8] = {0};
	uint64_t held;
	size_t i;

	if (slot < f->count)
		return f->slots[slot];
	for (i = 0; i < sizeof(bytes); i++) {
		const size_t at = (slot - f->count) * sizeof(bytes) + i;

		if (at < f->format_bytes && f->format + at != end)
			bytes[i] = (uint8_t)f->format[at];
	}
	memcpy(&held, bytes, sizeof(held));
	return held;
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

static long long whole(const struct conversion *c, uint64_t slot)
{
	const bool is_signed = c->letter == 'd' || c->letter == 'i';

	if (c->size == 'l' || c->size == 'M')
		return (long long)slot;
	if (c->size == 'h')
		return is_signed ? (int16_t)slot : (uint16_t)slot;
	if (c->size == 'H')
		return is_signed ? (int8_t)slot : (uint8_t)slot;
	return is_signed ? (int32_t)slot : (long long)(uint32_t)slot;
}

static void put(struct formatting *f, const char *text, size_t bytes)
{
	if (f->end == FORMAT_DONE && !printed_add(f->out, text, bytes))
		f->end = FORMAT_MEMORY;
}

/* Of the address 0 as the C library prints it: whole, or nothing. */
static char *string_at(
	struct formatting *f, const struct conversion *c, uint64_t address)
{
	static const char none[] = "(null)";
	const bool fits =
		c->precision < 0 || c->precision >= (int)sizeof(none) - 1;
	char *text;

	if (address)
		return take_text(f, address);
	text = strdup(fits ? none : "");
	if (!text)
		f->end = FORMAT_MEMORY;
	return text;
}

static void put_string(
	struct formatting *f, const struct conversion *c, uint64_t address)
{
	char spec[64], *text = string_at(f, c, address), *made;
	const size_t bytes = text ? strlen(text) + COLUMNS_MAX + 1 : 0;

	describe(c, "", spec);
	made = text ? malloc(bytes) : NULL;
	if (made)
		put(f, made, (size_t)snprintf(made, bytes, spec, text));
	else if (text)
		f->end = FORMAT_MEMORY;
	free(made);
	free(text);
}

static void put_value(
	struct formatting *f, const struct conversion *c, uint64_t slot)
{
	char spec[64], made[COLUMNS_MAX + 512];
	double real;
	int length;

	if (strchr("diouxX", c->letter)) {
		describe(c, "ll", spec);
		length = snprintf(made, sizeof(made), spec, whole(c, slot));
	} else if (c->letter == 'c') {
		describe(c, "", spec);
		length = snprintf(made, sizeof(made), spec, (int)slot);
	} else if (c->letter == 'p') {
		describe(c, "", spec);
		length = snprintf(
			made, sizeof(made), spec, (void *)(uintptr_t)slot);
	} else {
		describe(c, "", spec);
		memcpy(&real, &slot, sizeof(real));
		length = snprintf(made, sizeof(made), spec, real);
	}
	put(f, made, (size_t)length);
}

/* A width from a slot, as the C library takes it. */
static void take_width(
	struct formatting *f, struct conversion *c, const char *end)
{
	const int32_t columns = (int32_t)next_slot(f, end);
	const size_t flags = strlen(c->flags);

	c->width = columns > COLUMNS_MAX    ? COLUMNS_MAX
		   : columns < -COLUMNS_MAX ? COLUMNS_MAX
					    : abs(columns);
	if (columns < 0 && !strchr(c->flags, '-'))
		c->flags[flags] = '-';
}

/* What is no conversion goes to the C library with the next one, which prints
   such of letters that it has not; behind the last conversion the text is as
   it stands. */
static void put_other(struct formatting *f, const struct conversion *c,
	const char *from, const char *end)
{
	static const char known[] = "diouxXcpeEfFgGaAsCSnm";
	char text[96];
	size_t length = 0;

	if (from >= f->last || !c->letter || c->width == FROM_SLOT ||
		memchr(from, '*', (size_t)(end - from)) ||
		strchr(known, c->letter)) {
		put(f, from, (size_t)(end - from));
		return;
	}
	if (c->letter == '%') {
		put(f, "%", 1);
		return;
	}
	text[length++] = '%';
	if (strchr(c->flags, '#'))
		text[length++] = '#';
	if (strchr(c->flags, '+') || strchr(c->flags, ' '))
		text[length++] = strchr(c->flags, '+') ? '+' : ' ';
	if (strchr(c->flags, '-') || strchr(c->flags, '0'))
		text[length++] = strchr(c->flags, '-') ? '-' : '0';
	if (c->width >= 0)
		length += (size_t)sprintf(text + length, "%d", c->width);
	if (c->precision >= 0)
		length += (size_t)sprintf(text + length, ".%d", c->precision);
	text[length++] = c->letter;
	put(f, text, length);
}

static const char *convert(struct formatting *f, const char *from)
{
	const char *at = from + 1;
	struct conversion c;
	uint64_t slot;

	if (*at == '%') {
		put(f, "%", 1);
		return at + 1;
	}
	read_conversion(&at, &c);
	if (!c.is_printed) {
		put_other(f, &c, from, at);
		return at;
	}
	if (c.width == FROM_SLOT)
		take_width(f, &c, at);
	slot = next_slot(f, at);
	(c.letter == 's' ? put_string : put_value)(f, &c, slot);
	return at;
}

enum format_end format_print(struct printed *out,
	const struct format_source *from, uint64_t format, uint32_t *count,
	uint64_t *bytes)
{
	struct formatting f = {.out = out, .from = from};
	char *text = take_text(&f, format);
	const char *at = text;

	if (text) {
		f.format = text;
		f.format_bytes = strlen(text);
		take_arguments(&f);
	}
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
