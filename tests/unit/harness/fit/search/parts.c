#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/fit/search/parts.h"
#include "harness/keep/journal_line.h"

TestSuite(search_parts, .timeout = 60);

static char folder[] = "/tmp/nearfar-others-XXXXXX";
static char own_path[128], other_path[128];
static const struct targets no_targets;
static struct search_config config = {
	.part_count = 2, .part = 1, .resume = true, .patience_s = 0.05};
static struct memo own, other; /* of the others 1 and 2 */
static struct others others;   /* as part 1 sees them */
static struct error error;

static void prepare(void)
{
	struct search_config theirs = {.resume = true};

	cr_assert(mkdtemp(folder));
	snprintf(own_path, sizeof(own_path), "%s/1.journal", folder);
	snprintf(other_path, sizeof(other_path), "%s/2.journal", folder);
	config.folder = folder;
	config.state = own_path;
	theirs.state = other_path;
	cr_assert_eq(memo_open(&own, &config, &no_targets, "m", &error), 0);
	cr_assert_eq(memo_open(&other, &theirs, &no_targets, "m", &error), 0);
	cr_assert_eq(others_open(&others, &config, &own, &error), 0);
}

static void clean(void)
{
	char command[128];

	others_close(&others);
	memo_close(&own);
	memo_close(&other);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	cr_expect_eq(system(command), 0); /* NOLINT(cert-env33-c) */
}

static struct outcome outcome_of(double value)
{
	struct outcome outcome;
	size_t i;

	for (i = 0; i < OUTCOME_COUNT; i++)
		outcome.field[i] = value / 3;
	return outcome;
}

static void put(struct memo *memo, size_t point, double value)
{
	const struct outcome outcome = outcome_of(value);

	cr_assert_eq(memo_put(memo, 77, point, &outcome, &error), 0, "%s",
		error.text);
}

static bool hear(void)
{
	bool heard;

	cr_assert_eq(others_hear(&others, &heard, &error), 0, "%s", error.text);
	return heard;
}

static void refuse(const char *sentence)
{
	bool heard;

	cr_expect_eq(others_hear(&others, &heard, &error), ERR_USAGE);
	cr_expect(strstr(error.text, other_path), "%s", error.text);
	cr_expect(strstr(error.text, sentence), "%s", error.text);
}

/* Behind what is there, as another program would write it. */
static void append(const char *text, size_t bytes)
{
	FILE *out = fopen(other_path, "a");

	cr_assert(out);
	cr_assert_eq(fwrite(text, 1, bytes, out), bytes);
	cr_assert_eq(fclose(out), 0);
}

static void append_record(const char *record)
{
	uint32_t check = other.journal.check;
	char *line = journal_line_make(&check, record, strlen(record));

	cr_assert(line);
	append(line, strlen(record) + JOURNAL_LINE_BYTES);
	free(line);
}

Test(search_parts, what_others_have_run_is_known, .init = prepare,
	.fini = clean)
{
	struct outcome found;
	const struct outcome wanted = outcome_of(5);

	cr_expect_not(hear());
	put(&other, 3, 5);
	cr_expect_not(memo_get(&own, 77, 3, &found));
	cr_expect(hear());
	cr_assert(memo_get(&own, 77, 3, &found));
	cr_expect_arr_eq(&found, &wanted, sizeof(found));
	cr_expect_not(hear());
	/* both have run it: no harm */
	put(&own, 4, 1);
	put(&other, 4, 1);
	cr_expect(hear());
}

Test(search_parts, one_that_is_not_there_is_gone, .init = prepare,
	.fini = clean)
{
	others_look(&others, search_now_s());
	cr_expect_not(others.gone[0], "this process is there");
	cr_expect_not(others.gone[1], "it writes its journal");
	put(&other, 3, 5);
	memo_close(&other);
	others_look(&others, search_now_s());
	cr_expect(others.gone[1], "nobody writes its journal");
	cr_assert_eq(unlink(other_path), 0);
	others_look(&others, search_now_s());
	cr_expect(others.gone[1], "there is no journal");
}

Test(search_parts, one_that_says_nothing_is_gone, .init = prepare,
	.fini = clean)
{
	const double since_s = search_now_s();

	usleep(60000);
	others_look(&others, since_s);
	cr_expect(others.gone[1]);
	others_look(&others, search_now_s());
	cr_expect_not(others.gone[1], "it was not waited for until now");
	put(&other, 3, 5);
	cr_expect(hear());
	others_look(&others, since_s);
	cr_expect_not(others.gone[1], "it has just said something");
}

/* Whoever looks whether a journal is written has its lock for an instant. */
Test(search_parts, a_look_keeps_nobody_from_beginning, .init = prepare,
	.fini = clean)
{
	struct search_config theirs = {.resume = true, .state = other_path};
	const int looks = open(other_path, O_RDONLY);

	put(&other, 3, 5);
	memo_close(&other);
	cr_assert_eq(flock(looks, LOCK_SH), 0);
	if (!fork()) {
		usleep(20000);
		_exit(0); /* with the last copy of the descriptor */
	}
	close(looks);
	cr_expect_eq(memo_open(&other, &theirs, &no_targets, "m", &error), 0,
		"%s", error.text);
}

Test(search_parts, a_torn_line_is_waited_for, .init = prepare, .fini = clean)
{
	struct outcome found;

	put(&other, 3, 5);
	append("{\"check\": \"00", 12);
	cr_expect(hear());
	cr_expect_not(hear());
	/* Who wrote it ends, begins again and drops it. */
	memo_close(&other);
	cr_assert_eq(memo_open(&other,
			     &(struct search_config){
				     .state = other_path, .resume = true},
			     &no_targets, "m", &error),
		0);
	put(&other, 4, 6);
	cr_expect(hear());
	cr_expect(memo_get(&own, 77, 4, &found));
}

Test(search_parts, an_outcome_that_differs_is_refused, .init = prepare,
	.fini = clean)
{
	put(&own, 3, 5);
	put(&other, 2, 5);
	put(&other, 3, 6);
	refuse(":3: this record differs from what another part has of the "
	       "same point");
}

Test(search_parts, what_is_damaged_is_refused, .init = prepare, .fini = clean)
{
	put(&other, 3, 5);
	append("{\"check\": \"00000000\", \"record\": {}}\n", 37);
	refuse(":3: the journal is damaged here");
}

Test(search_parts, a_record_of_other_things_is_refused, .init = prepare,
	.fini = clean)
{
	put(&other, 3, 5);
	append_record("{\"settings\": \"x\", \"point\": -1}");
	refuse(":3: this record is no outcome of a fit");
}

/* One member is wrong, the others are as they should be. */
static void refuse_but_for(const char *settings, const char *point)
{
	char text[1024];
	size_t i, length;

	put(&other, 3, 5);
	length = (size_t)snprintf(text, sizeof(text),
		"{\"settings\": %s, \"point\": %s, \"outcome\": [1", settings,
		point);
	for (i = 1; i < OUTCOME_COUNT; i++)
		length += (size_t)snprintf(
			text + length, sizeof(text) - length, ", 1");
	snprintf(text + length, sizeof(text) - length, "]}");
	append_record(text);
	refuse(":3: this record is no outcome of a fit");
}

Test(search_parts, a_record_without_settings_is_refused, .init = prepare,
	.fini = clean)
{
	refuse_but_for("\"x\"", "1");
}

Test(search_parts, a_record_of_no_whole_point_is_refused, .init = prepare,
	.fini = clean)
{
	refuse_but_for("\"4d\"", "1.5");
}

Test(search_parts, a_record_of_a_point_below_0_is_refused, .init = prepare,
	.fini = clean)
{
	refuse_but_for("\"4d\"", "-1");
}

Test(search_parts, a_journal_of_other_work_is_refused, .init = prepare,
	.fini = clean)
{
	memo_close(&other);
	cr_assert_eq(
		memo_open(&other, &(struct search_config){.state = other_path},
			&no_targets, "another machine", &error),
		0);
	refuse("machine");
}

Test(search_parts, a_journal_that_is_no_file_is_refused, .init = prepare,
	.fini = clean)
{
	memo_close(&other);
	unlink(other_path);
	cr_assert_eq(mkfifo(other_path, 0600), 0);
	refuse("is no plain file");
}
