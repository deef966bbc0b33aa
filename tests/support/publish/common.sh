# Read by ../publish.sh: what several pages' blocks need.
# shellcheck shell=bash disable=SC2154

# figure NAME WHAT COMMAND...: draws it, and refers to it.
figure() {
	local name=$1 what=$2
	shift 2
	[ -n "$quick" ] || "$nearfar" "$@" -o "$figures/$name.svg"
	printf '![%s](figures/%s.svg)\n\n' "$what" "$name"
}

# both NAME: silicon, then the model.
both() { printf '%s\n' "$h/$1.json.gz" "$s/$1.json.gz"; }

# The table of a command alone, without what stands above and below.
table() { "$nearfar" "$@" -f md | grep '^|'; echo; }

# points FILE X...: its series at the points that are nearest to each X.
points() {
	local file=$1
	shift
	"$nearfar" show -f json "$file" | python3 -c '
import json, sys
kept = json.load(sys.stdin)
wanted = [float(word) for word in sys.argv[1:]]
for one in kept["series"]:
    places = [point["x"] for point in one["points"]]
    near = {min(places, key=lambda x: abs(x - w)) for w in wanted}
    one["points"] = [p for p in one["points"] if p["x"] in near]
json.dump(kept, sys.stdout)' "$@"
}

# errors_of SILICON MODEL: the table of errors.sh, made once.
errors_of() {
	local kept=$scratch/errors-${1//\//-}
	[ -e "$kept" ] || tests/support/errors.sh "$nearfar" "$1" "$2" \
		2>/dev/null >"$kept"
	cat "$kept"
	echo
}

# program_errors_of SILICON MODEL
program_errors_of() {
	tests/support/program_errors.sh "$1" "$2"
	echo
}
