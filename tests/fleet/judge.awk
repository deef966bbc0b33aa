# The truth beside what was found: a table by kind of fault, and failure where
# more than one healthy device was accused, or less than nine faults in ten found.
# usage: awk -v devices=N -f judge.awk TRUTH.tsv ODD.jsonl

FILENAME == ARGV[1] {
	sub(/\.json\.gz$/, "", $2)
	kind[$1] = $2 " since the " $3 " day"
	drawn[kind[$1]]++
	all++
	next
}

/"verdict": "odd"/ {
	split($0, part, "\"")
	if (!(part[8] in odd))
		figure[part[8]] = part[20]
	odd[part[8]] = 1
}

END {
	printf "%-34s %5s %5s %6s  %s\n", "fault", "drawn", "found", \
		"missed", "by, most often"
	for (d in odd) {
		if (d in kind) {
			found[kind[d]]++
			hits++
			by[kind[d], figure[d]]++
		} else {
			wrong++
			if (wrong <= 10)
				names = names " " d " (" figure[d] ")"
		}
	}
	for (k in drawn) {
		best = ""
		for (pair in by) {
			split(pair, p, SUBSEP)
			if (p[1] == k && (best == "" || by[pair] > by[k, best]))
				best = p[2]
		}
		printf "%-34s %5d %5d %6d  %s\n", k, drawn[k], found[k], \
			drawn[k] - found[k], best | "sort"
	}
	close("sort")
	printf "healthy devices accused: %d of %d%s\n", wrong, devices - all, \
		names
	exit wrong > 1 || hits < 0.9 * all
}
