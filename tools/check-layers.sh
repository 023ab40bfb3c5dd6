#!/usr/bin/env bash
# check-layers.sh [ROOT] - proves that each directory of src/ uses only itself and earlier ones, from the #include
# lines of its sources and the USES and ls_<module> words of its CMakeLists.txt. Prints each violation as FILE:LINE and
# fails if there is one.
#
# Three directories are held to more: runtime and lab stand on the driver API alone, so that one binary runs on this
# driver and on NVIDIA's; they must not reach into the engine even though it is earlier. And the driver tells events to
# whoever listens, so it names no tool and none of their settings. Nothing but model reckons with the rates and latencies
# of a GPU.
#
# And one file alone calls getenv and its like: src/base/settings.c.
set -euo pipefail

root=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
[ -d "$root/src" ] || { echo "check-layers: no src/ in $root" >&2; exit 2; }

order='base ptx ir model exec driver meter check debug attach runtime nvml toolchain lab calibrate report cli'
closed='runtime:ptx runtime:ir runtime:exec lab:ptx lab:ir lab:exec calibrate:ptx calibrate:ir calibrate:exec'

cd "$root"
for d in src/*/; do
    d=$(basename "$d")
    case " $order " in
    *" $d "*) ;;
    *) echo "src/$d: not in the order of directories: $order" && exit 1 ;;
    esac
done

find src -type f \( -name '*.[ch]' -o -name '*.inc' -o -name '*.def' -o -name CMakeLists.txt \) -print | sort |
    xargs awk -v order="$order" -v closed="$closed" '
BEGIN {
    n = split(order, name, " ")
    for (i = 1; i <= n; i++) rank[name[i]] = i
    n = split(closed, pair, " ")
    for (i = 1; i <= n; i++) forbidden[pair[i]] = 1
}
function use(other, how) {
    if (!(other in rank) || other == mine) return
    checked++
    if (rank[other] > rank[mine] || ((mine ":" other) in forbidden)) {
        printf "%s:%d: %s may not use %s (%s)\n", FILENAME, FNR, mine, other, how
        bad++
    }
}
FNR == 1 { split(FILENAME, part, "/"); mine = part[2]; cmake = FILENAME ~ /CMakeLists.txt$/; listing = 0 }
!(mine in rank) { next }
!cmake && FILENAME != "src/base/settings.c" &&
    match($0, /(^|[^A-Za-z0-9_])(secure_getenv|getenv|setenv|unsetenv|putenv|clearenv)[ \t]*\(/) {
    printf "%s:%d: the environment is asked and changed in src/base/settings.c alone\n", FILENAME, FNR
    bad++
}
!cmake && match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/) {
    path = substr($0, RSTART, RLENGTH)
    sub(/^[^"]*"/, "", path)
    sub(/"$/, "", path)
    while (sub(/^\.\.\//, "", path));
    if (split(path, dir, "/") > 1) use(dir[1], "#include")
    next
}
cmake {
    sub(/#.*/, "")
    gsub(/\$\{[A-Za-z_]*\}/, " ")
    line = $0
    gsub(/[()]/, " & ", line)
    words = split(line, word, /[ \t]+/)
    for (i = 1; i <= words; i++) {
        if (word[i] == "USES") listing = 1
        else if (word[i] == ")" || word[i] ~ /^[A-Z][A-Z_]*$/) listing = 0
        else if (listing) use(word[i], "USES")
        if (word[i] ~ /^ls_[a-z_]+$/ && !listing) {
            split(word[i], piece, "_") # ls_driver_core is a library of driver
            use(piece[2], "links " word[i])
        }
    }
}
END {
    if (bad) { printf "check-layers: %d violation%s of the order: %s\n", bad, bad == 1 ? "" : "s", order; exit 1 }
    printf "check-layers: %d uses, each of an earlier directory\n", checked
}' || exit 1

tools=$(find src/check -mindepth 1 -maxdepth 1 -type d -name '*check' -printf '%f|' 2>/dev/null || true)
settings='LOCKSTEP_(CHECK|TRACE|TIMELINE|SESSION|SCHEDULES|KERNEL|LAUNCH|PROFILE|CACHES|PICTURES|BANKS|CLOCK|PROGRESS|KILL)'
if grep -rniE --include='*.[ch]' --include='*.def' "\b(${tools}timeline|check_on|$settings[A-Z_]*)\b" src/driver |
    sed 's/^\([^:]*:[^:]*\):.*/\1: the driver may not name a tool: tell an event (src\/driver\/events.def)/'; then
    exit 1
fi

# Time is reckoned in src/model; elsewhere a GPU's rates, latencies and clocks may only be told to somebody.
told='^src/(model|base)/|^src/driver/device\.c:|^src/report/limit\.c:.*say_rate|^src/cli/profile/'
rates='[a-z0-9_]+_(rate|cycles|bytes_per_s)|latency_[a-z0-9_]+|copy_latency_ns|launch_ns|kernel_ns|(boost|base)_mhz'
if grep -rnE --include='*.[ch]' "(gpu|g)(->|\.)($rates)\b" src | grep -vE "$told" |
    sed 's/^\([^:]*:[^:]*\):.*/\1: only src\/model reckons with the rates and latencies of a GPU/'; then
    exit 1
fi
