# Read by ../publish.sh: the blocks of results/README.md.
# shellcheck shell=bash disable=SC2046,SC2154

# knees NAME: what the comparison says of errors and knees.
knees() {
	"$nearfar" compare -f md "$h/$1.json.gz" "$s/$1.json.gz" |
		grep -E '^- (error|knee:)'
	echo
}

staircase() {
	local name
	figure staircase 'latency against footprint' show \
		--metric latency_cycles $(both pointer-chase-ld.ca) \
		$(both pointer-chase-atom.add)
	for name in pointer-chase-ld.ca pointer-chase-atom.add; do
		printf '%s, the model (new) against silicon (base):\n\n' \
			"\`${name#pointer-chase-}\`"
		knees "$name"
	done
}

modes() {
	local samples=$h/pointer-chase-samples-atom.json.gz
	points "$samples" 8388608 >"$scratch/near-far.json"
	figure near-far 'samples of atomics on an H200, 8 MiB' modes \
		"$scratch/near-far.json"
	table modes "$samples"
}

modes_model() { table modes "$s/pointer-chase-samples-atom.json.gz"; }

touches() {
	figure map 'latency of each SM to each line of an H200' map \
		"$h/near-far.json.gz"
	echo 'After a flush, one SM loads every line (cold); then each SM loads'
	echo 'a share, twice:'
	echo
	table map "$h/near-far.json.gz"
}

atomics() {
	local name
	figure atomics 'atomics a cycle against SMs' show \
		--metric atomics_per_cycle $(both atomic-contention-word) \
		$(both atomic-contention-word-atom) \
		$(both atomic-contention-word-cas)
	for name in atomic-contention-word atomic-contention-word-atom; do
		printf '`%s`:\n\n' "$name"
		"$nearfar" compare --metric atomics_per_cycle -f md \
			"$h/$name.json.gz" "$s/$name.json.gz" | grep '^|'
		echo
	done
}

prefetch() {
	figure prefetch 'levels by qualifier and offset' table \
		$(both prefetch-size)
	table table $(both prefetch-size)
}

residency() {
	figure residency 'levels by priority and size of the stream' table \
		$(both residency)
	table table $(both residency)
}

errors() {
	figure accuracy 'the chase of ld.ca: both curves, and the error' \
		compare $(both pointer-chase-ld.ca)
	echo 'The default suite, which the model was fitted to:'
	echo
	errors_of "$h" "$s"
	echo 'Programs held out, on another chip:'
	echo
	errors_of "$h_held_out" "$s_held_out"
	echo 'Programs drawn at random, on another chip:'
	echo
	program_errors_of "$h_programs" "$s_programs"
	echo 'The wide net:'
	echo
	program_errors_of "$h_net" "$s_net"
}

# A machine at the points of a published curve, as a series.
machine() {
	printf '# bench: pointer-chase\n# backend: sim\n# machine: %s\n' "$1"
	echo 'footprint_bytes,latency_cycles_median'
	grep '^[0-9]' "$results/published/$1-latency.csv" | cut -d, -f1,2
}

peers() {
	local name
	for name in a100-sxm h100-pcie; do
		machine $name >"$scratch/$name.csv"
	done
	figure peers 'the staircases of three chips' show \
		--metric latency_cycles "$scratch/a100-sxm.csv" \
		"$scratch/h100-pcie.csv" "$h/pointer-chase-ld.ca.json.gz"
	sed 's|](\([a-z0-9/-]*\.csv\))|](published/\1)|' \
		"$results/published/summary.md"
	echo
}

# What `map` says in the terminal, without the picture behind it.
map_text() {
	echo "    \$ build/nearfar map $h/near-far.json.gz"
	"$nearfar" map "$h/near-far.json.gz" | sed '/^  rows: SMs/,$d' |
		sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' | sed 's/^./    &/'
	echo
}
