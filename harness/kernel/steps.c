/* Host actions between launches. */
#include <string.h>

#include "harness/kernel/steps.h"
#include "harness/kernel/parsing.h"
#include "harness/program/step.h"
#include "harness/program/text/steps.h"

/* ---- reading ---- */

static bool acts(const struct job_step *step)
{
	return step->step.kind != STEP_WINDOW;
}

size_t job_steps_before(const struct job *job, uint32_t launch, size_t *first)
{
	size_t i, count = 0;

	for (i = 0; i < job->step_count && job->steps[i].before < launch; i++)
		;
	*first = i;
	for (; i < job->step_count && job->steps[i].before == launch; i++)
		count += acts(&job->steps[i]);
	return count;
}

bool job_run_is_flushed(const struct job *job, const struct job_run *run)
{
	size_t i;

	if (job->launches[run->launch].flush)
		return true;
	if (!job_run_is_first(job, run))
		return false;
	job_steps_before(job, run->launch, &i);
	for (; i < job->step_count && job->steps[i].before == run->launch; i++)
		if (job->steps[i].step.kind == STEP_FLUSH)
			return true;
	return false;
}

const struct step *job_window(const struct job *job, uint32_t launch)
{
	const struct step *window = NULL;
	size_t i;

	for (i = 0; i < job->step_count && job->steps[i].before <= launch; i++)
		if (!acts(&job->steps[i]))
			window = &job->steps[i].step;
	return window && window->bytes ? window : NULL;
}

size_t job_copies_together(const struct job *job, size_t step)
{
	size_t i = step;

	while (i < job->step_count &&
		job->steps[i].before == job->steps[step].before &&
		job->steps[i].step.kind == STEP_COPY)
		i++;
	return i - step;
}

bool job_has_step(const struct job *job, enum step_kind kind)
{
	size_t i;

	for (i = 0; i < job->step_count; i++)
		if (job->steps[i].step.kind == kind)
			return true;
	return false;
}

/* ---- rules ---- */

static const struct step_buffer *buffer_of(
	const struct job *job, uint32_t index, struct step_buffer *b)
{
	if (index >= job->buffer_count)
		return NULL;
	*b = (struct step_buffer){
		job->buffers[index].bytes, job->buffers[index].memory};
	return b;
}

/* Whether neither copy writes what the other one has: all begin with a buffer's
   first byte. */
static bool are_apart(const struct step *a, const struct step *b)
{
	return a->target != b->target && a->target != b->buffer &&
	       a->buffer != b->target;
}

/* Of a copy, with those before it. */
static const char *copies_mistake(const struct job *job, size_t step)
{
	const struct job_step *s = &job->steps[step];
	size_t i;

	for (i = step; i-- && job->steps[i].step.kind == STEP_COPY &&
		       job->steps[i].before == s->before;)
		if (!are_apart(&job->steps[i].step, &s->step))
			return "'copy' goes at the same time as a copy before "
			       "it, and one of them writes a buffer of the "
			       "other: a launch or a 'reset' parts them";
	return NULL;
}

static const char *mistake_of(const struct job *job, size_t index)
{
	const struct step *step = &job->steps[index].step;
	struct step_buffer from, to;
	const char *mistake =
		step_mistake(step, buffer_of(job, step->buffer, &from),
			buffer_of(job, step->target, &to));

	if (!mistake && step->kind == STEP_COPY)
		mistake = copies_mistake(job, index);
	if (!mistake && step->kind == STEP_WINDOW &&
		job_buffer_find(job, "none") >= 0)
		return "'window none' is no window, and a buffer is called so";
	return mistake;
}

int job_steps_check(const struct job *job, struct error *error)
{
	size_t i;

	for (i = 0; i < job->step_count; i++) {
		const char *mistake = mistake_of(job, i);

		if (mistake)
			return error_set(error, ERR_USAGE, "%s", mistake);
	}
	return 0;
}

/* ---- text ---- */

static const char *name_of(const void *owner, unsigned index)
{
	const struct job *job = owner;

	return index < job->buffer_count ? job->buffers[index].name : "?";
}

static int index_of(const void *owner, const char *name)
{
	return job_buffer_find(owner, name);
}

static struct step_names names_of(const struct job *job)
{
	return (struct step_names){job, index_of, name_of};
}

int job_step_parse(struct parsing *p, enum step_kind kind)
{
	const struct step_names names = names_of(p->job);
	const unsigned column =
		(unsigned)(scan_column(&p->scan) - strlen(step_word(kind)));
	const char *mistake;
	struct job_step *step;
	int status;

	if (p->job->step_count == JOB_STEPS_MAX)
		return scan_fail(&p->scan, column,
			"expected at most %u host actions", JOB_STEPS_MAX);
	step = parsing_grow(
		(void **)&p->job->steps, &p->job->step_count, sizeof(*step));
	if (!step)
		return parsing_no_memory(p);
	step->step.kind = (uint8_t)kind;
	step->before = (uint32_t)p->job->launch_count;
	status = step_parse(&p->scan, &names, &step->step);
	mistake = status ? NULL : mistake_of(p->job, p->job->step_count - 1);
	return mistake ? scan_fail(&p->scan, column, "%s", mistake) : status;
}

void job_step_print(
	FILE *out, const struct job *job, const struct job_step *step)
{
	const struct step_names names = names_of(job);

	step_print(out, &names, &step->step);
}
