#ifndef NEARFAR_ERROR_H
#define NEARFAR_ERROR_H

/*
 * Failures.
 *
 * A function that can fail returns 0 or one of the negative codes below and
 * writes one sentence into its `struct error *`, once, where the failure is
 * discovered: lower case, the subject quoted, no full stop. Callers pass both
 * on unchanged; only main.c prints them and turns the code into an exit
 * status. Out-parameters are written only on success.
 */

#define ERROR_TEXT_BYTES 1024

/* One list makes the codes and their exit statuses. */
#define ERROR_CODES(E)                                                         \
	E(FAILED, -1, 1)        /* the work could not be done */               \
	E(USAGE, -2, 2)         /* the user's input is wrong */                \
	E(GATE, -3, 3)          /* a comparison exceeded its gate */           \
	E(SKIPPED, -4, 77)      /* legal, but absent on the device at hand */  \
	E(ABSENT, -5, 77)       /* the backend is not on this machine */       \
	E(INTERRUPTED, -6, 130) /* stopped by a signal; what was done is kept  \
				 */                                            \
	E(LOST, -7, 1)          /* the device is of no more use */

enum error_code {
#define ERROR_ENUM(name, code, status) ERR_##name = (code),
	ERROR_CODES(ERROR_ENUM)
#undef ERROR_ENUM
};

struct error {
	char text[ERROR_TEXT_BYTES];
};

/* Writes the sentence and returns `code`. `error` may be NULL. */
int error_set(struct error *error, enum error_code code, const char *format,
	...) __attribute__((format(printf, 3, 4)));

/* Prefixes the sentence that is there ("FILE: "), and returns `code`. */
int error_prefix(struct error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends to the sentence, and returns `code`. */
int error_suffix(struct error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The exit status of a code; 0 for 0. */
int error_status(int code);

#endif
