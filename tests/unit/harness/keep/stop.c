#include <criterion/criterion.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "harness/keep/stop.h"

Test(stop, signals_to_a_process_and_to_its_group_are_one)
{
	atomic_int *asked = stop_catch(NULL);

	cr_assert_eq(atomic_load(asked), 0);
	raise(SIGINT);
	raise(SIGINT);
	raise(SIGTERM);
	cr_assert_eq(atomic_load(asked), SIGINT);
}

Test(stop, a_signal_that_comes_again_later_ends_the_process, .signal = SIGINT)
{
	const struct timespec later = {.tv_nsec = 600000000};

	stop_catch(NULL);
	raise(SIGINT);
	nanosleep(&later, NULL);
	raise(SIGINT);
}
