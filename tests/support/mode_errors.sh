#!/bin/sh
# The modes of single loads, model against silicon: how many points have the same
# number of modes, and of those how far apart positions and weights are.
# usage: mode_errors.sh NEARFAR SILICON MODEL, folders with series of the same
# names, of which those with `samples` in it are compared
set -eu
export LC_ALL=C
nearfar=$1 silicon=$2 model=$3

# POINT MODES POSITION WEIGHT, a line a mode; points are numbered.
modes() {
	"$nearfar" modes -f md "$1" | awk -F ' *[|] *' '
	function put(   i) {
		for (i = 1; i <= n; i++)
			print point, n, position[i], weight[i]
	}
	$4 == 1 { put(); point++ }
	$4 ~ /^[0-9]+$/ { n = $4; position[n] = $5; weight[n] = $7 }
	END { put() }'
}

for measured in "$silicon"/*samples*.json.gz; do
	modelled=$model/${measured##*/}
	name=${measured##*/}
	[ -e "$modelled" ] || continue
	modes "$measured" | sed "s|^|$name s |"
	modes "$modelled" | sed "s|^|$name m |"
done | awk '
function sorted(v, n,   i, k, x) {
	for (i = 2; i <= n; i++) {
		x = v[i]
		for (k = i - 1; k > 0 && v[k] > x; k--)
			v[k + 1] = v[k]
		v[k + 1] = x
	}
}
{
	point = $1 " " $3
	count[$2, point] = $4
	at[$2, point] = at[$2, point] " " $5
	weight[$2, point] = weight[$2, point] " " $6
	points[point] = 1
}
END {
	for (p in points) {
		all++
		if (count["s", p] != count["m", p])
			continue
		alike++
		n = split(at["s", p], a); split(at["m", p], b)
		split(weight["s", p], u); split(weight["m", p], w)
		for (i = 1; i <= n; i++) {
			off[++k] = 100 * (b[i] / a[i] - 1)
			if (off[k] < 0) off[k] = -off[k]
			by[k] = w[i] - u[i]
			if (by[k] < 0) by[k] = -by[k]
		}
	}
	sorted(off, k)
	sorted(by, k)
	print "| modes of single loads | points | of them with as many modes | position, median | worst | weight, median | worst |"
	print "|---|---|---|---|---|---|---|"
	printf "| | %d | %d | %.1f %% | %.1f %% | %.3f | %.3f |\n", all, alike, \
		off[int((k + 1) / 2)], off[k], by[int((k + 1) / 2)], by[k]
}'
