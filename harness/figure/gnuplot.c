#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/figure/script.h"

#define SAID_BYTES 400
#define DATE_MARK  "/CreationDate (D:"
#define DATE_UNSET "19700101000000"

/* What the child said, on one line. */
static void read_said(FILE *said, char text[SAID_BYTES])
{
	size_t bytes, i;

	rewind(said);
	bytes = fread(text, 1, SAID_BYTES - 1, said);
	text[bytes] = '\0';
	for (i = 0; i < bytes; i++)
		if ((unsigned char)text[i] < 0x20)
			text[i] = ' ';
}

/* A PDF says when it was made, which the same input must not. The date is as
   long as ours. */
static void fix_date(char *bytes, size_t count)
{
	char *mark = memmem(bytes, count, DATE_MARK, strlen(DATE_MARK));

	if (mark && (size_t)(bytes + count - mark) >
			    strlen(DATE_MARK) + strlen(DATE_UNSET))
		memcpy(mark + strlen(DATE_MARK), DATE_UNSET,
			strlen(DATE_UNSET));
}

/* Copies all that the child wrote. */
static int copy(FILE *drawn, FILE *out, struct error *error)
{
	char *bytes;
	long size;
	int code = 0;

	fseek(drawn, 0, SEEK_END);
	size = ftell(drawn);
	if (size <= 0)
		return error_set(error, ERR_FAILED, "gnuplot wrote nothing");
	rewind(drawn);
	bytes = malloc((size_t)size);
	if (!bytes || fread(bytes, 1, (size_t)size, drawn) != (size_t)size)
		code = error_set(
			error, ERR_FAILED, "what gnuplot wrote cannot be read");
	if (!code) {
		fix_date(bytes, (size_t)size);
		if (fwrite(bytes, 1, (size_t)size, out) != (size_t)size)
			code = error_set(error, ERR_FAILED, "cannot write: %s",
				strerror(errno));
	}
	free(bytes);
	return code;
}

static int spawn(FILE *script, FILE *drawn, FILE *said, pid_t *child)
{
	char name[] = "gnuplot", plain[] = "-d", input[] = "-";
	char *arguments[] = {name, plain, input, NULL};
	posix_spawn_file_actions_t actions;
	int code = posix_spawn_file_actions_init(&actions);

	if (code)
		return code;
	code = posix_spawn_file_actions_adddup2(
		&actions, fileno(script), STDIN_FILENO);
	if (!code)
		code = posix_spawn_file_actions_adddup2(
			&actions, fileno(drawn), STDOUT_FILENO);
	if (!code)
		code = posix_spawn_file_actions_adddup2(
			&actions, fileno(said), STDERR_FILENO);
	if (!code)
		code = posix_spawnp(
			child, "gnuplot", &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return code;
}

static int run(
	FILE *script, FILE *drawn, FILE *said, FILE *out, struct error *error)
{
	char text[SAID_BYTES];
	pid_t child;
	int status, code = spawn(script, drawn, said, &child);

	if (code == ENOENT)
		return error_set(error, ERR_FAILED,
			"figures are drawn by gnuplot, which is not there "
			"(Debian: gnuplot-nox)");
	if (code)
		return error_set(error, ERR_FAILED,
			"gnuplot cannot be started: %s", strerror(code));
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return error_set(error, ERR_FAILED,
				"gnuplot cannot be waited for: %s",
				strerror(errno));
	read_said(said, text);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return error_set(error, ERR_FAILED, "gnuplot failed: %s", text);
	return copy(drawn, out, error);
}

int gnuplot_run(FILE *script, FILE *out, struct error *error)
{
	FILE *drawn = tmpfile(), *said = tmpfile();
	int code;

	if (!drawn || !said || fflush(script) || fseek(script, 0, SEEK_SET))
		code = error_set(error, ERR_FAILED,
			"no temporary file for gnuplot: %s", strerror(errno));
	else
		code = run(script, drawn, said, out, error);
	if (drawn)
		fclose(drawn);
	if (said)
		fclose(said);
	return code;
}
