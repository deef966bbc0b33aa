// Rotary positions: pairs half a row apart turn by a table's angles.
extern "C" __global__ void rotate(float *rows, const float2 *__restrict__ turns,
	int half_columns)
{
	int i = threadIdx.x;
	size_t row = (size_t)blockIdx.y * gridDim.x + blockIdx.x;
	float *x = rows + row * 2 * half_columns;

	if (i >= half_columns)
		return;
	float2 turn = turns[blockIdx.x * half_columns + i];
	float a = x[i], b = x[i + half_columns];
	x[i] = fmaf(a, turn.x, -b * turn.y);
	x[i + half_columns] = fmaf(a, turn.y, b * turn.x);
}
