# What published.sh and published_half.sh begin with; sourced, with their words.
nearfar=$1 reference=$2 out=$3
[ -d "$reference" ] || {
	echo "published: skipped, there is no folder '$reference'" >&2
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
