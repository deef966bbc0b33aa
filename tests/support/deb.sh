#!/bin/sh
# Puts a Debian package together from what `make install` installs.
# usage: deb.sh VERSION ASSETS   (ASSETS: the folder with uplot.js)
# environment: MAINTAINER, the name and address in the package
# Writes build/nearfar_VERSION_ARCHITECTURE.deb, the same bytes for the same
# commit.
set -eu
version=$1 assets=$2
maintainer=${MAINTAINER:-The nearfar authors <nearfar@packages.invalid>}
here=tests/support/deb
work=build/deb
root=$work/debian/nearfar
share=$root/usr/share
architecture=$(dpkg --print-architecture)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null ||
	date +%s)}
export SOURCE_DATE_EPOCH
umask 022

rm -rf "$work" && mkdir -p "$root/DEBIAN"
make --no-print-directory install DESTDIR="$root" PREFIX=/usr >"$work/log"
strip --strip-unneeded --remove-section=.comment "$root/usr/bin/nearfar"

# Where Debian has them.
mkdir -p "$share/zsh/vendor-completions"
mv "$share/zsh/site-functions/_nearfar" "$share/zsh/vendor-completions"
rmdir "$share/zsh/site-functions"
gzip -9n "$share"/man/man?/*.?
rm "$share/doc/nearfar/LICENSE" # it is among the common licenses

# uPlot, where the program was built with it, with its license.
cp "$here/copyright" "$share/doc/nearfar/copyright"
if [ -s "$assets/uplot.js" ]; then
	{
		cat "$here/uplot"
		sed -n '1,/^\*\//p' "$assets/uplot.js" |
			sed '/^\/\*$/d; /^\*\/$/d; /^The MIT License/d' |
			cat -s | sed '/./,$!d' | sed '$ { /^$/d }' |
			sed 's/^$/./; s/^/ /'
	} >>"$share/doc/nearfar/copyright"
fi

{
	printf 'nearfar (%s) unstable; urgency=medium\n\n' "$version"
	printf '  * Version %s, built from the sources.\n\n' "$version"
	printf ' -- %s  %s\n' "$maintainer" \
		"$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$share/doc/nearfar/changelog.gz"

sed "s/@MAINTAINER@/$maintainer/" "$here/control" >"$work/debian/control"
gzip -dc "$share/doc/nearfar/changelog.gz" >"$work/debian/changelog"
(
	cd "$work"
	dpkg-shlibdeps debian/nearfar/usr/bin/nearfar
	dpkg-gencontrol -pnearfar -Pdebian/nearfar
) >>"$work/log" 2>&1 || {
	cat "$work/log" >&2
	exit 1
}
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z |
	xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -print0 | xargs -0 touch -h -d "@$SOURCE_DATE_EPOCH"
dpkg-deb --root-owner-group --build "$root" \
	"build/nearfar_${version}_$architecture.deb"
