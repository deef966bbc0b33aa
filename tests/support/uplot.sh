#!/bin/sh
# Fetches uPlot (MIT) from the npm registry into FOLDER, as uplot.js with its
# licence and uplot.css. Where npm or its registry is not there, both are
# empty, FOLDER/missing says why: the build goes on, and reports have static
# pictures. Where npm was missing, a build tries again once it is there;
# `rm -r FOLDER` makes the next build try again.
# usage: uplot.sh .../uplot-VERSION SHA256
set -eu
folder=$1 digest=$2
version=${folder##*-}
package=$folder/npm/node_modules/uplot

without() { # FOLDER has no uPlot, for this reason
	echo "$1" >"$folder/missing"
	echo "uPlot $version: $1; reports will have static charts" >&2
	: >"$folder/uplot.css"
	: >"$folder/uplot.js"
	exit 0
}

mkdir -p "$folder/npm"
rm -f "$folder/missing"
command -v npm >/dev/null ||
	without "npm is not installed (apt-get install npm)"
if ! npm install --prefix "$folder/npm" --ignore-scripts --no-audit --no-fund \
	--no-save "uplot@$version" >"$folder/log" 2>&1; then
	without "npm could not fetch it ($folder/log)"
fi
if ! echo "$digest  $package/dist/uPlot.iife.min.js" |
	sha256sum -c --quiet -; then
	echo "uPlot $version from npm is not what it was" >&2
	exit 1
fi
cp "$package/dist/uPlot.min.css" "$folder/uplot.css"
{
	printf '/*\n'
	cat "$package/LICENSE"
	printf '\n*/\n'
	cat "$package/dist/uPlot.iife.min.js"
} >"$folder/uplot.js.part"
mv "$folder/uplot.js.part" "$folder/uplot.js"
