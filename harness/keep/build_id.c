#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "harness/keep/build_id.h"

#define NOTE_ALIGNMENT 4u

uint64_t digest_add(uint64_t digest, const void *bytes, size_t count)
{
	const unsigned char *at = bytes;

	while (count--)
		digest = (digest ^ *at++) * UINT64_C(0x100000001b3);
	return digest;
}

static size_t aligned(size_t bytes)
{
	return (bytes + NOTE_ALIGNMENT - 1) / NOTE_ALIGNMENT * NOTE_ALIGNMENT;
}

static void print_digest(const unsigned char *digest, size_t bytes, char *text)
{
	size_t i;

	for (i = 0; i < bytes && 2 * i + 2 < BUILD_ID_BYTES; i++)
		sprintf(text + 2 * i, "%02x", digest[i]);
}

/* Of the notes of one segment: name and digest follow each header. */
static void read_notes(const char *at, size_t bytes, char *text)
{
	ElfW(Nhdr) note;
	size_t name, digest;

	for (; bytes >= sizeof(note); at += digest, bytes -= digest) {
		memcpy(&note, at, sizeof(note));
		at += sizeof(note);
		bytes -= sizeof(note);
		name = aligned(note.n_namesz);
		digest = aligned(note.n_descsz);
		if (name + digest > bytes)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			!memcmp(at, "GNU", 4))
			print_digest((const unsigned char *)at + name,
				note.n_descsz, text);
		at += name;
		bytes -= name;
	}
}

/* The first object is the program itself. */
static int read_object(struct dl_phdr_info *object, size_t size, void *text)
{
	int i;

	(void)size;
	for (i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];

		if (header->p_type == PT_NOTE)
			read_notes((const char *)(object->dlpi_addr +
						  header->p_vaddr),
				header->p_memsz, text);
	}
	return 1;
}

void build_id(char text[BUILD_ID_BYTES])
{
	snprintf(text, BUILD_ID_BYTES, "%s", NEARFAR_VERSION);
	dl_iterate_phdr(read_object, text);
}
