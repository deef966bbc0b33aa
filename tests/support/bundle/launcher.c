/*
 * Starts a program of the bundle with the bundle's own loader and libraries,
 * whatever libc the host has, or none. Linked without any library; the program
 * that it starts has its name, in programs/ beside it.
 *
 * What the bundle does not have, the driver's libraries, is looked for where
 * LD_LIBRARY_PATH says, in the host's ld.so.cache and in the folders below.
 *
 * NEARFAR_HOST_LIBC in the environment leaves loader and libc to the host: a
 * tool such as Nsight Compute loads libraries of its own into the program, and
 * they may want a newer libc than the bundle's.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define LOADER "ld-linux-x86-64.so.2"

/* Where drivers are, beside the folders of Debian, which the loader knows. */
#define DRIVERS                                                                \
	":/usr/lib64"              /* Red Hat, SUSE */                         \
	":/usr/local/nvidia/lib64" /* containers of GKE, images of CUDA */     \
	":/usr/lib/wsl/lib"        /* Windows */                               \
	":/run/opengl-driver/lib"  /* NixOS */

_Noreturn static void fail(const char *name, const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", name, what, strerror(errno));
	exit(1);
}

/* "A/B/C..." in memory that is never freed. */
static char *join(const char *a, const char *b, const char *c)
{
	char *text = NULL;

	return asprintf(&text, "%s%s%s", a, b, c) < 0 ? NULL : text;
}

/* By the host's loader and libc, with the other libraries of the bundle. */
static void start_by_host(const char *paths, const char *program, char **argv)
{
	setenv("LD_LIBRARY_PATH", paths, 1);
	execv(program, argv);
}

int main(int argc, char **argv)
{
	const char *started = (const char *)getauxval(AT_EXECFN);
	const char *wanted = getenv("LD_LIBRARY_PATH");
	const char *by_host = getenv("NEARFAR_HOST_LIBC");
	char *folder = started ? realpath(started, NULL) : NULL;
	char *slash = folder ? strrchr(folder, '/') : NULL;
	char **words = calloc((size_t)argc + 7, sizeof(*words));
	char *own, *paths;
	int i;

	if (!folder || !slash || !words)
		fail(argv[0], "cannot find its folder");
	own = strdup(folder);
	*slash = '\0';
	paths = join(folder, "/lib", wanted && *wanted ? ":" : "");
	paths = join(paths, wanted ? wanted : "", DRIVERS);
	words[0] = join(folder, "/lib/libc/", LOADER);
	words[1] = "--library-path";
	words[2] = join(folder, "/lib/libc:", paths);
	words[3] = "--argv0";
	words[4] = own; /* where the program is started again */
	words[5] = join(folder, "/programs/", slash + 1);
	for (i = 1; i <= argc; i++)
		words[5 + i] = argv[i];
	if (by_host && *by_host) {
		argv[0] = own;
		start_by_host(paths, words[5], argv);
		fail(own, words[5]);
	}
	execv(words[0], words);
	fail(argv[0], words[0]);
}
