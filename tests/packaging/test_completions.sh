#!/usr/bin/env bash
# test_completions.sh LOCKSTEP FOLDER: what is made from the option tables (FOLDER has man/, bash/, zsh/, fish/). Bash completes
# each option that --help tells of, and values; each command has a page that names its options. Where there is mandoc, or zsh or
# fish, they read theirs too.
set -uo pipefail
lockstep=$1 made=$2
failed=0

bad() { echo "$*"; failed=1; }

# shellcheck source=/dev/null
. "$made/bash/lockstep" || bad 'bash does not read its completion'

# completes WORDS... WORD: what bash offers for the last one.
completes()
{
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _lockstep
    printf '%s\n' "${COMPREPLY[@]}"
}

# offers WANTED WORDS...: WANTED, words with blanks between, is all that is offered.
offers()
{
    local wanted=$1 got
    shift
    got=$(completes "$@" | sort | tr '\n' ' ')
    [ "$got" = "$wanted " ] || bad "for '$*' bash offers '$got', expected '$wanted'"
}

commands=$("$lockstep" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 12 ] || bad "--help lists: $commands"
for command in $commands; do
    grep -qx -- "$command" <<<"$(completes lockstep '')" || bad "the command $command is not offered"
    [ -s "$made/man/lockstep-$command.1" ] || bad "there is no lockstep-$command.1"
    verbs=''
    [ "$command" != gate ] || verbs='record check update'
    for verb in ${verbs:-''}; do
        # shellcheck disable=SC2086
        options=$("$lockstep" $command $verb --help | grep -oE '^ +(-[a-zA-Z?], )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+')
        [ -n "$options" ] || bad "$command $verb --help shows no options"
        # shellcheck disable=SC2086
        offered=$(completes lockstep $command $verb --)
        for option in $options; do
            grep -qx -- "$option" <<<"$offered" || bad "$command $verb: $option is not offered"
            grep -qF -- "${option//-/\\-}" "$made/man/lockstep-$command.1" || bad "lockstep-$command.1 does not have $option"
        done
    done
done

offers 'a100 h100 h200 rtx4090 rtx5060ti v100' lockstep run --gpu ''
offers 'h100 h200' lockstep run --gpu = h
offers 'strong weak' lockstep check --memory = ''
offers 'check record update' lockstep gate ''
offers '--json --junit' lockstep gate check x.gate --j
offers '--seed' lockstep run --gpu h200 --see
# The programs that stand in for NVIDIA's have files of their own.
for program in lockstep-ptxas nvidia-smi; do
    # shellcheck source=/dev/null
    . "$made/bash/$program" || bad "bash does not read the completion of $program"
    page=$made/man/lockstep-${program#lockstep-}.1
    [ -s "$page" ] || bad "there is no $page"
    options=$("$(dirname "$lockstep")/$program" --help | grep -oE -- '^ +(-[a-zA-Z?], )?--[a-zA-Z0-9-]+' | grep -oE -- '--[a-zA-Z0-9-]+')
    [ "$(wc -w <<<"$options")" -ge 6 ] || bad "$program --help shows: $options"
    for option in $options; do
        COMP_WORDS=("$program" "$option") COMP_CWORD=1 COMPREPLY=()
        "_${program//-/_}"
        printf '%s\n' "${COMPREPLY[@]}" | grep -qx -- "$option" || bad "$program: $option is not offered"
        grep -qF -- "${option//-/\\-}" "$page" || bad "$page does not have $option"
    done
done
COMP_WORDS=(lockstep-ptxas --fmad = '') COMP_CWORD=3 COMPREPLY=()
_lockstep_ptxas
[ "${COMPREPLY[*]}" = 'true false' ] || bad "behind --fmad= bash offers '${COMPREPLY[*]}'"

cd "$made" || exit 1
offers 'bash' lockstep run ./x ba
offers 'made man' lockstep check --log-file m

if command -v mandoc >/dev/null; then
    for page in "$made"/man/*.1; do
        mandoc -Tlint -W warning "$page" || bad "mandoc complains of $page"
    done
fi
for shell in zsh:_lockstep zsh:_lockstep-ptxas zsh:_nvidia-smi fish:lockstep.fish fish:lockstep-ptxas.fish fish:nvidia-smi.fish; do
    if command -v "${shell%:*}" >/dev/null; then
        "${shell%:*}" -n "$made/${shell%:*}/${shell#*:}" || bad "${shell%:*} does not read its completion"
    fi
done
if command -v fish >/dev/null; then
    got=$(fish -c "source '$made/fish/lockstep.fish'; complete -C 'lockstep gate check --j'" 2>&1 | cut -f1 | tr '\n' ' ')
    [ "$got" = '--json --junit ' ] || bad "fish offers '$got'"
fi
exit $failed
