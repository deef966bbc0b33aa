/* Who waits in line for whom, at servers made by hand. */
#include <criterion/criterion.h>

#include "backend_sim/core/books.h"

static struct books books;
static struct server server;

/* Lines 0 to 3 of the code, and a request of each, by the same number. */
static void begin(enum server_id id)
{
	uint32_t i;

	books_open(&books);
	cr_assert_eq(blame_open(&books.blame, 4, 4, 2), 0);
	books_add(&books, id, 0, &server);
	for (i = 0; i < 4; i++)
		server_log_put(&books.log, NULL, (struct sender){i, i},
			5 * TICKS_A_CYCLE, 0, LIFE_SENT);
}

static void end(void)
{
	books_close(&books);
	server = (struct server){0};
}

TestSuite(blame, .fini = end, .timeout = 60);

/* Cycles; line 4: no line's. */
static double summed(uint32_t line, bool by_cause)
{
	double sum = 0;
	uint32_t id;

	for (id = 0; id < SERVER_COUNT; id++) {
		const struct blame_sums *s = blame_sums(&books.blame, id, line);

		sum += (double)(by_cause ? s->caused : s->suffered) /
		       (double)BLAME_DETAILS;
	}
	return sum;
}

static double caused(uint32_t line)
{
	return summed(line, true);
}

static double suffered(uint32_t line)
{
	return summed(line, false);
}

static const uint64_t cycle = TICKS_A_CYCLE;

static struct sender of(uint32_t request)
{
	return sender_of_request(request);
}

/* Three of two cycles at once: the second waits for the first, the third for
   both, and one that comes when the second is half done for that one, too. */
Test(blame, each_cycle_in_line_is_caused_by_who_is_served)
{
	begin(SERVER_LOOKUP);
	serve(&server, of(0), 10, 2 * cycle);
	serve(&server, of(1), 10, 2 * cycle);
	serve(&server, of(2), 10, 2 * cycle);
	serve(&server, of(3), 13, 2 * cycle);
	serve(&server, of(0), 40, 2 * cycle);
	books_end(&books);
	cr_assert_eq(suffered(0), 0);
	cr_assert_eq(suffered(1), 2);
	cr_assert_eq(suffered(2), 4);
	cr_assert_eq(suffered(3), 3);
	cr_assert_eq(caused(0), 2 + 2);
	cr_assert_eq(caused(1), 2 + 1);
	cr_assert_eq(caused(2), 2);
	cr_assert_eq(caused(3), 0);
	cr_assert_eq(caused(4), 0);
}

/* What is told to wait half of its line's time is charged to those before it,
   half of theirs each. */
Test(blame, who_passes_others_charges_them_less)
{
	begin(SERVER_DATA);
	serve_untold(&server, 10, 4 * cycle);
	server_told(&server, of(0), 10, 14, 4 * cycle);
	serve_untold(&server, 10, 8 * cycle);
	server_told(&server, of(1), 10, 22, 8 * cycle);
	serve_untold(&server, 10, 2 * cycle);
	server_told(&server, of(2), 10, 18, 2 * cycle);
	books_end(&books);
	cr_assert_eq(suffered(1), 4);
	cr_assert_eq(suffered(2), 6);
	cr_assert_eq(caused(0), 4 + 2);
	cr_assert_eq(caused(1), 4);
}

/* Of two servers at once the first counts. */
Test(blame, a_request_is_at_one_place_at_a_time)
{
	struct server other = {0};

	begin(SERVER_LOOKUP);
	books_add(&books, SERVER_WRITE, 0, &other);
	serve(&server, of(0), 10, 8 * cycle);
	serve(&other, of(0), 30, 8 * cycle);
	serve(&server, of(1), 10, 2 * cycle);
	serve(&other, of(1), 10, 2 * cycle);
	serve(&other, of(2), 31, 2 * cycle);
	server_log_put(&books.log, NULL, of(1), 50 * cycle, 3, LIFE_ANSWERED);
	books_end(&books);
	cr_assert_eq(suffered(1), 8 + 18);
	cr_assert_eq(books.blame.took[2].requests, 1);
	cr_assert_eq(books.blame.took[2].queue, 26 * cycle);
	cr_assert_eq(books.blame.took[2].service, 4 * cycle);
	cr_assert_eq(books.blame.took[2].way, (45 - 26 - 4) * cycle);
	cr_assert_eq(books.blame.answers[3].queue, 26 * cycle);
	cr_assert_eq(caused(0) + caused(1) + caused(2),
		suffered(0) + suffered(1) + suffered(2));
	cr_assert_eq(books.blame.overdrawn, 0);
}

/* What nobody waits for suffers nothing, and is waited for. */
Test(blame, work_beside_causes_and_does_not_suffer)
{
	begin(SERVER_WRITE);
	serve(&server, of(0), 10, 4 * cycle);
	serve(&server, sender_beside(1), 10, 4 * cycle);
	serve(&server, of(2), 10, 4 * cycle);
	books_end(&books);
	cr_assert_eq(suffered(1), 0);
	cr_assert_eq(suffered(2), 8);
	cr_assert_eq(caused(0), 4);
	cr_assert_eq(caused(1), 4);
}

/* A refresh is nobody's; what follows a request has its line. */
Test(blame, a_pause_is_caused_by_no_line)
{
	begin(SERVER_BANK);
	server_log_put(&books.log, NULL, (struct sender){3, 0}, 6 * cycle, 1,
		LIFE_FOLLOWS);
	server_pauses(&server, of(0), 10, 17);
	serve(&server, sender_begins(3), 20, 4 * cycle);
	serve(&server, of(0), 20, 4 * cycle);
	books_end(&books);
	cr_assert_eq(suffered(0), 7 + 4);
	cr_assert_eq(caused(4), 7);
	cr_assert_eq(caused(1), 4);
	cr_assert_eq(caused(3), 0);
}

/* Two wait for room: until cycle 10 for what request 0 has, then one for what
   request 1 has. */
Test(blame, room_is_charged_to_who_leaves_it)
{
	begin(SERVER_WRITEBACKS);
	server_queued(&server, of(2), 5);
	server_queued(&server, of(3), 7);
	server_unqueued(&server, of(2), 10, of(0));
	server_unqueued(&server, of(3), 16, of(1));
	books_end(&books);
	cr_assert_eq(suffered(2), 5);
	cr_assert_eq(suffered(3), 9);
	cr_assert_eq(caused(0), 5 + 3);
	cr_assert_eq(caused(1), 6);
}

/* In a queue that is simulated the one that was served last is charged. */
Test(blame, a_turn_is_charged_to_who_has_it)
{
	const uint64_t finer = TICKS_A_CYCLE * TICKS_A_CYCLE;

	begin(SERVER_SIDE_STORES);
	serve(&server, of(0), 10 * TICKS_A_CYCLE, 3 * finer);
	server_queued(&server, of(1), 10 * TICKS_A_CYCLE);
	server_queued(&server, of(2), 10 * TICKS_A_CYCLE);
	server_unqueued(&server, of(1), 13 * TICKS_A_CYCLE, SENDER_NOBODY);
	serve(&server, of(1), 13 * TICKS_A_CYCLE, 2 * finer);
	server_unqueued(&server, of(2), 15 * TICKS_A_CYCLE, SENDER_NOBODY);
	serve(&server, of(2), 15 * TICKS_A_CYCLE, 2 * finer);
	books_end(&books);
	cr_assert_eq(suffered(1), 3);
	cr_assert_eq(suffered(2), 5);
	cr_assert_eq(caused(0), 6);
	cr_assert_eq(caused(1), 2);
}

/* Warps wait for the last one that comes. */
Test(blame, a_meeting_is_caused_by_the_last)
{
	const struct sender last = {SENDER_NONE, 3};

	begin(SERVER_MEETING);
	server_queued(&server, (struct sender){4, 0}, 10);
	server_queued(&server, (struct sender){5, 1}, 12);
	server_unqueued(&server, (struct sender){5, SENDER_OF_LIFE}, 20, last);
	server_unqueued(&server, (struct sender){4, SENDER_OF_LIFE}, 20, last);
	books_end(&books);
	cr_assert_eq(suffered(0), 10);
	cr_assert_eq(suffered(1), 8);
	cr_assert_eq(caused(3), 18);
}

/* Back-pressure: the server goes on later, because of a line. */
Test(blame, a_held_server_is_charged_to_who_holds_it)
{
	begin(SERVER_LSU);
	serve(&server, of(0), 10, 2 * cycle);
	server_hold(&server, sender_of_line(1), 20 * cycle);
	serve(&server, of(2), 11, 2 * cycle);
	books_end(&books);
	cr_assert_eq(suffered(2), 9);
	cr_assert_eq(caused(0), 1);
	cr_assert_eq(caused(1), 8);
}

/* However jobs come, both columns add up to the same. */
Test(blame, what_is_suffered_is_caused)
{
	uint64_t now = 0, draw = 1;
	double all = 0, charged = 0;
	uint32_t i;

	begin(SERVER_DATA);
	for (i = 0; i < 5000; i++) {
		const uint64_t ticks = (draw = draw * 69069 + 1) >> 8 & 1023;
		uint64_t over, least;

		now += (draw >> 20 & 7) == 0 ? 9 : 0;
		least = now + ticks_over(ticks);
		over = serve_untold(&server, now, ticks + 1);
		over = draw >> 18 & 1 ? over : (over + least) / 2;
		server_told(&server, of(i & 3), now, over, ticks + 1);
		if (i % 100 == 0)
			books_read(&books);
	}
	books_end(&books);
	for (i = 0; i < 5; i++) {
		all += suffered(i);
		charged += caused(i);
	}
	cr_assert_gt(all, 1000);
	cr_assert_eq(all, charged);
}
