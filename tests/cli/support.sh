# What the files of tests/cli, and others, share: a scratch folder, and how a test
# is written. Sourced.
# environment: NEARFAR; part: whose tests these are, where not cli's
set -u
export LC_ALL=C NO_COLOR=1
unset SOURCE_DATE_EPOCH CUDA_VISIBLE_DEVICES
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# check NAME COMMAND...: the command succeeds.
check() {
	name=$1
	shift
	if "$@" >"$scratch/said" 2>&1; then
		echo "ok ${part:-cli}: $name"
	else
		echo "not ok ${part:-cli}: $name"
		head -n 10 "$scratch/said" | sed 's/^/  /'
	fi
}

# A test writes over what the one before it has left.
run() {
	case "$*" in
	*--suite*) "$NEARFAR" run "$@" ;;
	*) "$NEARFAR" run "$@" --force ;;
	esac
}

# status WANTED COMMAND...
status() {
	wanted=$1
	shift
	"$@"
	got=$?
	[ $got = "$wanted" ] || { echo "status $got, not $wanted"; false; }
}
