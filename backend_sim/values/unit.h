#ifndef NEARFAR_UNIT_H
#define NEARFAR_UNIT_H

/*
 * The special function unit, bit for bit: it has a function as pieces of
 * parabolas. Sources and results are bits of f32; what has no exponent of its
 * own is a number as any other, and a result may be one: who flushes does it
 * outside.
 *
 * Source: results of an H200 for all 2^32 operands.
 */
#include <stdint.h>

uint32_t unit_rcp(uint32_t bits);
uint32_t unit_rsqrt(uint32_t bits);
uint32_t unit_sqrt(uint32_t bits);
uint32_t unit_ex2(uint32_t bits);

#endif
