#!/bin/sh
# Installs pages, in folders as here, with what they show and link to: a link to
# what is not installed becomes its text.
# usage: pages.sh FOLDER FILE...
set -eu
to=$1
shift
list=$(mktemp)
trap 'rm -f "$list"' EXIT
printf '%s\n' "$@" >"$list"

# Of each "[text](target)" the target, from the page's folder on, is looked up.
without_links() {
	awk -v page="$1" '
	function resolved(link, parts, count, kept, i, path) {
		sub(/#.*/, "", link)
		count = split(folder link, parts, "/")
		kept = 0
		for (i = 1; i <= count; i++)
			if (parts[i] == ".." && kept)
				kept--
			else if (parts[i] != "." && parts[i] != "")
				parts[++kept] = parts[i]
		path = ""
		for (i = 1; i <= kept; i++)
			path = path (i > 1 ? "/" : "") parts[i]
		return path
	}
	function stays(link) {
		return link ~ /^[a-z]+:/ || link ~ /^#/ || resolved(link) in known
	}
	FILENAME != page {
		known[$0]
		while (sub(/\/[^\/]*$/, ""))
			known[$0]
		next
	}
	{ text = text $0 "\n" }
	END {
		folder = page
		if (!sub(/[^\/]*$/, "", folder)) folder = ""
		while (match(text, /\]\([^) \n]+\)/)) {
			before = substr(text, 1, RSTART - 1)
			link = substr(text, RSTART + 2, RLENGTH - 3)
			text = substr(text, RSTART + RLENGTH)
			at = match(before, /\[[^\[]*$/)
			if (stays(link))
				out = out before "](" link ")"
			else if (at)
				out = out substr(before, 1, at - 1) substr(before, at + 1)
			else
				out = out before
		}
		printf "%s%s", out, text
	}' "$list" "$1"
}

for file; do
	mkdir -p "$to/$(dirname "$file")"
	case $file in
	*.md) without_links "$file" >"$to/$file" ;;
	*) cp "$file" "$to/$file" ;;
	esac
	chmod 644 "$to/$file"
done
