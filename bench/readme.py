#!/usr/bin/env python3
"""readme.py - README.md's line about compiled kernels, from the table in docs/performance.md.

    readme.py            rewrites it
    readme.py --check    exit status 1 if it is not what the table says
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOOPS = ["ffma", "integer", "streaming", "shared"]
TEXT = """**{:,.0f} to {:,.0f} million** on the same loops once a kernel has run for long enough to be compiled, where there is an
LLVM: {:.0f} to {:.0f} times as many as interpreted on the same machine ([docs/tier.md](docs/tier.md))."""
LINE = re.compile(r"^\* \*\*[^*]* million\*\* on the same loops.*\n(?:  .*\n)*", re.M)


def line(document):
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in document.splitlines() if row.startswith("| ")]
    head = next(row for row in rows if row[0] == "loop" and "compiled" in row)
    loops = [row for row in rows if row[0] in LOOPS and len(row) == len(head)]
    slow, fast = ([float(row[head.index(name)]) for row in loops] for name in ("interpreted", "compiled"))
    times = [f / s for f, s in zip(fast, slow)]
    text = TEXT.format(min(fast), max(fast), min(times), max(times))
    return textwrap.fill(text, 130, initial_indent="* ", subsequent_indent="  ", break_long_words=False,
                         break_on_hyphens=False) + "\n"


def main():
    readme = ROOT / "README.md"
    before = readme.read_text()
    after = LINE.sub(line((ROOT / "docs/performance.md").read_text()), before, count=1)
    if sys.argv[1:] == ["--check"]:
        if before != after or not LINE.search(before):
            sys.exit("README.md's line about compiled kernels is not what bench/readme.py writes")
    else:
        readme.write_text(after)


main()
