#!/bin/sh
# Runs on the model what a measured series holds: the same bench, options,
# points and seed. Machine: what the build has as its default.
# usage: model_of.sh NEARFAR MEASURED OUT
set -eu
nearfar=$1 measured=$2 out=$3

# The words of `nearfar run`, one a line, from the CSV form of the series.
words() {
	"$nearfar" show -f csv "$measured" | awk '
	sub(/^# bench: /, "") { print; next }
	sub(/^# seed: /, "") { print "--seed"; print; next }
	sub(/^# option\./, "") {
		split($0, option, ": ")
		if (option[2] == "yes") print "--" option[1]
		else if (option[2] != "no") print "--" option[1] "=" option[2]
		next
	}
	/^#/ { next }
	/^$/ { exit } # the first series only
	{ split($0, field, ","); if (rows++) x = x "," field[1] }
	END { print "-x"; print substr(x, 2) }'
}

mkdir -p "$(dirname "$out")"
words | tr '\n' '\0' | xargs -0 "$nearfar" run --force -o "$out"
