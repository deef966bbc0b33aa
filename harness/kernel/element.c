#include <math.h>
#include <string.h>

#include "harness/kernel/job.h"

const struct element elements[ELEMENT_TYPE_COUNT] = {
#define ELEMENT_ROW(name, text, bytes, kind, digits)                           \
	[ELEMENT_##name] = {(text), (bytes), ELEMENT_##kind, (digits)},
	ELEMENT_TYPES(ELEMENT_ROW)
#undef ELEMENT_ROW
};

int element_find(const char *name)
{
	int i;

	for (i = 0; i < ELEMENT_TYPE_COUNT; i++)
		if (!strcmp(elements[i].name, name))
			return i;
	return -1;
}

/* Rounds a magnitude to a float of so many bits: exponent and fraction as
   they lie in memory. */
static uint64_t narrow(double value, int significant_bits, int bits)
{
	const int exponent_bits = bits - significant_bits;
	const int bias = (1 << (exponent_bits - 1)) - 1;
	const uint64_t infinite = ((UINT64_C(1) << exponent_bits) - 1)
				  << (significant_bits - 1);
	uint64_t fraction;
	int exponent;

	if (isnan(value))
		return infinite | UINT64_C(1) << (significant_bits - 2);
	if (isinf(value))
		return infinite;
	frexp(value, &exponent);
	exponent = value > 0 && exponent > 2 - bias ? exponent : 2 - bias;
	/* A fraction that rounds up into the next power of two carries into
	   the exponent, as it should. */
	fraction =
		(uint64_t)nearbyint(ldexp(value, significant_bits - exponent));
	fraction += (uint64_t)(exponent + bias - 2) << (significant_bits - 1);
	return fraction < infinite ? fraction : infinite;
}

uint64_t element_float_bits(enum element_type type, double value)
{
	const struct element *e = &elements[type];
	const int bits = 8 * e->bytes;
	uint64_t whole;

	if (e->bytes == sizeof(double)) {
		memcpy(&whole, &value, sizeof(whole));
		return whole;
	}
	return narrow(fabs(value), e->significant_bits, bits) |
	       (uint64_t)(signbit(value) != 0) << (bits - 1);
}

double element_float_value(enum element_type type, uint64_t bits)
{
	const struct element *e = &elements[type];
	const int width = 8 * e->bytes, fraction_bits = e->significant_bits - 1;
	const uint64_t exponents =
		(UINT64_C(1) << (width - e->significant_bits)) - 1;
	const int bias = (int)(exponents >> 1);
	const uint64_t exponent = bits >> fraction_bits & exponents;
	uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
	double value;

	if (exponent == exponents)
		value = fraction ? NAN : INFINITY;
	else if (!exponent)
		value = ldexp((double)fraction, 1 - bias - fraction_bits);
	else
		value = ldexp((double)(fraction | UINT64_C(1) << fraction_bits),
			(int)exponent - bias - fraction_bits);
	return bits >> (width - 1) & 1 ? -value : value;
}
