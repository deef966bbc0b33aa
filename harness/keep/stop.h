#ifndef NEARFAR_STOP_H
#define NEARFAR_STOP_H

/*
 * SIGINT, SIGTERM and SIGHUP as a flag that long work looks at. A signal that
 * comes half a second or more after the first ends the process where it is; one
 * that comes sooner is part of the first: timeout(1) and job managers signal
 * the process and then its whole group. A SIGHUP that the process was told to
 * ignore (nohup) stays ignored.
 */
#include <stdatomic.h>

/*
 * From now on signals set the flag: 0, or the signal's number. With
 * `last_words`, a line that outlives the call, the process ends with them and
 * with status 130 if it is still there shortly after the first signal: for
 * work that is on the disk as soon as it is done.
 */
atomic_int *stop_catch(const char *last_words);

#endif
