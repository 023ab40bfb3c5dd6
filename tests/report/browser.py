#!/usr/bin/env python3
"""browser.py LOCKSTEP PROGRAM PROFILE_TESTS [FOLDER]: the report in headless Chromium: what stands on its pages, no message on the
console, nothing that moves once it is drawn, nothing wider than the screen. With FOLDER the pages and screenshots stay there.
Ends with 77 where there is no Chromium."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import made

lockstep, program, profiled = (os.path.abspath(p) for p in sys.argv[1:4])
browser = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
if not browser:
    print("there is no Chromium: nothing was tried")
    sys.exit(77)
for name in [n for n in os.environ if n.startswith("LOCKSTEP_") and n not in ("LOCKSTEP_LLVM", "LOCKSTEP_TIER")]:
    del os.environ[name]
failed = []

# Notes what the test asks of the page where the dumped text has it: an attribute of the root.
PROBE = """<script>
(() => {
  const note = document.documentElement.dataset;
  note.shift = 0; note.errors = 0;
  new PerformanceObserver(list => { for (const e of list.getEntries()) note.shift = +note.shift + e.value; }).observe({ type: 'layout-shift', buffered: true });
  addEventListener('error', () => note.errors++);
  addEventListener('load', () => setTimeout(() => {
    const t = performance.timing;
    note.loaded = t.loadEventEnd - t.navigationStart;
    note.width = innerWidth;
    note.wide = [...document.querySelectorAll('body *')].filter(e => e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 1
      && !e.closest('.wide, .pane, .bar')).map(e => e.tagName + '.' + (e.getAttribute('class') || '')).slice(0, 5).join(' ');
  }, 300));
})();
</script>"""

# Presses keys and clicks, a step after the other, and notes what is then open.
KEYS = """<script>
addEventListener('load', async () => {
  const note = document.documentElement.dataset, wait = () => new Promise(done => setTimeout(done, 30));
  const press = async key => { (document.activeElement || document.body).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })); await wait(); };
  const order = () => [...document.querySelectorAll('#kernels tbody tr')].filter(r => !r.hidden).map(r => r.dataset.k).join(' ');
  await press('j'); await press('j'); await press('Enter'); note.opened = location.hash;
  await press('j'); note.next = location.hash;
  await press('ArrowLeft'); note.previous = location.hash;
  await press('u'); note.back = String(!document.getElementById('overview').hidden);
  document.querySelector('#kernels th').click(); note.sorted = order();
  await press('/'); document.activeElement.value = 'TRIDE'; document.activeElement.dispatchEvent(new Event('input')); note.found = order();
  document.activeElement.blur();
  await press('t'); const first = note.theme; await press('t'); note.themes = `${first} ${note.theme}`;
  await press('?'); note.help = String(document.getElementById('keys').open);
});
</script>"""


# The machine code of a kernel: below its PTX, by address, not at all; and lines by the keyboard.
MACHINE = """<script>
addEventListener('load', async () => {
  const note = document.documentElement.dataset, wait = () => new Promise(done => setTimeout(done, 30));
  const rows = () => [...document.querySelectorAll('.pane.ptx .r')], sass = () => rows().filter(r => r.classList.contains('sass'));
  const press = async key => { document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })); await wait(); };
  const show = async what => { const s = document.getElementById('code'); s.value = what; s.dispatchEvent(new Event('change')); await wait(); };
  await wait();
  note.both = `${rows().length - sass().length} ${sass().length}`;
  note.below = String(sass().filter(r => r.dataset.line).every(r => {
    let above = r.previousElementSibling;
    while (above.classList.contains('sass')) above = above.previousElementSibling;
    return above.dataset.line === r.dataset.line || above.classList.contains('gap');
  }));
  note.under = sass().filter(r => r.previousElementSibling.dataset.line === r.dataset.line).length;
  note.hint = sass().find(r => r.dataset.line).title;
  note.heat = sass().find(r => r.dataset.line).children[1].textContent;
  await show('sass');
  note.addresses = rows().map(r => r.children[0].textContent).join(' ');
  await show('ptx'); note.ptx = `${rows().length - sass().length} ${sass().length}`;
  await show('both');
  document.querySelector('.pane.ptx [tabindex]').focus(); await press('ArrowDown'); await press('Enter');
  note.lit = String(document.querySelectorAll('.pane:not(.ptx) .lit').length);
  note.focus = String(document.activeElement === rows().filter(r => r.dataset.line)[1]);
  note.still = location.hash;
});
</script>"""


def expect(good, text):
    if not good:
        failed.append(text)


def chromium(url, width, height, *words):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                               f"--user-data-dir={profile}", f"--window-size={width},{height}", "--enable-logging=stderr",
                               *words, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)


def dump(page, part="", width=1280, height=900, more=""):
    """The page as text after its script has run, and what the probe noted."""
    probed = page.replace(".html", ".probed.html")
    with open(page) as f, open(probed, "w") as to:
        to.write(f.read().replace("<style>", PROBE + more + "<style>", 1))
    done = chromium(f"file://{probed}{part}", width, height, "--virtual-time-budget=3000", "--dump-dom")
    messages = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    expect(not messages, f"{os.path.basename(page)}{part} says on the console: {messages}")
    notes = dict(re.findall(r'data-(\w+)="([^"]*)"', re.search(r"<html[^>]*>", done.stdout)[0]))
    expect(notes.get("errors") == "0", f"{os.path.basename(page)}{part}: a script failed")
    expect(notes.get("wide") == "", f"{os.path.basename(page)}{part}: wider than {width}: {notes.get('wide')}")
    return done.stdout, notes


def has(text, pattern, what):
    expect(re.search(pattern, text), f"{what}: there is no {pattern}")


def report(out, *words):
    done = subprocess.run([lockstep, "report", "-q", "-o", out, *words], stderr=subprocess.PIPE, text=True, cwd=profiled)
    expect(done.returncode == 0, f"report {words}: {done.stderr}")
    return out


def check_keys(page):
    _, notes = dump(page, more=KEYS)
    names = [re.search(r"<b>(\w+)</b>", row)[1] for row in re.findall(r'<tr data-k="\d+".*', open(page).read())]
    by_name = sorted(range(len(names)), key=lambda k: names[k])
    sought = [k for k in by_name if "tride" in names[k]]
    for note, want in (("opened", "#k1"), ("next", "#k2"), ("previous", "#k1"), ("back", "true"), ("sorted", by_name),
                       ("found", sought), ("help", "true")):
        want = " ".join(map(str, want)) if isinstance(want, list) else want
        expect(notes.get(note) == want, f"keys: {note} is {notes.get(note)!r}, not {want!r}")
    expect(notes.get("themes") in ("dark light", "light dark"), f"keys: the theme went {notes.get('themes')}")


def check_pages(tmp):
    words = [program, "kernels.ptx", "times:3", "strided:2", "blocks:64", "strided:8", "stream", "column", "scale", "tiny"]
    page = report(os.path.join(tmp, "program.html"), "--", *words)
    text, _ = dump(page)
    expect(len(re.findall(r'<tr data-k="\d+"', text)) == 5, "the table has not 5 kernels")
    has(text, r'<section id="timeline">.*<rect class="k"', "the timeline")
    for k in range(5):
        text, _ = dump(page, f"#k{k}")
        for part in ("advice", "limits", "stalls", "memory", "source", "accesses", "roofline", "occupancy", "metrics"):
            has(text, f'<section id="{part}">', f"kernel {k}")
    check_keys(page)
    text, _ = dump(page, "#k0/source", 390, 844)
    has(text, r"<h1>strided</h1>|<h1>column</h1>|<h1>scale</h1>", "a narrow page")
    dump(page, "", 390, 844)
    return page


def check_machine(tmp):
    first = made.machine(profiled, os.path.join(tmp, "machine.lsrep"), None)
    page = report(os.path.join(tmp, "machine.html"), os.path.join(tmp, "machine.lsrep"))
    text, notes = dump(page, "#k0", more=MACHINE)
    ptx, lines = len(first["lines"]), {tuple(s[2:4]) for s in first["sites"]}
    for note, want in (("both", f"{ptx} 8"), ("below", "true"), ("ptx", f"{ptx} 0"), ("addresses", "0000 0010 0020 0030 0040 0050 0060 0070"),
                       ("focus", "true"), ("still", "#k0")):
        expect(notes.get(note) == want, f"machine code: {note} is {notes.get(note)!r}, not {want!r}")
    expect(int(notes.get("under", "0")) > 2, f"only {notes.get('under')} machine instructions stand below their PTX")
    expect(len(lines) > 1 and notes.get("lit") == "1", f"Enter lights {notes.get('lit')} lines of the source")
    expect(re.match(r"lsu pipe; issued 10 times\*, \d+ cycles of warps\*: wait \d+&nbsp;%, selected", notes.get("hint", "")), f"hint: {notes.get('hint')}")
    expect(re.match(r"[\d.]+&nbsp;%\*", notes.get("heat", "")), f"heat: {notes.get('heat')}")
    has(text, "SASS of no PTX that was executed", "what is of no line")
    has(text, "No nvdisasm or cuobjdump was found", "who says the text")
    dump(page, "#k0", 390, 844)
    text, _ = dump(report(os.path.join(tmp, "none.html"), os.path.join(profiled, "replayed.lsrep")), "#k0")
    has(text, "There is no SASS: the report file has none", "a kernel without")
    expect('id="code"' not in re.sub(r"(?s)<script.*?</script>", "", text), "a choice without machine code")


def check_evil(tmp):
    made.evil(profiled, os.path.join(tmp, "evil.lsrep"), os.path.join(tmp, "<script>.cu"))
    page = report(os.path.join(tmp, "evil.html"), os.path.join(tmp, "evil.lsrep"))
    for part in ("", "#k0"):
        text, _ = dump(page, part)
        expect("<title>broken" not in text and "onerror=alert(1)>\"" not in re.sub(r"(?s)<script.*?</script>", "", text).replace("&gt;", ""),
               "a text of the program became HTML")
    has(text, r"&lt;/script&gt;|&lt;img", "the source")


def check_many(tmp):
    for n, machine in ((500, 0), (500, 150), (1000, 0)):
        made.many(profiled, os.path.join(tmp, "many.lsrep"), n, machine)
        page = report(os.path.join(tmp, f"many{n}-{machine}.html"), os.path.join(tmp, "many.lsrep"))
        text, notes = dump(page)
        expect(len(re.findall(r'<tr data-k="\d+"', text)) == n, f"the table has not {n} kernels")
        expect(float(notes.get("shift", "1")) == 0, f"{n} kernels: the page moved by {notes.get('shift')} while it was drawn")
        print(f"{n} kernels, {machine} machine instructions each: loaded in {notes.get('loaded')} ms, {os.path.getsize(page) / 1e6:.1f} MB")
        dump(page, f"#k{n - 1}")


def check_comparison(tmp):
    old, new = (os.path.join(profiled, name) for name in ("replayed.lsrep", "replayed-new.lsrep"))
    page = report(os.path.join(tmp, "compared.html"), "--baseline", old, new)
    text, _ = dump(page)
    has(text, r'<section id="baseline">.*(faster|slower|open)', "the comparison")


def shoot(page):
    for part, width, height in (("", 1280, 900), ("#k0", 1280, 3000), ("", 390, 844), ("#k0", 390, 5000)):
        name = page.replace(".html", f"{part.replace('#', '-')}-{width}.png")
        chromium(f"file://{page}{part}", width, height, "--virtual-time-budget=2000", f"--screenshot={name}")


with tempfile.TemporaryDirectory() as temporary:
    folder = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else temporary
    first = check_pages(folder)
    check_machine(folder)
    check_evil(folder)
    check_many(folder)
    check_comparison(folder)
    if folder != temporary:
        shoot(first)
for line in failed:
    print(line, file=sys.stderr)
sys.exit(1 if failed else 0)
