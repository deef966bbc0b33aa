# Read by ../publish.sh: the blocks of README.md.
# shellcheck shell=bash disable=SC2154

# mode_row WHO FILE: position, interval and weight of both modes, at 8 MiB.
mode_row() {
	"$nearfar" modes -f md "$2" | awk -F ' *[|] *' -v who="$1" '
	$3 != "8MiB" && $3 != "8388608" { next }
	$4 == 1 { near = $5 " | " $6; share = $7 " | " $8 }
	$4 == 2 { far = $5 " | " $6 }
	END { print "| " who " | " near " | " far " | " share " |" }'
}

near_far() {
	local words='pointer-chase --op atom.add -x 8MiB --samples'
	local silicon=$h/pointer-chase-samples-atom.json.gz
	cat <<-END
	    \$ build/nearfar run $words -o atom.json
	    \$ build/nearfar modes atom.json                     # the model
	    \$ build/nearfar modes $silicon

	![samples of atomics on an H200, 8 MiB](results/figures/near-far.svg)

	| atomic chase, 8 MiB, SM 0 | near, cycles | 95 % interval | far | 95 % interval | share near | 95 % interval |
	|---|---|---|---|---|---|---|
	END
	# shellcheck disable=SC2086
	"$nearfar" run $words --force -o "$scratch/atom.json" >/dev/null
	mode_row 'H200, measured' "$silicon"
	mode_row model "$scratch/atom.json"
	echo
}

# level_rows NAME X...: footprint, silicon and model, a line each.
level_rows() {
	local silicon=$scratch/$1.json model=$scratch/$1-model.json
	points "$h/$1.json.gz" "${@:2}" >"$silicon"
	"$nearfar" run --like "$silicon" -r 1 -w 0 --no-samples --force -o "$model" \
		>/dev/null
	"$nearfar" compare -f csv "$silicon" "$model" | awk -F, '
	/^[0-9]/ {
		size = $1 / 1024 < 1024 ? $1 / 1024 " KiB" : \
			sprintf("%.4g MiB", $1 / 1048576)
		form = $2 < 100 ? "%.1f" : "%.0f"
		printf "%s;" form ";" form "\n", size, $2, $3
	}'
}

# Rows stand in the order of footprints: the atomics' before the last one.
levels() {
	local loads atomics
	loads=$(level_rows pointer-chase-ld.ca 16384 8388608 47185920 268435456)
	atomics=$(level_rows pointer-chase-atom.add 47185920)
	cat <<-END
	| footprint | what serves it | H200 | model |
	|---|---|---|---|
	END
	{
		echo "$loads"
		echo "$atomics"
	} | awk -F';' '
	BEGIN {
		split("L1;" \
			"near partition: home lines and copies;" \
			"far hits, and near lines from DRAM;" \
			"DRAM, near and far;" \
			"home partitions alone: no copies", serves, ";")
		how[1] = ", `ld.ca`"
		how[5] = ", `atom.add`"
	}
	{ row[NR] = "| " $1 how[NR] " | " serves[NR] " | " $2 " | " $3 " |" }
	END {
		print row[1] "\n" row[2] "\n" row[3]
		print row[5] "\n" row[4]
	}'
	echo
}

# trust_row WHAT ROW: a row of errors.sh or program_errors.sh, less its mean.
trust_row() {
	awk -F ' *[|] *' -v row="$1" -v name="${2:-$1}" '
	$2 == row {
		print "| " name " | " $3 " | " $5 " | " $6 " | " $7 " |"
		found = 1
	}
	END { exit !found }'
}

# kernel_row NAME SET: the cycles of a set of kernels, by kernel_errors.py.
kernel_row() {
	awk -v name="$1" -v set="$2" '
	index($0, set " ") == 1 && / cycles / {
		sub("^" set " *cycles *", "")
		print "| " name " | " $1 " | " $2 " % | " $4 " % | " $6 " % |"
		found = 1
	}
	END { exit !found }' "$scratch/kernels"
}

trust() {
	local row drawn
	cat <<-END
	| what | points | median | 90th percentile | worst |
	|---|---|---|---|---|
	END
	errors_of "$h_held_out" "$s_held_out" >"$scratch/held-out"
	for row in 'latency curves, `ld.ca`, `ld.cg`, `atom`' \
		'memory-level parallelism' 'loaded latency' \
		'bandwidth against SMs, warps, footprint' \
		'stride sweep, loads' 'stride sweep, stores' \
		'atomics, all patterns'; do
		trust_row "$row" <"$scratch/held-out"
	done
	program_errors_of "$h_programs" "$s_programs" |
		trust_row all 'programs drawn at random'
	program_errors_of "$h_net" "$s_net" |
		trust_row all 'the wide net: programs of 700 to 1,400,000 cycles'
	drawn=$(dirname "$(ls "$results"/log/blind/*/compared.md | tail -n 1)")
	for row in 'H200 h200-sxm' 'H100 h100-sxm'; do
		program_errors_of "$drawn/${row#* }.tsv" \
			"$drawn/now-${row#* }.tsv" |
			trust_row all "a blind draw that nothing is fitted to, on an ${row% *}"
	done
	tests/support/kernel_errors.py "$nearfar" tests/kernels \
		"$results"/kernels/h200-sxm*.tsv \
		--model "$sim/kernels.json" >"$scratch/kernels"
	kernel_row 'launches of real kernels, small jobs, cold caches' 'looked at'
	kernel_row 'kernels that no mechanism was looked for on' 'never looked at'
	echo
}
