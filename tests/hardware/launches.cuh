// Cycles a launch, of kernels launched one behind the other, by events: the median
// of eleven times ten, for the programs beside this.
#include <algorithm>
#include <vector>
#include "call.cuh"
#define EVENT_REPEATS  11
#define EVENT_LAUNCHES 10
#define CYCLES_MS      1980e3

template <class LAUNCH> static double cycles_of_launch(LAUNCH launch)
{
	std::vector<float> ms;
	cudaEvent_t from, to;

	DO(cudaEventCreate(&from));
	DO(cudaEventCreate(&to));
	for (int i = 0; i < EVENT_REPEATS; i++) {
		float t;
		DO(cudaEventRecord(from));
		for (int k = 0; k < EVENT_LAUNCHES; k++)
			launch();
		DO(cudaEventRecord(to));
		DO(cudaEventSynchronize(to));
		DO(cudaEventElapsedTime(&t, from, to));
		ms.push_back(t);
	}
	DO(cudaEventDestroy(from));
	DO(cudaEventDestroy(to));
	std::sort(ms.begin(), ms.end());
	return ms[EVENT_REPEATS / 2] / EVENT_LAUNCHES * CYCLES_MS;
}
