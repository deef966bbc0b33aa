# bash completion for nearfar. What can stand there is what the program itself
# says, so that it is that of the version at hand.

_nearfar() {
	local word=${COMP_WORDS[COMP_CWORD]} words
	words=$(nearfar help --complete "${COMP_WORDS[@]:1:COMP_CWORD}" \
		2>/dev/null)
	[ "$word" != = ] || word=
	COMPREPLY=($(compgen -W "${words/@files/}" -- "$word"))
	[[ $words != *@files* ]] ||
		COMPREPLY+=($(compgen -f -- "$word"))
	[[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] ||
		compopt -o nospace 2>/dev/null
}
complete -o filenames -F _nearfar nearfar
