"""made.py - report files made from one that is in the tree, for pages with many kernels and with names that try to break out."""
import json
import os

EVIL_NAME = "</script><script>document.title='broken'</script><b>&amp;\"'"
EVIL_LINE = "s = \"</script><img src=x onerror=alert(1)>\"; // <!-- <script> & \xe9 \u2028"


def read(folder, name="replayed.lsrep"):
    with open(os.path.join(folder, name)) as f:
        return [json.loads(line) for line in f]


def write(path, records):
    with open(path, "w") as f:
        f.writelines(json.dumps(r, separators=(",", ":")) + "\n" for r in records)


def many(folder, path, n):
    """n kernels, each with other times and the same lines."""
    head, first, *_ = read(folder)
    at = first["metric_names"].index("gpu__time_duration.sum")
    event = first["event_names"].index("time_ns") if "time_ns" in first["event_names"] else None
    records = [head]
    for i in range(n):
        r = dict(first)
        if i:
            for key in ("process", "metric_names", "event_names", "sites"):
                r.pop(key)
        r.update(id=i, sequence=i, name=f"kernel_{i:04}", values=list(first["values"]))
        r["values"][at] = 1000 + 7 * ((i * 37) % n)
        records.append(r)
    write(path, records)
    return event


def evil(folder, path, source):
    """A kernel and a source file whose names and text are HTML."""
    head, first, *_ = read(folder)
    first["name"] = EVIL_NAME
    first["sites"] = [[EVIL_NAME, source, *s[2:4], EVIL_LINE] for s in first["sites"]]
    with open(source, "wb") as f:
        f.write((EVIL_LINE + "\n").encode() * 40 + b"\xff\xfe not text\n" * 30)
    write(path, [{**head, "command": EVIL_NAME}, first])
