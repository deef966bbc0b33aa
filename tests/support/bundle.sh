#!/bin/sh
# Puts a folder together that runs on any x86-64 Linux: programs, their
# libraries and the loader, each started by a launcher that needs none.
# usage: bundle.sh FOLDER PROGRAMS   (PROGRAMS: the folder of the built ones)
set -eu
folder=$1 built=$2
here=tests/support/bundle
loader=/lib64/ld-linux-x86-64.so.2
# The C library, apart from the others, and whole: what a driver was linked to
# must be of one kind.
libc='libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1'

rm -rf "$folder"
mkdir -p "$folder/lib/libc" "$folder/programs" "$folder/notices" "$folder/results"

${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -static -s \
	"$here/launcher.c" -o "$folder/launcher"
while read -r name program; do
	strip -o "$folder/programs/$name" "$built/$program"
	ln "$folder/launcher" "$folder/$name"
done <<-EOF
	nearfar nearfar
	agreement tests/hardware/agreement
	instrument tests/hardware/bare
	values tests/values/differ
EOF
rm "$folder/launcher"

# The loader, and all that it would load.
{
	for program in "$folder"/programs/*; do ldd "$program"; done |
		awk '$3 ~ /^\// {print $3}'
	echo "$loader"
	for name in $libc; do echo "/lib/x86_64-linux-gnu/$name"; done
} | sort -u >"$folder/libraries"
while read -r path; do
	case " ${loader##*/} $libc " in
	*" ${path##*/} "*) to=$folder/lib/libc ;;
	*) to=$folder/lib ;;
	esac
	cp -L "$path" "$to"
	# By either name of a merged /usr: a package knows one of them.
	package=$({ dpkg -S "$(realpath "$path")" ||
		dpkg -S "$(realpath "$path" | sed 's,^/usr,,')"; } 2>/dev/null |
		sed 's/:.*//' | head -n 1)
	notice=/usr/share/doc/$package/copyright
	if [ -z "$package" ] || [ ! -f "$notice" ]; then
		echo "bundle.sh: no license is known of $path" >&2
		exit 1
	fi
	cp "$notice" "$folder/notices/$package"
done <"$folder/libraries"
rm "$folder/libraries"

cp -r tests/hardware/bare tests/kernels "$folder"
cp -r results/h200-sxm "$folder/results"
cp tests/hardware/check.sh tests/hardware/suite.sh tests/hardware/pair.sh \
	tests/hardware/programs.sh tests/hardware/chip.sh \
	tests/hardware/kernels.py results/held-out.txt \
	results/pair.txt LICENSE "$here/README.md" "$folder"

# The programs drawn at random, and each draw that no silicon is there of.
for set in programs net; do
	mkdir -p "$folder/programs-of/$set"
	cp results/$set/*.txt "$folder/programs-of/$set"
done
tests/nets/blind.sh waiting "$folder/programs-of"
