#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/json/json_place.h"
#include "harness/base/output.h"
#include "harness/base/stream.h"
#include "harness/fit/device.h"

static const struct field {
	const char *name;
	size_t offset, bytes; /* of an unsigned number; 0: a double */
} fields[] = {
#define WHOLE(name)                                                            \
	{                                                                      \
#name, offsetof(struct device, name),                          \
			sizeof(((struct device *)0)->name)                     \
	}
	WHOLE(sm_count),
	WHOLE(sm_arch),
	WHOLE(ptx_version),
	WHOLE(warps_per_sm_max),
	WHOLE(blocks_per_sm_max),
	WHOLE(registers_per_sm),
	WHOLE(l1_bytes),
	WHOLE(shared_bytes_per_sm),
	WHOLE(shared_bytes_per_block_max),
	WHOLE(shared_reserved_bytes),
	WHOLE(l2_bytes),
	WHOLE(memory_bytes),
	WHOLE(persisting_bytes_max),
#undef WHOLE
	{"clock_hz", offsetof(struct device, clock_hz), 0},
};
#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

static double get(const struct device *device, const struct field *f)
{
	const char *at = (const char *)device + f->offset;
	uint32_t small;
	uint64_t large;
	double real;

	if (!f->bytes) {
		memcpy(&real, at, sizeof(real));
		return real;
	}
	if (f->bytes == sizeof(small)) {
		memcpy(&small, at, sizeof(small));
		return small;
	}
	memcpy(&large, at, sizeof(large));
	return (double)large;
}

static void set(struct device *device, const struct field *f, double value)
{
	char *at = (char *)device + f->offset;
	const uint64_t large = f->bytes ? (uint64_t)value : 0;
	const uint32_t small = (uint32_t)large;

	if (!f->bytes)
		memcpy(at, &value, sizeof(value));
	else if (f->bytes == sizeof(small))
		memcpy(at, &small, sizeof(small));
	else
		memcpy(at, &large, sizeof(large));
}

int device_write(
	const struct device *device, const char *path, struct error *error)
{
	json_t *object = json_object();
	struct output output;
	size_t i;
	int code =
		json_object_set_new(object, "name", json_string(device->name));

	for (i = 0; i < FIELD_COUNT; i++) {
		double value = get(device, &fields[i]);

		code |= json_object_set_new(object, fields[i].name,
			fields[i].bytes ? json_integer((json_int_t)value)
					: json_real(value));
	}
	if (code)
		code = error_set(error, ERR_FAILED, "out of memory");
	else
		code = output_open(&output, path, error);
	if (!code) {
		if (json_dumpf(object, output.stream, JSON_INDENT(2)))
			stream_fail(output.stream);
		fputc('\n', output.stream);
		code = output_commit(&output, error);
	}
	json_decref(object);
	return code;
}

static double most_of(const struct field *f)
{
	return f->bytes == sizeof(uint32_t) ? UINT32_MAX : 0x1p52;
}

static int read_fields(const struct json_place *root, struct device *device)
{
	struct json_place place = place_key(root, "name");
	const char *name;
	double value;
	size_t i;
	int code = place_object(root);

	if (!code)
		code = place_string(&place, &name);
	if (code)
		return code;
	snprintf(device->name, sizeof(device->name), "%s", name);
	for (i = 0; i < FIELD_COUNT; i++) {
		place = place_key(root, fields[i].name);
		code = place_number(&place, &value);
		if (!code && !(value >= 0 && value <= most_of(&fields[i])))
			code = place_fail(&place,
				"must be a number from 0 to %.0f",
				most_of(&fields[i]));
		if (code)
			return code;
		set(device, &fields[i], value);
	}
	return 0;
}

int device_read(struct device *device, const char *path, struct error *error)
{
	struct json_place root;
	struct device read = {0};
	struct content content;
	int code = content_read(path, CONTENT_WRITTEN_MOST, &content, error);

	if (code)
		return code;
	code = place_load(content.text, content.bytes, path, &root, error);
	content_free(&content);
	if (code)
		return code;
	code = read_fields(&root, &read);
	json_decref(root.value);
	if (!code)
		*device = read;
	return code;
}
