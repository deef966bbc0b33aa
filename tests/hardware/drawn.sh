# Sourced by the probes that draw programs of their own: NEARFAR [WORD...] are
# their arguments. They write NAME.txt into $folder; a name is words with a minus
# sign between them, an x before a number that comes first. Stands beside
# programs.sh, in a bundle, too.
set -eu
export LC_ALL=C
nearfar=$1
shift

folder=$(mktemp -d)
trap 'rm -rf "$folder" "$folder.tsv"' EXIT

# table HEADER TIMES ORDER [WORD...]: runs all of them, the words being for that,
# and prints the header and a line for each: the words of its name, and the cycles
# of its region by TIMES, an awk expression in which key[] is those words; in the
# order that ORDER, words for sort, says. The status is that of the run.
table() {
	header=$1 times=$2 order=$3
	shift 3
	code=0
	"$(dirname "$0")/programs.sh" "$nearfar" "$folder" "$@" \
		>"$folder.tsv" || code=$?
	printf '# %b\n' "$header"
	awk '
		/^#/ { next }
		{
			words = split($1, key, "-")
			if (key[1] ~ /^x[0-9]/)
				key[1] = substr(key[1], 2)
			for (i = 1; i <= words; i++)
				printf "%s\t", key[i]
			printf "%.1f\n", $2 / ('"$times"')
		}' "$folder.tsv" | sort $order
	return $code
}
