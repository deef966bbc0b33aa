#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/content.h"

TestSuite(chunks, .timeout = 60);

static void refused(const void *bytes, size_t count, const char *word)
{
	char path[] = "/tmp/nearfar-chunks-XXXXXX";
	const int file = mkstemp(path);
	struct error error = {0};
	struct content content;

	cr_assert(file >= 0 && write(file, bytes, count) == (ssize_t)count);
	close(file);
	cr_expect_eq(
		ERR_USAGE, content_read_text(path, 1 << 20, &content, &error));
	cr_expect(strstr(error.text, word), "%s", error.text);
	unlink(path);
}

Test(chunks, other_packers_are_named)
{
	refused("\xfd"
		"7zXZ\0\0\4",
		8, "xz -dc");
	refused("\x28\xb5\x2f\xfd\0\0", 6, "zstd -dc");
	refused("BZh91AY\0", 8, "bzip2 -dc");
	refused("\4\"M\x18\0", 5, "lz4 -dc");
	refused("PK\3\4\0\0", 6, "unzip");
	refused("text\0", 5, "byte 0");
	refused("\xfd"
		"7zX\0",
		5, "byte 0");
}
