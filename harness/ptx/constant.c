/* Numbers of constant expressions. */
#include <string.h>

#include "harness/ptx/constant.h"

const struct operation_info operations[OPERATOR_COUNT] = {
	[OR_ELSE] = {"||", 1},
	[AND_ALSO] = {"&&", 2},
	[OR] = {"|", 3},
	[XOR] = {"^", 4},
	[AND] = {"&", 5},
	[EQUAL] = {"==", 6},
	[DIFFERENT] = {"!=", 6},
	[AT_MOST] = {"<=", 7},
	[AT_LEAST] = {">=", 7},
	[LEFT] = {"<<", 8},
	[RIGHT] = {">>", 8},
	[BELOW] = {"<", 7},
	[ABOVE] = {">", 7},
	[PLUS] = {"+", 9},
	[MINUS] = {"-", 9},
	[TIMES] = {"*", 10},
	[DIVIDED] = {"/", 10},
	[REMAINDER] = {"%", 10},
};

static double real_of(const struct constant *n)
{
	double value;

	memcpy(&value, &n->bits, sizeof(value));
	return value;
}

static void set_real(struct constant *n, double value)
{
	*n = (struct constant){.is_float = true};
	memcpy(&n->bits, &value, sizeof(value));
}

void constant_truth(struct constant *n, bool truth)
{
	*n = (struct constant){.bits = truth};
}

/* ---- what operators make ---- */

static int apply_real(struct reader *r, const struct ptx_place *place,
	enum operation op, struct constant *a, const struct constant *b)
{
	const double x = real_of(a), y = real_of(b);

	switch (op) {
	case PLUS:
		set_real(a, x + y);
		return 0;
	case MINUS:
		set_real(a, x - y);
		return 0;
	case TIMES:
		set_real(a, x * y);
		return 0;
	case DIVIDED:
		set_real(a, x / y);
		return 0;
	case EQUAL:
	case DIFFERENT:
		constant_truth(a, (x == y) == (op == EQUAL));
		return 0;
	case BELOW:
	case AT_LEAST:
		constant_truth(a, op == BELOW ? x < y : x >= y);
		return 0;
	case ABOVE:
	case AT_MOST:
		constant_truth(a, op == ABOVE ? x > y : x <= y);
		return 0;
	default:
		return reader_refuse(r, place,
			"'%s' of a constant expression takes integers",
			operations[op].text);
	}
}

static bool is_below(const struct constant *a, const struct constant *b)
{
	return a->is_unsigned || b->is_unsigned
		       ? a->bits < b->bits
		       : (int64_t)a->bits < (int64_t)b->bits;
}

static int divide(struct reader *r, const struct ptx_place *place,
	enum operation op, struct constant *a, const struct constant *b)
{
	/* The assembler's remainder is that of unsigned numbers. */
	const bool is_unsigned =
		op == REMAINDER || a->is_unsigned || b->is_unsigned;
	const int64_t x = (int64_t)a->bits, y = (int64_t)b->bits;

	if (!b->bits)
		return reader_refuse(
			r, place, "a constant expression divides by zero");
	if (is_unsigned)
		a->bits = op == DIVIDED ? a->bits / b->bits : a->bits % b->bits;
	else
		a->bits = y == -1 ? -a->bits : (uint64_t)(x / y);
	a->is_unsigned = is_unsigned;
	return 0;
}

static void compare(
	enum operation op, struct constant *a, const struct constant *b)
{
	switch (op) {
	case EQUAL:
	case DIFFERENT:
		constant_truth(a, (a->bits == b->bits) == (op == EQUAL));
		break;
	case BELOW:
	case AT_LEAST:
		constant_truth(a, is_below(a, b) == (op == BELOW));
		break;
	default:
		constant_truth(a, is_below(b, a) == (op == ABOVE));
		break;
	}
}

static void calculate(
	enum operation op, struct constant *a, const struct constant *b)
{
	const unsigned count = b->bits & 63;

	switch (op) {
	case LEFT:
		a->bits <<= count;
		return;
	case RIGHT:
		a->bits = a->is_unsigned
				  ? a->bits >> count
				  : (uint64_t)((int64_t)a->bits >> count);
		return;
	case OR:
		a->bits |= b->bits;
		break;
	case XOR:
		a->bits ^= b->bits;
		break;
	case AND:
		a->bits &= b->bits;
		break;
	case PLUS:
		a->bits += b->bits;
		break;
	case MINUS:
		a->bits -= b->bits;
		break;
	default:
		a->bits *= b->bits;
		break;
	}
	a->is_unsigned |= b->is_unsigned;
}

int constant_apply(struct reader *r, const struct ptx_place *place,
	enum operation op, struct constant *a, const struct constant *b)
{
	if (a->is_single || b->is_single)
		return reader_refuse(
			r, place, "a constant expression takes no 0f number");
	if (a->is_float != b->is_float)
		return reader_refuse(r, place,
			"a constant expression has both integers and reals");
	if (a->is_float)
		return apply_real(r, place, op, a, b);
	switch (op) {
	case OR_ELSE:
		constant_truth(a, a->bits || b->bits);
		return 0;
	case AND_ALSO:
		constant_truth(a, a->bits && b->bits);
		return 0;
	case DIVIDED:
	case REMAINDER:
		return divide(r, place, op, a, b);
	case EQUAL:
	case DIFFERENT:
	case BELOW:
	case ABOVE:
	case AT_MOST:
	case AT_LEAST:
		compare(op, a, b);
		return 0;
	default:
		calculate(op, a, b);
		return 0;
	}
}

int constant_unary(struct reader *r, const struct ptx_place *place, char mark,
	struct constant *n)
{
	if (n->is_single)
		return reader_refuse(r, place, "'%c' takes no 0f number", mark);
	if (mark == '-' && n->is_float)
		n->bits ^= UINT64_C(1) << 63;
	else if (n->is_float)
		return reader_refuse(
			r, place, "'%c' takes an integer, not a real", mark);
	else if (mark == '-')
		n->bits = -n->bits;
	else if (mark == '~')
		*n = (struct constant){.bits = ~n->bits, .is_unsigned = true};
	else
		constant_truth(n, !n->bits);
	return 0;
}
