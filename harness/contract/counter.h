#ifndef NEARFAR_COUNTER_H
#define NEARFAR_COUNTER_H

#define BACKEND_COUNTERS_MAX 48

/* Named as in Nsight Compute where it has the quantity. */
struct counter {
	const char *name; /* static */
	double value;
};

#endif
