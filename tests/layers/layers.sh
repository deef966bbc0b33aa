#!/bin/sh
# Holds the tree to tests/layers/rooms.txt: each include names a file by its
# path from the root, each arrow between rooms is in the table, each room and
# each arrow of the table is there, and no arrows make a circle.
# usage: layers.sh TREE
set -u
rooms=$(cd "$(dirname "$0")" && pwd)/rooms.txt
cd "$1" || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# All files, of git's list if the tree has one.
if git rev-parse --git-dir >/dev/null 2>&1 && [ -d .git ]; then
	git ls-files -co --exclude-standard '*.c' '*.h' '*.def' | sort -u |
		while read -r file; do [ -f "$file" ] && echo "$file"; done |
		grep -v ^tests/unit/
else
	find harness bench backend_sim backend_cuda tests -name '*.[ch]' -o \
		-name '*.def' | grep -v ^tests/unit/
fi >"$scratch/files"

xargs grep -HnE '^ *# *include *"' <"$scratch/files" |
	sed -E 's/^([^:]*):([0-9]*): *# *include *"(.*)".*/\1 \2 \3/' \
		>"$scratch/includes"

awk -v rooms="$rooms" '
function room_of(path) {
	return match(path, "/[^/]*$") ? substr(path, 1, RSTART - 1) : "."
}
function complain(sentence) {
	print sentence > "/dev/stderr"
	wrong = 1
}
BEGIN {
	while ((getline line < rooms) > 0) {
		sub(/#.*/, "", line)
		if (split(line, part, ":") < 2)
			continue
		room = part[1]
		known[room] = 1
		n = split(part[2], targets, " ")
		for (i = 1; i <= n; i++)
			may[room, targets[i]] = 1
	}
}
FILENAME ~ /files$/ {
	file[$1] = 1
	if (!(room_of($1) in known))
		complain($1 ": no room " room_of($1) " in the table of rooms")
	seen[room_of($1)] = 1
	files++
	next
}
{
	from = room_of($1); to = room_of($3)
	includes++
	where = $1 ":" $2
	if ($3 !~ /\// || $3 ~ /\.\./)
		complain(where ": include \"" $3 "\" by its path from the root")
	else if (!($3 in file))
		complain(where ": there is no file \"" $3 "\"")
	else if (from != to && !((from, to) in may))
		complain(where ": " from "/ may not include " to "/ (" $3 ")")
	used[from, to] = 1
}
END {
	for (room in known)
		if (!(room in seen))
			complain("rooms.txt: no file is in " room "/")
	for (pair in may) {
		split(pair, end, SUBSEP)
		if (!(end[2] in known))
			complain("rooms.txt: " end[1] "/ may include " end[2] \
				"/, which is no room")
		else if (!(pair in used))
			complain("rooms.txt: " end[1] "/ may include " \
				end[2] "/ and does not")
		arrows++
	}
	# Rooms that include none of those that are left leave, until none can.
	n = 0
	for (room in known) {
		n++
		left[room] = 1
	}
	do {
		gone = 0
		for (room in left) {
			held = ""
			for (other in left)
				if ((room, other) in may)
					held = other
			next_of[room] = held
			if (held == "") {
				delete left[room]
				gone++
			}
		}
	} while (gone)
	for (room in left) {
		circle = room
		delete walked
		for (at = room; !(at in walked); at = next_of[at]) {
			walked[at] = 1
			circle = circle " -> " next_of[at]
		}
		complain("rooms.txt: a circle: " circle)
		break
	}
	printf "layers: %d files, %d includes, %d rooms, %d arrows\n",
		files, includes, n, arrows
	exit wrong
}' "$scratch/files" "$scratch/includes"
wrong=$?

# A room that its door does not show whole: more than 30 files, or a file of
# more than 400 lines that long.txt has no reason for.
xargs wc -l <"$scratch/files" | awk -v long="$(dirname "$rooms")/long.txt" '
function complain(sentence) {
	print sentence > "/dev/stderr"
	wrong = 1
}
BEGIN {
	while ((getline line < long) > 0)
		if (line !~ /^#/ && split(line, part, ": ") == 2)
			reason[part[1]] = part[2]
}
$2 == "total" { next }
{
	room = $2
	sub(/\/[^\/]*$/, "", room)
	if (++count[room] == 31)
		complain(room "/: more than 30 files")
	if ($1 > 400 && $2 !~ /^tests\// && !($2 in reason))
		complain($2 ": " $1 " lines, and no reason in long.txt")
	if ($1 <= 400 && $2 in reason)
		complain("long.txt: " $2 " has only " $1 " lines")
}
END { exit wrong }' || wrong=1

# Only the registry knows which benches and backends there are. Besides, the
# doctor asks for GPUs, `run` dumps for either backend, and the model is the
# default.
bench_names() {
	sed -n 's/^const struct bench \(bench_[a-z0-9_]*\) = .*/\1/p' bench/*.c
}

# only WORD FILE...: no other file of the harness holds the word.
only() {
	word=$1
	shift
	for file in $(grep ^harness/ "$scratch/files" | xargs grep -lw "$word")
	do
		case " $* " in
		*" $file "*) ;;
		*)
			echo "$file: only registry.c names '$word'" >&2
			wrong=1
			;;
		esac
	done
}

for name in $(bench_names); do
	only "$name" harness/run/registry.c
done
for name in backend_sim backend_cuda; do
	only "$name" harness/run/registry.c harness/contract/backend.h \
		harness/command/doctor.c harness/command/run.c \
		harness/command/run/run_open.c harness/command/run/run_options.c
done
exit $wrong
