/* Where the series come from: one block for series whose facts are equal. */
#include <string.h>

#include "harness/page/parts.h"
#include "harness/visible/visible.h"

static bool same_facts(const struct facts *a, const struct facts *b)
{
	size_t i;

	if (a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++)
		if (strcmp(a->items[i].key, b->items[i].key) ||
			strcmp(a->items[i].value, b->items[i].value))
			return false;
	return true;
}

static bool goes_with(const struct page_series *a, const struct page_series *b)
{
	return a->path == b->path &&
	       same_facts(&a->series->provenance, &b->series->provenance);
}

static bool is_first(const struct page_input *input, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (goes_with(&input->series[i], &input->series[index]))
			return false;
	return true;
}

static void put_facts(const struct facts *facts, FILE *out)
{
	size_t i;

	fputs("<dl>", out);
	for (i = 0; i < facts->count; i++) {
		fputs("<dt>", out);
		visible_put_html(out, facts->items[i].key);
		fputs("</dt><dd>", out);
		visible_put_html(out, facts->items[i].value);
		fputs("</dd>\n", out);
	}
	fputs("</dl>", out);
}

static void put_block(const struct page_input *input, size_t index, FILE *out)
{
	const struct page_series *s = &input->series[index];
	size_t count = 0, i;

	for (i = index; i < input->count; i++)
		count += goes_with(s, &input->series[i]);
	fputs("<details><summary>", out);
	visible_put_html(out, s->path);
	fprintf(out, " <span>%zu series of ", count);
	visible_put_html(out, s->series->bench);
	fprintf(out, ", %s, ", page_role_names[s->role]);
	visible_put_html(out, page_who(s->series));
	fputs("</span></summary>", out);
	put_facts(&s->series->provenance, out);
	fputs("</details>\n", out);
}

static void put_samples(const struct page_samples *samples, FILE *out)
{
	size_t count = 0, i;

	for (i = 0; i < samples->sets.count; i++)
		count += samples->sets.items[i].count;
	fputs("<p>", out);
	visible_put_html(out, samples->path);
	fprintf(out, " <span>%zu samples</span></p>\n", count);
}

static void put_profiles(const struct page_profiles *profiles, FILE *out)
{
	fputs("<p>", out);
	visible_put_html(out, profiles->path);
	fprintf(out, " <span>%zu launch%s of kernels</span></p>\n",
		profiles->list.count, profiles->list.count == 1 ? "" : "es");
}

void page_put_provenance(const struct page *page, FILE *out)
{
	size_t i;

	fputs("<section id=\"provenance\"><h2>Provenance</h2>\n", out);
	for (i = 0; i < page->input.count; i++)
		if (is_first(&page->input, i))
			put_block(&page->input, i, out);
	for (i = 0; i < page->input.sample_count; i++)
		put_samples(&page->input.samples[i], out);
	for (i = 0; i < page->input.profile_count; i++)
		put_profiles(&page->input.profiles[i], out);
	fputs("</section>\n", out);
	if (!page->notes.count)
		return;
	fputs("<section id=\"notes\"><h2>Notes</h2>\n<ol>", out);
	for (i = 0; i < page->notes.count; i++) {
		fprintf(out, "<li id=\"note-%zu\">", i + 1);
		visible_put_html(out, page->notes.texts[i]);
		fputs("</li>\n", out);
	}
	fputs("</ol></section>\n", out);
}
