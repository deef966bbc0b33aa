#!/bin/sh
# Writes the tables of silicon beside the model: where lines were found.
# usage: tables.sh NEARFAR SILICON MODEL OUT
# One Markdown file for each series of levels that both folders have.
set -eu
nearfar=$1 silicon=$2 model=$3 out=$4
mkdir -p "$out"

# NAME and how its table is turned.
while read -r name words; do
	base=$silicon/$name.json.gz new=$model/$name.json.gz
	if [ ! -f "$base" ] || [ ! -f "$new" ]; then
		echo "$name: not in both folders" >&2
		continue
	fi
	# shellcheck disable=SC2086
	"$nearfar" table "$base" "$new" $words -f md -o "$out/$name.md"
	printf '%-26s %s\n' "$name" "$(tail -n 1 "$out/$name.md")"
done <<END
cache-ops --merge --columns then
cache-ops-then --merge --columns then
cache-ops-before --merge --columns then
cache-ops-span --merge --columns then
prefetch-size
prefetch-size-touched
prefetch-size-granularity
prefetch-size-ca
sharing
sharing-part
sharing-stale
residency --metric share_dram
residency-hot --metric share_dram
residency-policy --metric share_dram
residency-cvt --metric share_dram
residency-after --metric share_dram
residency-window --metric share_dram
residency-l1 --metric share_l1
END
