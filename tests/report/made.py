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


def give_machine_code(record, n, number=0, by="nvdisasm"):
    """n machine instructions of the record's lines in turn, the first of none; the others run 10 times and wait. `number`: of the code."""
    events = record["event_names"] if "event_names" in record else None
    sites = record.get("sites") or [["k", "x.cu", 1, 1, ""]]
    insts = [[0, 0, None, "alu", f"MOV R1, c[0x0][{number:#x}]"]]
    for i in range(1, n):
        site = sites[i % len(sites)]
        insts.append([site[3], site[2], site[1], "lsu", f"LDG.E R{i % 255}, desc[UR4][R{number % 255}.64+{i:#x}]"])
    record["codes"] = [{"by": by, "insts": insts}]
    first, wait = (events.index(name) for name in ("stall_selected", "stall_wait")) if events else give_machine_code.events
    give_machine_code.events = first, wait
    record["machine"] = {"code": number, "insts": [[i, 10, first, 10, wait, 30 + i] for i in range(1, n)]}


def many(folder, path, n, machine=0):
    """n kernels, each with other times and the same lines, and machine code of its own of `machine` instructions."""
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
        if machine:
            give_machine_code(r, machine, i)
        records.append(r)
    write(path, records)
    return event


def machine(folder, path, by):
    """Its first kernel with eight machine instructions."""
    head, first, *_ = read(folder)
    give_machine_code(first, 8, by=by)
    write(path, [head, first])
    return first


def evil(folder, path, source):
    """A kernel and a source file whose names and text are HTML."""
    head, first, *_ = read(folder)
    first["name"] = EVIL_NAME
    first["sites"] = [[EVIL_NAME, source, *s[2:4], EVIL_LINE] for s in first["sites"]]
    give_machine_code(first, 3, by=EVIL_NAME)
    first["codes"][0]["insts"][1][3:] = [EVIL_NAME, EVIL_LINE]
    with open(source, "wb") as f:
        f.write((EVIL_LINE + "\n").encode() * 40 + b"\xff\xfe not text\n" * 30)
    write(path, [{**head, "command": EVIL_NAME}, first])
