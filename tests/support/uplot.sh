#!/bin/sh
# Fetches uPlot (MIT) from the npm registry into FOLDER, as uplot.js with its
# licence and uplot.css. Where npm or its registry is not there, both are
# empty and a sentence says so: the build goes on, and reports have static
# pictures. `rm -r FOLDER` makes the next build try again.
# usage: uplot.sh .../uplot-VERSION SHA256
set -eu
folder=$1 digest=$2
version=${folder##*-}
package=$folder/npm/node_modules/uplot

mkdir -p "$folder/npm"
if ! npm install --prefix "$folder/npm" --ignore-scripts --no-audit --no-fund \
	--no-save "uplot@$version" >"$folder/log" 2>&1; then
	echo "uPlot $version is not to be had from npm ($folder/log):" \
		"reports will have static charts" >&2
	: >"$folder/uplot.css"
	: >"$folder/uplot.js"
	exit 0
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
