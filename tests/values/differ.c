/*
 * Runs random kernels by a backend and holds what they leave, bit by bit,
 * against what the host's interpreter says (values.h).
 * A kernel that differs is made shorter as long as it does, and printed.
 * usage: differ sim|cuda FIRST-SEED CASES
 *        differ print SEED
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/contract/backend.h"
#include "tests/values/values.h"

enum { BUFFER_INPUT, BUFFER_OWN, BUFFER_SAVED, BUFFER_SUMS, BUFFERS };

static const char *const buffer_names[BUFFERS] = {
	"input", "own", "saved", "sums"};

struct bench {
	const struct backend_ops *ops;
	struct backend *backend;
	unsigned arch;
	bool races; /* are looked for */
};

/* ---- a case as a job ---- */

static char *ptx_of(const struct kernel *k, unsigned arch)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		abort();
	kernel_write(k, arch, out);
	fclose(out);
	return text;
}

static int make_job(const struct kernel *k, unsigned arch, struct job *job,
	struct error *error)
{
	const unsigned threads = k->grid * k->block;
	char text[1024];
	int code;

	snprintf(text, sizeof(text),
		"nearfar-kernel 1\nname case%u\nmodule k.ptx\n"
		"buffer input bytes=%u fill=random seed=%u\n"
		"buffer own bytes=%u\nbuffer saved bytes=%u\n"
		"buffer sums bytes=%u\n"
		"launch k grid=%u block=%u args=input,own,saved,sums\n",
		k->seed, threads * INPUT_WORDS * 4, k->seed,
		threads * OWN_BYTES, threads * SAVED_BYTES, SUM_WORDS * 4,
		k->grid, k->block);
	code = job_parse(text, "case", job, error);
	if (code)
		return code;
	job->modules[0].text = ptx_of(k, arch);
	job->modules[0].bytes = strlen(job->modules[0].text);
	return 0;
}

/* ---- comparing ---- */

/* Where they differ, as a sentence; true if they do not. */
static bool same(unsigned buffer, const void *expected,
	const unsigned char *found, size_t bytes, struct error *error)
{
	const unsigned char *e = expected;
	size_t i, of = buffer == BUFFER_OWN     ? OWN_BYTES
		       : buffer == BUFFER_SAVED ? SAVED_BYTES
						: bytes;

	for (i = 0; i < bytes && e[i] == found[i]; i++)
		;
	if (i == bytes)
		return true;
	i &= ~(size_t)3;
	error_set(error, ERR_GATE,
		"'%s' of thread %zu, byte %zu: %02x%02x%02x%02x, and by the "
		"interpreter %02x%02x%02x%02x",
		buffer_names[buffer], i / of, i % of, found[i + 3],
		found[i + 2], found[i + 1], found[i], e[i + 3], e[i + 2],
		e[i + 1], e[i]);
	return false;
}

static int compare(const struct kernel *k, const struct job_result *result,
	struct error *error)
{
	const size_t threads = (size_t)k->grid * k->block;
	uint32_t sums[SUM_WORDS];
	struct outcome o = {.own = calloc(threads, OWN_BYTES),
		.saved = calloc(threads, SAVED_BYTES),
		.sums = sums};
	bool alike;

	if (!o.own || !o.saved)
		abort();
	kernel_interpret(k,
		(const uint32_t *)(const void *)result->contents[BUFFER_INPUT],
		&o);
	alike = same(BUFFER_SAVED, o.saved, result->contents[BUFFER_SAVED],
			threads * SAVED_BYTES, error) &&
		same(BUFFER_OWN, o.own, result->contents[BUFFER_OWN],
			threads * OWN_BYTES, error) &&
		same(BUFFER_SUMS, o.sums, result->contents[BUFFER_SUMS],
			sizeof(sums), error);
	free(o.own);
	free(o.saved);
	return alike ? 0 : ERR_GATE;
}

static int run_kernel(
	const struct bench *b, const struct kernel *k, struct error *error)
{
	const struct job_wishes wishes = {
		.contents = true, .profile = b->races, .races = b->races};
	struct job_result result = {0};
	struct job job = {0};
	int code = make_job(k, b->arch, &job, error);

	if (!code)
		code = b->ops->run_job(
			b->backend, &job, &wishes, &result, error);
	if (!code)
		code = compare(k, &result, error);
	job_result_free(&result);
	job_free(&job);
	return code;
}

/* Without each statement that it differs without. */
static void shrink(const struct bench *b, struct kernel *k)
{
	struct kernel less;
	struct error error;
	size_t i;

	for (i = k->count; i--;) {
		const uint8_t kind = k->items[i].kind;

		if (kind > KIND_SETP && kind <= KIND_REPEAT &&
			kind != KIND_BREAK)
			continue;
		less = *k;
		less.count--;
		memmove(&less.items[i], &less.items[i + 1],
			(less.count - i) * sizeof(less.items[0]));
		if (run_kernel(b, &less, &error))
			*k = less;
	}
}

/* In every eighth of the model's, races are looked for: there is none. */
static bool try_case(struct bench *b, uint32_t seed)
{
	struct error error = {""};
	struct kernel k;

	b->races = b->ops == &backend_sim && seed % 8 == 0;
	kernel_draw(seed, &k);
	if (!run_kernel(b, &k, &error))
		return true;
	printf("not ok values %u\n  %s\n", seed, error.text);
	shrink(b, &k);
	kernel_write_body(&k, stdout);
	return false;
}

/* ---- the command ---- */

static int open_bench(const char *name, struct bench *b, struct error *error)
{
	static const char *const small[] = {
		"sm_count=8", "gpc_count=4", "gpc_side_mask=10"};
	const struct backend_config config = {
		.sets = small, .set_count = strcmp(name, "sim") ? 0 : 3};
	struct facts facts = {0};
	struct device device;
	int code;

	b->ops = strcmp(name, "sim") ? &backend_cuda : &backend_sim;
	code = b->ops->open(&b->backend, &config, error);
	if (code)
		return code;
	code = b->ops->describe(b->backend, &device, &facts, error);
	facts_free(&facts);
	b->arch = device.sm_arch;
	return code;
}

static int usage(void)
{
	fputs("usage: differ sim|cuda FIRST-SEED CASES\n"
	      "       differ print SEED\n",
		stderr);
	return 2;
}

static int run_cases(const char *name, uint32_t first, uint32_t count)
{
	struct error error = {""};
	uint32_t failed = 0, i;
	struct bench b = {0};
	int code = open_bench(name, &b, &error);

	if (code) {
		fprintf(stderr, "differ: %s\n", error.text);
		return code == ERR_ABSENT ? 77 : 1;
	}
	for (i = 0; i < count; i++)
		failed += !try_case(&b, first + i);
	b.ops->close(b.backend);
	if (!failed)
		printf("ok values: %u random kernels on %s leave what the "
		       "interpreter says\n",
			count, name);
	return failed != 0;
}

int main(int argc, char **argv)
{
	struct kernel k;

	if (argc == 3 && !strcmp(argv[1], "print")) {
		kernel_draw((uint32_t)strtoul(argv[2], NULL, 10), &k);
		kernel_write(&k, 90, stdout);
		return 0;
	}
	if (argc != 4 ||
		(strcmp(argv[1], "sim") != 0 && strcmp(argv[1], "cuda") != 0))
		return usage();
	return run_cases(argv[1], (uint32_t)strtoul(argv[2], NULL, 10),
		(uint32_t)strtoul(argv[3], NULL, 10));
}
