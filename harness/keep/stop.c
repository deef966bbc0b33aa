#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/keep/stop.h"

#define LAST_NS  800000000 /* after the signal */
#define AGAIN_MS 500 /* signals that follow the first sooner are part of it */

/* All that a signal handler may touch. */
static atomic_int stop_requested;
static atomic_llong stop_first_ms;
static timer_t stop_timer;
static const char *stop_words;

static long long now_ms(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void on_signal(int number)
{
	const struct itimerspec last = {.it_value = {.tv_nsec = LAST_NS}};

	if (atomic_load(&stop_requested)) {
		if (now_ms() - atomic_load(&stop_first_ms) < AGAIN_MS)
			return;
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	atomic_store(&stop_first_ms, now_ms());
	atomic_store(&stop_requested, number);
	if (stop_words)
		timer_settime(stop_timer, 0, &last, NULL);
}

static void on_last(int number)
{
	(void)number;
	if (write(STDERR_FILENO, stop_words, strlen(stop_words)) < 0)
		_exit(error_status(ERR_INTERRUPTED));
	_exit(error_status(ERR_INTERRUPTED));
}

static void limit(const char *words)
{
	const struct sigaction action = {.sa_handler = on_last};
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};

	if (!sigaction(SIGALRM, &action, NULL) &&
		!timer_create(CLOCK_MONOTONIC, &event, &stop_timer))
		stop_words = words;
}

atomic_int *stop_catch(const char *last_words)
{
	const struct sigaction action = {.sa_handler = on_signal};
	struct sigaction old;

	if (last_words)
		limit(last_words);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	return &stop_requested;
}
