/* What stands in the source lines that PTX names, where the files are. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/content.h"
#include "harness/profile/profile.h"

/* A file, and where its lines begin. */
struct source {
	struct content content; /* of a file */
	const char **lines;
	size_t count;
};

/* Compilers write whole paths, which hold where they ran. */
static char *path_beside(const char *module_file, const char *name)
{
	const char *folder = strrchr(module_file, '/');
	const char *base = strrchr(name, '/');
	char *path = NULL;

	base = base ? base + 1 : name;
	return asprintf(&path, "%.*s%s",
		       folder ? (int)(folder - module_file + 1) : 0,
		       module_file, base) < 0
		       ? NULL
		       : path;
}

static bool read_file(const char *path, struct content *content)
{
	struct error unread;
	struct stat is;

	return !stat(path, &is) && S_ISREG(is.st_mode) &&
	       !content_read(path, CONTENT_WRITTEN_MOST, content, &unread);
}

static int find_lines(struct source *s, const char *text)
{
	size_t room = 0;
	const char *at;

	for (at = text; at; at = strchr(at, '\n'), at += at != NULL)
		room++;
	s->lines = calloc(room + 1, sizeof(*s->lines));
	if (!s->lines)
		return -1;
	for (at = text; at; at = strchr(at, '\n'), at += at != NULL)
		s->lines[s->count++] = at;
	return 0;
}

/* -1 without memory; a file that cannot be read has no lines. */
static int read_source(
	const struct job_module *module, const char *name, struct source *s)
{
	char *path;

	*s = (struct source){.count = 0};
	if (module->source)
		return find_lines(s, module->source);
	if (!module->file)
		return 0;
	path = path_beside(module->file, name);
	if (!path)
		return -1;
	if (!read_file(path, &s->content) &&
		(name[0] != '/' || !read_file(name, &s->content))) {
		free(path);
		return 0;
	}
	free(path);
	return find_lines(s, s->content.text);
}

static void source_free(struct source *s)
{
	free(s->lines);
	content_free(&s->content);
}

static int take_texts(struct profile *p, uint32_t number, struct source *s)
{
	const struct job_profile *w = p->where;
	size_t i;

	for (i = 0; i < w->line_count; i++) {
		const uint32_t line = w->lines[i].source_line;
		const char *text;

		if (w->lines[i].source != number || !line || line > s->count)
			continue;
		text = s->lines[line - 1];
		p->source_texts[i] =
			profile_trimmed(text, strcspn(text, "\r\n"));
		if (!p->source_texts[i])
			return -1;
	}
	return 0;
}

int profile_take_sources(struct profile *p, const struct job_module *module)
{
	const struct job_profile *w = p->where;
	struct source source;
	size_t i;
	int code = 0;

	p->source_texts = calloc(w->line_count + 1, sizeof(*p->source_texts));
	if (!p->source_texts)
		return -1;
	for (i = 0; !code && i < w->source_count; i++) {
		code = read_source(module, w->sources[i], &source);
		if (!code)
			code = take_texts(p, (uint32_t)i + 1, &source);
		source_free(&source);
	}
	return code;
}

const char *profile_source_text(
	const struct profile *p, const struct job_line *row)
{
	const struct job_profile *w = p->where;
	size_t i;

	for (i = 0; row->source && p->source_texts && i < w->line_count; i++)
		if (w->lines[i].source == row->source &&
			w->lines[i].source_line == row->source_line)
			return p->source_texts[i];
	return NULL;
}
