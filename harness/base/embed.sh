#!/bin/sh
# Writes assembly that puts files into the program: a table of name, text and
# end for each, ended by zeros. A name is the file's without its ending; a text
# is followed by a zero byte.
# usage: embed.sh TABLE FILE...
set -eu
table=$1
shift

label() { basename "${1%.*}" | tr -c '[:alnum:]\n' _; }

echo '	.section .rodata'
for file in "$@"; do
	l=${table}_$(label "$file")
	echo "name_$l: .string \"$(basename "${file%.*}")\""
	echo "text_$l: .incbin \"$file\""
	echo "end_$l: .byte 0"
done
echo '	.section .data.rel.ro, "aw"'
echo '	.balign 8'
echo "	.globl $table"
echo "$table:"
for file in "$@"; do
	l=${table}_$(label "$file")
	echo "	.quad name_$l, text_$l, end_$l"
done
echo '	.quad 0, 0, 0'
echo '	.section .note.GNU-stack,"",@progbits'
