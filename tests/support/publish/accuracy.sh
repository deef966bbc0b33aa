# Read by ../publish.sh: the blocks of results/accuracy.md.
# shellcheck shell=bash disable=SC2154

suite() {
	errors_of "$h" "$s"
	tests/support/mode_errors.sh "$nearfar" "$h" "$s"
	echo
}

held_out() {
	errors_of "$h_held_out" "$s_held_out"
	tests/support/mode_errors.sh "$nearfar" "$h_held_out" "$s_held_out"
	echo
}

far() { errors_of "$h_pair" "$s_pair"; }
drawn() { program_errors_of "$h_programs" "$s_programs"; }
net() { program_errors_of "$h_net" "$s_net"; }
