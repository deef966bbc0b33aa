/* What the books of servers say. */
#include <criterion/criterion.h>

#include "backend_sim/core/books.h"

TestSuite(books, .timeout = 60);

static struct books books;

static const struct server_book *only(void)
{
	struct books_place place = books_begin(&books);
	const struct server_book *book;

	books_read(&books);
	book = books_next(&place);
	cr_assert_not(books.failed);
	cr_assert_not_null(book);
	cr_assert_null(books_next(&place));
	return book;
}

static const uint64_t cycle = TICKS_A_CYCLE;

/* Three come at once, of two cycles each, and one when all are over. */
Test(books, a_server_is_busy_and_others_wait)
{
	struct server s = {0};
	const struct server_book *book;

	books_open(&books);
	books_add(&books, SERVER_LSU, 7, &s);
	cr_assert_eq(serve(&s, SENDER_NOBODY, 10, 2 * cycle), 12);
	cr_assert_eq(serve(&s, SENDER_NOBODY, 10, 2 * cycle), 14);
	cr_assert_eq(serve(&s, SENDER_NOBODY, 10, 2 * cycle), 16);
	cr_assert_eq(serve(&s, SENDER_NOBODY, 16, 1), 17);
	book = only();
	cr_assert_eq(book->key, 7);
	cr_assert_eq(book->served, 4);
	cr_assert_eq(book->busy, 6 * cycle + 1);
	cr_assert_eq(book->waited, 6 * cycle);
	cr_assert_eq(book->longest, 2);
	books_close(&books);
	cr_assert_null(s.book);
}

/* Over time stand as many in line as wait, however long the launch is: spans
   become longer. */
Test(books, lines_over_time_add_up_to_the_waits)
{
	static const uint64_t begins[] = {10, 10, 10, 310, 310, 70000, 70000};
	const struct waiting_spans *l = &books.lines;
	struct server s = {0};
	uint64_t sum = 0;
	size_t i;

	books_open(&books);
	books_add(&books, SERVER_LSU, 0, &s);
	for (i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		serve(&s, SENDER_NOBODY, begins[i], 100 * cycle);
	cr_assert_eq(only()->waited, 500 * cycle);
	for (i = 0; i < JOB_SPANS; i++)
		sum += l->waited[SERVER_LSU][i];
	cr_expect_eq(sum, 500 * cycle);
	cr_expect_geq(JOB_SPANS * (1ull << l->shift), 70100 * cycle);
	cr_expect_lt(JOB_SPANS / 2 * (1ull << l->shift), 70100 * cycle);
	cr_expect_eq(
		l->waited[SERVER_LSU][70000 * cycle >> l->shift], 100 * cycle);
	books_close(&books);
}

/* The line is what was there, however much is put behind it and is over. */
Test(books, a_long_line_is_counted)
{
	struct server s = {0};
	uint64_t i;

	books_open(&books);
	books_add(&books, SERVER_LSU, 0, &s);
	for (i = 0; i < 1000; i++) {
		serve(&s, SENDER_NOBODY, i, i % 2 ? cycle : 2 * cycle);
		if (i % 64 == 0)
			books_read(&books);
	}
	/* 500 cycles behind: the last finds jobs of 1.5 cycles each */
	cr_assert_geq(only()->longest, 332);
	cr_assert_leq(only()->longest, 335);
	books_close(&books);
}

/* In closed form a job ends when it is told, whatever the server's line. */
Test(books, a_wait_is_as_told)
{
	struct server s = {0};

	books_open(&books);
	books_add(&books, SERVER_DATA, 0, &s);
	serve_untold(&s, 0, 8 * cycle);
	server_told(&s, SENDER_NOBODY, 0, 8, 8 * cycle);
	serve_untold(&s, 0, 8 * cycle);
	server_told(&s, SENDER_NOBODY, 0, 11, 8 * cycle);
	server_delays(&s, SENDER_NOBODY, 20, 24);
	cr_assert_eq(only()->busy, 16 * cycle);
	cr_assert_eq(only()->served, 2);
	cr_assert_eq(only()->waited, 7 * cycle);
	books_close(&books);
}

/* Two wait for room, from cycle 5 and 7 on, until 10 and 12. */
Test(books, room_is_busy_while_something_waits)
{
	struct server s = {0};

	books_open(&books);
	books_add(&books, SERVER_REQUESTS, 0, &s);
	server_queued(&s, SENDER_NOBODY, 5);
	server_queued(&s, SENDER_NOBODY, 7);
	server_unqueued(&s, SENDER_NOBODY, 10, SENDER_NOBODY);
	server_unqueued(&s, SENDER_NOBODY, 12, SENDER_NOBODY);
	server_queued(&s, SENDER_NOBODY, 20);
	cr_assert_eq(only()->busy, 7 * cycle);
	cr_assert_eq(only()->waited, 10 * cycle);
	cr_assert_eq(only()->served, 2);
	cr_assert_eq(only()->longest, 1);
	books_close(&books);
}

/* Without a book a server takes the same time. */
Test(books, a_book_changes_no_time)
{
	struct server with = {0}, without = {0};
	uint64_t i;

	books_open(&books);
	books_add(&books, SERVER_LSU, 0, &with);
	for (i = 0; i < 100; i++)
		cr_assert_eq(serve(&with, SENDER_NOBODY, i, i * 37 % 401),
			serve(&without, SENDER_NOBODY, i, i * 37 % 401));
	books_close(&books);
}
