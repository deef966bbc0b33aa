#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text_table.h"

TestSuite(tex, .timeout = 60);

Test(tex, a_table_has_the_rules_of_booktabs)
{
	struct text_table table = {0};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	text_table_add(&table, "footprint_bytes");
	text_table_add(&table, "50 %%");
	text_table_add(&table, "a & b");
	text_table_row(&table);
	text_table_add(&table, "4KiB");
	text_table_rest(&table, "skipped: \\input{x} #1 $y^2~");
	text_table_put_tex(&table, out);
	fclose(out);
	cr_assert_str_eq(text,
		"\\begin{tabular}{rrr}\n\\toprule\n"
		"footprint\\_bytes & 50 \\% & a \\& b \\\\\n\\midrule\n"
		"4KiB & \\multicolumn{2}{l}{skipped: \\textbackslash{}"
		"input\\{x\\} \\#1 \\$y\\textasciicircum{}2"
		"\\textasciitilde{}} \\\\\n\\bottomrule\n\\end{tabular}\n");
	free(text);
	text_table_free(&table);
}

Test(tex, every_line_of_words_is_a_comment)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes), *words = tex_comments(out);

	fputs("a\n\nb\r\\end{document}\nc", words);
	fclose(words);
	fputs("\\x", out);
	fclose(out);
	cr_assert_str_eq(text, "% a\n%\n% b \\end{document}\n% c\n\\x");
	free(text);
}
