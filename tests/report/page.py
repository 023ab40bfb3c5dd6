#!/usr/bin/env python3
"""page.py LOCKSTEP PROGRAM PROFILE_TESTS NO_KERNELS: what `lockstep report` writes, without a browser: its elements, its data, texts of
programs that look like HTML, the same file from any number of workers, and what is said of bad input."""
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import made

lockstep, program, profiled, no_kernels = (os.path.abspath(p) for p in sys.argv[1:5])
for name in [n for n in os.environ if n.startswith("LOCKSTEP_") and n not in ("LOCKSTEP_LLVM", "LOCKSTEP_TIER")]:
    del os.environ[name]
os.environ["LOCKSTEP_PTXAS"] = "0"
failed = []
WORDS = [program, "kernels.ptx", "times:3", "strided:2", "blocks:64", "strided:8", "stream", "column", "scale", "tiny"]


def expect(good, text):
    if not good:
        failed.append(text)


def run(*words, status=0, says=(), cwd=None):
    done = subprocess.run([lockstep, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd)
    expect(done.returncode == status, f"{' '.join(words)}: status {done.returncode}, expected {status}\n{done.stderr}")
    for text in says:
        expect(text in done.stderr, f"{' '.join(words)}: does not say {text!r}\n{done.stderr}")
    return done


class Page(html.parser.HTMLParser):
    """Elements, what is referred to, rows of the table of kernels, and the text of each script."""

    def __init__(self, path):
        super().__init__()
        self.elements, self.links, self.rows, self.scripts, self.inside = {}, [], [], [], None
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        self.feed(self.text)
        self.data = json.loads(next(text for attributes, text in self.scripts if attributes.get("id") == "data"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements[tag] = self.elements.get(tag, 0) + 1
        self.links += [v for k, v in attributes.items() if k in ("src", "href", "srcset", "action", "data")]
        self.inside = tag
        if tag == "tr" and "data-k" in attributes:
            self.rows.append(int(attributes["data-k"]))
        if tag == "script":
            self.scripts.append((attributes, ""))

    def handle_data(self, text):
        if self.inside == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + text)

    def handle_endtag(self, tag):
        self.inside = None


def check_frame(page, kernels):
    expect(page.elements.get("script") == 3, f"there are {page.elements.get('script')} scripts, not 3")
    expect(page.elements.get("img") is None and page.elements.get("iframe") is None, "something would be fetched")
    expect(page.elements.get("link") == 1, "a style sheet would be fetched")
    expect(all(re.match(r"#|data:", link) for link in page.links), f"something would be fetched: {page.links}")
    urls = set(re.findall(r"https?://[^\s'\"<>]*", page.scripts[-1][1])) - {"http://www.w3.org/2000/svg"}
    expect(not urls, f"the script has addresses: {urls}")
    expect(page.rows == list(range(kernels)), f"rows are {page.rows}, not 0 to {kernels - 1}")
    expect(len(page.data["kernels"]) == kernels, f"{len(page.data['kernels'])} kernels, not {kernels}")
    times = [k["total"] if k["total"] is not None else -1 for k in page.data["kernels"]]
    expect(times == sorted(times, reverse=True), f"not by time: {times}")


def result_of(text):
    """Nanoseconds of the sum behind a limit, from its words."""
    n = [float(x.replace(",", "")) for x in re.findall(r"[\d,]+(?:\.\d+)?(?:e[+-]\d+)?", re.sub(r"f\d\d|^busiest SM: ", "", text))]
    if "waves" in text:
        return n[0] * (n[1] + n[2]) / n[3]
    return n[0] / n[1] if "GB/s" in text else n[0] / n[1] / n[2]


def check_limits(kernel):
    for name, ns, _, text in kernel["limits"]["rows"]:
        expect(abs(result_of(text) - ns) <= 0.02 * ns + 0.6, f"{kernel['name']}: {name} is {ns} ns, but {text} is {result_of(text)}")
    expect(max(kernel["limits"]["rows"], key=lambda row: row[1])[0] == kernel["limits"]["nearest"], f"{kernel['name']}: the nearest limit")


def check_program(tmp):
    """A program that runs, by numbers of workers; and that the numbers are those of the text report."""
    pages = []
    for workers in (1, 2, 4):
        out = os.path.join(tmp, f"{workers}.html")
        run("report", "-o", out, "--workers", str(workers), "--", *WORDS, cwd=profiled, says=["wrote"])
        with open(out, "rb") as f:
            pages.append(f.read())
    expect(pages[0] == pages[1] == pages[2], "the page depends on the number of workers")
    page = Page(os.path.join(tmp, "1.html"))
    check_frame(page, len(page.data["kernels"]))
    expect(len(page.data["kernels"]) > 2, "the program has more kernels")
    raw = subprocess.run([lockstep, "profile", "-q", "--csv", "--metrics", "smsp__inst_executed.sum", *WORDS],
                         stdout=subprocess.PIPE, text=True, cwd=profiled).stdout
    counted = sorted(int(m.replace(",", "")) for m in re.findall(r'"smsp__inst_executed.sum","inst","([\d,]+)"', raw))
    launches = sum(k["launches"] for k in page.data["kernels"])
    expect(len(counted) == launches, f"{launches} launches, the text has {len(counted)}")
    inst = page.data["event_names"].index("inst")
    shown = {dict(zip(k["events"][::2], k["events"][1::2])).get(inst, 0) for k in page.data["kernels"]}
    expect(shown <= set(counted), f"instructions {shown - set(counted)} are not in the text report")
    expect(any(t["rows"] for t in page.data["timelines"]), "there is no timeline")
    expect(any(k["pictures"] for k in page.data["kernels"]), "there are no pictures of accesses")
    for k in page.data["kernels"]:
        values = sum(len(section[1]) for section in page.data["sections"])
        expect(len(k["values"]) == len(k["kinds"]) == values, f"{k['name']}: {len(k['values'])} values, {values} rows")
        expect(len(k["lines"]["kinds"]) == len(page.data["columns"]), f"{k['name']}: a column has no kind")
        check_limits(k)
        at = k["curves"]
        for curve in (at["registers"], at["shared"], at["block"]):
            here = [warps for x, warps in curve["steps"] if x <= curve["at"]]
            expect(not here or here[-1] == at["warps"], f"{k['name']}: the curve does not go through the launch")


def check_escapes(tmp):
    report, out = os.path.join(tmp, "evil.lsrep"), os.path.join(tmp, "evil.html")
    made.evil(profiled, report, os.path.join(tmp, "<!--<script>.cu"))
    run("report", "-o", out, report)
    page = Page(out)
    check_frame(page, 1)
    kernel = page.data["kernels"][0]
    expect(kernel["name"] == made.EVIL_NAME, f"the name became {kernel['name']!r}")
    expect(page.data["command"] == made.EVIL_NAME, f"the command became {page.data['command']!r}")
    texts = [text for part in page.data["files"][0]["parts"] for text in part[1:]]
    expect(made.EVIL_LINE in texts, "a line of the source is not as it was")
    expect(any("\ufffd" in text for text in texts), "bytes that are no text are not marked")
    expect(kernel["machine"]["by"] == made.EVIL_NAME and kernel["machine"]["rows"][1][4] == made.EVIL_LINE, "a machine instruction is not as it was")
    expect("<" not in next(t for a, t in page.scripts if a.get("id") == "data"), "the data has a <")


def check_machine_file(tmp):
    """A report file with machine code, and one without."""
    report, out = os.path.join(tmp, "machine.lsrep"), os.path.join(tmp, "machine.html")
    first = made.machine(profiled, report, "nvdisasm")
    run("report", "-o", out, report)
    data = Page(out).data
    code, stalls = data["kernels"][0]["machine"], [name for name, _ in data["stalls"]]
    expect(code["by"] == "nvdisasm" and code["step"] == 16 and len(code["rows"]) == 8, f"the code is {code}")
    expect(code["rows"][0] == [0, -1, 0, "alu", "MOV R1, c[0x0][0x0]"], f"the first row is {code['rows'][0]}")
    site = first["sites"][1 % len(first["sites"])]
    expect(code["rows"][1] == [site[3], code["rows"][1][1], site[2], "lsu", "LDG.E R1, desc[UR4][R0.64+0x1]", 10, stalls.index("selected"), 10,
                               stalls.index("wait"), 31], f"the second row is {code['rows'][1]}")
    expect(data["files"][code["rows"][1][1]]["name"] == site[1], "its file is another")
    run("report", "-o", out, os.path.join(profiled, "replayed.lsrep"))
    data = Page(out).data
    expect(all(k["machine"] is None for k in data["kernels"]) and "the report file has none" in data["no_machine"], "it says nothing of SASS")


def check_machine(tmp):
    """Of a program: without ptxas none; with one, and a disassembler beside it or none, what the replay spent at each instruction."""
    out = os.path.join(tmp, "sass.html")
    run("report", "-o", out, "--", *WORDS, cwd=profiled)
    data = Page(out).data
    expect(all(k["machine"] is None for k in data["kernels"]) and "no ptxas was to be asked" in data["no_machine"], "SASS without ptxas")
    ptxas = shutil.which("ptxas")
    if not ptxas:
        print("there is no ptxas: machine code of a program was not tried")
        return
    mine = os.path.join(tmp, "bin", "ptxas")
    os.mkdir(os.path.dirname(mine))
    with open(mine, "w") as f:
        f.write(f'#!/bin/sh\nexec {ptxas} "$@"\n')
    os.chmod(mine, 0o755)
    for by in ("none", "nvdisasm"):
        if by != "none":
            tool = os.path.join(os.path.dirname(mine), by)
            with open(tool, "w") as f:
                f.write("#!/bin/sh\nprintf '.text._Z6columnPf:\\n /*0000*/ FIRST WORDS ;\\n'\n")
            os.chmod(tool, 0o755)
        pages = []
        for workers in ("1", "4"):
            run("report", "-o", out, "--ptxas", mine, "--workers", workers, "--", *WORDS, cwd=profiled)
            with open(out, "rb") as f:
                pages.append(f.read())
        expect(pages[0] == pages[1], f"{by}: the page with SASS depends on the number of workers")
        data = Page(out).data
        for k in data["kernels"]:
            check_code(k, data)
        column = next(k for k in data["kernels"] if k["function"] == "column")["machine"]
        known = shutil.which("nvdisasm") or shutil.which("cuobjdump")
        expect(known or column["by"] == (None if by == "none" else by), f"the words are of {column['by']}, not of {by}")
        expect(by == "none" or column["rows"][0][4] == "FIRST WORDS", f"the first instruction is {column['rows'][0]}")


def check_code(kernel, data):
    """What warps spent at machine instructions is what they spent at those of the PTX; nearly, as some are of no PTX."""
    rows = kernel["machine"]["rows"]
    cycles = sum(sum(row[7::2]) for row in rows)
    lines = sum(row[5] for _, list in kernel["lines"]["ptx"] for row in list if len(row) > 5)
    expect(lines and 0.99 <= cycles / lines <= 1.2, f"{kernel['function']}: {cycles} cycles by machine instruction, {lines} by PTX")
    expect(any("EXIT" in row[4] for row in rows), f"{kernel['function']}: no EXIT among {[row[4] for row in rows]}")
    known = {(row[0], row[2], row[3]) for _, list in kernel["lines"]["ptx"] for row in list}
    here = [row for row in rows if row[0] and row[2]]
    expect(here and sum((row[0], row[1], row[2]) in known for row in here) > len(here) / 2, f"{kernel['function']}: lines are not those of the PTX")


def check_baseline(tmp):
    out = os.path.join(tmp, "compared.html")
    old, new = (os.path.join(profiled, name) for name in ("replayed.lsrep", "replayed-new.lsrep"))
    run("report", "-o", out, "--baseline", old, new)
    told = json.loads(subprocess.run([lockstep, "profile", "--json", "--baseline", old, new], stdout=subprocess.PIPE).stdout)
    mine = Page(out).data["baseline"]
    expect([(k["kernel"], round(k["ratio"], 6)) for k in mine["kernels"]] == [(k["kernel"], round(k["ratio"], 6)) for k in told["kernels"]],
           "the comparison is not that of `lockstep profile --json`")
    run("profile", "-q", "--html", out, "-i", old)
    check_frame(Page(out), 3)


def check_refusals(tmp):
    out = os.path.join(tmp, "no.html")
    run("report", "-o", out, "--", no_kernels, status=3, says=["no kernel was launched", "was not written"])
    expect(not os.path.exists(out), "a page without kernels was written")
    run("report", "-o", os.path.join(tmp, "none", "x.html"), "--", *WORDS, status=3, says=["cannot write", "No such file"])
    run("report", status=2, says=["which program"])
    run("report", "-o", out, "--baseline", out, "--", *WORDS, status=3, says=["cannot read"])
    damaged = os.path.join(tmp, "damaged.lsrep")
    with open(os.path.join(profiled, "replayed.lsrep")) as f, open(damaged, "w") as to:
        to.write(f.read()[:900])
    run("report", "-o", out, damaged, status=3, says=["nothing to show"])
    with open(damaged, "w") as to:
        to.write("something else\n")
    run("report", "-o", out, "-i", damaged, status=3, says=["is no report"])
    run("report", "-o", out, os.path.join(tmp, "missing.lsrep"), status=3, says=["cannot read", "missing.lsrep: No such file"])
    run("report", "-o", "", damaged, status=2, says=["--output needs the name of a file"])
    run("report", "-o", out, "-i", tmp, status=3, says=["is a folder without records of launches"])
    with open(damaged, "w") as to:
        to.write('{"type":"report","version":99,"command":"x"}\n')
    run("report", "-o", out, "-i", damaged, status=3, says=["format 99", "profile the program again"])
    with open(damaged, "w") as to:
        to.write('{"type":"report","version":1,"command":"x"}\n')
    run("report", "-o", out, "--baseline", damaged, os.path.join(profiled, "replayed.lsrep"), status=3, says=["holds no launch to compare with"])
    run("report", "-o", out, "-k", "nobody", "--", *WORDS, cwd=profiled, status=3, says=["no kernel was launched that the filters take"])
    for command in (("report", "-o", out), ("profile", "-q")):
        run(*command, "-k", "regex:(", *WORDS, cwd=profiled, status=2, says=["--kernel-name: '(' is no regular expression"])
        run(*command, "--ptxas", "/none/ptxas", *WORDS, cwd=profiled, status=2, says=["--ptxas: there is no program '/none/ptxas'"])
    run("report", "-o", out, "--", "sh", "-c", "kill -9 $$", status=137, says=["exit status 137: signal 9, Killed", "was not written"])
    with open(os.path.join(tmp, "plain.txt"), "w") as f:
        f.write("text\n")
    run("report", "-o", out, "plain.txt", cwd=tmp, status=127, says=["no program 'plain.txt'", "not executable"])
    run("report", "-o", "/dev/full", os.path.join(profiled, "replayed.lsrep"), status=3, says=["cannot write /dev/full"])
    expect(not [n for n in os.listdir(tmp) if n.endswith(".new")], "half a page was left")


with tempfile.TemporaryDirectory() as folder:
    for check in (check_program, check_escapes, check_machine_file, check_machine, check_baseline, check_refusals):
        check(folder)
for text in failed:
    print(text, file=sys.stderr)
sys.exit(1 if failed else 0)
