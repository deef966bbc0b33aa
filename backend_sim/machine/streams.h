#ifndef NEARFAR_STREAMS_H
#define NEARFAR_STREAMS_H

/*
 * The streams of permute_draw() that the model draws from, so that no two
 * purposes share their numbers.
 */
enum {
	STREAM_FLOOR = 17,  /* positions and terms of the floor plan, banks */
	STREAM_START = 18,  /* how late a block starts */
	STREAM_POLICY = 77, /* the lines of a fractional policy or window */
};

/* Of STREAM_FLOOR: where the numbers of each kind begin. */
enum {
	FLOOR_TPCS = 1000,
	FLOOR_SLICES = 2000,
	FLOOR_PLACES = 4000, /* of slices */
	FLOOR_PEER = 6000,   /* slices of a peer GPU */
};

/* The seed of the banks' draws lies so far beyond that of the floor plan. */
#define FLOOR_BANKS_SEED 5000u

#endif
