#!/bin/sh
# The commands that need a GPU on the driver that is none, so that their lines
# are counted: what they measure there means nothing, and is not judged.
# environment: NEARFAR, TESTS
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
NEARFAR_LIBCUDA=$(realpath "$TESTS/support/fake_cuda.so")
NEARFAR_LIBNVML=$(realpath "$TESTS/support/fake_nvml.so")
export NEARFAR_LIBCUDA NEARFAR_LIBNVML FAKE_NVML=calm

"$NEARFAR" doctor >"$scratch/doctor.txt"
grep -c . "$scratch/doctor.txt" || exit 1
tests/hardware/suite.sh "$NEARFAR" default "$scratch" \
	-b cuda -r 1 -w 0 2>/dev/null | grep -c '^ok' || exit 1
