#!/bin/sh
# Joins the page's style and scripts, takes their digests for the content
# security policy, and writes the assembly that puts them into the binary.
# usage: embed.sh ASSETS UPLOT OUT
# UPLOT holds uplot.js and uplot.css, which are empty where npm was not there.
set -eu
assets=$1 uplot=$2 out=$3
mkdir -p "$out"

cat "$uplot/uplot.css" "$assets/page.css" >"$out/style"
{
	cat "$uplot/uplot.js"
	printf '(async () => {\n"use strict";\n'
	for name in data chart legend histogram heat tables main; do
		cat "$assets/$name.js"
	done
	printf '})();\n'
} >"$out/script"
if grep -qi '</script' "$out/script" || grep -qi '</style' "$out/style"; then
	echo "embed.sh: an asset would end its own element" >&2
	exit 1
fi

digest() {
	printf 'sha256-'
	sha256sum <"$1" | perl -ne 'print pack("H64", $_)' | base64
}

# embed NAME: the file NAME of $out as page_NAME, and its digest.
embed() {
	printf '\t.globl page_%s, page_%s_digest\n' "$1" "$1"
	printf 'page_%s:\t.incbin "%s"\n\t.byte 0\n' "$1" "$out/$1"
	printf 'page_%s_digest:\t.string "%s"\n' "$1" "$(digest "$out/$1")"
}

{
	printf '\t.section .rodata\n'
	embed style
	embed script
	printf '\t.section .note.GNU-stack,"",@progbits\n'
} >"$out/assets.S"
