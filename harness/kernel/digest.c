#include <stdlib.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/kernel/hash.h"
#include "harness/kernel/job.h"

int job_digest(const struct job *job, uint64_t *digest)
{
	uint64_t hash = HASH_BASIS;
	char *text = job_text(job);
	size_t i;

	if (!text)
		return ERR_FAILED;
	hash = hash_bytes(hash, text, strlen(text));
	free(text);
	for (i = 0; i < job->module_count; i++)
		if (job->modules[i].text)
			hash = hash_bytes(hash, job->modules[i].text,
				job->modules[i].bytes);
	for (i = 0; i < job->buffer_count; i++)
		if (job->buffers[i].file_content)
			hash = hash_bytes(hash, job->buffers[i].file_content,
				job->buffers[i].bytes);
	*digest = hash;
	return 0;
}
