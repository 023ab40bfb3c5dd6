"""test_editor.py LOCKSTEP SOURCES [TEST...] - an editor debugs programs by the Debug Adapter Protocol: each test starts one, stops
in it, and says what must be there. Prints the tests that fail; the exit status is their number."""
import base64
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from editor import Editor

lockstep, sources = sys.argv[1:3]
made = tempfile.TemporaryDirectory()
os.environ["LOCKSTEP_DEVICE_MEMORY"] = "gpu"
source = os.path.join(os.path.realpath(sources), "tests/debug/subject.cu")
tour = os.path.join(os.path.realpath(sources), "tests/debug/tour.cu")
tests = []


def test(f):
    tests.append(f)
    return f


def compiled(*flags, of=source):
    program = os.path.join(made.name, os.path.basename(of)[:-3] + "".join(flags))
    if not os.path.exists(program):
        subprocess.run([lockstep, "cc", "-cudart", "shared", "-arch=sm_90", *flags, of, "-o", program], check=True)
    return program


def line_of(text, of=source):
    with open(of) as f:
        return 1 + [text in line for line in f].index(True)


def launched(*words, flags=("-G",), of=source, **options):
    e = Editor(lockstep)
    e.launch(compiled(*flags, of=of), *words, **options)
    return e


def break_at(e, *lines, of=source, **words):
    answer = e.ask("setBreakpoints", source={"path": of}, breakpoints=[dict(words, line=n) for n in lines])
    return answer["breakpoints"]


# ---- stopping, looking, stepping ----


@test
def a_breakpoint_and_what_is_there():
    e = launched("parts")
    line = line_of("out[i] = v;")
    b, = break_at(e, line)
    assert b["verified"] is False, b
    s = e.run()
    assert s["reason"] == "breakpoint" and s["hitBreakpointIds"] == [b["id"]] and s["allThreadsStopped"], s
    threads = e.ask("threads")["threads"]
    assert [t["id"] for t in threads].count(s["threadId"]) == 1 and len(threads) == 2, threads
    assert threads[0]["name"].startswith("block (0,0,0) warp 0 0xffffffff"), threads
    top = e.top(s["threadId"])
    assert top["line"] == line and top["source"]["path"] == source and "parts" in top["name"], top
    local = e.variables(e.scope(top["id"], "Locals"))
    assert local["i"]["value"] == "0" and local["v"]["value"] == "0" and local["i"]["type"] == "int", local
    arguments = e.variables(e.scope(top["id"], "Arguments"))
    assert arguments["out"]["type"] == "int *" and arguments["out"]["variablesReference"], arguments
    special = e.variables(e.scope(top["id"], "Special"))
    assert special["%tid.x"]["value"] == "0" and special["%ctaid.x"]["value"] == "0", special
    registers = e.variables(e.scope(top["id"], "Registers"))
    assert registers and all(name.startswith("%") for name in registers), registers
    name, one = sorted(registers.items())[0]
    assert len(e.variables(one["variablesReference"])) == 32
    e.ask("setBreakpoints", source={"path": source}, breakpoints=[])
    e.ask("continue", threadId=s["threadId"])
    assert e.finish() == (0, "parts: cudaSuccess, 8256\n")
    assert e.end() == 0


@test
def lanes_are_threads_if_wanted():
    e = launched("parts", threads="lanes")
    break_at(e, line_of("v = thrice(i);"))
    s = e.run()
    threads = e.ask("threads")["threads"]
    assert len(threads) == 32 and threads[3]["name"] == "thread (3,0,0)", threads
    top = e.top(threads[5]["id"])
    assert e.variables(e.scope(top["id"], "Locals"))["i"]["value"] == "5"
    assert e.end() == 0


@test
def frames_of_functions():
    e = launched("parts")
    answer = e.ask("setFunctionBreakpoints", breakpoints=[{"name": "twice"}])
    assert len(answer["breakpoints"]) == 1, answer
    s = e.run()
    assert s["reason"] == "function breakpoint", s
    answer = e.ask("stackTrace", threadId=s["threadId"])
    names = [f["name"] for f in answer["stackFrames"]]
    assert answer["totalFrames"] == 3 and [n.split("(")[0] for n in names] == ["twice", "thrice", "parts"], names
    part = e.ask("stackTrace", threadId=s["threadId"], startFrame=1, levels=1)["stackFrames"]
    assert len(part) == 1 and part[0]["line"] == line_of("int y = twice(x);"), part
    assert e.variables(e.scope(part[0]["id"], "Arguments"))["x"]["value"] == "1"
    s = e.go("stepOut", s["threadId"])
    assert e.top(s["threadId"])["name"].startswith("thrice"), e.top(s["threadId"])
    assert e.end() == 0


@test
def steps_forwards_and_backwards():
    e = launched("shared_sum")
    break_at(e, line_of("int t = threadIdx.x;"))
    s = e.run()
    thread = s["threadId"]
    lines = [e.top(thread)["line"]]
    for _ in range(2):
        s = e.go("next", thread)
        assert s["reason"] == "step", s
        lines.append(e.top(s["threadId"])["line"])
    assert lines == [line_of("int t = threadIdx.x;") + n for n in range(3)], lines
    s = e.go("stepBack", thread)
    assert s["reason"] == "step" and e.top(s["threadId"])["line"] == lines[1], s
    before = e.top(thread)["instructionPointerReference"]
    e.go("next", thread, granularity="instruction")
    after = e.top(thread)["instructionPointerReference"]
    assert int(after, 16) > int(before, 16), (before, after)
    e.go("stepBack", thread, granularity="instruction")
    assert e.top(thread)["instructionPointerReference"] == before
    assert e.end() == 0


@test
def values():
    e = launched("shared_sum")
    break_at(e, line_of("cell[t * 2] += cell"), condition="t == 3 && half == 128")
    s = e.run()
    top = e.top(s["threadId"])
    shared = e.variables(e.scope(top["id"], "Shared"))
    cell = shared["cell"]
    assert cell["indexedVariables"] == 512, cell
    part = e.variables(cell["variablesReference"], start=4, count=3)
    assert list(part) == ["[4]", "[5]", "[6]"] and part["[6]"]["value"] == "3", part
    assert e.ask("evaluate", expression="cell[6] * 2", frameId=top["id"], context="watch")["result"] == "6"
    assert e.ask("evaluate", expression="cell[6]", frameId=top["id"], context="hover", format={"hex": True})["result"] == "0x3"
    assert "nothing" in e.refused("evaluate", expression="nothing", frameId=top["id"])
    e.refused("evaluate", expression="cell[6] = 7", frameId=top["id"], context="hover")
    e.refused("evaluate", expression="((", frameId=top["id"])
    answer = e.ask("setVariable", variablesReference=cell["variablesReference"], name="[6]", value="50")
    assert answer["value"] == "50", answer
    assert e.ask("evaluate", expression="cell[6]", frameId=top["id"])["result"] == "50"
    data = e.ask("readMemory", memoryReference=cell["memoryReference"], offset=24, count=4)
    assert base64.b64decode(data["data"]) == b"\x32\0\0\0", data
    e.ask("writeMemory", memoryReference=cell["memoryReference"], offset=24, data=base64.b64encode(b"\3\0\0\0").decode())
    assert e.ask("evaluate", expression="cell[6]", frameId=top["id"])["result"] == "3"
    assert e.ask("readMemory", memoryReference="0x10", count=4)["unreadableBytes"] == 4
    assert e.ask("evaluate", expression="half = half", frameId=top["id"], context="repl")["result"] == "128"
    e.events = []
    assert e.ask("evaluate", expression="info locals", frameId=top["id"], context="repl")["result"] == ""
    said = "".join(m["body"]["output"] for m in e.events if m["event"] == "output")
    assert "half = 128" in said and "t = 3" in said, said
    e.refused("evaluate", expression="info locals", frameId=top["id"], context="watch")
    e.events = []
    e.ask("setBreakpoints", source={"path": source}, breakpoints=[])
    e.ask("continue", threadId=s["threadId"])
    assert e.finish() == (0, "shared_sum: cudaSuccess, 65280\n")
    assert e.end() == 0


@test
def structs_and_what_is_pointed_to():
    e = launched("norms", of=tour)
    break_at(e, line_of("float sum = square", tour), of=tour, condition="threadIdx.x == 3")
    s = e.run()
    top = e.top(s["threadId"])
    locals_ = e.scope(top["id"], "Locals")
    p = e.variables(locals_)["p"]
    assert p["value"] == "{x = 3, y = 2, id = {3, 0}}" and p["type"] == "point" and p["namedVariables"] == 3, p
    parts = e.variables(p["variablesReference"])
    assert parts["x"]["value"] == "3" and parts["x"]["evaluateName"] == "p.x", parts
    ids = e.variables(parts["id"]["variablesReference"])
    assert list(ids) == ["[0]", "[1]"] and ids["[0]"]["evaluateName"] == "p.id[0]", ids
    points = e.variables(e.scope(top["id"], "Arguments"))["points"]
    assert points["type"] == "const point *", points
    first = e.variables(points["variablesReference"])
    assert first["id"]["value"] == "{0, 0}" and first["id"]["evaluateName"] == "(*points).id", first
    assert e.ask("evaluate", expression=first["id"]["evaluateName"], frameId=top["id"])["result"] == "{0, 0}"
    assert e.ask("setVariable", variablesReference=p["variablesReference"], name="x", value="p.y + 0.5")["value"] == "2.5"
    assert e.ask("setVariable", variablesReference=parts["id"]["variablesReference"], name="[1]", value="7")["value"] == "7"
    assert e.variables(locals_)["p"]["value"] == "{x = 2.5, y = 2, id = {3, 7}}"
    assert "no nothing" in e.refused("setVariable", variablesReference=p["variablesReference"], name="nothing", value="1")
    assert e.refused("setVariable", variablesReference=p["variablesReference"], name="x", value="(")
    assert e.refused("setVariable", variablesReference=locals_, name="p", value="1")
    assert e.end() == 0


# ---- other stops, going back ----


@test
def data_breakpoints_and_backwards():
    e = launched("raced")
    line = line_of("*(volatile int *)sum = *(volatile int *)sum + (int)threadIdx.x;")
    break_at(e, line)
    s = e.run()
    top = e.top(s["threadId"])
    info = e.ask("dataBreakpointInfo", name="*sum", frameId=top["id"])
    assert info["dataId"] and info["accessTypes"] == ["write"], info
    assert e.ask("dataBreakpointInfo", name="3 + 4", frameId=top["id"])["dataId"] is None
    break_at(e)
    b, = e.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"]
    assert b["verified"], b
    stops = []
    for _ in range(3):
        s = e.go("continue", s["threadId"])
        assert s["reason"] == "data breakpoint" and s["hitBreakpointIds"] == [b["id"]], s
        stops.append(s["text"])
    assert "block 0 warp 0" in stops[0] and "block 0 warp 1" in stops[1] and "block 1 warp 0" in stops[2], stops
    s = e.go("reverseContinue", s["threadId"])
    assert s["reason"] == "data breakpoint" and s["text"] == stops[2], (s, stops)
    assert e.ask("evaluate", expression="*sum", frameId=e.top(s["threadId"])["id"])["result"] == "94"
    s = e.go("reverseContinue", s["threadId"])
    assert s["text"] == stops[1], (s, stops)
    e.ask("setDataBreakpoints", breakpoints=[])
    s = e.go("reverseContinue", s["threadId"])
    assert s["reason"] == "entry" and "further back" in s["description"], s
    e.ask("continue", threadId=s["threadId"])
    assert e.finish() == (0, "raced: cudaSuccess, 188\n")
    assert e.end() == 0


@test
def a_variable_of_one_thread():
    e = launched("loops", "3")
    line = line_of("x = x * 1664525 + i;")
    break_at(e, line, condition="threadIdx.x == 37 && i == 1")
    s = e.run()
    top = e.top(s["threadId"])
    before = int(e.ask("evaluate", expression="x", frameId=top["id"])["result"])
    info = e.ask("dataBreakpointInfo", variablesReference=e.scope(top["id"], "Locals"), name="x")
    break_at(e)
    b, = e.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])["breakpoints"]
    assert b["verified"] and "line" not in b, b
    s = e.go("continue", s["threadId"])
    assert "block 0 warp 1 lanes 0x20 wrote" in s["text"], s
    value = int(e.ask("evaluate", expression="x", frameId=e.top(s["threadId"])["id"])["result"])
    assert (before * 1664525 + 1 - value) % (1 << 32) == 0, (before, value)
    assert e.end() == 0


@test
def conditions_without_a_value():
    e = launched("loops", "3")
    b, = break_at(e, line_of("x = x * 1664525 + i;"), condition="nothing > 1")
    s = e.run()
    assert s["hitBreakpointIds"] == [b["id"]] and "nothing" in s["text"].split(": ", 1)[1], s
    assert e.end() == 0


@test
def from_the_end_back_to_who_wrote():
    e = launched("raced", stopAtEnd=True)
    break_at(e, line_of("*(volatile int *)sum = *(volatile int *)sum + (int)threadIdx.x;"))
    s = e.run()
    address = e.ask("evaluate", expression="sum", frameId=e.top(s["threadId"])["id"])["memoryReference"]
    break_at(e)
    s = e.go("continue", s["threadId"])
    assert "ended" in s["description"] and s["threadId"] == 1, s
    value = "*(int *)" + address
    assert e.ask("evaluate", expression=value)["result"] == "188"
    data = e.ask("dataBreakpointInfo", name=value)["dataId"]
    e.ask("setDataBreakpoints", breakpoints=[{"dataId": data}])
    s = e.go("reverseContinue")
    assert s["text"] == "block 1 warp 1 lanes 0xffffffff wrote: 125 (0x7d) became 188 (0xbc)", s
    top = e.top(s["threadId"])
    assert top["line"] == line_of("*(volatile int *)sum = *(volatile int *)sum + (int)threadIdx.x;"), top
    assert e.ask("evaluate", expression="*sum", frameId=top["id"])["result"] == "125"
    assert e.end() == 0


@test
def a_wrong_result_back_to_its_store():
    e = launched("histogram", of=tour, stopAtEnd=True)
    break_at(e, line_of("bins[key] = old + 1;", tour), of=tour)
    s = e.run()
    address = e.ask("evaluate", expression="bins", frameId=e.top(s["threadId"])["id"])["memoryReference"]
    break_at(e, of=tour)
    e.go("continue", s["threadId"])
    assert e.ask("evaluate", expression="*(int *)" + address)["result"] == "1"  # and not 8
    data = e.ask("dataBreakpointInfo", name="*(int *)" + address)["dataId"]
    e.ask("setDataBreakpoints", breakpoints=[{"dataId": data}])
    s = e.go("reverseContinue")
    assert "wrote: 0 (0x0) became 1 (0x1)" in s["text"], s
    top = e.top(s["threadId"])
    assert top["line"] == line_of("bins[key] = old + 1;", tour), top
    assert e.variables(e.scope(top["id"], "Locals"))["old"]["value"] == "0"
    lines = []
    for _ in range(2):  # to the line's beginning first
        s = e.go("stepBack", s["threadId"])
        lines.append(e.top(s["threadId"])["line"])
    assert lines == [top["line"], top["line"] - 1], lines
    assert e.end() == 0


@test
def faults():
    e = launched("faulty")
    e.ask("setExceptionBreakpoints", filters=["fault"])
    s = e.run()
    assert s["reason"] == "exception", s
    info = e.ask("exceptionInfo", threadId=s["threadId"])
    assert info["exceptionId"] == "CUDA_ERROR_ILLEGAL_ADDRESS", info
    assert e.top(s["threadId"])["line"] == line_of("out[i == 40"), e.top(s["threadId"])
    e.ask("continue", threadId=s["threadId"])
    assert e.finish()[0] == 1
    assert e.end() == 0
    e = launched("faulty")
    e.ask("setExceptionBreakpoints", filters=[])
    e.ask("configurationDone")
    assert e.finish()[0] == 1
    assert e.end() == 0


@test
def divergence_and_bank_conflicts():
    e = launched("shared_sum", flags=("-lineinfo",))
    e.ask("setExceptionBreakpoints", filters=["fault"], filterOptions=[{"filterId": "banks", "condition": "1"}])
    s = e.run()
    assert s["reason"] == "exception" and "2 passes" in s["text"], s
    assert e.ask("exceptionInfo", threadId=s["threadId"])["exceptionId"] == "banks"
    assert "filters" in e.refused("setExceptionBreakpoints", filters=["nothing"])
    e.ask("setExceptionBreakpoints", filters=["divergence"])
    s = e.go("continue", s["threadId"])
    assert s["reason"] == "exception", s
    assert e.ask("exceptionInfo", threadId=s["threadId"])["exceptionId"] == "divergence"
    assert e.end() == 0


@test
def words_of_the_console_that_go_on():
    e = launched("parts")
    break_at(e, line_of("int y = twice(x);"))
    s = e.run()
    top = e.top(s["threadId"])
    s = e.go("evaluate", s["threadId"], expression="next", frameId=top["id"], context="repl")
    assert s["reason"] == "step" and e.top(s["threadId"])["line"] == top["line"] + 1, s
    s = e.go("evaluate", s["threadId"], expression="reverse-next", frameId=e.top(s["threadId"])["id"], context="repl")
    assert s["reason"] == "step" and e.top(s["threadId"])["line"] == top["line"], s
    s = e.go("evaluate", s["threadId"], expression="finish", frameId=e.top(s["threadId"])["id"], context="repl")
    assert "parts" in e.top(s["threadId"])["name"], s
    s = e.go("evaluate", s["threadId"], expression="c", frameId=e.top(s["threadId"])["id"], context="repl")
    assert s["reason"] == "breakpoint", s
    assert e.refused("evaluate", expression="jump 3", frameId=e.top(s["threadId"])["id"], context="repl")
    assert e.end() == 0


@test
def findings_of_a_check():
    findings = os.path.join(os.path.realpath(sources), "tests/debug/findings.cu")
    e = launched("sums", of=findings)
    e.ask("setExceptionBreakpoints", filters=["racecheck"])
    s = e.run()
    assert s["reason"] == "exception" and "read after write" in s["text"] and "thread (32,0,0)" in s["text"], s
    assert e.ask("exceptionInfo", threadId=s["threadId"])["exceptionId"] == "finding"
    assert e.top(s["threadId"])["line"] == line_of("+= cell[t + 32]", findings)
    s = e.go("evaluate", s["threadId"], expression="party 2", frameId=e.top(s["threadId"])["id"], context="repl")
    assert e.top(s["threadId"])["line"] == line_of("cell[t] = t + round", findings), s
    s = e.go("evaluate", s["threadId"], expression="finding 1", frameId=e.top(s["threadId"])["id"], context="repl")
    assert "read after write" in s["text"], s
    s = e.go("continue", s["threadId"])
    assert s["reason"] == "exception" and "write after read" in s["text"], s
    s = e.go("reverseContinue", s["threadId"])
    assert "read after write" in s["text"], s
    assert e.end() == 0
    e = launched("behind", of=findings)
    e.ask("setExceptionBreakpoints", filters=["memcheck"])
    s = e.run()
    assert s["reason"] == "exception" and "Invalid __global__ write" in s["text"], s
    assert e.end() == 0
    e = launched("behind", of=findings)  # which a GPU lets pass
    e.ask("setExceptionBreakpoints", filters=["fault"])
    e.ask("configurationDone")
    assert e.finish()[0] == 0
    assert e.end() == 0


@test
def log_points_and_counts():
    e = launched("loops", "5")
    break_at(e, line_of("x = x * 1664525 + i;"), hitCondition=">= 3", condition="i == 4")
    b, = break_at(e, line_of("x = x * 1664525 + i;"), logMessage="i is {i}", condition="blockIdx.x == 0 && threadIdx.x < 32")
    e.ask("configurationDone")
    assert e.finish()[0] == 0
    said = [m["body"]["output"] for m in e.events if m["event"] == "output" and m["body"]["category"] == "console"]
    assert b["id"] and said == ["i is %d\n" % n for n in range(5)], said
    assert e.end() == 0


@test
def stops_at_entry_and_end():
    e = launched("parts", stopOnEntry=True, stopAtEnd=True)
    s = e.run()
    assert s["reason"] == "entry", s
    s = e.go("continue", s["threadId"])
    assert s["reason"] == "pause" and "ended" in s["description"], s
    assert e.ask("stackTrace", threadId=s["threadId"])["stackFrames"] == []
    assert len(e.ask("threads")["threads"]) == 1
    assert e.ask("evaluate", expression="6 * 7", context="watch")["result"] == "42"
    break_at(e, line_of("out[i] = v;"))
    s = e.go("reverseContinue", s["threadId"])
    assert s["reason"] == "breakpoint", s
    assert "block (1,0,0) warp 1" in [t["name"] for t in e.ask("threads")["threads"] if t["id"] == s["threadId"]][0]
    assert e.end() == 0


@test
def instructions():
    e = launched("parts", stopOnEntry=True)
    s = e.run()
    top = e.top(s["threadId"])
    reference = top["instructionPointerReference"]
    code = e.ask("disassemble", memoryReference=reference, instructionOffset=-2, instructionCount=60)["instructions"]
    assert len(code) == 60 and code[0]["presentationHint"] == "invalid" and code[2]["address"] == reference, code[:4]
    at = [c["address"] for c in code if "st.global" in c["instruction"] or "st.u32" in c["instruction"]][0]
    b, = e.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": at}])["breakpoints"]
    assert b["verified"], b
    s = e.go("continue", s["threadId"])
    assert s["reason"] == "instruction breakpoint", s
    assert e.top(s["threadId"])["instructionPointerReference"] == at
    assert e.end() == 0


@test
def text_of_ptx_where_there_is_no_source():
    e = launched("parts", flags=(), stopOnEntry=True)
    s = e.run()
    top = e.top(s["threadId"])
    text = e.ask("source", source=top["source"], sourceReference=top["source"]["sourceReference"])["content"]
    assert ".version" in text and top["line"] > 1, top
    line = 1 + [("st.global" in x or "st.u32" in x) for x in text.split("\n")].index(True)
    b, = e.ask("setBreakpoints", source=top["source"], breakpoints=[{"line": line}])["breakpoints"]
    assert b["verified"], b
    s = e.go("continue", s["threadId"])
    assert s["reason"] == "breakpoint" and e.top(s["threadId"])["line"] == line, (s, e.top(s["threadId"]), line)
    assert "no such" in e.refused("source", sourceReference=4000)
    assert e.end() == 0


@test
def pause():
    e = launched("hangs")
    e.ask("configurationDone")
    time.sleep(0.5)
    assert "runs" in e.refused("stackTrace", threadId=2)
    assert [t["id"] for t in e.ask("threads")["threads"]] == [1]
    e.ask("pause", threadId=1)
    s = e.wait("stopped")
    assert s["reason"] == "pause" and e.top(s["threadId"])["line"], s
    assert "still" in e.refused("pause", threadId=1)
    e.ask("continue", threadId=s["threadId"])
    b, = break_at(e, line_of("while (out[0] == 0)"))  # while it runs
    s = e.wait("stopped")
    assert s["reason"] == "breakpoint" and s["hitBreakpointIds"] == [b["id"]], (s, b)
    e.ask("terminate")
    e.wait("terminated")
    assert e.end() == 0


@test
def output_is_kept_apart():
    e = launched("says", env={"SAYS": "1"}, cwd=made.name)
    e.ask("configurationDone")
    assert e.finish() == (0, "thread 0 of block 0\nthread 1 of block 0\n" * 2 + "says: cudaSuccess, 2\n")
    assert e.end() == 0


@test
def the_manifest_says_what_is_taken():
    with open(os.path.join(sources, "tools/vscode/package.json")) as f:
        debugger, = json.load(f)["contributes"]["debuggers"]
    assert debugger["type"] == "lockstep" and debugger["args"] == ["lockstep", "debug", "--dap"], debugger
    launch = debugger["configurationAttributes"]["launch"]
    words = {name: p.get("default") for name, p in launch["properties"].items() if name not in ("program", "args", "cwd")}
    assert launch["required"] == ["program"] and set(words) == {"env", "stopOnEntry", "stopAtEnd", "threads"}, words
    for way in launch["properties"]["threads"]["enum"]:
        e = launched("parts", **dict(words, threads=way))
        e.ask("configurationDone")
        assert e.finish() == (0, "parts: cudaSuccess, 8256\n")
        assert e.end() == 0


@test
def output_without_end():
    e = Editor(lockstep)
    e.launch("/bin/sh", "-c", "while :; do echo on and on; done")
    e.ask("configurationDone")
    said = "".join(e.wait("output")["output"] for _ in range(20))
    assert said == ("on and on\n" * 2 * len(said))[:len(said)], said[:100]
    e.ask("terminate")
    e.wait("terminated")
    assert e.end() == 0


# ---- messages that are none ----


@test
def requests_at_the_wrong_time():
    e = Editor(lockstep)
    assert "initialize" in e.refused("launch", program="x")
    e.ask("initialize", adapterID="lockstep")
    assert "once" in e.refused("initialize", adapterID="lockstep")
    assert "no program" in e.refused("continue", threadId=1)
    assert "no program" in e.refused("setBreakpoints", source={"path": "x"}, breakpoints=[])
    assert "attach" in e.refused("attach")
    assert "no request" in e.refused("restartFrame", frameId=1)
    assert e.refused("launch", program="/nowhere/at/all")
    assert e.refused("launch", program=7)
    assert e.refused("launch")
    program = compiled("-G")
    for words in ({"args": "x"}, {"args": [1]}, {"env": []}, {"env": {"a=b": "c"}}, {"env": {"a": 1}}, {"cwd": 1},
                  {"threads": "all"}, {"stopOnEntry": "yes"}):
        assert e.refused("launch", program=program, **words), words
    e.ask("launch", program=program, args=["parts"], stopOnEntry=True)
    e.wait("initialized")
    assert "already" in e.refused("launch", program=program)
    assert "runs" in e.refused("next", threadId=1)
    s = e.run()
    assert "once" in e.refused("configurationDone")
    for command, words in (("stackTrace", {"threadId": 999999}), ("stackTrace", {"threadId": "x"}), ("scopes", {"frameId": 99}),
                           ("scopes", {"frameId": -1}), ("variables", {"variablesReference": 77}),
                           ("variables", {"variablesReference": 1 << 40}), ("evaluate", {}), ("evaluate", {"expression": 3}),
                           ("setBreakpoints", {}), ("setBreakpoints", {"source": 1}),
                           ("setBreakpoints", {"source": {"path": "x"}, "breakpoints": [1]}),
                           ("setBreakpoints", {"source": {"path": "x" * 5000}, "breakpoints": []}),
                           ("readMemory", {"memoryReference": "x", "count": 1}),
                           ("readMemory", {"memoryReference": "0x0", "count": 1 << 40}),
                           ("writeMemory", {"memoryReference": "shared:0x0:0:0:0", "data": "!"}),
                           ("disassemble", {"memoryReference": "0x0", "instructionCount": 1 << 30}),
                           ("next", {"threadId": 12345678}), ("exceptionInfo", {"threadId": 2})):
        assert e.refused(command, **words), command
    b = break_at(e, 1 << 30, 0)
    assert [x["verified"] for x in b] == [False, False], b
    b, = e.ask("setDataBreakpoints", breakpoints=[{"dataId": "global:0x1:900:0:0:0"}])["breakpoints"]
    assert not b["verified"], b
    assert e.top(s["threadId"])["id"]
    assert e.end() == 0


@test
def messages_that_are_none():
    e = Editor(lockstep)
    for body in (b"{", b"[]", b"3", b"", b"{}", b'{"seq": 1}', b'{"seq": "x", "type": "request", "command": "threads"}',
                 b'{"seq": 1, "type": "request", "command": 3}', b'{"seq": 1, "type": "event", "event": "x"}',
                 b"[" * 100000, b'{"seq":1,"seq":2,"type":"request","command":"threads"}', b"\xff\xfe\x00",
                 b'{"seq": 1, "type": "request", "command": "initialize", "arguments": []}',
                 b'{"seq": 99999999999999999999999, "type": "request", "command": "threads"}'):
        e.send_body(body)
        assert e.response()["success"] is False, body
    e.ask("initialize", adapterID="lockstep", nonsense={"a": [None]})
    assert e.end() == 0


@test
def headers_that_are_none():
    for header in (b"Content-Length: 99999999999999999999\r\n\r\n", b"Content-Length: -1\r\n\r\n", b"Content-Length: \r\n\r\n",
                   b"Nothing: 4\r\n\r\n{}", b"\r\n\r\n\r\n", b"x" * 10000, b"Content-Length: 9000000\r\n\r\n"):
        e = Editor(lockstep)
        e.send_raw(header)
        assert e.response()["success"] is False, header
        assert e.receive() is None
        assert e.gone() == 0, header
    e = Editor(lockstep)
    body = b'{"seq": 1, "type": "request", "command": "threads"}'
    whole = b"content-length:%d\r\nContent-Type: x\r\n\r\n%s" % (len(body), body)
    for at in range(len(whole)):
        e.send_raw(whole[at:at + 1])
    assert "initialize" in e.response()["message"]
    e.send_raw(whole * 50)
    for _ in range(50):
        assert e.response()["success"] is False
    assert e.end() == 0


def is_running(*command):
    for folder in os.listdir("/proc"):
        try:
            with open("/proc/%s/cmdline" % folder, "rb") as f:
                if f.read() == b"".join(w.encode() + b"\0" for w in command):
                    return True
        except OSError:
            pass
    return False


@test
def an_editor_that_vanishes():
    for when in ("at once", "half a message", "running", "stopped"):
        e = Editor(lockstep) if when in ("at once", "half a message") else launched("hangs", stopOnEntry=when == "stopped")
        if when == "half a message":
            e.send_raw(b"Content-Length: 100\r\n\r\n{")
        elif when == "running":
            e.ask("configurationDone")
        elif when == "stopped":
            e.run()
        while when in ("running", "stopped") and not is_running(compiled("-G"), "hangs"):
            time.sleep(0.01)  # it is being started
        e.adapter.stdin.close()
        assert e.adapter.wait(timeout=30) == 0, when
        assert not is_running(compiled("-G"), "hangs"), when


def main():
    failed = 0
    wanted = sys.argv[3:]
    for t in tests:
        if wanted and t.__name__ not in wanted:
            continue
        try:
            t()
        except Exception:
            failed += 1
            print("FAILED:", t.__name__)
            traceback.print_exc()
            sys.stdout.flush()
    print("%d of %d failed" % (failed, len(wanted) or len(tests)))
    return failed


signal.alarm(280)
sys.exit(main())
