/* Trees of JSON in memory of our own. That memory runs out in the midst of one
   is what `make faults` tries. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/json/json_text.h"

TestSuite(json_text, .timeout = 10);

#define TEXT                                                                   \
	"{\"name\":\"longer than the sixteen bytes of a first "                \
	"try\",\"x\":[1]}"

Test(json_text, what_is_read_can_be_written_and_freed)
{
	json_t *value;
	char *text;

	json_text_begin();
	value = json_text_read(TEXT, strlen(TEXT), 0, NULL);
	cr_assert(value);
	json_object_set_new(value, "more", json_string("of another text"));
	json_object_del(value, "more");
	text = json_text_write(value, JSON_COMPACT);
	cr_assert_str_eq(text, TEXT);
	free(text);
	json_decref(value);
	cr_assert_null(json_text_read("[1,", 3, 0, NULL));
}
