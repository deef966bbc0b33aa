#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sheet/sheet.h"

/* Two rows: a, x=1: 2.5; "b,c", x=2: none. */
static void make(struct sheet *sheet)
{
	*sheet = (struct sheet){.name = "try"};
	sheet_column(sheet, "name", true);
	sheet_column(sheet, "x", true);
	sheet_column(sheet, "value of", false);
	sheet_text(sheet, "a");
	sheet_number(sheet, 1);
	sheet_number(sheet, 2.5);
	sheet_text(sheet, "b,c");
	sheet_number(sheet, 2);
	sheet_number(sheet, NAN);
}

static int written(enum series_format format, size_t count, const char *wanted)
{
	struct sheet sheets[2];
	struct error error = {""};
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int code;

	make(&sheets[0]);
	make(&sheets[1]);
	code = sheet_put(sheets, count, format, out, &error);
	fclose(out);
	if (wanted)
		cr_expect_str_eq(code ? error.text : text, wanted);
	free(text);
	sheet_free(&sheets[0]);
	sheet_free(&sheets[1]);
	return code;
}

Test(sheet, programs_read_rows)
{
	cr_expect_eq(written(FORMAT_CSV, 1,
			     "name,x,value of\na,1,2.5\n\"b,c\",2,\n"),
		0);
	cr_expect_eq(written(FORMAT_JSONL, 1,
			     "{\"name\": \"a\", \"x\": 1, \"value of\": 2.5}\n"
			     "{\"name\": \"b,c\", \"x\": 2, \"value of\": "
			     "null}\n"),
		0);
	cr_expect_eq(written(FORMAT_JSON, 1,
			     "{\"schema\": \"nearfar-try/1\", \"rows\": [\n"
			     "  {\"name\": \"a\", \"x\": 1, \"value of\": 2.5}"
			     ",\n  {\"name\": \"b,c\", \"x\": 2, \"value of\": "
			     "null}\n]}\n"),
		0);
}

Test(sheet, sheets_with_the_same_columns_have_one_head)
{
	cr_expect_eq(written(FORMAT_TIDY, 2,
			     "name,x,value of\na,1,2.5\n\"b,c\",2,\n"
			     "a,1,2.5\n\"b,c\",2,\n"),
		0);
}

Test(sheet, openmetrics_has_labels_and_finite_values_alone)
{
	cr_expect_eq(written(FORMAT_OPENMETRICS, 1,
			     "# TYPE nearfar_try_value_of gauge\n"
			     "nearfar_try_value_of{name=\"a\",x=\"1\"} 2.5\n"
			     "# EOF\n"),
		0);
}

Test(sheet, times_are_not_made_up)
{
	cr_expect_eq(written(FORMAT_GBENCH, 1,
			     "gbench has times alone: 'nearfar show FILE -f "
			     "gbench' writes those of series"),
		ERR_USAGE);
}

Test(sheet, words_alone_are_no_chart)
{
	struct sheet sheet = {.name = "try"};
	struct error error = {""};

	sheet_column(&sheet, "name", true);
	sheet_text(&sheet, "a");
	cr_expect_eq(
		sheet_put(&sheet, 1, FORMAT_VEGA, stderr, &error), ERR_USAGE);
	cr_expect(strstr(error.text, "needs numbers"));
	sheet_free(&sheet);
}
