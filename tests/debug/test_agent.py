"""test_agent.py LOCKSTEP LIB SOURCES [TEST...] - drives programs through the agent: each test starts one, stops in it, and
says what must be there. Prints the tests that fail; the exit status is their number."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from client import Debugger, environment_of

lockstep, lib, sources = sys.argv[1:4]
wanted = sys.argv[4:]
made = tempfile.TemporaryDirectory()
os.environ["LOCKSTEP_DEVICE_MEMORY"] = "gpu"
tests = []


def test(f):
    tests.append(f)
    return f


def compiled(source, *flags):
    program = os.path.join(made.name, os.path.basename(source).split(".")[0])
    if not os.path.exists(program):
        command = [lockstep, "cc", "-cudart", "shared", "-arch=sm_90", "-lineinfo", *flags, source, "-o", program]
        subprocess.run(command, check=True)
    return program


def subject(*words, **environment):
    return Debugger([compiled(os.path.join(sources, "tests/debug/subject.cu")), *words], lib, environment)


def line_of(text):
    with open(os.path.join(sources, "tests/debug/subject.cu")) as f:
        return 1 + [text in line for line in f].index(True)


def mangled(d, name):
    """The function's name in PTX; after the first module was told."""
    for f in d.ask("functions", module=1)["functions"]:
        if name in f["function"]:
            return f["function"]
    raise AssertionError("no function " + name)


def at_entry(*words, **environment):
    """Stopped in front of the first instruction, no stop left."""
    d = subject(*words, **environment)
    d.ask("break", kind="entry", temporary=True)
    s = d.go()
    assert s["reason"] == "entry" and s["tick"] == 0, s
    return d


def index_of(d, part, text, nth=0):
    """(function, index) of its nth instruction that contains the text, by what the agent says of each index."""
    name = mangled(d, part)
    count = [f for f in d.ask("functions", module=1)["functions"] if f["function"] == name][0]["instructions"]
    found = [i for i in range(count) if text in d.ask("instruction", module=1, function=name, index=i)["instruction"]]
    return name, found[nth]


# ---- stopping, looking, stepping ----


@test
def stops_at_an_instruction():
    d = at_entry("parts")
    name, index = index_of(d, "parts", "st.global")
    d.ask("break", kind="instruction", function=name, index=index)
    seen = []
    while len(seen) < 4:
        s = d.go()
        assert s["reason"] == "breakpoint" and s["index"] == index and s["function"] == name, s
        seen.append((s["block"], s["warp"], s["mask"]))
    assert seen == [(b, w, "0xffffffff") for b in range(2) for w in range(2)], seen
    assert d.ask("stops")["stops"][0]["hits"] == 4
    status, out, err = d.run_to_end()
    assert status == 0 and out == "parts: cudaSuccess, 8256\n", (status, out, err)


@test
def registers_and_memory():
    d = at_entry("parts")
    name, index = index_of(d, "parts", "st.global")
    d.ask("break", kind="instruction", function=name, index=index, block=1, warp=1)
    s = d.go()
    assert (s["block"], s["warp"]) == (1, 1), s
    address, value = s["instruction"].split("[")[1].split("]")[0], s["instruction"].split(", ")[1].rstrip(";")
    r = d.registers(address, value)
    want = [3 * i if i % 2 else (-i) & 0xFFFFFFFF for i in range(96, 128)]
    assert r[value] == want, r
    assert r[address] == [r[address][0] + 4 * k for k in range(32)]
    assert d.memory(r[address][0], 4) == b"\0\0\0\0"
    d.go("step")
    assert d.memory(r[address][1], 4) == want[1].to_bytes(4, "little")
    specials = d.ask("specials")
    assert specials["%tid.x"] == list(range(32, 64)) and specials["%ctaid.x"] == [1] * 32, specials
    d.kill()


@test
def writes_change_the_result():
    d = at_entry("parts")
    name, index = index_of(d, "parts", "st.global")
    d.ask("break", kind="instruction", function=name, index=index, temporary=True)
    s = d.go()
    value = s["instruction"].split(", ")[1].rstrip(";")
    d.ask("set_register", name=value, lane=2, value=1000)  # was -2
    assert d.registers(value)[value][2] == 1000
    assert d.ask("stops")["stops"] == []
    assert d.run_to_end()[1] == "parts: cudaSuccess, 9258\n"


@test
def memory_has_bounds():
    d = at_entry("shared_sum")
    assert "shared memory" in d.refused("read", space="shared", address=1 << 20, size=4)
    assert len(d.memory(0, 2048, "shared")) == 2048
    assert d.refused("read", space="global", address=64, size=4)
    assert "constants" in d.refused("write", space="param", address=0, data="00")
    address = [a for a in d.ask("allocations")["allocations"] if a["kind"] == "device"][0]
    end = int(address["address"], 16) + address["size"]
    assert d.ask("read", space="global", address=end - 2, size=4)["complete"] is False
    assert "fit" in d.refused("write", space="global", address=end - 2, data="00000000")
    d.ask("write", space="global", address=hex(end - 4), data="05000000")
    assert d.run_to_end()[1] == "shared_sum: cudaSuccess, 65285\n"


@test
def frames_of_device_functions():
    d = at_entry("parts")
    inner = mangled(d, "twice")
    d.ask("break", kind="instruction", function=inner, index=0, temporary=True)
    s = d.go()
    assert s["function"] == inner and s["mask"] == "0xaaaaaaaa" and s["depth"] == 2, s
    frames = d.ask("frames")["frames"]
    assert [f["function"] for f in frames] == [inner, mangled(d, "thrice"), mangled(d, "parts")], frames
    assert "call" in frames[1]["instruction"] and "call" in frames[2]["instruction"], frames
    assert frames[1]["source"]["line"] == line_of("int y = twice(x);"), frames
    s = d.go("step", by="out")
    assert s["reason"] == "finish" and s["function"] == mangled(d, "thrice") and s["depth"] == 1, s
    s = d.go("reverse_step", by="out")
    assert s["function"] == mangled(d, "parts") and "call" in s["instruction"], s
    d.kill()


@test
def warps_that_have_parted():
    d = at_entry("parts")
    d.ask("break", kind="divergence", temporary=True)
    s = d.go()
    assert s["reason"] == "divergence" and "bra" in s["instruction"], s
    d.go("step")
    splits = d.ask("warps")["warps"][0]["splits"]
    masks = sorted(int(x["mask"], 16) for x in splits)
    assert masks == [0x55555555, 0xAAAAAAAA] and {x["state"] for x in splits} >= {"runs"}, splits
    d.kill()


@test
def steps_by_lines():
    d = at_entry("parts")
    s = d.go("step", by="line")
    lines = []
    while s["reason"] == "step" and len(lines) < 40:
        lines.append((s["function"], s["source"]["line"]))
        s = d.go("step", by="line", over=True, lanes=2)
    assert s["reason"] == "exited", s
    assert all(f == mangled(d, "parts") for f, line in lines), lines
    last = line_of("out[i] = v;")
    assert [line for f, line in lines][-2:] == [last, last + 1], lines
    d.kill()


@test
def conditions():
    d = at_entry("loops", "50")
    name, index = index_of(d, "loops", "mad")
    d.ask("break", kind="instruction", function=name, index=index, condition=[
        ["special", "%ctaid.x"], ["const", "u32", 1], ["eq", "u32"],
        ["special", "%tid.x"], ["const", "u32", 40], ["eq", "u32"], ["land", "s32"]])
    s = d.go()
    assert (s["block"], s["warp"]) == (1, 1), s
    d.ask("delete", stop=s["stop"])
    assert d.refused("evaluate", code=[["reg", "%nothing"]]).endswith("%nothing")
    assert "type" in d.refused("evaluate", code=[["const", "s32", 1], ["const", "s64", 1], ["add", "s32"]])
    assert "few" in d.refused("evaluate", code=[["add", "s32"]])

    def value(*code):
        answer = d.ask("evaluate", code=list(code))
        return answer["type"], int(answer["lanes"][3], 16), int(answer["mask"], 16)

    assert value(["const", "s32", -7], ["const", "s32", 2], ["div", "s32"]) == ("s32", 0xFFFFFFFD, 0xFFFFFFFF)
    assert value(["const", "s32", -7], ["const", "s32", 2], ["rem", "s32"])[1] == 0xFFFFFFFF
    assert value(["const", "u32", 1], ["const", "u32", 0], ["div", "u32"])[2] == 0
    assert value(["const", "f64", 1.5], ["const", "f64", 2], ["mul", "f64"], ["cvt", "s32", "f64"])[1] == 3
    assert value(["special", "%laneid"], ["cvt", "f32", "u32"], ["const", "f32", 2.5], ["gt", "f32"])[1] == 1
    assert value(["const", "u64", 64], ["load", "global", "s32"])[2] == 0
    assert value(["const", "s32", -8], ["const", "s32", 1], ["shr", "s32"])[1] == 0xFFFFFFFC
    assert value(["const", "u32", 1], ["const", "u32", 40], ["shl", "u32"])[1] == 0
    assert value(["special", "%laneid"], ["const", "s32", 7], ["const", "s32", 9], ["select"])[1] == 7
    d.kill()


@test
def ignored_and_disabled():
    d = at_entry("parts")
    name, index = index_of(d, "parts", "st.global")
    stop = d.ask("break", kind="instruction", function=name, index=index, ignore=2)["stop"]
    assert (d.go()["block"], d.ask("stops")["stops"][0]["hits"]) == (1, 3)
    d.ask("change", stop=stop, enabled=False)
    assert d.run_to_end()[0] == 0


# ---- other stops ----


@test
def banks():
    d = at_entry("shared_sum")
    d.ask("break", kind="banks", more=1)
    s = d.go()
    assert s["reason"] == "banks" and s["passes"] == 2 and ".shared" in s["instruction"], s
    d.kill()


@test
def findings_and_their_parties():
    program = compiled(os.path.join(sources, "tests/debug/findings.cu"))
    d = Debugger([program, "blocks"], lib, {})
    assert "does not listen" in d.refused("break", kind="finding", tools="racecheck")
    assert "no such tool" in d.refused("check", tools="nothing")
    d.ask("check", tools="racecheck")
    d.ask("break", kind="finding", tools="racecheck")
    s = d.go()
    assert s["reason"] == "finding" and len(s["findings"]) == 1, s
    assert "listen" in d.refused("check", tools="initcheck")
    first = s["findings"][0]
    assert first["kind"] == "global-read-after-write" and first["tick"] == first["at"]["tick"] == s["tick"], first
    assert first["other"]["tick"] < s["tick"] and first["at"]["block"] == [1, 0, 0], first
    known = d.ask("findings")["findings"]
    assert [f["number"] for f in known] == [1, 2, 3] and all(f["tick"] > s["tick"] for f in known[1:]), known
    s = d.go("goto", tick=first["other"]["tick"], straight=True, lanes=1)
    assert s["reason"] == "tick" and s["block"] == 0 and "st." in s["instruction"] and int(s["lanes"], 0) == 1, s
    s = d.go("goto", tick=known[2]["tick"], straight=True)  # the finding between is passed over
    assert s["tick"] == known[2]["tick"] and s["block"] == 1, s
    s = d.go("reverse_continue")
    assert s["reason"] == "finding" and s["tick"] == first["tick"], s
    d.kill()


@test
def without_checks_nothing_is_found():
    d = Debugger([compiled(os.path.join(sources, "tests/debug/findings.cu")), "blocks"], lib, {})
    d.ask("break", kind="entry")
    d.go()
    assert "listens" in d.refused("findings")
    d.kill()


@test
def lines_backwards_as_the_debugger_has_them():
    d = at_entry("parts")
    name, store = index_of(d, "parts", "st.global")
    d.ask("break", kind="instruction", function=name, index=store, temporary=True)
    s = d.go()
    lines = [[name, 0, 2, 1], [name, 2, 4, 0], [name, 4, store, 2], [name, store, 4096, 3]]
    seen = []
    while s["reason"] != "begin":
        s = d.go("reverse_step", by="line", over=True, lines=lines)
        seen.append((s["reason"], s["index"], s["tick"]))
    assert [x[0] for x in seen[:-1]] == ["step"] * (len(seen) - 1) and len(seen) >= 3, seen
    assert [x[1] for x in seen[-3:]] == [4, 0, 0] and seen[-2][2] == 0, seen
    d.kill()


@test
def what_a_call_returns():
    d = at_entry("parts")
    name, index = index_of(d, "thrice", "add.s32")
    d.ask("break", kind="instruction", function=mangled(d, "twice"), index=0, temporary=True)
    s = d.go()
    lane = 5
    s = d.go("step", by="out")
    assert "thrice" in s["function"] and d.ask("returned", lane=lane)["data"] == "0a000000", d.ask("returned", lane=lane)
    s = d.go("reverse_step", by="instruction")
    assert "twice" in s["function"], s
    s = d.go("step", by="out", calls=2)
    assert "parts" in s["function"] and d.ask("returned", lane=lane)["data"] == "0f000000", s
    d.kill()


@test
def what_lines_have_cost():
    d = at_entry("shared_sum")
    line = line_of("cell[t * 2] += cell")
    assert sum(x["instructions"] for x in d.ask("costs")["lines"] if x.get("line") == line) == 0
    name, index = index_of(d, "shared_sum", "ld.shared")
    d.ask("break", kind="instruction", function=name, index=index, ignore=1, temporary=True)
    s = d.go()
    assert s["block"] == 0 and s["warp"] == 1, s
    half = {x.get("line"): x for x in d.ask("costs")["lines"]}
    assert d.ask("where")["tick"] == s["tick"]
    d.ask("set", stop_at_end=True)
    assert d.go()["reason"] == "end"
    whole = {x.get("line"): x for x in d.ask("costs")["lines"]}
    for key in "instructions", "threads", "wavefronts", "cycles":
        assert 0 < half[line][key] < whole[line][key], (key, half[line], whole[line])
    assert whole[line]["wavefronts"] == 114 and whole[line]["threads"] % 255 == 0, whole[line]
    store = line_of("out[blockIdx.x] = cell[0]")
    assert whole[store]["sectors"] == 2 and not half.get(store, {}).get("sectors"), whole[store]
    assert d.run_to_end()[0] == 0


@test
def who_wrote_shared_memory():
    d = at_entry("shared_sum")
    cell, = d.ask("shared")["variables"]
    assert cell["size"] == 2048 and "cell" in cell["name"], cell
    words = dict(block=0, address=cell["address"], size=cell["size"], step=4)
    assert d.ask("writers", **words)["elements"] == [None] * 512
    name, index = index_of(d, "shared_sum", "ld.shared")
    d.ask("break", kind="instruction", function=name, index=index, ignore=2)
    s = d.go()
    answer = d.ask("writers", **words)
    elements, places = answer["elements"], answer["places"]
    assert all(e is None for e in elements[1::2])
    assert [(e[1], e[2]) for e in elements[0::2]] == [(t // 32, t % 32) for t in range(256)]
    assert all(e[0] < s["tick"] for e in elements[0::2]) and d.ask("where")["tick"] == s["tick"]
    again = {places[e[3]]["source"]["line"] for e in elements[0:128:2]}
    assert again == {line_of("cell[t * 2] += cell")}, again
    w = d.ask("last_write", address=cell["address"] + 256, size=4, space="shared", of_block=0)["write"]["write"]
    assert w["tick"] == elements[64][0], (w, elements[64])
    assert "elements" in d.refused("writers", block=0, address=0, size=1 << 20, step=4)
    d.kill()


@test
def a_fault_stops_before_the_end():
    d = subject("faulty")
    s = d.go()
    assert s["reason"] == "fault" and s["error"] == "CUDA_ERROR_ILLEGAL_ADDRESS", s
    assert s["block"] == 1 and s["thread"] == [8, 0, 0] and "st.global" in s["instruction"], s
    tick = s["tick"]
    address = s["instruction"].split("[")[1].split("]")[0]
    assert d.registers(address)[address][8] - d.registers(address)[address][0] > 1 << 40
    s = d.go("reverse_step")
    assert s["tick"] == tick - 1, s
    s = d.go()
    assert s["reason"] == "fault" and s["tick"] == tick, s
    status, out, err = d.run_to_end()
    assert status == 1 and "cudaErrorIllegalAddress" in out and err.count("CUDA_ERROR_ILLEGAL_ADDRESS") == 1, (out, err)


@test
def a_deadlock_stops_with_who_waits():
    d = subject("stuck")
    s = d.go()
    assert s["reason"] == "fault" and "bar.sync" in s["text"], s
    split = d.ask("warps")["warps"][0]["splits"][0]
    assert (split["state"], split["barrier"], split["mask"]) == ("barrier", 1, "0xffffffff"), split
    assert d.ask("frames", lane=4)["frames"][0]["function"] == mangled(d, "stuck")
    assert d.ask("last_write", space="shared", of_block=0, address=0, size=4)["found"] is False
    assert d.go("goto", tick=0)["tick"] == 0
    assert d.go()["reason"] == "fault"
    assert d.go("goto", tick=0)["tick"] == 0
    assert d.go()["reason"] == "fault"
    assert d.run_to_end()[0] == 1


@test
def watches():
    d = at_entry("raced")
    a = [x for x in d.ask("allocations")["allocations"] if x["kind"] == "device"][0]["address"]
    d.ask("break", kind="watch", address=a, size=4, when="write")
    writes = []
    for _ in range(4):
        s = d.go()
        assert s["reason"] == "watch" and "st.volatile" in s["write"]["instruction"], s
        assert s["tick"] > s["write"]["tick"], s
        writes.append((s["write"]["block"], s["write"]["warp"], int.from_bytes(bytes.fromhex(s["write"]["new"]), "little")))
    assert [w[:2] for w in writes] == [(0, 0), (0, 1), (1, 0), (1, 1)], writes
    assert [w[2] for w in writes] == [31, 94, 125, 188], writes
    assert s["write"]["lanes"] == "0xffffffff" and s["write"]["lanes_known"], s
    d.kill()


@test
def shared_memory_is_watched_in_its_block():
    d = at_entry("shared_sum")
    d.ask("break", kind="watch", space="shared", of_block=1, address=0, size=4, when="write")
    s = d.go()
    assert s["write"]["block"] == 1 and s["write"]["new"] == "00000000", s
    s = d.go()
    assert s["write"]["block"] == 1 and s["write"]["new"] == "80000000", s  # 0 + 128
    assert s["write"]["lanes"] == "0x1", s
    d.kill()


# ---- going back ----


@test
def backwards_and_forwards_are_the_same():
    d = at_entry("locked")
    ticks = {}
    for tick in (100, 777, 1500, 2000):
        s = d.go("goto", tick=tick)
        assert s["tick"] == tick, s
        ticks[tick] = (s, d.ask("warps"), d.ask("registers"))
    for tick in (1500, 100, 2000, 777):
        s = d.go("goto", tick=tick)
        again = (s, d.ask("warps"), d.ask("registers"))
        for before, now in zip(ticks[tick], again):
            before.pop("id", None), now.pop("id", None)
            assert before == now, (before, now)
    d.ask("set", stop_at_end=True)
    s = d.go()
    assert s["reason"] == "end", s
    end = s["tick"]
    assert d.go("goto", tick=5)["tick"] == 5
    s = d.go()
    assert s["reason"] == "end" and s["tick"] == end, s
    assert d.run_to_end()[1] == "locked: cudaSuccess, 128\n"


@test
def who_wrote_last():
    d = at_entry("raced")
    a = [x for x in d.ask("allocations")["allocations"] if x["kind"] == "device"][0]["address"]
    assert d.ask("last_write", address=a, size=4)["found"] is False
    d.ask("set", stop_at_end=True)
    assert d.go()["reason"] == "end"
    w = d.ask("last_write", address=a, size=4)["write"]
    assert (w["write"]["block"], w["write"]["warp"]) == (1, 1), w
    assert w["write"]["new"] == (188).to_bytes(4, "little").hex(), w
    s = d.go("last_write", address=a, size=4, go=True)
    assert s["reason"] == "watch" and s["tick"] == w["write"]["tick"] and s["block"] == 1, s
    assert d.memory(a, 4) == (125).to_bytes(4, "little")
    assert d.ask("last_write", address=a, size=4)["write"]["write"]["warp"] == 0
    d.ask("set", stop_at_end=False)
    assert d.run_to_end()[1] == "raced: cudaSuccess, 188\n"


@test
def reverse_continue_finds_the_last_stop():
    d = at_entry("loops", "30")
    name, index = index_of(d, "loops", "mad")
    d.ask("set", stop_at_end=True)
    d.go()
    d.ask("break", kind="instruction", function=name, index=index)
    first = d.go("reverse_continue")
    assert first["reason"] == "breakpoint" and (first["block"], first["warp"]) == (1, 3), first
    second = d.go("reverse_continue")
    assert second["tick"] < first["tick"], (first, second)
    assert d.go()["tick"] == first["tick"]
    assert d.ask("stops")["stops"][0]["hits"] == 1
    d.ask("delete", stop=2)
    assert d.go("reverse_continue")["reason"] == "begin"
    d.kill()


@test
def reverse_continue_finds_all_stops():
    d = at_entry("loops", "300000")  # more than one window of ticks
    d.ask("set", stop_at_end=True)
    d.go()
    d.ask("break", kind="instruction", function=mangled(d, "loops"), index=0)
    seen = []
    while True:
        s = d.go("reverse_continue")
        if s["reason"] != "breakpoint":
            break
        seen.append((s["block"], s["warp"]))
    assert s["reason"] == "begin" and s["tick"] == 0, s
    assert seen == [(b, w) for b in (1, 0) for w in (3, 2, 1, 0)], seen
    d.kill()


@test
def reverse_steps():
    d = at_entry("parts")
    name, index = index_of(d, "parts", "st.global")
    d.ask("break", kind="instruction", function=name, index=index, temporary=True)
    at = d.go()
    back = d.go("reverse_step", lanes=1)
    assert back["tick"] < at["tick"] and back["warp"] == at["warp"], back
    assert d.go("step", lanes=1)["tick"] == at["tick"]
    line = d.go("reverse_step", by="line", over=True, lanes=2)
    assert line["source"]["line"] <= line_of("out[i] = v;") and line["depth"] == 0, line
    d.kill()


@test
def text_is_printed_once():
    d = at_entry("says")
    d.ask("set", stop_at_end=True)
    s = d.go()
    assert s["reason"] == "end"
    d.go("goto", tick=3)
    s = d.go()
    assert s["reason"] == "end", s
    s = d.go()
    assert s["reason"] == "end" and s["tick"] > 0, s
    status, out, err = d.run_to_end()
    want = "thread 0 of block 0\nthread 1 of block 0\n" * 2 + "says: cudaSuccess, 2\n"
    assert out == want, out


@test
def what_cannot_be_gone_back_in():
    d = at_entry("heaped")
    d.ask("set", stop_at_end=True)
    d.go()
    assert "heap" in d.refused("goto", tick=0)
    assert d.run_to_end()[0] == 0
    d = at_entry("loops", "10", LOCKSTEP_DEBUG_MEMORY="1K")
    assert d.go("step")["tick"] == 1
    assert "LOCKSTEP_DEBUG_MEMORY" in d.refused("goto", tick=0)
    assert d.run_to_end()[0] == 0
    d = subject("says")  # two launches: the first is not kept, the second is
    d.ask("set", record="stops")
    d.ask("interrupt")
    assert d.go()["reason"] == "interrupt"
    assert d.go("step")["tick"] == 1
    assert "record" in d.refused("goto", tick=0)
    assert d.refused("set", record="some")
    d.ask("break", kind="entry")
    assert d.go()["tick"] == 0
    assert d.go("step")["tick"] == 1
    assert d.go("goto", tick=0)["tick"] == 0
    d.kill()


@test
def grids_that_kernels_launch():
    d = Debugger([compiled(os.path.join(sources, "examples/nestedHelloWorld.cu"), "-rdc=true", "-lcudadevrt")], lib)
    d.ask("break", kind="entry")
    depths, ids, ticks = [], [], []
    for _ in range(4):
        s = d.go()
        launch = d.ask("launch")
        depths.append(launch["depth"]), ids.append(launch["launch"]), ticks.append(s["tick"])
    assert depths == [0, 1, 2, 3] and len(set(ids)) == 4 and ticks == sorted(set(ticks)), (depths, ids, ticks)
    s = d.go("goto", tick=1)
    assert d.ask("launch")["depth"] == 0
    assert d.go()["tick"] == ticks[1]
    assert d.ask("launch")["launch"] == ids[1]
    d.ask("delete", stop=1)
    status, out, err = d.run_to_end()
    assert status == 0 and out.count("Hello World") == 15, out


@test
def watches_backwards():
    d = at_entry("raced")
    a = [x for x in d.ask("allocations")["allocations"] if x["kind"] == "device"][0]["address"]
    d.ask("set", stop_at_end=True)
    d.ask("break", kind="watch", address=a, size=4, ignore=100)
    d.go()
    for value, new in ((125, 188), (94, 125), (31, 94), (0, 31)):
        s = d.go("reverse_continue")
        assert s["reason"] == "watch" and s["tick"] == s["write"]["tick"], s
        assert d.memory(a, 4) == value.to_bytes(4, "little")
        assert s["write"]["new"] == new.to_bytes(4, "little").hex(), s
    assert d.go("reverse_continue")["reason"] == "begin"
    d.kill()


@test
def a_kernel_that_reads_a_clock():
    d = at_entry("timed")
    d.ask("set", stop_at_end=True)
    end = d.go()["tick"]
    seen = []
    for tick in (end - 3, 20, end - 3):
        s = d.go("goto", tick=tick)
        seen.append((s["index"], d.ask("registers")["registers"]))
    assert seen[0] == seen[2] and seen[0] != seen[1]
    assert d.go("reverse_step")["tick"] == end - 4
    assert d.go()["tick"] == end
    assert d.run_to_end()[1].startswith("timed: cudaSuccess")


@test
def variables():
    d = at_entry("timed")
    name, index = index_of(d, "timed", "st.global")
    d.ask("break", kind="instruction", function=name, index=index)
    d.go()
    at = index_of(d, "timed", "__local_depot")
    text = d.ask("instruction", module=1, function=at[0], index=at[1])["instruction"]
    v = d.ask("variable", name=text.split(", ")[1].rstrip(";"))
    assert v["space"] == "local" and v["size"] == 32, v
    mine = [int.from_bytes(d.memory(int(v["address"], 16) + 4 * k, 4, "local", lane=5), "little") for k in range(8)]
    assert sorted(mine) == [k + 5 for k in range(8)], mine
    p = d.ask("variable", name=name + "_param_0")
    assert p["space"] == "param" and p["address"] == "0x0" and p["size"] == 8, p
    g = d.ask("variable", name="flag")
    assert g["space"] == "global" and g["size"] == 4 and d.memory(g["address"], 4) == b"\0\0\0\0", g
    assert "variable" in d.refused("variable", name="nothing")
    assert d.ask("specials", names=["%lanemask_lt"])["%lanemask_lt"] == [(1 << k) - 1 for k in range(32)]
    assert d.refused("specials", names=["%clock"])
    d.kill()
    d = at_entry("shared_sum")
    shared = [f for f in d.ask("text", module=1)["text"].split() if f.startswith("_ZZ10shared_sumPiE4cell")]
    v = d.ask("variable", name=shared[0].split("[")[0].rstrip(";"))
    assert v["space"] == "shared" and v["size"] == 2048, v
    d.kill()


@test
def blocks_that_wait_for_others():
    d = at_entry("waits")
    name, index = index_of(d, "waits", "exch")
    d.ask("break", kind="instruction", function=name, index=index)
    s = d.go()
    assert s["block"] == 1 and s["mask"] == "0x1", s
    blocks = d.ask("blocks")
    assert sorted(b["block"] for b in blocks["resident"]) == [0, 1], blocks
    assert (blocks["begun"], blocks["ended"], blocks["blocks"]) == (2, 0, 2), blocks
    warps = d.ask("warps", block=0)["warps"]
    states = {x["state"]: x for x in warps[0]["splits"]}
    assert "atom" in states["ready"]["instruction"] or "setp" in states["ready"]["instruction"], warps
    assert warps[1]["splits"][0]["state"] == "barrier", warps
    assert d.ask("registers", block=0, warp=1, lane=3)["function"] == name
    tick = s["tick"]
    assert d.go("goto", tick=tick // 2)["tick"] == tick // 2
    assert d.go()["tick"] == tick
    d.ask("delete", stop=2)
    assert d.run_to_end()[1] == "waits: cudaSuccess, 64\n"


@test
def lanes_of_a_stop():
    d = at_entry("parts")
    assert d.hello["device"]["id"] == "h200" and d.hello["devices"] == 1, d.hello
    name, index = index_of(d, "parts", "bra")
    d.ask("break", kind="instruction", function=name, index=index,
          condition=[["special", "%laneid"], ["const", "u32", 30], ["ge", "u32"]])
    s = d.go()
    assert s["lanes"] == "0xc0000000" and s["mask"] == "0xffffffff" and s["active"] in ("0x55555555", "0xaaaaaaaa"), s
    d.kill()


# ---- the two sides ----


@test
def hostile_messages():
    d = subject("parts")
    for line in (b"{", b"[1]", b"null", b'"x"', b"\xff\xfe", b'{"cmd":', b'{"cmd":1}', b'{"cmd":"no such"}', b"{}",
                 b'{"cmd":"read"}', b'{"cmd":"break"}', b'{"cmd":"break","kind":"watch"}', b'{"a":1,"a":2}',
                 b'{"cmd":"break","kind":"instruction"}', b'{"cmd":"goto","tick":1}', b'{"cmd":"step"}',
                 b'{"cmd":"delete","stop":-1}', b'{"cmd":"text","module":7}', b'{"cmd":"registers"}',
                 b'{"cmd":"write","address":"0xffffffffffffffff","data":"0"}', b"[" * 100000,
                 b'{"cmd":"break","kind":"watch","address":1e99}', b'{"cmd":"read","address":0,"size":1e18}',
                 b'{"cmd":"break","kind":"watch","address":0,"size":100}', b'{"cmd":"' + b"x" * 100000 + b'"}'):
        d.send_raw(line + b"\n")
        answer = d.receive()
        assert answer["ok"] is False and answer["error"], (line[:60], answer)
    d.send_raw(b"x" * (3 << 20) + b"\n")
    assert "1048576" in d.receive()["error"]
    d.send_raw(b'{"cmd":"status"}\n' * 3000)
    for _ in range(3000):
        assert d.receive()["ok"]
    assert d.run_to_end()[0] == 0


@test
def hostile_messages_in_a_launch():
    d = at_entry("parts")
    for words in ({"cmd": "registers", "warp": 99}, {"cmd": "registers", "block": 1 << 60}, {"cmd": "frames", "lane": 32},
                  {"cmd": "registers", "frame": 3}, {"cmd": "registers", "names": [1]}, {"cmd": "warps", "block": "x"},
                  {"cmd": "step", "by": "magic"}, {"cmd": "step", "lanes": 0}, {"cmd": "step", "by": "ranges"},
                  {"cmd": "step", "by": "ranges", "ranges": [1]}, {"cmd": "step", "count": 0}, {"cmd": "goto"},
                  {"cmd": "evaluate"}, {"cmd": "evaluate", "code": []}, {"cmd": "evaluate", "code": [[]] * 10},
                  {"cmd": "evaluate", "code": [["const", "s32", 1]] * 300}, {"cmd": "evaluate", "code": [["load", "x", "s32"]]},
                  {"cmd": "evaluate", "code": [["const", "s32", 1]] * 40}, {"cmd": "evaluate", "code": [["not", "f32"]]},
                  {"cmd": "set_register", "name": "%r1"}, {"cmd": "last_write"}, {"cmd": "goto", "tick": 0},
                  {"cmd": "last_write", "address": 0, "size": 0}, {"cmd": "evaluate", "code": [["special", "%clock"]]}):
        assert d.refused(words.pop("cmd"), **words)
    assert d.run_to_end()[1] == "parts: cudaSuccess, 8256\n"


@test
def interrupted_while_it_runs():
    d = at_entry("loops", "100000000")
    d.ask("continue")
    assert d.refused("registers") == "the program runs: interrupt it first"
    assert d.ask("status")["stopped"] is False
    d.ask("interrupt")
    s = d.wait("stop")
    assert s["reason"] == "interrupt" and s["tick"] > 0, s
    d.kill()


@test
def a_kernel_that_never_ends():
    d = subject("hangs")
    d.ask("continue")
    time.sleep(0.1)
    d.ask("interrupt")
    s = d.wait("stop")
    assert s["reason"] == "interrupt", s
    a = [x for x in d.ask("allocations")["allocations"] if x["kind"] == "device"][0]["address"]
    assert d.go("goto", tick=s["tick"] - 5)["tick"] == s["tick"] - 5
    d.ask("write", address=a, data="01000000")
    assert d.run_to_end()[1] == "hangs: cudaSuccess, 1\n"


@test
def the_program_exits_in_a_stop():
    d = subject("hangs", "1")
    d.ask("break", kind="entry")
    assert d.go()["reason"] == "entry"
    assert d.finish()[0] == 7


@test
def a_socket_by_number():
    d = Debugger([compiled(os.path.join(sources, "tests/debug/subject.cu")), "parts"], lib, by_number=True)
    d.ask("break", kind="entry")
    assert d.go()["tick"] == 0
    assert d.run_to_end()[1] == "parts: cudaSuccess, 8256\n"


@test
def the_debugger_vanishes():
    d = at_entry("parts")
    d.socket.close()
    out, err = d.program.communicate(timeout=60)
    assert d.program.returncode == 0 and out == "parts: cudaSuccess, 8256\n", (out, err)
    d = at_entry("loops", "1000000")  # and while it runs, with stops that hold everywhere
    name, index = index_of(d, "loops", "mad")
    d.ask("break", kind="instruction", function=name, index=index, ignore=1 << 60)
    d.ask("continue")
    d.socket.close()
    d.program.communicate(timeout=60)
    assert d.program.returncode == 0


@test
def detached():
    d = at_entry("parts")
    d.ask("break", kind="divergence")
    d.ask("detach")
    status, out, err = d.finish()
    assert status == 0 and out == "parts: cudaSuccess, 8256\n", (out, err)


@test
def the_program_vanishes():
    d = at_entry("parts")
    d.program.send_signal(signal.SIGKILL)
    assert d.receive() is None
    assert d.end()[0] == -signal.SIGKILL


@test
def without_a_debugger():
    program = compiled(os.path.join(sources, "tests/debug/subject.cu"))
    env = environment_of(lib, LOCKSTEP_DEBUG="/nowhere/at/all")
    p = subprocess.run([program, "parts"], env=env, capture_output=True, text=True, timeout=60)
    assert p.returncode == 0 and p.stdout == "parts: cudaSuccess, 8256\n", p
    assert "LOCKSTEP_DEBUG=/nowhere/at/all: " in p.stderr, p.stderr


@test
def modules_are_told():
    d = subject("parts")
    d.ask("set", stop_on_module=True)
    d.ask("continue")
    event = d.wait("module")
    assert event["stopped"] and event["module"] == 1, event
    assert d.ask("modules")["modules"][0]["module"] == 1
    text = d.ask("text", module=1)["text"]
    assert ".version" in text and "parts" in text
    part = d.ask("text", module=1, **{"from": 10, "size": 20})
    assert part["text"] == text[10:30] and part["rest"] == len(text) - 30
    name, index = index_of(d, "parts", "st.global")
    d.ask("break", kind="instruction", function=name, index=index)
    assert d.go()["index"] == index
    d.kill()


def main():
    failed = 0
    for f in tests:
        if wanted and f.__name__ not in wanted:
            continue
        began = time.monotonic()
        try:
            f()
            print("%-45s ok   %5.2f s" % (f.__name__, time.monotonic() - began), flush=True)
        except Exception:
            failed += 1
            print("%-45s FAILED" % f.__name__)
            traceback.print_exc(file=sys.stdout)
    return failed


if __name__ == "__main__":
    sys.exit(main())
