/*
 * Calls that fail: a library to preload. NEARFAR_FAULT="KIND:N" fails the N-th
 * call of that kind in the process, "KIND:N+" that one and all later ones.
 * NEARFAR_FAULT_REPORT names a file that gets a line "call KIND COUNT" for each
 * kind and "live OBJECT BLOCKS" for each library or program whose blocks were
 * not freed.
 *
 * Standard output is replaced by a stream that writes through these calls, for
 * the C library's own writes cannot be caught.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Kind, and what its calls fail with. */
#define KINDS(K)                                                               \
	K(alloc, ENOMEM)                                                       \
	K(yaml, ENOMEM) /* an allocation while YAML is read */                 \
	K(open, EMFILE)                                                        \
	K(read, EIO)                                                           \
	K(write, ENOSPC)                                                       \
	K(sync, EIO)                                                           \
	K(link, EIO)                                                           \
	K(rename, EIO)                                                         \
	K(unlink, EIO)                                                         \
	K(truncate, EIO)                                                       \
	K(close, EIO)                                                          \
	K(lock, ENOLCK)                                                        \
	K(dup, EMFILE)                                                         \
	K(mode, EPERM)                                                         \
	K(folder, ENOSPC)                                                      \
	K(process, EAGAIN)                                                     \
	K(thread, EAGAIN)

enum kind {
#define KIND_ENUM(name, number) KIND_##name,
	KINDS(KIND_ENUM)
#undef KIND_ENUM
		KIND_COUNT
};

static const struct {
	const char *name;
	int number;
} kinds[] = {
#define KIND_ROW(name, number) {#name, number},
	KINDS(KIND_ROW)
#undef KIND_ROW
};

static struct {
	bool on, from;
	int kind;
	unsigned long at;
	atomic_ulong calls[KIND_COUNT];
} fault = {.kind = -1};

/* hwloc crashes where memory runs out while it looks at the host. */
static _Thread_local bool spared;

/* A machine file is read by every command in the same way, by thousands of
   allocations: they are a kind of their own. */
static _Thread_local int reads_yaml;

static bool fails(enum kind kind)
{
	unsigned long count;

	if (!fault.on || spared)
		return false;
	if (kind == KIND_alloc && reads_yaml)
		kind = KIND_yaml;
	count = atomic_fetch_add(&fault.calls[kind], 1) + 1;
	if ((int)kind != fault.kind ||
		!(count == fault.at || (fault.from && count > fault.at)))
		return false;
	errno = kinds[kind].number;
	return true;
}

/* ---- memory ---- */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

#define BLOCKS (1u << 17)

/* Which call made a block: linear probing; a freed place stays used. */
static struct block {
	void *pointer, *caller;
} blocks[BLOCKS];
static atomic_flag blocks_lock = ATOMIC_FLAG_INIT;

#define FREED ((void *)1)

static size_t place_of(const void *pointer)
{
	return (size_t)(((uintptr_t)pointer >> 4) *
				UINT64_C(0x9e3779b97f4a7c15) >>
			47) %
	       BLOCKS;
}

static void lock(void)
{
	while (atomic_flag_test_and_set(&blocks_lock))
		;
}

static void note(void *pointer, void *caller)
{
	size_t i, at = place_of(pointer);

	if (!fault.on || !pointer)
		return;
	lock();
	for (i = 0; i < BLOCKS; i++, at = (at + 1) % BLOCKS)
		if (!blocks[at].pointer || blocks[at].pointer == FREED)
			break;
	if (i == BLOCKS)
		abort();
	blocks[at] = (struct block){pointer, caller};
	atomic_flag_clear(&blocks_lock);
}

static void forget(const void *pointer)
{
	size_t i, at = place_of(pointer);

	if (!fault.on || !pointer)
		return;
	lock();
	for (i = 0; i < BLOCKS && blocks[at].pointer;
		i++, at = (at + 1) % BLOCKS)
		if (blocks[at].pointer == pointer) {
			blocks[at].pointer = FREED;
			break;
		}
	atomic_flag_clear(&blocks_lock);
}

#define CALLER __builtin_return_address(0)

static void *noted(void *pointer, void *caller)
{
	note(pointer, caller);
	return pointer;
}

void *malloc(size_t bytes)
{
	if (fails(KIND_alloc))
		return NULL;
	return noted(__libc_malloc(bytes), CALLER);
}

void *calloc(size_t count, size_t bytes)
{
	if (fails(KIND_alloc))
		return NULL;
	return noted(__libc_calloc(count, bytes), CALLER);
}

static void *move(void *old, size_t bytes, void *caller)
{
	void *new;

	if (fails(KIND_alloc))
		return NULL;
	forget(old);
	new = __libc_realloc(old, bytes);
	note(new ? new : bytes ? old : NULL, caller);
	return new;
}

void *realloc(void *old, size_t bytes)
{
	return move(old, bytes, CALLER);
}

void *reallocarray(void *old, size_t count, size_t bytes)
{
	if (bytes && count > SIZE_MAX / bytes) {
		errno = ENOMEM;
		return NULL;
	}
	return move(old, count * bytes, CALLER);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	if (fails(KIND_alloc))
		return NULL;
	return noted(__libc_memalign(alignment, bytes), CALLER);
}

void free(void *pointer)
{
	forget(pointer);
	__libc_free(pointer);
}

/* ---- files and threads ---- */

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                             \
	int name(const char *path, int flags, ...)                             \
	{                                                                      \
		va_list more;                                                  \
		mode_t mode = 0;                                               \
                                                                               \
		va_start(more, flags);                                         \
		if (flags & (O_CREAT | __O_TMPFILE))                           \
			mode = va_arg(more, mode_t);                           \
		va_end(more);                                                  \
		return fails(KIND_open) ? -1 : REAL(name)(path, flags, mode);  \
	}
OPEN(open)
OPEN(open64)

FILE *fopen(const char *path, const char *mode)
{
	return fails(KIND_open) ? NULL : REAL(fopen)(path, mode);
}

FILE *tmpfile(void)
{
	return fails(KIND_open) ? NULL : REAL(tmpfile)();
}

#define WRAP(kind, result, name, parameters, arguments)                        \
	result name parameters                                                 \
	{                                                                      \
		return fails(KIND_##kind) ? (result)-1 : REAL(name) arguments; \
	}
WRAP(read, ssize_t, read, (int f, void *to, size_t bytes), (f, to, bytes))
WRAP(read, ssize_t, pread, (int f, void *to, size_t bytes, off_t at),
	(f, to, bytes, at))
WRAP(write, ssize_t, write, (int f, const void *from, size_t bytes),
	(f, from, bytes))
WRAP(sync, int, fsync, (int f), (f))
WRAP(sync, int, fdatasync, (int f), (f))
WRAP(link, int, linkat,
	(int a, const char *from, int b, const char *to, int flags),
	(a, from, b, to, flags))
WRAP(rename, int, rename, (const char *from, const char *to), (from, to))
WRAP(unlink, int, unlink, (const char *path), (path))
WRAP(unlink, int, remove, (const char *path), (path))
WRAP(truncate, int, ftruncate, (int f, off_t bytes), (f, bytes))
WRAP(lock, int, flock, (int f, int how), (f, how))
WRAP(mode, int, fchmod, (int f, mode_t mode), (f, mode))
WRAP(mode, int, fchown, (int f, uid_t user, gid_t group), (f, user, group))
WRAP(mode, int, chmod, (const char *path, mode_t mode), (path, mode))
WRAP(folder, int, mkdir, (const char *path, mode_t mode), (path, mode))

/* The descriptor is closed all the same, as by the kernel. */
int close(int f)
{
	const bool failed = fails(KIND_close);
	const int number = errno, result = REAL(close)(f);

	if (!failed)
		return result;
	errno = number;
	return -1;
}

int fcntl(int f, int what, ...)
{
	const bool dup = what == F_DUPFD || what == F_DUPFD_CLOEXEC;
	va_list more;
	long argument;

	va_start(more, what);
	argument = va_arg(more, long);
	va_end(more);
	return dup && fails(KIND_dup) ? -1 : REAL(fcntl)(f, what, argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
	void *(*start)(void *), void *argument)
{
	return fails(KIND_thread) ? EAGAIN
				  : REAL(pthread_create)(thread, attributes,
					    start, argument);
}

int posix_spawnp(pid_t *child, const char *file,
	const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const words[],
	char *const environment[])
{
	return fails(KIND_process) ? EAGAIN
				   : REAL(posix_spawnp)(child, file, actions,
					     attributes, words, environment);
}

int yaml_parser_initialize(void *parser)
{
	reads_yaml++;
	return ((int (*)(void *))(uintptr_t)dlsym(
		RTLD_NEXT, "yaml_parser_initialize"))(parser);
}

void yaml_parser_delete(void *parser)
{
	((void (*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "yaml_parser_delete"))(
		parser);
	reads_yaml--;
}

#define SPARE(name)                                                            \
	int name(void *topology)                                               \
	{                                                                      \
		int (*real)(void *) =                                          \
			(int (*)(void *))(uintptr_t)dlsym(RTLD_NEXT, #name);   \
		int result;                                                    \
                                                                               \
		spared = true;                                                 \
		result = real(topology);                                       \
		spared = false;                                                \
		return result;                                                 \
	}
SPARE(hwloc_topology_init)
SPARE(hwloc_topology_load)

int hwloc_get_cpubind(void *topology, void *set, int flags)
{
	int (*real)(void *, void *, int) = (int (*)(void *, void *, int))(
		uintptr_t)dlsym(RTLD_NEXT, "hwloc_get_cpubind");
	int result;

	spared = true;
	result = real(topology, set, flags);
	spared = false;
	return result;
}

/* NLopt ends the process where its message finds no memory; nobody reads it. */
const char *nlopt_set_errmsg(void *search, const char *format, ...);
const char *nlopt_set_errmsg(void *search, const char *format, ...)
{
	(void)search;
	return format;
}

/* ---- the report ---- */

static ssize_t put(void *cookie, const char *from, size_t bytes)
{
	size_t done = 0;

	(void)cookie;
	while (done < bytes) {
		ssize_t wrote = write(STDOUT_FILENO, from + done, bytes - done);

		if (wrote < 0)
			break;
		done += (size_t)wrote;
	}
	return (ssize_t)done;
}

__attribute__((constructor)) static void begin(void)
{
	const cookie_io_functions_t functions = {.write = put};
	const char *text = getenv("NEARFAR_FAULT");
	char name[32] = "", plus = 0;
	int kind;

	stdout = fopencookie(NULL, "w", functions);
	if (text && sscanf(text, "%31[a-z]:%lu%c", name, &fault.at, &plus) >= 2)
		for (kind = 0; kind < KIND_COUNT; kind++)
			if (!strcmp(name, kinds[kind].name))
				fault.kind = kind;
	fault.from = plus == '+';
	unsetenv("LD_PRELOAD"); /* of its children nothing fails */
	fault.on = true;
}

static const char *object_of(void *caller)
{
	Dl_info info;
	const char *slash;

	if (!dladdr(caller, &info) || !info.dli_fname)
		return "?";
	slash = strrchr(info.dli_fname, '/');
	return slash ? slash + 1 : info.dli_fname;
}

static void report_live(FILE *out)
{
	size_t i;

	for (i = 0; i < BLOCKS; i++)
		if (blocks[i].pointer && blocks[i].pointer != FREED)
			fprintf(out, "live %s 1\n",
				object_of(blocks[i].caller));
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("NEARFAR_FAULT_REPORT");
	FILE *out;
	int kind;

	fflush(stdout);
	fault.on = false;
	out = path ? REAL(fopen)(path, "w") : NULL;
	if (!out)
		return;
	for (kind = 0; kind < KIND_COUNT; kind++)
		fprintf(out, "call %s %lu\n", kinds[kind].name,
			atomic_load(&fault.calls[kind]));
	report_live(out);
	fclose(out);
}
