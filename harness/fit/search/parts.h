#ifndef NEARFAR_SEARCH_PARTS_H
#define NEARFAR_SEARCH_PARTS_H

/* What the files of a search share; search.h says what it does. */
#include "harness/fit/search/search.h"
#include "harness/fit/search/others.h"
#include "harness/measures/rows.h"
#include "harness/observe/spots.h"
#include "harness/base/progress.h"
#include "harness/series/series.h"

/* ---- patterns ---- */

/* Whether one of the words of `patterns` (BENCH[:KEY=VALUE]..., separated by
   spaces; fnmatch) describes the series; "KEY=" is a series without that
   option, as those of others are; "@NAME" is that row of the suite of `nearfar
   fit`. */
bool pattern_matches(const char *patterns, const struct series *series);

/* ERR_USAGE if `pattern` is not of that form or no bench has its options. */
int pattern_check(const char *pattern, struct error *error);

/* ---- what is known of a point, on the target or on the model ---- */

#define OUTCOME_METRICS 4 /* at most, those of its series */
enum outcome_field {
	OUTCOME_METRIC, /* and three more */
	OUTCOME_DISTANCE = OUTCOME_METRIC + OUTCOME_METRICS,
	OUTCOME_LOW_MODE, /* of a distribution, cycles */
	OUTCOME_HIGH_MODE,
	OUTCOME_SM_TERM, /* of near-far: deviations of near latencies, cycles */
	OUTCOME_LINE_TERM,
	OUTCOME_PRODUCT_TERM,
	OUTCOME_NEAR_LOAD,  /* of near-far: a first load after a touch from */
	OUTCOME_FAR_LOAD,   /* the other side, by where the home is, cycles */
	OUTCOME_NEAR_CELLS, /* of near-far: the mean of the near cells, and */
	OUTCOME_FAR_CELLS,  /* that of the far ones, cycles */
	OUTCOME_COUNT
};

struct outcome {
	double field[OUTCOME_COUNT]; /* NaN: there is no such thing */
};

/* ---- targets ---- */

struct target_file {
	const char *path;
	char digest[17]; /* FNV-1a, 64 bit, of the unpacked text */
	struct series_list list;
};

struct target_series {
	size_t file;
	const struct series *series; /* of the file's list */
	char *label;                 /* the file's name, numbered if it holds
					several series */
	bool held_out;
	int metrics[OUTCOME_METRICS];
	size_t metric_count;
};

struct target_point {
	size_t series;
	const struct point *point;
	struct program *program;
	bool held_out;
	bool distribution; /* a sample is one load */
	bool map;          /* near-far */
	double cost;       /* accesses of lines, roughly */
	struct outcome target;
	double noise[OUTCOME_METRICS]; /* of its runs; shares: absolute */
};
#define TARGET_NOISE 0.01   /* of a value, at the least */
#define SHAPE_NOISE  0.0025 /* of a curve's shape, at the least */

struct targets {
	struct target_file *files;
	size_t file_count;
	struct target_series *series;
	size_t series_count;
	struct target_point *points;
	size_t count;
	size_t left_out; /* points that the model cannot run */
	char why[256];   /* the first one's reason */
};

/* Reads the files and builds every point's program for `device`. ERR_USAGE
   without a training point. */
int targets_read(const struct search_config *config,
	const struct device *device, struct targets *targets,
	struct error *error);
void targets_free(struct targets *targets);

bool metric_is_share(int metric);

/* The metrics that speak for a series: its shares, or its rate of atomics, or
   its latency and the load beside it or its own rate, or its bandwidth, or its
   first. */
void target_metrics(struct target_series *t);

/* From the samples in a series, or from a run. Without memory, ERR_FAILED. */
int outcome_of_target(const struct target_series *series,
	const struct target_point *point, struct outcome *outcome,
	struct error *error);
int outcome_of_run(const struct target_series *series,
	const struct target_point *point, const struct device *device,
	const struct result *result, struct outcome *outcome,
	struct error *error);

/* ---- parameters ---- */

enum origin {
	ORIGIN_START,
	ORIGIN_READ_OFF,
	ORIGIN_CHOSEN,
	ORIGIN_FITTED,
	ORIGIN_TOLD /* by the tool that measured */
};

struct tuned {
	const char *name, *unit; /* the backend's */
	char *origin_text;
	double start;
	double low, high; /* bounds; only of free ones */
	double slope;     /* of what it is read off: ln observable by ln value;
			     NaN: not known */
	bool free;
	bool unmet;    /* no value of it gives what it is read off */
	bool needless; /* what it is read off is so without it */
	enum origin origin;
	const char *from; /* patterns of the series, of the tables */
	double known_low, known_high; /* its interval; NaN: none */
	bool judged;                  /* the interval was looked for */
	bool constrained;             /* and there is one */
};

struct tuning {
	struct tuned *items;
	size_t count;
};

/* The parameters of a machine, from the backend's list. */
int tuning_read(const struct backend_ops *ops, const char *machine,
	struct tuning *tuning, struct error *error);
void tuning_free(struct tuning *tuning);
/* The index of a parameter, or -1. */
int tuning_find(const struct tuning *tuning, const char *name);

#define VALUE_BYTES MODEL_VALUE_BYTES

/* A value as machine files spell it, and rounded to that: whole numbers,
   multiples that the model asks for, else five digits. */
void tuning_format(
	const struct tuning *tuning, size_t index, double value, char *text);
double tuning_round(const struct tuning *tuning, const double *values,
	size_t index, double value);

/* ---- runs ---- */

struct memo_entry {
	uint64_t settings;
	uint32_t point;
	struct outcome outcome;
};

/* What has been run, in memory and in the state file. */
struct memo {
	struct memo_entry *entries; /* a hash table; settings 0: free */
	size_t count, capacity;
	struct journal journal; /* the state file; closed if there is none */
	struct facts facts;     /* of the work, and */
	struct journal_work hearing; /* how others' records are taken */
};

int memo_open(struct memo *memo, const struct search_config *config,
	const struct targets *targets, const char *machine_digest,
	struct error *error);
bool memo_get(const struct memo *memo, uint64_t settings, size_t point,
	struct outcome *outcome);
/* On the disk when it returns 0. */
int memo_put(struct memo *memo, uint64_t settings, size_t point,
	const struct outcome *outcome, struct error *error);
/* Follows the journal of another process, whose records go to the memo. */
int memo_follow(struct memo *memo, const char *path,
	struct journal_follow *journal, struct error *error);
void memo_close(struct memo *memo);

/* A set of points, series by series. */
struct point_set {
	size_t *items;
	size_t count;
};
void point_set_free(struct point_set *set);

struct point_error {
	size_t point;
	int metric; /* -1: the distribution */
	double target, model;
	double percent; /* signed; shares: points; distribution: of the mean */
};

struct point_errors {
	struct point_error *items;
	size_t count;
};

struct search {
	const struct search_config *config;
	struct device device;
	char machine[64], machine_digest[17];
	struct targets targets;
	struct tuning tuning;
	struct memo memo;
	struct others others;
	double *values;         /* the best so far, by parameter */
	struct point_set guard; /* some of each series, and */
	double guard_sum;       /* the objective on them */
	double *series_s;       /* processor time by series */
	struct point_errors
		before;            /* of all points, with the start's values, */
	struct point_errors after; /* and with the fit's */
	bool no_gain; /* the start's values are what it ends with */
	struct progress *progress; /* counts runs; NULL: nobody does */
	double begun_s;
	size_t evaluations, runs;
	char **notes; /* what was skipped, and why */
	size_t note_count;
};

double search_now_s(void);
/* Whether the share of the seconds is spent: that of both stages, or all. */
#define SHARE_STAGES 0.6
#define SHARE_ALL    1.0
bool search_late(const struct search *c, double share);
/* Until when the next `part` of the `whole` that is left of it may take;
   infinite where the budget has no seconds. */
double search_until(
	const struct search *c, double share, size_t part, size_t whole);
int search_note(struct search *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Runs the points with `values`; one outcome a point of the set. ERR_USAGE if
 * the model refuses the values. What the device cannot run has only NaN.
 */
int runs_make(struct search *c, const double *values,
	const struct point_set *set, struct outcome *outcomes,
	struct error *error);

/* The backend's digest of a machine with `values`, or (NULL) as it is. */
int runs_digest(const struct search *c, const char *machine,
	const double *values, char digest[17], struct error *error);

/* Runs a program that is no target's. */
int runs_program(const struct search *c, const double *values,
	const struct program *program, struct result *result,
	struct error *error);

/* Whether the model takes the values. */
int runs_accepted(const struct search *c, const double *values, bool *accepted,
	struct error *error);

/* ---- the objective ---- */

/* Residuals of a set with Huber's loss as their half square. */
struct residuals {
	double *items;
	size_t *curve; /* of each: the first series of it */
	size_t count;
};
void residuals_free(struct residuals *residuals);

int residuals_make(struct search *c, const double *values,
	const struct point_set *set, struct residuals *residuals,
	struct error *error);
/* The same for the shape of the points' first metrics: their common level,
   which other parameters give, is left out. */
int residuals_shape(struct search *c, const double *values,
	const struct point_set *set, struct residuals *residuals,
	struct error *error);
double residuals_sum(const struct residuals *residuals); /* of squares */
/* The series is a curve of its own, but for those of a row of the suite of
   `nearfar fit`: one point each of one curve, named by the first one. */
size_t residuals_curve(const struct targets *targets, size_t series);
/* The rise that bounds an interval. */
double residuals_rise(const struct residuals *residuals);

/* ---- tables ---- */

struct readoff {
	const char *parameter;
	const char *series; /* patterns */
	enum spot spot;
	enum outcome_field field;
	enum outcome_field less; /* subtracted if it is not `field` */
	enum spot less_spot;     /* with `less_series`: where it is */
	const char *less_series; /* NULL, or: the mean of `field` there is
				    subtracted */
};

/* A parameter, or two together, that take few values: each is tried. */
struct choice {
	const char *parameter, *values;   /* separated by spaces; NULL: by grain
					     around what it is */
	const char *other, *other_values; /* NULL: one alone */
	double grain;
	const char *series;
	enum spot spot; /* SPOT_ALL or SPOT_FIRST */
	bool once;      /* in the first round only: it moves all else */
	bool shape;     /* told by where the steps are, not by the level */
};

struct group {
	const char *name;
	const char *parameters; /* separated by spaces */
	const char *series;     /* patterns */
	bool rough;             /* not smooth: CRS2 instead of BOBYQA */
};

extern const struct readoff readoffs[];
extern const size_t readoff_count;
extern const struct choice choices[];
extern const size_t choice_count;
extern const struct group groups[];
extern const size_t group_count;

/* The next word of a list separated by spaces; false at its end. */
bool next_word(const char **list, char *word, size_t bytes);

/* The row of a parameter, or NULL. */
const struct group *group_of(const char *parameter);
const struct readoff *readoff_of(const char *parameter);
const struct choice *choice_of(const char *parameter);

/* The training points that a group looks at: spread evenly over its series,
   as many as GROUP_COST allows. */
int group_points(const struct search *c, const char *series, size_t parameters,
	struct point_set *set, struct error *error);

/* ---- the stages ---- */

/* A round of them; `round` counts from 0. */
int readoffs_make(struct search *c, unsigned round, struct error *error);
int choices_make(struct search *c, unsigned round, struct error *error);
/* Takes back what was read off where the series of the parameter's group lose
   more by it than the row gains, and says what no value of a parameter gives.
 */
int witnesses_hear(struct search *c, struct error *error);
int home_read(struct search *c, struct error *error);
/* What the tool that measured says of the device, in the series' provenance:
   one table, reported.c. */
int reported_read(struct search *c, struct error *error);
/* The SM clock at which the targets were measured. */
int clock_read(struct search *c, struct error *error);
/* The points of a read-off that the targets hold; the last `subtracted` of
   them (which may be NULL) are of its second series. */
int readoff_points(const struct search *c, const struct readoff *row,
	struct point_set *set, size_t *subtracted, struct error *error);
/* The row by which a parameter is read off here: the first whose series are
   there, with its points; else NULL and none. */
int readoff_here(const struct search *c, const char *parameter,
	const struct readoff **row, struct point_set *set, size_t *subtracted,
	struct error *error);
int fits_make(struct search *c, struct error *error);
int intervals_make(struct search *c, struct error *error);

/* ---- what comes of it ---- */

/* Of all points, with `values`; progress is called `what`. */
int point_errors_make(struct search *c, const double *values, const char *what,
	struct point_errors *errors, struct error *error);
void point_errors_free(struct point_errors *errors);

/* Where the fit is no nearer to points that are held out than the start (by the
   objective), and not within their noise, the start's values and errors stay,
   and a note says so. */
int gain_check(struct search *c, const double *start, struct error *error);
int report_put(const struct search *c, FILE *out, struct error *error);
/* Whether a parameter's interval is wide: it is known to no better than a
   tenth. */
bool tuned_is_loose(const struct search *c, size_t index);
/* The table of what to measure next. */
int next_put(struct search *c, FILE *out, struct error *error);
int report_write_points(const struct search *c, struct error *error);
int machine_write(const struct search *c, struct error *error);

#endif
