#!/bin/sh
# The manuals: their form, the commands that they show, and that what is wrong in
# one is found.
# environment: NEARFAR
part=docs
. tests/cli/support.sh
if ! command -v python3 >/dev/null; then
	echo "ok docs # SKIP python3 is not there"
	exit
fi
failed=0
tests/docs/pages.py || failed=1

{
	tests/docs/pages.py --names
	grep -l '^    \$ ' harness/command/topics/*.txt
} >"$scratch/pages"
xargs tests/docs/commands.py <"$scratch/pages" || failed=1

# finds SENTENCE LINE...: a page with these lines is wrong, and for that.
finds() {
	sentence=$1
	shift
	printf '%s\n' "$@" >"$scratch/page.md"
	! tests/docs/commands.py "$scratch/page.md" >"$scratch/why" &&
		grep -qF -- "$sentence" "$scratch/why" ||
		{ cat "$scratch/why"; false; }
}
check "a command that ends otherwise is found" \
	finds 'ends with 2' '    $ nearfar run nothing'
check "an output that is another one is found" \
	finds 'and not' '    $ echo 1; echo 2; echo 3' '    1' '    ...' '    4'
check "a command without its sign is found" \
	finds 'is no command' 'Text:' '' '    nearfar list' '' '    $ true'
check "a target that is not there is found" \
	finds "has no 'checks'" '    $ make checks'
# shellcheck disable=SC2016 # of Markdown
check "a target of a sentence that is not there is found" \
	finds "has no 'checks'" 'Run `make checks`.'
dots() {
	printf '%s\n' '    $ seq 9' '    1' '    ...' '    5' '    6' '    ...' \
		>"$scratch/page.md" && tests/docs/commands.py "$scratch/page.md"
}
check "dots stand for any lines" dots
updated() { # figures become those that a command prints, dots stay
	printf '%s\n' '    $ echo a; echo b 7; echo c' '    ...' '    b 6' '    ...' \
		>"$scratch/page.md" &&
		tests/docs/commands.py --update "$scratch/page.md" &&
		[ "$(sed -n '2,4p' "$scratch/page.md" | tr -d ' \n')" = ...b7... ]
}
check "an update moves figures" updated

# Figures of a topic that are out of date are found.
spoiled() {
	sed 's/near_l2  *[0-9]*\.[0-9] %/near_l2 99.9 %/' \
		harness/command/topics/kernels.txt >"$scratch/topic.txt" &&
		! tests/docs/commands.py "$scratch/topic.txt"
}
check "a tutorial that is out of date is found" spoiled
tutorial() {
	"$NEARFAR" help kernels | cmp - harness/command/topics/kernels.txt &&
		"$NEARFAR" --help | grep -q '^    kernels  *From a kernel'
}
check "help kernels is the tutorial" tutorial

# What figures of paths name are servers.
servers() {
	sed -n '/^## Paths/,/^## Mechanisms/p' backend_sim/README.md |
		grep -o '\[[a-z0-9_]*\]' | tr -d '[]' | sort -u >"$scratch/named"
	[ "$(wc -l <"$scratch/named")" -gt 20 ] || return
	while read -r server; do
		grep -q "^SERVER([A-Z0-9_]*, \"$server\"" \
			backend_sim/core/servers.def ||
			{ echo "servers.def has no '$server'"; return 1; }
	done <"$scratch/named"
}
check "paths of the model go by its servers" servers

# Probes of what is not modelled are there.
probes() {
	sed -n '/^| what | how far off/,/^$/p' backend_sim/README.md |
		cut -d'|' -f4 >"$scratch/probes"
	grep -oE '[a-z0-9_]+\.tsv|programs-[0-9]\.txt\.gz' "$scratch/probes" |
		while read -r file; do
			ls results/*/"$file"* >/dev/null || exit 1
		done || return
	grep group "$scratch/probes" | grep -o '`[a-z]*`' | tr -d '`' |
		while read -r group; do
			grep -q "^$group	" results/probes/*.tsv ||
				{ echo "no group $group"; exit 1; }
		done
}
check "probes of what is not modelled are there" probes

# Recipes name commits, by what these say of themselves.
examples() {
	grep -oE '[0-9a-f]{8} "[^"]*"' .github/CONTRIBUTING.md >"$scratch/commits"
	[ "$(wc -l <"$scratch/commits")" = 6 ] || return
	while read -r hash subject; do
		[ "\"$(git log -1 --format=%s "$hash")\"" = "$subject" ] ||
			{ echo "$hash is not $subject"; return 1; }
	done <"$scratch/commits"
}
if git cat-file -e 9ccac272 2>/dev/null; then
	check "recipes have their examples in the history" examples
else
	echo "ok docs: examples of recipes # SKIP the history is not there"
fi

# Folders of the table are there.
folders() {
	sed -n '/^## Where things live/,/^## Recipes/p' .github/CONTRIBUTING.md |
		grep '^| `' | cut -d'|' -f2 | tr -d '` ' | tr ';' ',' |
		awk -F, '{ parent = $1; sub("[^/]*/?$", "", parent)
			for (i = 1; i <= NF; i++)
				print (i > 1 ? parent : "") $i }' >"$scratch/told"
	[ "$(wc -l <"$scratch/told")" -gt 50 ] || return
	while read -r folder; do
		[ -d "$folder" ] || { echo "there is no $folder"; return 1; }
	done <"$scratch/told"
}
check "folders of the table are there" folders

# Each parameter in 18 words, understood alone.
descriptions() {
	"$NEARFAR" list parameters -f json | python3 -c '
import json, sys
long = [p["name"] for p in json.load(sys.stdin)
        if len(p["description"].split()) > 18]
sys.exit("more than 18 words: " + " ".join(long) if long else 0)'
}
check "parameters are said in 18 words" descriptions

# form SENTENCE LINE...: of README.md
form() {
	sentence=$1
	shift
	rm -rf "$scratch/tree" && mkdir "$scratch/tree"
	printf '%s\n' "$@" >"$scratch/tree/README.md"
	! tests/docs/pages.py "$scratch/tree" >"$scratch/why" &&
		grep -qF -- "$sentence" "$scratch/why" ||
		{ cat "$scratch/why"; false; }
}
check "a word of a diary is found" form "diary: 'no longer'" 'It no longer is.'
check "a chip is found" form "diary: 'GPU-3b634269'" 'On GPU-3b634269.'
check "a date is found" form "diary: '2026-01-02'" 'Of 2026-01-02.'
# shellcheck disable=SC2046 # a list of lines
check "a manual that is too long is found" form '251 lines' $(seq 251)
exit $failed
