#!/bin/sh
# Users' kernels on the command line: where their time goes, and what stops
# them.
# environment: NEARFAR
. tests/cli/support.sh
gather=tests/kernels/gather/gather-small.job
shared=tests/kernels/reduce/sum_shared-small.job

# ---- names of launches ----

# Tables, profiles, explain, traces and messages say a launch's own name.
named_job() { # FILE OPTION...: the second launch of two has the options
	job=$1
	shift
	{
		sed "s,module ,&$PWD/tests/kernels/gather/," "$gather"
		echo "$(grep '^launch' "$gather") $*"
	} >"$job"
}
names() {
	named_job "$scratch/named.job" repeats=2 name=second &&
		run --kernel "$scratch/named.job" -o "$scratch/named.json" \
			--profile "$scratch/named.prof.json" \
			--trace "$scratch/named.trace.json" 2>/dev/null &&
		"$NEARFAR" show --no-plot "$scratch/named.json" \
			>"$scratch/named" || return
	[ "$(grep -c '^ *[12] second ' "$scratch/named")" = 2 ] &&
		grep -q '^ *0 gather' "$scratch/named" &&
		grep -q '"launch_name": "second"' "$scratch/named.prof.json" &&
		grep -q '"name":"second' "$scratch/named.trace.json" &&
		"$NEARFAR" explain "$scratch/named.job" --launch second \
			--no-what-if | grep -q ": launch 1 'second', kernel" &&
		"$NEARFAR" explain "$scratch/named.job" --launch gather \
			--no-what-if | grep -q ': launch 0, kernel gather' &&
		status 2 "$NEARFAR" explain "$scratch/named.job" \
			--launch third 2>"$scratch/why" &&
		grep -q "no launch of job 'named' has the name 'third'" \
			"$scratch/why" &&
		named_job "$scratch/wrong.job" registers=300 name=second &&
		status 2 "$NEARFAR" run --kernel "$scratch/wrong.job" \
			2>"$scratch/why" &&
		grep -q "launch 'second': a thread has" "$scratch/why" || return
	tail -n 1 "$scratch/named.job" >"$scratch/again"
	cat "$scratch/again" >>"$scratch/named.job"
	status 2 "$NEARFAR" run --kernel "$scratch/named.job" \
		2>"$scratch/why" &&
		grep -q "two launches have the name 'second'" "$scratch/why"
}
check "launches are called by their names" names

# ---- traces ----

# Of two warps, which a list names twice: cold, then from L2.
trace_of() { # FOLDER
	mkdir -p "$1" && cat >"$1/kernel-1.traceg" <<-'END' &&
		-kernel name = add
		-grid dim = (1,1,1)
		-block dim = (64,1,1)
		-shmem = 0
		-nregs = 16
		-accelsim tracer version = 3

		thread block = 0,0,0

		warp = 0
		insts = 3
		0000 ffffffff 1 R4 LDG.E 1 R6 4 1 0x7fb0fc400000 4
		0010 ffffffff 1 R5 FADD 2 R4 R4 0
		0020 ffffffff 0 EXIT 0 0

		warp = 1
		insts = 3
		0000 ffffffff 1 R4 LDG.E 1 R6 4 1 0x7fb0fc400080 4
		0010 ffffffff 1 R5 FADD 2 R4 R4 0
		0020 ffffffff 0 EXIT 0 0
	END
	printf 'MemcpyHtoD,0x00007fb0fc400000,256\nkernel-1.traceg\n%s\n' \
		kernel-1.traceg >"$1/kernelslist.g"
}
replays() {
	trace_of "$scratch/trace" &&
		run --kernel "$scratch/trace/kernelslist.g" -f json \
			-o "$scratch/trace.json" &&
		python3 - "$scratch/trace.json" <<-'END'
			import json, sys
			series = json.load(open(sys.argv[1]))["series"][0]
			cold, warm = series["points"]
			assert series["bench"] == "kernelslist"
			# 8 of data, and the kernel's code
			assert cold["counters"]["dram__sectors_read.sum"] == 8 + 89
			assert warm["counters"]["dram__sectors_read.sum"] == 0
			assert warm["metrics"]["elapsed_cycles"]["median"] < \
			    cold["metrics"]["elapsed_cycles"]["median"]
		END
}
check "a list of traces is replayed, launch after launch" replays

says() { # WANTED SENTENCE COMMAND...: the status, and what is said
	wanted=$1 sentence=$2
	shift 2
	status "$wanted" "$@" 2>"$scratch/err" &&
		grep -qF -- "$sentence" "$scratch/err"
}
trace_as_module() { # the launch says what the trace says, or is refused
	printf '%s\n' 'nearfar-kernel 1' 'module kernel-1.traceg' \
		'launch add grid=1 block=64' >"$scratch/trace/one.job"
	run --kernel "$scratch/trace/one.job" >"$scratch/out" || return
	sed -i 's/block=64/block=96/' "$scratch/trace/one.job"
	says 2 "launch 'add': its trace has grid=1,1,1 block=64,1,1" \
		run --kernel "$scratch/trace/one.job" || return
	echo kernel-2.ptx >"$scratch/trace/two.g"
	says 2 "two.g:1:1: expected 'Memcpy...' or a trace NAME.traceg" \
		run --kernel "$scratch/trace/two.g"
}
check "a trace is a module; a launch that is another is refused" trace_as_module

# ---- profiles ----

# Each launch's classes, and its lines, make up its warp-cycles; each sector
# that a load asked for was found once.
adds_up() {
	python3 - "$1" <<-'END'
		import json, sys
		for launch in json.load(open(sys.argv[1]))["launches"]:
		    whole = launch["warp_cycles"]
		    lines = launch["lines"]
		    assert whole > 0
		    assert sum(launch["wait_cycles"].values()) == whole
		    assert sum(sum(line["wait_cycles"].values())
		               for line in lines) == whole
		    for line in lines:
		        found = sum(line["found"].values())
		        assert found in (0, line["sectors"]), line
	END
}
profile() { # the bytes do not depend on the workers
	run --kernel $gather $shared -j 2 -o "$scratch/jobs.json" \
		--profile "$scratch/profile.json" &&
		run --kernel $gather $shared -j 1 -o "$scratch/again.json" \
			--profile "$scratch/again.json.gz" &&
		gzip -dc "$scratch/again.json.gz" |
		cmp - "$scratch/profile.json" &&
		[ "$(grep -c '"job":' "$scratch/profile.json")" = 2 ]
}
check "a profile has every launch of every job" profile
check "a profile's classes and lines add up" adds_up "$scratch/profile.json"

looks_on() {
	run --kernel $gather $shared -o "$scratch/plain.json" &&
		cmp "$scratch/plain.json" "$scratch/jobs.json"
}
check "a profile changes no result" looks_on

profile_formats() {
	for format in csv md txt; do
		run --kernel $gather -o "$scratch/x.csv" --set sm_count=66,132 \
			--profile "$scratch/profile.$format" || return
	done
	grep -q '^gather-small,gather,"h200-sxm, sm_count=66",0,0,' \
		"$scratch/profile.csv" &&
		grep -q '^| far_l2 ' "$scratch/profile.md" &&
		grep -q '^gather.cu:7 .* dram ' "$scratch/profile.txt" &&
		run --kernel $gather -o "$scratch/x.csv" --profile - |
		grep -q '^gather-small: launch 0, repeat 0, kernel gather of'
}
check "a profile's format follows its name" profile_formats

profile_schema() {
	tests/schema/validate.py results/schema/profile.schema.json \
		"$scratch/profile.json" || return
	sed 's/"near_l2"/"near"/' "$scratch/profile.json" \
		>"$scratch/spoiled.json"
	! tests/schema/validate.py results/schema/profile.schema.json \
		"$scratch/spoiled.json"
}
if python3 -c 'import jsonschema' 2>/dev/null; then
	check "a profile keeps its schema" profile_schema
else
	echo "ok cli: the schema of profiles # SKIP there is no" \
		"python3-jsonschema"
fi

# Of each point each launch; its lines are the program's, by their texts.
of_programs() {
	printf '%s\n' 'nearfar-program 1' 'name own' 'buffer b bytes=${size}' \
		'' 'launch first' 'role r sms=0:2' '  # here' \
		'  ld.global.cg.b32 [b + lane*4]' 'launch measure' 'role r' \
		'repeat 8 time=region region=measure' \
		'red.global.add.u32 [b]' 'end' >"$scratch/own.txt"
	run --program "$scratch/own.txt" -x var:size=4KiB,8KiB \
		-o "$scratch/own.json" --profile "$scratch/own-profile.json" &&
		run --program "$scratch/own.txt" -x var:size=4KiB,8KiB -j 1 \
			-o "$scratch/plain.json" &&
		cmp "$scratch/own.json" "$scratch/plain.json" &&
		python3 - "$scratch/own-profile.json" "$scratch/own.txt" <<-'END'
			import json, sys
			launches = json.load(open(sys.argv[1]))["launches"]
			assert [(l["job"], l["launch_name"]) for l in launches] == [
			    ("own size=%d" % s, n) for s in (4096, 8192)
			    for n in ("first", "measure")], launches
			for l in launches:
			    first = l["launch_name"] == "first"
			    line, asked = (8, 2) if first else (12, 8)
			    rows = [r for r in l["lines"] if r["source_line"] == line]
			    assert {r["source"] for r in rows} == {sys.argv[2]}, rows
			    assert sum(r["requests"] for r in rows) == asked, rows
		END
}
check "a profile of programs has their launches by their lines" of_programs

profile_refused() {
	status 2 run --kernel $gather --profile "$scratch/x.svg" &&
		status 2 run --kernel $gather -b cuda \
			--profile "$scratch/x.json" &&
		status 2 run --kernel $gather -o "$scratch/x.json" \
			--profile "$scratch/x.json" &&
		[ ! -e "$scratch/x.json" ]
}
check "a profile that cannot be made is refused" profile_refused

# Block 0 reads a word before and after block 1 writes it.
cat >"$scratch/stale.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry stale(.param .u64 a)
{
	.reg .pred %p;
	.reg .b32 %r<3>;
	.reg .b64 %d;
	ld.param.u64 %d, [a];
	mov.u32 %r0, %ctaid.x;
	setp.ne.u32 %p, %r0, 0;
	@%p bra WRITE;
	ld.global.ca.u32 %r1, [%d];
	st.global.u32 [%d+512], %r1;
	red.global.add.u32 [%d+1024], 1;
WAIT:
	ld.relaxed.gpu.global.u32 %r2, [%d+2048];
	setp.eq.u32 %p, %r2, 0;
	@%p bra WAIT;
	ld.global.ca.u32 %r1, [%d];
	st.global.u32 [%d+516], %r1;
	ret;
WRITE:
	ld.relaxed.gpu.global.u32 %r2, [%d+1024];
	setp.eq.u32 %p, %r2, 0;
	@%p bra WRITE;
	st.global.u32 [%d], 7;
	fence.acq_rel.gpu;
	red.global.add.u32 [%d+2048], 1;
	ret;
}
END
cat >"$scratch/stale.job" <<'END'
nearfar-kernel 1
module stale.ptx
buffer a bytes=4KiB
launch stale grid=2 block=1 args=a
END
races() {
	run --kernel "$scratch/stale.job" --races -o "$scratch/r.json" \
		2>"$scratch/races" &&
		grep -q "stale.ptx:20: kernel 'stale' (launch 0) reads 1 word" \
			"$scratch/races" &&
		[ "$(grep -c reads "$scratch/races")" = 1 ] &&
		run --kernel $gather --races -o "$scratch/r.json" \
			2>"$scratch/races" &&
		grep -q '^races: no load reads' "$scratch/races" &&
		status 2 run pointer-chase --races
}
check "a race is told by its line" races

# ---- kernels that do not end ----

# A warp of each of four blocks polls a flag that nobody sets; the others wait
# for it at a barrier.
cat >"$scratch/spin.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.file 1 "spin.cu"
.visible .entry spin(.param .u64 flag)
{
.reg .pred %p<2>;
.reg .b32 %r<3>;
.reg .b64 %d<2>;
ld.param.u64 %d0, [flag];
cvta.to.global.u64 %d0, %d0;
mov.u32 %r1, %tid.x;
setp.ge.u32 %p0, %r1, 32;
@%p0 bra WAIT;
LOOP:
.loc 1 5 2
ld.volatile.global.u32 %r0, [%d0];
setp.eq.u32 %p0, %r0, 0;
@%p0 bra LOOP;
WAIT:
.loc 1 7 2
bar.sync 0;
ret;
}
END
cat >"$scratch/spin.job" <<'END'
nearfar-kernel 1
module spin.ptx
buffer flag bytes=4
launch spin grid=4 block=128 args=flag
END
spin() {
	status 1 run --kernel "$scratch/spin.job" --max-cycles 50000 \
		-o "$scratch/spin.csv" 2>"$scratch/spun" &&
		grep -q "job 'spin': kernel 'spin' runs for more than 50000 cycles: 12 warps at spin.ptx:22 (spin.cu:7), 4 warps at spin.ptx:1[789] (spin.cu:5)" \
			"$scratch/spun"
}
check "a kernel that never ends is stopped where it stands" spin

in_time() { # a limit that is not met changes nothing
	run --kernel $gather --max-cycles 1000000 -o "$scratch/limited.json" &&
		run --kernel $gather -o "$scratch/free.json" &&
		cmp "$scratch/free.json" "$scratch/limited.json" &&
		status 2 run --kernel $gather --max-cycles 0 &&
		status 2 run --kernel $gather --max-cycles 10 -b cuda
}
check "a kernel that ends in time is left alone" in_time

as_written() { # other cycles, the same words
	run --kernel $shared --digests "$scratch/passed.txt" \
		-o "$scratch/passed.json" &&
		run --kernel $shared --as-written \
			--digests "$scratch/written.txt" \
			-o "$scratch/written.json" &&
		cmp "$scratch/passed.txt" "$scratch/written.txt" &&
		grep -q '"code": "as written"' "$scratch/written.json" &&
		! grep -q '"code":' "$scratch/passed.json" &&
		status 2 run --kernel $shared --as-written -b cuda &&
		status 2 run pointer-chase --as-written
}
check "a kernel can be run as it is written" as_written

# ---- what asynchronous copies must be waited for ----

bulk=tests/kernels/async/turn
unwaited() { # the last wait is gone: the line, and what is missing
	mkdir -p "$scratch/unwaited" &&
		grep -v 'cp.async.bulk.wait_group' $bulk.ptx \
			>"$scratch/unwaited/turn.ptx" &&
		cp $bulk-small.job "$scratch/unwaited" &&
		says 1 "the block ends before this copy is known to have read" \
			run --kernel "$scratch/unwaited/turn-small.job" \
			-o "$scratch/unwaited.csv" &&
		run --kernel "$scratch/unwaited/turn-small.job" --unchecked \
			-o "$scratch/unchecked.csv" &&
		status 2 run --kernel $bulk-small.job --unchecked -b cuda &&
		status 2 run pointer-chase --unchecked
}
check "a copy that nobody waits for is named, unless nobody looks" unwaited

mutants() { # of one kernel: all of them are tests/mutants/waits.py
	tests/mutants/waits.py "$NEARFAR" given >"$scratch/mutants"
}
check "a kernel that lacks a fence, an arrival or a wait is reported" mutants

by_words() { # those of a GPU
	for folder in tests/kernels/box tests/kernels/tensor; do
		jobs=$(cut -f 1 $folder/digests.tsv | sort -u | grep small |
			sed "s|.*|$folder/&.job|")
		run --kernel $jobs --check $folder/digests.tsv \
			-o "$scratch/by_words.csv" || return 1
	done
}
check "kernels of tensor copies leave the words that a GPU left" by_words

# ---- sums of matrices ----

product=tests/kernels/tensor/gemm_tf32-small.job
by_ieee() { # other words, and each output says so
	run --kernel $product -f json -o "$scratch/hardware.json" \
		--digests "$scratch/hardware" &&
		run --kernel $product --values ieee -o "$scratch/ieee.json" \
			--digests "$scratch/ieee" &&
		run --kernel $product --values hardware -f csv -o /dev/null \
			--check "$scratch/hardware" &&
		! cmp -s "$scratch/hardware" "$scratch/ieee" &&
		grep -q '"values": "ieee' "$scratch/ieee.json" &&
		! grep -q '"values": "' "$scratch/hardware.json" &&
		"$NEARFAR" show "$scratch/ieee.json" | grep -q 'values ieee' &&
		status 2 run --kernel $product --values some &&
		status 2 run pointer-chase --values ieee
}
check "sums that are not the hardware's are marked" by_ieee

# Times and counters are those of all values.
few="async/sweep box/made_box box/swizzled_box cluster/words_cluster
	cluster/exchange_groups data/dictionary database/spin_lock
	gather/list_walk graph/bfs histogram/histogram_shared mixed/patches
	model/rms_norm scan/compact_ballot solver/thomas tensor/attention_mma
	tensor/gemm_mma tensor/gemm_s8 tensor/gemm_tf32 tensor/gemm_wgmma"
by_none() {
	for job in $few; do
		set -- "tests/kernels/$job-small.job"
		run --kernel "$1" -f csv -o "$scratch/all.csv" &&
			run --kernel "$1" --values none -f csv \
				-o "$scratch/none.csv" &&
			diff -I '^# values: ' "$scratch/all.csv" \
				"$scratch/none.csv" >&2 || return
	done
	grep -q '^# values: none' "$scratch/none.csv" &&
		run --kernel tests/kernels/box/made_box-small.job \
			--values none -f csv |
		grep -q '^# values: ieee, not none' &&
		says 2 "leaves no content of buffers to compare" \
			run --kernel $product --values none \
			--digests "$scratch/none" &&
		says 2 "leaves no content of buffers to compare" \
			run --kernel $product --values none \
			--check "$scratch/hardware" &&
		status 2 run --kernel $product --values none -b cuda
}
check "values that decide nothing change no time" by_none

# ---- what the model knows ----

instructions() {
	for format in table md csv json; do
		"$NEARFAR" list instructions -f $format \
			>"$scratch/instructions.$format" || return
	done
	grep -q '^div.rn  *f64  *20  *yes  *fp64  *12  *24  *120 ' \
		"$scratch/instructions.table" &&
		grep -q '^tcgen05,,100,no,,,,,tensor memory is not modelled$' \
			"$scratch/instructions.csv" &&
		grep -q '^| redux *| u32 s32 b32 *| 80 ' \
			"$scratch/instructions.md" &&
		status 2 "$NEARFAR" list instructions -f yaml
}
check "every operation is listed, with its cost or why it is refused" \
	instructions
if python3 -c 'import jsonschema' 2>/dev/null; then
	check "the list of operations keeps its schema" \
		tests/schema/validate.py \
		results/schema/instructions.schema.json \
		"$scratch/instructions.json"
fi

# ---- counters ----

reads=dram__sectors_read.sum
as_metrics() { # of show, compare, table, gates and figures
	run --kernel $gather -o "$scratch/one.json" \
		--profile "$scratch/p1.json" &&
		run --kernel $gather --set l2_partitions=1 \
			-o "$scratch/two.json" --profile "$scratch/p2.json" &&
		"$NEARFAR" show "$scratch/one.json" --metric $reads \
			-o "$scratch/shown.json" &&
		"$NEARFAR" show "$scratch/shown.json" --no-plot |
		grep -q '^ *0 gather  *196654 ' &&
		"$NEARFAR" table "$scratch/one.json" "$scratch/two.json" \
			--metric nearfar__bridge_sectors.sum |
		grep -qx '194138 | 0' &&
		status 3 "$NEARFAR" compare "$scratch/one.json" \
			"$scratch/two.json" --gate 5% \
			--metric lts__t_sectors_lookup_hit.sum
}
check "counters are metrics of show, table, compare and its gates" as_metrics

profiles_meet() {
	"$NEARFAR" compare "$scratch/p1.json" "$scratch/p2.json" -f csv |
		grep -qx '0,gather,gather,wait.far_l2,[0-9]*,0,0' &&
		"$NEARFAR" compare "$scratch/p1.json" "$scratch/one.json" |
		grep -q '^sm__cycles_elapsed.max  13518  13518  1 '
}
check "compare reads profiles" profiles_meet

nsight_meets() {
	cat >"$scratch/ncu.csv" <<-'END' &&
		==PROF== Connected to process 1
		"ID","Kernel Name","dram__sectors_read.sum","x__y.sum"
		"","","Ksector","inst"
		"0","gather(const unsigned int *, float *)","98.3270","1"
	END
		"$NEARFAR" compare "$scratch/ncu.csv" "$scratch/one.json" \
			-o "$scratch/met.json" && python3 - \
		"$scratch/met.json" <<-'END' &&
			import json, sys
			(row,) = json.load(open(sys.argv[1]))["rows"]
			assert row["counter"] == "dram__sectors_read.sum"
			assert (row["base"], row["new"], row["ratio"]) == \
			    (98327, 196654, 2), row
		END
		says 2 "do not share the counter 'x__y.sum'" \
			"$NEARFAR" compare "$scratch/ncu.csv" \
			"$scratch/one.json" --metric x__y.sum
}
check "compare reads Nsight Compute's CSV" nsight_meets

counters_schema() {
	tests/schema/validate.py results/schema/counters.schema.json \
		"$scratch/met.json" &&
		tests/schema/validate.py results/schema/series.schema.json \
			"$scratch/shown.json"
}
if python3 -c 'import jsonschema' 2>/dev/null; then
	check "counters keep their schema" counters_schema
else
	echo "ok cli: the schema of counters # SKIP there is no" \
		"python3-jsonschema"
fi
