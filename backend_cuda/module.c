#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda/backend.h"

#define LOG_BYTES   8192
#define KERNEL_NAME "nearfar"

/* A log of many lines as one: the message is a sentence. */
static void flatten(char *log)
{
	char *to = log;
	const char *from;

	for (from = log; *from; from++) {
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > log && to[-1] != ' ')
			*to++ = ' ';
	}
	while (to > log && to[-1] == ' ')
		to--;
	*to = '\0';
}

/* `.target sm_90, debug`, as of nvcc -G: a driver compiles it without
   optimisation, or not at all. */
static bool is_for_debugging(const char *text)
{
	const char *target = strstr(text, "\n.target ");
	const char *word = target ? strstr(target, "debug") : NULL;

	return word && word < target + 1 + strcspn(target + 1, "\n");
}

int cuda_module_compile(struct backend *b, const char *text, CUmodule *module,
	struct error *error)
{
	char *log = calloc(2, LOG_BYTES);
	char *info = log ? log + LOG_BYTES : NULL;
	const unsigned int level = is_for_debugging(text) ? 0 : b->jit_level;
	unsigned int options[] = {
		CU_JIT_ERROR_LOG_BUFFER,
		CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
		CU_JIT_INFO_LOG_BUFFER,
		CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
		CU_JIT_OPTIMIZATION_LEVEL,
	};
	void *values[] = {
		log,
		(void *)(uintptr_t)LOG_BYTES,
		info,
		(void *)(uintptr_t)LOG_BYTES,
		(void *)(uintptr_t)level,
	};
	int code;

	if (!log)
		return error_set(error, ERR_FAILED,
			"no memory to compile program '%s'", b->program);
	code = CUDA_CALL(b, error, cuModuleLoadDataEx, module, text,
		sizeof(options) / sizeof(options[0]), options, values);
	log[LOG_BYTES - 1] = info[LOG_BYTES - 1] = '\0';
	flatten(log);
	flatten(info);
	if (code && error && (*log || *info)) {
		size_t length = strlen(error->text);

		snprintf(error->text + length, sizeof(error->text) - length,
			": %s", *log ? log : info);
	}
	free(log);
	return code;
}

static struct cuda_module *find(struct cuda_modules *modules, const char *text)
{
	size_t i;

	for (i = 0; i < modules->count; i++)
		if (!strcmp(modules->items[i].text, text))
			return &modules->items[i];
	return NULL;
}

static struct cuda_module *make_room(struct backend *b)
{
	struct cuda_modules *modules = &b->modules;
	struct cuda_module *oldest = &modules->items[0];
	size_t i;

	if (modules->count < CUDA_MODULES_MAX)
		return &modules->items[modules->count++];
	for (i = 1; i < modules->count; i++)
		if (modules->items[i].used < oldest->used)
			oldest = &modules->items[i];
	b->driver.cuModuleUnload(oldest->module);
	free(oldest->text);
	return oldest;
}

static int add(struct backend *b, const char *text, struct cuda_module **module,
	struct error *error)
{
	struct cuda_module new = {.text = strdup(text)};
	int code;

	if (!new.text)
		return error_set(error, ERR_FAILED,
			"no memory to keep program '%s'", b->program);
	code = cuda_module_compile(b, text, &new.module, error);
	if (code)
		goto free_text;
	code = CUDA_CALL(b, error, cuModuleGetFunction, &new.function,
		new.module, KERNEL_NAME);
	if (code)
		goto unload;
	*module = make_room(b);
	**module = new;
	return 0;
unload:
	b->driver.cuModuleUnload(new.module);
free_text:
	free(new.text);
	return code;
}

int cuda_module_load(struct backend *b, const char *text, CUfunction *function,
	struct error *error)
{
	struct cuda_module *module = find(&b->modules, text);

	if (!module) {
		int code = add(b, text, &module, error);

		if (code)
			return code;
	}
	module->used = ++b->modules.loads;
	*function = module->function;
	return 0;
}

void cuda_module_free(struct backend *b)
{
	size_t i;

	for (i = 0; i < b->modules.count; i++) {
		if (!b->lost)
			b->driver.cuModuleUnload(b->modules.items[i].module);
		free(b->modules.items[i].text);
	}
	b->modules.count = 0;
}
