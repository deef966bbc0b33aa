#!/bin/sh
# Installs what is missing, with apt: as root or by sudo; else prints the one
# command that does.
# usage: deps.sh GROUP...   (build, lint, fuzz, perf, references, page, kernels,
#        slurm, deb)
set -eu

missing=

# want PACKAGE COMMAND...: the command succeeds where the package is there.
want() {
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}

has() { command -v "$1"; }
library() { pkg-config --exists "$1"; }
header() { test -e "/usr/include/$1"; }

for group in "$@"; do
	case $group in
	build)
		want make has make
		want gcc has cc
		want libc6-dev header stdio.h
		want pkg-config has pkg-config
		want libhwloc-dev library hwloc
		want libcpuid-dev library libcpuid
		want libcriterion-dev library criterion
		want libjansson-dev library jansson
		want libnlopt-dev library nlopt
		want libyaml-dev library yaml-0.1
		want libyajl-dev library yajl
		want zlib1g-dev library zlib
		want libsqlite3-dev library sqlite3
		want gnuplot-nox has gnuplot
		want python3-jsonschema /usr/bin/python3 -c \
			'import jsonschema'
		;;
	deb)
		want dpkg-dev has dpkg-shlibdeps
		want lintian has lintian
		;;
	lint)
		want clang-format-14 has clang-format-14
		want clang-tidy-14 has clang-tidy-14
		want cppcheck has cppcheck
		;;
	fuzz)
		want clang-14 has clang-14
		want libclang-rt-14-dev sh -c \
			'ls /usr/lib/llvm-14/lib/clang/*/lib/linux/*fuzzer-x86_64.a'
		want jq has jq
		;;
	perf)
		want valgrind has valgrind
		;;
	page)
		want chromium has chromium
		want npm has npm
		want python3 has python3
		;;
	references)
		want python3-scipy python3 -c 'import scipy'
		;;
	kernels)
		want clang-16 has clang-16
		want python3 has python3
		;;
	slurm)
		want slurm-wlm has slurmctld
		want munge has munged
		;;
	*)
		echo "deps.sh: there is no group '$group'" >&2
		exit 2
		;;
	esac
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null; then
	echo "these packages, by their Debian names, are missing:$missing" >&2
	exit 1
elif [ "$(id -u)" = 0 ]; then
	sudo=
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }
then
	sudo=sudo
else
	echo "packages are missing; an administrator can install them by" >&2
	echo "  apt-get update && $install" >&2
	exit 1
fi

echo "  APT    $missing"
mkdir -p build
# shellcheck disable=SC2086
if ! { $sudo env DEBIAN_FRONTEND=noninteractive apt-get update &&
	$sudo env DEBIAN_FRONTEND=noninteractive $install; } \
	>build/deps.log 2>&1 </dev/null; then
	tail -n 20 build/deps.log >&2
	echo "apt-get failed; build/deps.log holds all it said" >&2
	exit 1
fi
