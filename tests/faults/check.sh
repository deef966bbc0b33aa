#!/bin/sh
# Calls that fail: a part of the cases, or (--all) each of them, which takes
# long and goes on where it was; then drivers of other worlds.
# usage: check.sh [--all]
# environment: NEARFAR, TESTS (the folder of built tests); FAULTS_ONLY: with
#   --all, of these commands alone, with commas between
set -u
export LC_ALL=C NO_COLOR=1
unset CUDA_VISIBLE_DEVICES
here=$PWD
nearfar=$(realpath "$NEARFAR")
support=$(realpath "$TESTS/support")
faults=$(realpath "$TESTS/faults/faults")

# prepare FOLDER: what faults.c needs there.
prepare() {
	mkdir -p "$1/in/programs" "$1/in/driver" "$1/in/kernel" &&
		cp tests/golden/machines/small.yaml \
			tests/golden/imports/mt4g.json "$1/in" &&
		cp tests/kernels/gather/gather.ptx \
			tests/faults/kernel/gather.job "$1/in/kernel" &&
		cp tests/faults/driver/*.txt "$1/in/driver" || exit 1
	for name in a b; do
		sed "s/^name .*/name $name/" tests/golden/programs/small.txt \
			>"$1/in/programs/$name.txt"
	done
	ln -sf "$support/fault.so" "$1/fault.so"
	rm -rf "$1/in/split"
	cat >"$1/in/suite.txt" <<-SUITE
		chase pointer-chase -m $1/in/small.yaml -x 4KiB,64KiB --loads 512
		what-if pointer-chase -m $1/in/small.yaml -x 4KiB --loads 512 --set l2_bytes=1MiB,2MiB
	SUITE
	for n in 1 2 3; do
		"$nearfar" run --suite "$1/in/suite.txt" --part $n/3 \
			-o "$1/in/split" || exit 1
	done
	echo "one fit --nearest $1/in/small.yaml --from $1/in/c.json --free" \
		"l2_near_cycles --budget 3" >"$1/in/fit.suite"
}

# cases FOLDER RESULTS EVERY COMMANDS: what is preloaded has no blanks in its
# path, seen from the folder of work.
cases() {
	"$faults" "$nearfar" ../fault.so "$support/fake_cuda.so" \
		"$support/fake_nvml.so" "$1" "$2" "$3" "$4"
}

# Results belong to a build, so that what was mended is tried again.
if [ "${1-}" = --all ]; then
	folder=$here/build/faults
	mkdir -p "$folder"
	prepare "$folder"
	results=$folder/results-$(cksum <"$nearfar" | cut -d' ' -f1).tsv
	cases "$folder" "$results" 1 "${FAULTS_ONLY-}" | tee "$folder/table.md"
	! grep -q '^not ok' "$folder/table.md"
	exit
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prepare "$scratch"
cases "$scratch" "$scratch/results" 97 '' >"$scratch/table"
sed -n 's/^\(not \)\{0,1\}ok faults/&: exit 0 has the same bytes, all else a sentence/p
	/^  /p; /^not ok/p' "$scratch/table" | sort -u

# ---- other worlds ----

export NEARFAR_LIBCUDA="$support/fake_cuda.so"
export NEARFAR_LIBNVML="$support/fake_nvml.so" FAKE_NVML=calm

# check NAME COMMAND...: the command succeeds, in an empty folder.
check() {
	name=$1
	shift
	rm -rf "$scratch/work" && mkdir "$scratch/work" &&
		cd "$scratch/work" || exit 1
	if "$@" >"$scratch/said" 2>&1; then
		echo "ok faults: $name"
	else
		echo "not ok faults: $name"
		head -n 10 "$scratch/said" | sed 's/^/  /'
	fi
}

# runs PROGRAM WANTED WORDS SENTENCE OPTION...: on such a driver.
runs() {
	program=$1 wanted=$2 words=$3 sentence=$4
	shift 4
	FAKE_CUDA=$words "$nearfar" run --program "$scratch/in/driver/$program" \
		-b cuda -r 2 -w 0 -f json --force -o out.json "$@" 2>said
	got=$?
	cat said
	[ $got = "$wanted" ] || { echo "status $got, not $wanted"; return 1; }
	grep -qF -- "$sentence" said out.json
}
world() { runs two.txt "$@"; }
check "two devices: the second" world 0 two 'Fake GPU 2' --device 1
check "two devices: no third" world 2 two '2 are visible' --device 2
check "an old driver is absent" world 77 old 'CUDA 10.2, and 11.0 is needed'
check "without memory nothing is measured" world 1 full 'nothing was measured'
check "with little memory, too" world 1 small 'of free memory'
check "clocks that go back are refused" world 1 backwards "'two'"
check "an SM that is not there is refused" world 1 far-sm 'SM 99999'
check "a clock beyond all bounds is refused" world 1 fast "'two'"
check "a clock that moves is told" world 0 moves 'clock moved'
check "a kernel that faults is told" world 1 fault 'CUDA_ERROR_ILLEGAL_ADDRESS'

# Devices side by side: a series each, in the order in which they are named.
names() { # DEVICES NAME...
	FAKE_CUDA=two "$nearfar" run --program "$scratch/in/driver/two.txt" \
		-b cuda -r 2 -w 0 -f json --force -o out.json \
		--device "$1" || return
	shift
	grep -o '"device.name": "[^"]*"' out.json | cut -d'"' -f4 >names
	printf '%s\n' "$@" | cmp - names &&
		[ "$(grep -c '"x"' out.json)" = $# ] &&
		[ "$(grep '"device.uuid"' out.json | sort -u | wc -l)" = $# ]
}
devices() {
	names all 'Fake GPU' 'Fake GPU 2' && names 0,1 'Fake GPU' 'Fake GPU 2' &&
		names 1,0 'Fake GPU 2' 'Fake GPU' && names 1 'Fake GPU 2' &&
		world 2 two '2 are visible' --device 0,2 &&
		world 2 two 'named twice' --device 1,1 &&
		world 2 two 'is no index' --device 0, &&
		FAKE_CUDA= "$nearfar" run -b cuda -o one.json --program \
			"$scratch/in/driver/two.txt" --device all &&
		[ "$(grep -c '"x"' one.json)" = 1 ] || return
	"$nearfar" run pointer-chase --device all 2>said
	[ $? = 2 ] && grep -q "'sim' has none" said
}
check "two devices: a series each" devices

peers() { # one series over the peers of a device; behind the last there is none
	sed 's/^buffer data .*/& memory=peer peer=$peer/' \
		"$scratch/in/driver/two.txt" >peers.txt
	FAKE_CUDA=four "$nearfar" run --program peers.txt -b cuda -r 2 -w 0 \
		-x var:peer=1,2,3,4 -f json -o out.json || return
	[ "$(grep -c '"x"' out.json)" = 4 ] &&
		[ "$(grep -c '"skipped"' out.json)" = 1 ] &&
		grep -q "memory of peer 4, and of 'Fake GPU' there are 3" out.json
}
check "four devices: a series over peers" peers

second() { # one device that is lost does not keep the other from its points
	mkdir programs && for n in a b c; do
		sed "s/^name .*/name $n/" "$scratch/in/driver/two.txt" \
			>programs/$n.txt
	done
	words="run --program programs -b cuda -r 1 -w 0 -f json -o out.json"
	FAKE_CUDA='two second fault' "$nearfar" $words --device all 2>said
	[ $? = 1 ] && grep -q '1 of 6 points failed' said &&
		[ "$(grep -c '"x"' out.json)" = 3 ] || return
	# What is missing is of two devices, and of no one of them.
	FAKE_CUDA=two "$nearfar" $words --device 0 --resume 2>said
	[ $? = 2 ] && FAKE_CUDA=two "$nearfar" $words --device all --resume &&
		[ "$(grep -c '"x"' out.json)" = 6 ]
}
check "two devices: the first goes on without the second" second

divided() {
	FAKE_NVML=mig world 0 '' '"mig": "on"'
}
check "a divided device is told" divided

# Memory of another device, and of the host.
far() { runs far.txt "$@"; }
peers() {
	far 0 two '"peer.uuid": "GPU-e0e1e2e3-e4e5-e6e7-e8e9-eaebecedeeef"' &&
		grep -q '"peer.name": "Fake GPU 2"' out.json &&
		grep -q '"peer.native_atomics": "yes"' out.json &&
		far 0 two '"peer.name": "Fake GPU"' --device 1 &&
		far 0 two '"peer.name": "Fake GPU 2"' --peer 1 &&
		far 0 two '"device.name": "Fake GPU 2"' --device all &&
		far 1 '' "needs a second GPU, and 'Fake GPU' is the only one" &&
		far 1 'two apart' "cannot reach the memory of 'Fake GPU 2'" &&
		far 2 two "'0' cannot be its own peer" --peer 0 &&
		far 2 two "no CUDA device '2' to be the peer" --peer 2 &&
		far 2 two "'next' is no index" --peer next || return
	"$nearfar" run pointer-chase --peer 1 2>said
	[ $? = 2 ] && grep -q "the peer of 'sim' is its machine's" said
}
check "far memory: the peer is the next device, or the one that is named" peers

# The pair's list, packed: what cannot be measured is told.
pair() {
	printf 'p bandwidth --memory peer -x 2 -r 1 -w 0\n%s\n' \
		'h bandwidth --memory host -x 2 -r 1 -w 0' >list
	FAKE_CUDA=two "$here/tests/hardware/pair.sh" "$nearfar" out/pair.tgz \
		list >said && tar -tzf out/pair.tgz >packed &&
		for name in p.json.gz h.json.gz doctor.txt rows.txt list; do
			grep -qx "pair/$name" packed || return
		done || return
	gzip -dc out/pair/p.json.gz | grep -q '"peer.name": "Fake GPU 2"' &&
		grep -q '^status 0' out/pair/rows.txt || return
	FAKE_CUDA= "$here/tests/hardware/pair.sh" "$nearfar" one.tgz list
	[ $? = 1 ] && grep -q 'not ok p' one/rows.txt &&
		grep -q 'ok h' one/rows.txt &&
		grep -q 'needs a second GPU' one/said.txt
}
check "the list of a pair is measured and packed" pair

# One of three programs fails: the others are written, and it can go on.
some() {
	mkdir programs && for n in a b c; do
		sed "s/^name .*/name $n/" "$scratch/in/driver/two.txt" \
			>programs/$n.txt
	done
	words="run --program programs -b cuda -r 1 -w 0 -f json -o out.json"
	FAKE_CUDA_FAULT=cuMemcpyDtoH_v2:2 "$nearfar" $words 2>said
	[ $? = 1 ] && grep -q '1 of 3 points failed, the first, b ' said &&
		[ "$(grep -c '"bench"' out.json)" = 3 ] &&
		[ "$(grep -c '"x"' out.json)" = 2 ] &&
		"$nearfar" $words --resume && [ ! -e out.json.journal ] &&
		[ "$(grep -c '"x"' out.json)" = 3 ] && grep -q resumed out.json
}
check "one program that fails loses no other one" some

# A plan is made where no driver is, and its parts run where one is; a point
# that fails is missing, and is tried again.
split() {
	sed 's/repeat 4/repeat $n/' "$scratch/in/driver/two.txt" >v.txt
	echo 'v --program v.txt -x var:n=4,8,12,16 -b cuda -r 1 -w 0' >suite
	part="run --suite suite -o f"
	NEARFAR_LIBCUDA=/none "$nearfar" plan suite -n 2 || return
	NEARFAR_LIBCUDA=/none "$nearfar" $part
	[ $? = 77 ] || return
	FAKE_CUDA_FAULT=cuMemcpyDtoH_v2:2 "$nearfar" $part 2>said
	[ $? = 1 ] && grep -q "1 of 4 points failed" said &&
		grep -q "the same command goes on" said || return
	NEARFAR_LIBCUDA=/none "$nearfar" merge --suite suite f -o all.json \
		2>said
	[ $? = 1 ] && grep -q '1 of 1 parts is missing, with 1 of 4' said &&
		"$nearfar" $part && "$nearfar" merge --suite suite f \
			-o all.json && [ "$(grep -c '"x"' all.json)" = 4 ] &&
		[ ! -e f/1-of-1.v.journal ]
}
check "a suite in parts on a driver" split

# A kernel that hangs: the device is lost, and what was before it is kept; the
# next run begins with what was not tried.
lost() {
	mkdir programs && for n in a b; do
		sed "s/^name .*/name $n/" "$scratch/in/driver/two.txt" \
			>programs/$n.txt
	done
	NEARFAR_WATCHDOG_SECONDS=0.1 FAKE_CUDA=hang "$nearfar" run \
		--program programs -b cuda -f json -o out.json 2>said
	[ $? = 1 ] && grep -q 'did not end within 0.1 s' said &&
		grep -q '1 of 2 points failed' said && [ ! -e out.json ]
}
check "a kernel that hangs ends the run" lost

hung() { # status
	FAKE_CUDA=hang "$nearfar" run --program "$scratch/in/driver/two.txt" \
		-b cuda -o out.json 2>said &
	child=$!
	until [ -e out.json.journal ]; do
		kill -0 $child 2>/dev/null || break
		sleep 0.02
	done
	kill -TERM $child
	wait $child
	[ $? = 130 ] && grep -q interrupted said && [ ! -e out.json.journal ]
}
check "SIGTERM ends the wait for a kernel that hangs" hung
