#include <pthread.h>
#include <stdlib.h>

#include "backend_sim/core/reader.h"

#define PARTS 4u

struct part {
	struct server_entry *entries; /* owned */
	const struct server_entry *end;
};

/* Parts from `taken` up to `given`, in turn, are to be read; the one at `given`
   is being filled. */
struct reader {
	reader_fn *read;
	void *books;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	uint64_t given, taken; /* these and `ends` under the lock */
	bool ends;
	struct part parts[PARTS];
};

static bool wait_for_part(struct reader *r)
{
	bool is_there;

	pthread_mutex_lock(&r->lock);
	while (r->taken == r->given && !r->ends)
		pthread_cond_wait(&r->moved, &r->lock);
	is_there = r->taken != r->given;
	pthread_mutex_unlock(&r->lock);
	return is_there;
}

static void *read_all(void *reader)
{
	struct reader *r = reader;

	while (wait_for_part(r)) {
		const struct part *part = &r->parts[r->taken % PARTS];

		r->read(r->books, part->entries, part->end);
		pthread_mutex_lock(&r->lock);
		r->taken++;
		pthread_cond_broadcast(&r->moved);
		pthread_mutex_unlock(&r->lock);
	}
	return NULL;
}

static void free_all(struct reader *r)
{
	unsigned i;

	for (i = 0; i < PARTS; i++)
		free(r->parts[i].entries);
	free(r);
}

struct reader *reader_start(reader_fn *read, void *books, size_t room)
{
	struct reader *r = calloc(1, sizeof(*r));
	bool all = r != NULL;
	unsigned i;

	for (i = 0; r && i < PARTS; i++) {
		r->parts[i].entries =
			malloc(room * sizeof(*r->parts[i].entries));
		all = all && r->parts[i].entries;
	}
	if (!r)
		return NULL;
	r->read = read;
	r->books = books;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->moved, NULL);
	if (all && !pthread_create(&r->thread, NULL, read_all, r))
		return r;
	pthread_cond_destroy(&r->moved);
	pthread_mutex_destroy(&r->lock);
	free_all(r);
	return NULL;
}

static void wait_until_left(struct reader *r, uint64_t most)
{
	pthread_mutex_lock(&r->lock);
	while (r->given - r->taken > most)
		pthread_cond_wait(&r->moved, &r->lock);
	pthread_mutex_unlock(&r->lock);
}

struct server_entry *reader_part(struct reader *r)
{
	wait_until_left(r, PARTS - 1);
	return r->parts[r->given % PARTS].entries;
}

void reader_give(struct reader *r, const struct server_entry *end)
{
	r->parts[r->given % PARTS].end = end;
	pthread_mutex_lock(&r->lock);
	r->given++;
	pthread_cond_broadcast(&r->moved);
	pthread_mutex_unlock(&r->lock);
}

void reader_wait(struct reader *r)
{
	wait_until_left(r, 0);
}

void reader_stop(struct reader *r)
{
	pthread_mutex_lock(&r->lock);
	r->ends = true;
	pthread_cond_broadcast(&r->moved);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->moved);
	pthread_mutex_destroy(&r->lock);
	free_all(r);
}
