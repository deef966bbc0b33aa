#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "harness/page/pack.h"

#define GZIP_WINDOW (15 + 16) /* zlib's way to ask for a gzip header */
#define LEVEL       6
#define PIECE_MOST  ((size_t)1 << 30)

/* NULL without memory. */
static unsigned char *gzip(const char *text, size_t bytes, size_t *packed)
{
	z_stream stream = {0};
	unsigned char *out;
	uLong room;

	if (bytes > PIECE_MOST ||
		deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8,
			Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	room = deflateBound(&stream, bytes);
	out = malloc(room);
	stream.next_in = (unsigned char *)text;
	stream.avail_in = (uInt)bytes;
	stream.next_out = out;
	stream.avail_out = (uInt)room;
	if (out && deflate(&stream, Z_FINISH) != Z_STREAM_END) {
		free(out);
		out = NULL;
	}
	*packed = stream.total_out;
	deflateEnd(&stream);
	return out;
}

static void spell(const unsigned char *in, size_t bytes, char *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i, k;

	for (i = 0; i < bytes; i += 3) {
		const size_t here = bytes - i < 3 ? bytes - i : 3;
		uint32_t bits = 0;

		for (k = 0; k < 3; k++)
			bits = bits << 8 | (k < here ? in[i + k] : 0);
		for (k = 0; k < 4; k++)
			*out++ = k <= here ? digits[bits >> (18 - 6 * k) & 63]
					   : '=';
	}
	*out = '\0';
}

int pack_base64(
	const char *text, size_t bytes, char **packed, struct error *error)
{
	size_t count = 0;
	unsigned char *bits = gzip(text, bytes, &count);
	char *spelled = bits ? malloc((count + 2) / 3 * 4 + 1) : NULL;

	if (spelled)
		spell(bits, count, spelled);
	free(bits);
	if (!spelled)
		return error_set(error, ERR_FAILED,
			"out of memory for the data of the page");
	*packed = spelled;
	return 0;
}
