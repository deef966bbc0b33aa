/*
 * Feeds the model's memory system with requests of known cycles, without warps,
 * and prints when each is answered. Cases stand on standard input:
 *
 *   machine FILE                      the machine
 *   ask INSTRUCTION                   the form of the requests behind it, as in
 *                                     a program: ld.global.cg.b32
 *   at CYCLE SM LINE SECTORS WORDS LANES
 *                                     one request: a physical line, a set of
 * its sectors, each stored in full; of an atomic so many distinct words, and
 * lanes over all of them run                               a cold chip; prints
 * a line of cycles, in the order of the requests
 *
 * Cycles never fall. The door is l1_lookup(), where a warp's instruction comes
 * in, and the way back the sequencer's answered().
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/events.h"
#include "backend_sim/engine.h"
#include "backend_sim/sm/qualifiers.h"
#include "harness/program/text/text.h"

#define REQUESTS_MAX 65536u
#define FORMS_MAX    16u

struct fed {
	uint64_t cycle, answered;
	uint32_t sm, line, sectors, words, lanes, form;
};

static struct fed fed[REQUESTS_MAX];
static uint32_t fed_count;
static struct {
	char spelling[64];
	struct insn insn;
} forms[FORMS_MAX];
static uint32_t form_count, form; /* form: of the requests that follow */
static struct machine machine;
static struct program plain; /* of the last form; all have its buffer */
static struct translation *translation;

static void fail(const char *why, const char *what)
{
	fprintf(stderr, "feed: %s: %s\n", why, what);
	exit(1);
}

/* ---- the door ---- */

static void shape(struct request *r, const struct fed *f, bool atomic)
{
	const uint32_t page_lines_shift = translation->page_shift - LINE_SHIFT;

	r->sm = f->sm & 2047;
	r->line = f->line;
	r->page = f->line >> page_lines_shift;
	r->demand = f->sectors & SECTORS_ALL;
	if (r->kind != REQUEST_LOAD)
		r->whole = atomic ? 0 : f->sectors & SECTORS_ALL;
	r->operands = r->kind == REQUEST_LOAD ? FOUND_L1 : f->words & 63;
	r->passes = ((f->lanes + f->words - 1) / f->words) & 63;
	r->headed = atomic && f->words > 1;
}

static void come(struct execution *x, uint32_t warp)
{
	struct core *core = x->core;
	const struct fed *f = &fed[warp];
	struct asks asks;
	struct access access;
	uint32_t index = request_take(core);
	struct request *r = &core->requests[index];

	qualifiers_ask(x, &forms[f->form].insn, &asks);
	*r = asks.form;
	r->warp = warp;
	shape(r, f, asks.atomic);
	access = (struct access){
		.words = UINT32_MAX,
		.ticks = asks.line_ticks,
		.effect = asks.effect,
		.looks = asks.looks,
	};
	x->sms[f->sm].held++;
	l1_lookup(x->l1, index, &access);
}

static void note(struct execution *x, const struct request *r)
{
	fed[r->warp].answered = core_now(x->core);
}

static void foresee(const struct execution *x, uint32_t warp)
{
	(void)x;
	(void)warp;
}

static const struct sequencer feeder = {
	.run = come,
	.answered = note,
	.foresee = foresee,
};

/* ---- a case ---- */

static void run_case(void)
{
	static struct engine e;
	struct execution *x = &e.execution;
	struct error error = {""};
	uint32_t i;

	if (engine_init(&e, &machine, &error))
		fail("no engine", error.text);
	engine_cold(&e);
	fetch_reset(&e.core.fetches);
	dram_place_buffers(&e.dram, &plain);
	l1_launch(&e.l1,
		(uint32_t)(e.core.cost.l1_cache_bytes / PROGRAM_LINE_BYTES));
	if (launch_reserve(x, 1, fed_count, false, &error))
		fail("no room", error.text);
	translation = &e.translation;
	x->sequencer = &feeder;
	for (i = 0; i < fed_count; i++)
		event_push(&e.core, i, AT_WARP, fed[i].cycle);
	engine_events(&e);
	if (e.core.failed || !engine_is_settled(&e))
		fail("the model lost a request", "");
	for (i = 0; i < fed_count; i++)
		printf("%" PRIu64 "%c", fed[i].answered,
			i + 1 < fed_count ? ' ' : '\n');
	engine_free(&e);
	fed_count = form_count = 0;
}

static void read_form(const char *spelling)
{
	struct error error = {""};
	char text[256];

	for (form = 0; form < form_count; form++)
		if (!strcmp(forms[form].spelling, spelling))
			return;
	if (form == FORMS_MAX || strlen(spelling) >= sizeof(forms[0].spelling))
		fail("one form too many, or too long", spelling);
	snprintf(text, sizeof(text),
		"nearfar-program 1\nname feed\nseed 1\nbuffer b bytes=4KiB\n"
		"launch l\nrole r\n%s [b]\n",
		spelling);
	if (program_parse(text, "feed", &plain, &error))
		fail("no such form", error.text);
	memcpy(forms[form].spelling, spelling, strlen(spelling) + 1);
	forms[form].insn = plain.insns[0];
	form_count++;
}

static void read_request(const char *text)
{
	struct fed *f = &fed[fed_count];

	if (fed_count == REQUESTS_MAX || !form_count)
		fail("one request too many", text);
	if (sscanf(text,
		    "%" SCNu64 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32
		    " %" SCNu32,
		    &f->cycle, &f->sm, &f->line, &f->sectors, &f->words,
		    &f->lanes) != 6 ||
		!f->words)
		fail("no request", text);
	f->form = form;
	fed_count++;
}

static void read_machine(const char *file)
{
	struct error error = {""};

	if (machine_load(file, &machine, &error))
		fail("no machine", error.text);
}

int main(void)
{
	char line[1024];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "machine ", 8)) {
			read_machine(line + 8);
		} else if (!strncmp(line, "ask ", 4)) {
			read_form(line + 4);
		} else if (!strncmp(line, "at ", 3)) {
			read_request(line + 3);
		} else if (!strcmp(line, "run")) {
			run_case();
		} else {
			fail("no such line", line);
		}
	}
	return 0;
}
