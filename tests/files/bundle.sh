#!/bin/sh
# The folder that `make bundle` makes: it needs nothing of the host but a
# kernel, and finds the host's driver.
# environment: NEARFAR, in the folder of the built programs
set -u
export LC_ALL=C
nearfar=$(realpath "$NEARFAR")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bundle=$scratch/bundle

# check NAME COMMAND...
check() {
	name=$1
	shift
	if "$@" >"$scratch/said" 2>&1; then
		echo "ok files: bundle: $name"
	else
		echo "not ok files: bundle: $name"
		head -n 10 "$scratch/said" | sed 's/^/  /'
	fi
}
skip() { echo "ok files: bundle: $1 # SKIP $2"; }

if ! command -v dpkg >/dev/null || ! command -v gcc >/dev/null; then
	skip "the folder" "no dpkg or no gcc"
	exit 0
fi

made() {
	tests/support/bundle.sh "$bundle" "$(dirname "$nearfar")" &&
		[ -s "$bundle/notices/libc6" ] && [ -s "$bundle/LICENSE" ] &&
		[ -s "$bundle/results/h200-sxm/near-far.json.gz" ] &&
		[ -x "$bundle/check.sh" ] && [ -x "$bundle/kernels.py" ]
}
check "is put together" made

"$nearfar" run pointer-chase -x 4KiB -f csv >"$scratch/wanted"
same() { # COMMAND...: it says what the program itself says
	"$@" run pointer-chase -x 4KiB -f csv >"$scratch/got" &&
		cmp "$scratch/wanted" "$scratch/got"
}
check "without an environment" same env -i "$bundle/nearfar"

foreign() { # libraries of the host, by the same names, are not taken
	mkdir -p "$scratch/foreign" &&
		for library in "$bundle"/lib/*.so* "$bundle"/lib/libc/*; do
			echo 'no library' >"$scratch/foreign/${library##*/}"
		done
	same env -i LD_LIBRARY_PATH="$scratch/foreign" "$bundle/nearfar"
}
check "beside an unrelated LD_LIBRARY_PATH" foreign

by_host() { # its libc, and the other libraries of the bundle
	chmod a-x "$bundle/lib/libc/ld-linux-x86-64.so.2" &&
		same env NEARFAR_HOST_LIBC=1 "$bundle/nearfar"
	code=$?
	chmod a+x "$bundle/lib/libc/ld-linux-x86-64.so.2"
	return $code
}
check "with the host's libc" by_host

linked() { # from elsewhere, by a link and by PATH
	mkdir "$scratch/bin" && ln -s "$bundle/nearfar" "$scratch/bin" &&
		(cd / && same env PATH="$scratch/bin:$PATH" nearfar)
}
check "by a link" linked

own_name() { # what it tells others to start
	echo 'chase pointer-chase -x 4KiB,8KiB' >"$scratch/suite" &&
		"$bundle/nearfar" plan -n 2 --slurm -o "$scratch/plan" \
			"$scratch/suite" &&
		grep -qF "$bundle/nearfar" "$scratch/plan/slurm.sh" &&
		! grep -q 'ld-linux' "$scratch/plan/slurm.sh"
}
check "names itself" own_name

# ---- in a root of its own ----

# inside COMMAND...: with the drivers' folder in LD_LIBRARY_PATH.
if [ "$(id -u)" = 0 ]; then
	root="chroot $bundle"
else
	root="unshare -r chroot $bundle"
fi
# shellcheck disable=SC2086
inside() { env -i PATH="$PATH" LD_LIBRARY_PATH="${drivers:-}" $root "$@"; }
if ! inside /nearfar --version >/dev/null 2>&1; then
	skip "without any libraries" "no chroot"
	exit 0
fi
check "without any libraries" same inside /nearfar
absent() { # and says so
	inside /nearfar run pointer-chase -b cuda -x 4KiB
	[ $? = 77 ]
}
check "without a driver" absent
silent() { # hwloc, too
	inside /nearfar doctor 2>"$scratch/said.err" && [ ! -s "$scratch/said.err" ]
}
check "without /sys" silent

# found FOLDER: a driver there.
found() {
	mkdir -p "$bundle$1" && cp "$scratch/driver" "$bundle$1/libcuda.so.1" &&
		inside /nearfar doctor >"$scratch/doctor" &&
		grep -q 'cuda.version' "$scratch/doctor"
	code=$?
	rm -r "${bundle:?}/${1#/}"
	return $code
}
cc -std=c11 -D_GNU_SOURCE -shared -fPIC -I. tests/support/fake_cuda.c \
	-o "$scratch/driver" 2>"$scratch/said" || exit 1
for place in /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/local/nvidia/lib64 \
	/usr/lib/wsl/lib /run/opengl-driver/lib; do
	check "a driver in $place" found $place
done

named() {
	mkdir -p "$bundle/opt/driver" &&
		cp "$scratch/driver" "$bundle/opt/driver/libcuda.so.1" &&
		drivers=/opt/driver inside /nearfar doctor |
		grep -q 'cuda.version'
}
check "a driver that LD_LIBRARY_PATH names" named

cached() { # what the host's ldconfig knows
	mkdir -p "$bundle/etc" &&
		echo /opt/driver >"$bundle/etc/ld.so.conf" &&
		/sbin/ldconfig -r "$bundle" &&
		inside /nearfar doctor | grep -q 'cuda.version'
}
check "a driver in the host's ld.so.cache" cached
