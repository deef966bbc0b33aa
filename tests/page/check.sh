#!/bin/sh
# Opens reports in headless Chromium and uses them: see drive.mjs.
# usage: check.sh NEARFAR FOLDER UPLOT   (UPLOT: the folder of uplot.sh)
# Needs chromium and node; playwright-core (Apache-2.0) and axe-core (MPL-2.0)
# come from npm.
set -eu
nearfar=$1 folder=$2 uplot=$3
modules=build/npm/page-tests

mkdir -p "$folder" "$modules"
[ -d "$modules/node_modules/axe-core" ] || npm install --prefix "$modules" \
	--ignore-scripts --no-audit --no-fund --no-save \
	playwright-core@1.65.1 axe-core@4.14.1 >"$modules/log" 2>&1 || {
	cat "$modules/log" >&2
	exit 1
}

echo '  DEMO'
tests/support/demo.sh "$nearfar" "$folder/demo" "$uplot" \
	>"$folder/demo.log"
last=$(tail -n 1 "$folder/demo.log")
page="The page is $folder/demo/report.html: open it in a browser."
[ "${last#The demo took [0-9]* s. }" = "$page" ] || {
	echo "the last line of the demo does not name its page: $last" >&2
	exit 1
}

# Every text that a user or a file can bring, hostile.
echo '  HOSTILE'
tests/page/hostile.sh "$nearfar" "$folder"

# 50 series of 10,000 points each, half of them silicon.
echo '  LARGE'
tests/page/large.py "$folder/large.json"
"$nearfar" report "$folder/large.json" -o "$folder/large.html"

node tests/page/drive.mjs "$modules" "$folder"
