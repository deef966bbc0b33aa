#include <stdint.h>
#include <stdbool.h>
#include <string.h>

#include "harness/visible/visible.h"

#define SHOWN_BYTES 16

/* Bytes of the character that begins a text, and the character; 0: none does,
   it is no UTF-8. */
static size_t read_character(const unsigned char *text, uint32_t *character)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800},
		{0xf8, 0xf0, 0x10000}};
	size_t length, i;

	for (length = 1; length <= 4; length++)
		if ((*text & forms[length - 1].mask) == forms[length - 1].lead)
			break;
	if (length > 4)
		return 0;
	*character = *text & (unsigned char)~forms[length - 1].mask;
	for (i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*character = *character << 6 | (text[i] & 0x3f);
	}
	if (*character < forms[length - 1].least || *character > 0x10ffff ||
		(*character >= 0xd800 && *character < 0xe000))
		return 0;
	return length;
}

/* What a terminal obeys instead of showing it. */
static bool is_hidden(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

/* The next character as it is shown; returns how many bytes it was. */
static size_t show(const char *text, char shown[SHOWN_BYTES])
{
	uint32_t c = 0;
	size_t length = read_character((const unsigned char *)text, &c);

	if (!length)
		snprintf(shown, SHOWN_BYTES, "\\x%02x", (unsigned char)*text);
	else if (c == '\n' || c == '\t' || c == '\r')
		snprintf(shown, SHOWN_BYTES, "\\%c",
			c == '\n'   ? 'n'
			: c == '\t' ? 't'
				    : 'r');
	else if (is_hidden(c))
		snprintf(shown, SHOWN_BYTES, c < 0x100 ? "\\x%02x" : "\\u%04x",
			c);
	else
		snprintf(shown, SHOWN_BYTES, "%.*s", (int)length, text);
	return length ? length : 1;
}

void visible_put(FILE *out, const char *text)
{
	char shown[SHOWN_BYTES];

	while (*text) {
		text += show(text, shown);
		fputs(shown, out);
	}
}

void visible_put_md(FILE *out, const char *text)
{
	char shown[SHOWN_BYTES];

	while (*text) {
		if (strchr("\\`*[]<>|&", *text))
			fputc('\\', out);
		text += show(text, shown);
		fputs(shown, out);
	}
}

void visible_put_code(FILE *out, const char *text)
{
	char shown[SHOWN_BYTES];

	while (*text) {
		text += show(text, shown);
		fputs(strcmp(shown, "`") ? shown : "\\x60", out);
	}
}

void visible_put_html(FILE *out, const char *text)
{
	static const struct {
		char character;
		const char *spelling;
	} escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"},
		{'"', "&quot;"}, {'\'', "&#39;"}};
	const size_t count = sizeof(escapes) / sizeof(escapes[0]);
	size_t i;

	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		for (i = 0; i < count && escapes[i].character != *text; i++)
			;
		if (i < count)
			fputs(escapes[i].spelling, out);
		else
			fputc(c < 0x20 || c == 0x7f ? ' ' : c, out);
	}
}

bool visible_is_utf8(const char *text)
{
	uint32_t character;
	size_t length;

	for (; *text; text += length) {
		length =
			read_character((const unsigned char *)text, &character);
		if (!length)
			return false;
	}
	return true;
}

size_t visible_length(const char *text)
{
	char shown[SHOWN_BYTES];
	size_t length = 0;

	while (*text) {
		text += show(text, shown);
		length += strlen(shown);
	}
	return length;
}

void visible_copy(const char *text, char *to, size_t size)
{
	char shown[SHOWN_BYTES];
	size_t length;

	while (*text) {
		text += show(text, shown);
		length = strlen(shown);
		if (length >= size)
			break;
		memcpy(to, shown, length);
		to += length;
		size -= length;
	}
	*to = '\0';
}
