#!/usr/bin/env python3
"""completions.py DESCRIPTION FOLDER: completions of bash (lockstep), zsh (_lockstep) and fish (lockstep.fish), and of the programs that
stand in for NVIDIA's likewise, from what `lockstep --describe` says. What an option takes is known from its row: words, a file, a folder, or anything."""

import os
import re
import sys

from description import Description

BASH = r"""# bash completion of lockstep; made from its option tables.

# _lockstep_options TABLE: the names of its options.
_lockstep_options()
{
    case $1 in
@OPTIONS@    esac
}

# _lockstep_value TABLE OPTION: what the option takes: words, @file, @folder, @any; nothing for none. A ? in front: only behind a =.
_lockstep_value()
{
    case $1:$2 in
@VALUES@    esac
}

# _lockstep_complete KIND WORD: sets COMPREPLY.
_lockstep_complete()
{
    case $1 in
    @file) mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
    @folder) mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
    @any) ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2") ;;
    esac
}

_lockstep()
{
    local words=("${COMP_WORDS[@]:0:COMP_CWORD+1}") cur=${COMP_WORDS[COMP_CWORD]} table kind i
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _lockstep_complete '@COMMANDS@ --help --version' "$cur"
        return
    fi
    table=${words[1]} i=2
    case $table in
@VERBS@    esac
    for (( ; i < COMP_CWORD; i++)); do
        case ${words[i]} in
        --) ;;
        -*)
            kind=$(_lockstep_value "$table" "${words[i]}")
            if [[ ${words[i + 1]-} == = ]]; then # readline parts words at a =
                if ((i + 1 == COMP_CWORD)); then
                    _lockstep_complete "${kind#\?}" ''
                    return
                elif ((i + 2 == COMP_CWORD)); then
                    _lockstep_complete "${kind#\?}" "$cur"
                    return
                fi
                ((i += 2))
            elif [[ $kind && $kind != \?* ]]; then
                if ((i + 1 == COMP_CWORD)); then
                    _lockstep_complete "$kind" "$cur"
                    return
                fi
                ((i += 1))
            fi
            ;;
        *)
            if [[ ' @PROGRAMS@ ' == *" $table "* ]]; then # a program, and what is its own
                if declare -F _command_offset >/dev/null; then
                    _command_offset "$i"
                else
                    _lockstep_complete @file "$cur"
                fi
                return
            fi
            ;;
        esac
    done
    if [[ $cur == -* ]]; then
        _lockstep_complete "$(_lockstep_options "$table")" "$cur"
    else
        _lockstep_complete @file "$cur"
    fi
}

complete -o filenames -F _lockstep lockstep
"""


# Of a program without commands: a file of its own, which the shell looks for by the program's name.
BASH_PROGRAM = r"""# bash completion of Lockstep's @NAME@; made from its option table.

@KEY@()
{
    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} kind=
    COMPREPLY=()
    if [[ $cur == = ]]; then # readline parts words at a =
        cur=''
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $before in
@VALUES@    esac
    case $kind in
    '') if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '@OPTIONS@' -- "$cur"); else mapfile -t COMPREPLY < <(compgen -f -- "$cur"); fi ;;
    @file) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    @any) ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$kind" -- "$cur") ;;
    esac
}

complete -o filenames -F @KEY@ @NAME@
"""


def bash_program(table):
    values = "".join(f"    {'|'.join(o.names)}) kind='{kind_of(o)}' ;;\n" for o in table.options if o.value)
    text = BASH_PROGRAM
    for key, value in {"VALUES": values, "OPTIONS": " ".join(n for o in table.options for n in o.names), "NAME": table.name,
                       "KEY": "_" + table.key}.items():
        text = text.replace(f"@{key}@", value)
    return text


def kind_of(option):
    """What bash is told of the value."""
    if not option.value:
        return ""
    kind = " ".join(option.choices) or ("@file" if option.takes_file else "@folder" if option.takes_folder else "@any")
    return ("?" if option.optional else "") + kind


def bash(description):
    options = values = verbs = ""
    for table in description.tables:
        names = [name for option in table.options for name in option.names]
        options += f"    '{table.name}') echo '{' '.join(names)}' ;;\n"
        for option in table.options:
            if option.value:
                patterns = "|".join(f"'{table.name}:{name}'" for name in option.names)
                values += f"    {patterns}) echo '{kind_of(option)}' ;;\n"
    for command in description.commands:
        if command.verbs:
            verbs += (f"    {command.name})\n        if ((COMP_CWORD == 2)); then\n"
                      f"            _lockstep_complete '{' '.join(command.verbs)}' \"$cur\"\n            return\n"
                      f"        fi\n        table=\"{command.name} ${{words[2]}}\" i=3\n        ;;\n")
    # a verb that takes a file first has its program behind --
    programs = " ".join(t.name for t in description.tables if t.words[0].startswith(("PROGRAM", "[--] PROGRAM")))
    text = BASH
    for key, value in {"OPTIONS": options, "VALUES": values, "VERBS": verbs, "PROGRAMS": programs,
                       "COMMANDS": " ".join(c.name for c in description.commands)}.items():
        text = text.replace(f"@{key}@", value)
    return text


# ---- zsh ----

def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh_action(option):
    if option.choices:
        return "(" + " ".join(option.choices) + ")"
    return "_files" if option.takes_file else "_files -/" if option.takes_folder else " "


def zsh_specs(option):
    """A row for each name: each leaves out the others, and may come again."""
    rows = []
    for name in option.names:
        value = ""
        if option.value:
            joint = "=" if name.startswith("--") else "+" if len(name) == 2 else "="
            joint += "-" if option.optional and joint == "=" else ""
            gap = "::" if option.optional else ":"
            value = f"{gap}{zsh_text(option.value)}:{zsh_action(option)}"
            name += joint
        rows.append(f"'*{name}[{zsh_text(option.help)}]{value}'")
    return rows


def zsh(description):
    out = ["#compdef lockstep", "# zsh completion of lockstep; made from its option tables.", ""]
    for table in description.tables:
        out.append(f"_lockstep_{table.key}()\n{{\n    _arguments -S \\")
        out += [f"        {spec} \\" for option in table.options for spec in zsh_specs(option)]
        out.append("        '*::program:_normal'\n}\n" if table.starts_program else "        '*:file:_files'\n}\n")
    for command in description.commands:
        if command.verbs:
            verbs = " ".join(command.verbs)
            out.append(f"_lockstep_{command.name}()\n{{\n    if ((CURRENT == 2)); then\n        compadd {verbs}\n    else\n"
                       f"        local verb=$words[2]\n        shift words\n        ((CURRENT--))\n"
                       f"        (( $+functions[_lockstep_{command.name}_$verb] )) && _lockstep_{command.name}_$verb\n"
                       "    fi\n}\n")
    out.append("_lockstep()\n{\n    local -a commands=(")
    out += [f"        '{c.name}:{zsh_text(c.about)}'" for c in description.commands]
    out.append("    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n    else\n"
               "        local command=$words[2]\n        shift words\n        ((CURRENT--))\n"
               "        (( $+functions[_lockstep_$command] )) && _lockstep_$command\n    fi\n}\n\n_lockstep \"$@\"")
    return "\n".join(out) + "\n"


def zsh_program(table):
    out = [f"#compdef {table.name}", f"# zsh completion of Lockstep's {table.name}; made from its option table.", "", "_arguments -S \\"]
    out += [f"    {spec} \\" for option in table.options for spec in zsh_specs(option)]
    return "\n".join([*out, "    '*:file:_files'"]) + "\n"


# ---- fish ----

def fish_text(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_row(start, option):
    row = start
    for name in option.names:
        row += f" -l {name[2:]}" if name.startswith("--") else f" -s '{name[1:]}'" if len(name) == 2 else f" -o {name[1:]}"
    if option.value and not option.optional:
        row += " -r"
    if option.choices:
        row += " -f -a " + fish_text(" ".join(option.choices))
    elif option.takes_file or option.takes_folder:
        row += " -F"
    elif option.value:
        row += " -f"
    return row + " -d " + fish_text(option.help)


FISH = """# fish completion of lockstep; made from its option tables.

# Whether the words so far are these: lockstep run, lockstep gate check.
function __lockstep_at
    set -l words (commandline -opc)
    set -l last (math (count $argv) + 1)
    test (count $words) -ge $last; and test "$words[2..$last]" = "$argv"
end

complete -c lockstep -n 'test (count (commandline -opc)) -eq 1' -f -l help -d 'The commands'
complete -c lockstep -n 'test (count (commandline -opc)) -eq 1' -f -l version -d 'The version, and how kernels run here'
"""


def fish(description):
    out = [FISH]
    for command in description.commands:
        out.append(f"complete -c lockstep -n 'test (count (commandline -opc)) -eq 1' -f -a {command.name} "
                   f"-d {fish_text(command.about)}")
        for verb in command.verbs:
            out.append(f"complete -c lockstep -n '__lockstep_at {command.name}; and test (count (commandline -opc)) -eq 2' "
                       f"-f -a {verb}")
    out += [fish_row(f"complete -c lockstep -n '__lockstep_at {t.name}'", o) for t in description.tables for o in t.options]
    return "\n".join(out) + "\n"


def fish_program(table):
    rows = [fish_row(f"complete -c {table.name}", option) for option in table.options]
    return f"# fish completion of Lockstep's {table.name}; made from its option table.\n\n" + "\n".join(rows) + "\n"


def main():
    description = Description(sys.argv[1])
    files = {"bash/lockstep": bash(description), "zsh/_lockstep": zsh(description), "fish/lockstep.fish": fish(description)}
    for table in (t for p in description.programs for t in p.tables):
        files |= {f"bash/{table.name}": bash_program(table), f"zsh/_{table.name}": zsh_program(table),
                  f"fish/{table.name}.fish": fish_program(table)}
    for name, text in files.items():
        path = os.path.join(sys.argv[2], name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


main()
