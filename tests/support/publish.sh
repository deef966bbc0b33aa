#!/bin/bash
# Makes the blocks of pages that stand between two marks, and the figures of
# results/figures, by the commands that the blocks name. Blocks are functions in
# publish/*.sh, one file a page.
# usage: publish.sh [--check] [--quick] [--show BLOCKS] NEARFAR RESULTS
#   --check  changes nothing: "ok" or "not ok" and the difference for each block
#   --show   changes nothing: prints these blocks, "BLOCK BLOCK" in one word
#   --quick  leaves out what needs the model's series, and all figures
set -eu
export LC_ALL=C.UTF-8
check= quick= show=
while :; do
	case $1 in
	--check) check=yes ;;
	--quick) quick=yes ;;
	--show)
		show=$2
		shift
		;;
	*) break ;;
	esac
	shift
done
nearfar=$1 results=$2

# The model's series, as `make results` writes them: all below one folder.
sim=${SIM:-build/results/h200-sxm}
s=$sim/suite s_pair=$sim/pair s_held_out=$sim/held-out
s_programs=$sim/programs.tsv s_net=$sim/net.tsv
# The silicon, which is committed.
h=$results/h200-sxm h_pair=$results/h200-sxm-x2
h_held_out=$results/held-out/h200-sxm
h_programs=$results/programs/h200-sxm.tsv h_net=$results/net/h200-sxm.tsv

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
figures=$results/figures
[ -z "$check$show" ] || figures=$scratch/figures
mkdir -p "$figures"

# PAGE, BLOCK, and what it needs: `silicon` and other committed files, `runs` of
# the model that take seconds, or `model`, its series of whole suites.
blocks='
README.md            near_far     runs
README.md            levels       runs
README.md            trust        model
backend_sim/README.md gains       silicon
backend_sim/mechanisms.md mechanisms silicon
backend_sim/mechanisms.md constants silicon
results/README.md    staircase    model
results/README.md    modes        silicon
results/README.md    modes_model  model
results/README.md    touches      silicon
results/README.md    atomics      model
results/README.md    prefetch     model
results/README.md    residency    model
results/README.md    errors       model
results/README.md    peers        silicon
results/README.md    map_text     silicon
results/accuracy.md  suite        model
results/accuracy.md  held_out     model
results/accuracy.md  far          model
results/accuracy.md  drawn        model
results/accuracy.md  net          model
'
here=$(dirname "$0")/publish
gains() { "$here/mechanisms.py" --most 12 backend_sim; echo; }
mechanisms() { "$here/mechanisms.py" backend_sim; echo; }
constants() { "$here/mechanisms.py" --constants backend_sim; echo; }
for part in common front gallery accuracy; do
	# shellcheck source=/dev/null
	. "$here/$part.sh"
done

begins() { printf '<!-- %s, made by `make publish`: do not edit -->' "$1"; }
ends() { printf '<!-- end of %s -->' "$1"; }

# between PAGE BLOCK: what stands there; fails without the marks.
between() {
	awk -v begin="$(begins "$2")" -v end="$(ends "$2")" '
	$0 == end && inside { inside = 0; closed = 1 }
	inside { print }
	$0 == begin { inside = 1 }
	END { exit !closed }' "$1"
}

# put PAGE BLOCK MADE
put() {
	awk -v begin="$(begins "$2")" -v end="$(ends "$2")" -v made="$3" '
	$0 == end { inside = 0 }
	!inside { print }
	$0 == begin {
		inside = 1
		while ((getline line < made) > 0)
			print line
	}' "$1" >"$scratch/page"
	cat "$scratch/page" >"$1"
}

# make BLOCK: what belongs there. Never behind `if`, where a command's failure
# would not end it.
make() {
	set +e
	(
		set -eo pipefail
		echo
		"$1"
	) >"$scratch/made" 2>"$scratch/said" </dev/null
	code=$?
	set -e
}

# one PAGE BLOCK, of which `make` has been: put there or compared.
one() {
	local page=$1 block=$2 made=$scratch/made
	if ! between "$page" "$block" >"$scratch/stands"; then
		echo "not ok page: $page has no marks of '$block'"
		return 1
	elif [ $code != 0 ]; then
		echo "not ok page: $page, $block: its commands fail"
		head -n 5 "$scratch/said" | sed 's/^/  /'
		return 1
	elif [ -z "$check" ]; then
		put "$page" "$block" "$made"
		echo "  PUBLISH $page, $block" >&2
	elif cmp -s "$made" "$scratch/stands"; then
		echo "ok page: $page, $block"
	else
		echo "not ok page: $page, $block: it is not what the" \
			"commands say; \`make publish\` makes it"
		diff "$scratch/stands" "$made" | head -n 8 | sed 's/^/  /'
		return 1
	fi
}

same_figures() {
	local drawn name failed=0
	for drawn in "$figures"/*.svg; do
		name=figures/${drawn##*/}
		if cmp -s "$drawn" "$results/$name"; then
			echo "ok page: $name"
		else
			echo "not ok page: $name is another one"
			failed=1
		fi
	done
	return $failed
}

failed=0
while read -r page block needs; do
	[ -n "$page" ] || continue
	[ -z "$quick" ] || [ "$needs" != model ] || continue
	case " $show " in
	"  ") ;;
	*" $block "*) ;;
	*) continue ;;
	esac
	make "$block"
	if [ -n "$show" ]; then
		printf '%s:\n' "$block"
		cat "$scratch/made"
		[ $code = 0 ] || {
			cat "$scratch/said" >&2
			failed=1
		}
	else
		one "$page" "$block" || failed=1
	fi
done <<<"$blocks"
[ -z "$check" ] || [ -n "$quick" ] || same_figures || failed=1
exit $failed
