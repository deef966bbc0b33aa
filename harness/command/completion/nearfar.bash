# bash completion for nearfar. Commands, benches and options are what the
# program itself prints, so that they are those of the version at hand.

_nearfar() {
	local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words
	if [ "$COMP_CWORD" = 1 ]; then
		words="$(nearfar --help | sed -n 's/^  \([a-z]*\) .*/\1/p') help"
	elif [ "$command" = help ]; then
		words=$(nearfar --help | sed -n 's/^  *\([a-z]*\) .*/\1/p'
			nearfar list benches | sed 's/ .*//')
	elif [ "$command" = list ] && [ "$COMP_CWORD" = 2 ] &&
		[[ $word != -* ]]; then
		words=$(nearfar list --help |
			sed -n 's/.*\[\([a-z|]*|[a-z]*\)\].*/\1/p' | tr '|' ' ')
	elif [[ $word == -* ]]; then
		local bench=
		[ "$command" = run ] && bench=${COMP_WORDS[2]}
		[[ $bench == -* ]] && bench=
		words=$(nearfar "$command" $bench --help 2>/dev/null |
			grep -o -- ' --[a-z0-9-]*' | sort -u)
	elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = -m ]; then
		words=$(nearfar list machines | sed 's/ .*//')
	elif [ "$command" = run ] && [ "$COMP_CWORD" = 2 ]; then
		words=$(nearfar list benches | sed 's/ .*//')
	elif [ "$command" = explain ] && [ "$COMP_CWORD" = 2 ]; then
		words="$(nearfar list benches | sed 's/ .*//')
			$(compgen -f -- "$word")"
	else
		COMPREPLY=($(compgen -f -- "$word"))
		return
	fi
	COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o filenames -F _nearfar nearfar
