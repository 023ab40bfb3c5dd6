# facts.awk - what our CUDA headers say, as a list to be compared with a toolkit's: ENUMERATOR(name), MACRO(name),
# SIZE(type), MEMBER(type, path). Reads headers as clang-format leaves them: one member a line.

/^#define (cuda|CUDA)[A-Za-z_0-9]* [^_]/ && !is_type_or_twin($2, $3) { print "MACRO(" $2 ")" }
/^(typedef )?enum [A-Za-z_0-9]+ \{/ { in_enum = 1; next }
in_enum && /^    [A-Za-z_0-9]+ = / { print "ENUMERATOR(" $1 ")" }
in_enum && /^\}/ { in_enum = 0 }
!in_struct && /^(struct|union) [A-Za-z_0-9]+ \{/ { in_struct = 1; type = $1 " " $2; n = 0; next }
in_struct && /^\}/ { in_struct = 0; print "SIZE(" type ")"; members(1, n, ""); next }
in_struct { line[++n] = $0 }

# What is no number: types, empty words, the names of per-thread variants.
function is_type_or_twin(name, value) {
    return name ~ /(AttrID|AttrValue|^CUDARTAPI|^CUDART_CB)$/ || value ~ /_pt[sd][sz]$/
}

# The members in line[from..to], which are those of `prefix`.
function members(from, to, prefix,    i, close_at, name) {
    for (i = from; i <= to; i++) {
        if (line[i] ~ /(struct|union) \{$/) {
            close_at = closing(i, to)
            name = member_name(line[close_at])
            if (name != "") print "MEMBER(" type ", " prefix name ")"
            members(i + 1, close_at - 1, name == "" ? prefix : prefix name ".")
            i = close_at
        } else if ((name = member_name(line[i])) != "") {
            print "MEMBER(" type ", " prefix name ")"
        }
    }
}

function closing(from, to,    i, depth) {
    for (i = from; i <= to; i++) {
        if (line[i] ~ /\{$/) depth++
        if (line[i] ~ /^ *\}/ && --depth == 0) return i
    }
}

# The last word before `;` or `[`: of "int a[3];", "} name;", "};".
function member_name(text) {
    if (text !~ /;$/) return ""
    sub(/(\[[0-9]+\])*;$/, "", text)
    if (text !~ /[A-Za-z_0-9]$/) return ""
    sub(/^.*[^A-Za-z_0-9]/, "", text)
    return text
}
