#!/bin/sh
# Every bench with every choice of its options, and random programs, as PTX
# through ptxas; then the legality table against it.
# environment: TESTS (built tests), PTXAS (else PATH, else the toolkit's place)
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
random=60

# What the reader takes is what ptxas took, whose verdicts are kept.
tests/ptx/forms.py check "$TESTS/ptx/forms_read"

for ptxas in "${PTXAS:-}" "$(command -v ptxas)" /usr/local/cuda/bin/ptxas; do
	[ -n "$ptxas" ] && [ -x "$ptxas" ] && break
	ptxas=
done
if [ -z "$ptxas" ]; then
	echo "ok ptx: assembles # SKIP there is no ptxas"
	echo "ok ptx: legality # SKIP there is no ptxas"
	exit 0
fi

# Architectures between which the legality table distinguishes.
for arch in 80 90 100 120; do
	if ! "$ptxas" --help | grep -q "'sm_$arch'"; then
		echo "ok ptx: sm_$arch # SKIP this ptxas does not know it"
		continue
	fi
	mkdir "$scratch/$arch"
	# What is refused is refused at any level; the optimiser is tried once.
	level=0
	[ $arch != 90 ] || level=3
	if ! "$TESTS/ptx/ptx_write" "$scratch/$arch" $arch $random \
		>"$scratch/$arch.list" 2>"$scratch/$arch.err"; then
		echo "not ok ptx: kernels for sm_$arch are written"
		sed 's/^/  /' "$scratch/$arch.err"
		continue
	fi
	# Kernels that are the same are assembled once, and a hundred with the
	# same head as one module: most of what ptxas takes for one is its start.
	# Where a module does not assemble, each of its kernels says whether it
	# does.
	(cd "$scratch/$arch" && cksum ./*.ptx | sort -u -k1,2 |
		awk '{print $3}' | awk '
		{
			head = ""
			for (k = 0; k < 3 && (getline line <$1) > 0; k++)
				head = head line "\n"
			if (count[head]++ % 100 == 0) {
				module[head] = "module-" ++modules
				printf "%s", head >module[head]
			}
			while ((getline line <$1) > 0) {
				sub(/\.entry nearfar\(/,
					".entry nearfar" NR "(", line)
				print line >module[head]
			}
			close($1)
			print $1 >(module[head] ".list")
		}') &&
	(cd "$scratch/$arch" && ls module-*.list | xargs -P "$(nproc)" -I{} \
		sh -c '
		"$0" -O'$level' -arch=sm_'$arch' -o /dev/null "${1%.list}" 2>/dev/null ||
			while read -r kernel; do
				"$0" -O'$level' -arch=sm_'$arch' -o /dev/null "$kernel" \
					2>"$kernel.err" || touch "$kernel.bad"
			done <"$1"' "$ptxas" {}) ||
		echo "not ok ptx: sm_$arch: the kernels are put together"
	# One line for each variant: all its kernels must assemble.
	(cd "$scratch/$arch" && ls ./*.bad 2>/dev/null) | tr -d ./a-z |
		awk -v arch=$arch -v folder="$scratch/$arch" '
		!listing { bad[substr($1, 1, 4)] = 1; next }
		{
			number = substr($1, 1, 4)
			sub(/^[^ ]* /, "")
			if (!($0 in failed)) order[++count] = $0
			failed[$0] = failed[$0] (number in bad ? " " number : "")
		}
		END {
			for (i = 1; i <= count; i++) {
				what = order[i]
				print (failed[what] ? "not ok" : "ok") \
					" ptx: sm_" arch ": " what
				if (!failed[what]) continue
				split(failed[what], which, " ")
				file = folder "/" which[1] "." arch ".ptx.err"
				for (k = 0; k < 3 && (getline line <file) > 0; k++)
					print "  " line
			}
		}' - listing=1 "$scratch/$arch.list"
done

tests/ptx/legality.sh "$ptxas"
tests/ptx/kept.sh "$ptxas"
tests/ptx/policies.sh "$ptxas"
