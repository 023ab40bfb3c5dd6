"""test_client.py LOCKSTEP SOURCES - somebody else's client of the Debug Adapter Protocol, dap-python of PyPI, debugs a program: from
initialize to the program's end, with a breakpoint, scopes and variables, steps in both directions and a data breakpoint. Each
message of ours has to be what its types say, but where they are not the protocol's. Exit status 77: dap-python is not installed."""
import os
import subprocess
import sys
import tempfile
import time

try:
    import dap
    from dap import base, events, responses
except ImportError:
    print("dap-python is not installed: python3 -m pip install dap-python==0.5.0")
    sys.exit(77)

LIMIT = 60


class Session:
    """The adapter, and what has come from it and nobody has asked for yet."""

    def __init__(self, lockstep):
        self.adapter = subprocess.Popen([lockstep, "debug", "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        os.set_blocking(self.adapter.stdout.fileno(), False)
        self.client = dap.Client(adapter_id="lockstep", lines_start_at1=True, path_format="path")
        self.client.handler.handle_response = self.read_response
        self.client.handler.handle_event = self.read_event
        self.waiting = []

    def read_response(self, response):
        """The body of acknowledgements is optional; dap-python 0.5.0 fails without: they are taken as they are."""
        if response.success and response.body is None:
            return response
        return type(self.client.handler).handle_response(self.client.handler, response)

    def read_event(self, event):
        """The same of events; and the protocol's ids of breakpoints are numbers, which it wants to be strings."""
        event.body = {} if event.body is None else event.body
        if "hitBreakpointIds" in event.body:
            event.body["hitBreakpointIds"] = [str(k) for k in event.body["hitBreakpointIds"]]
        return type(self.client.handler).handle_event(self.client.handler, event)

    def wait_for(self, kind, is_it=lambda body: True):
        """The next body of this type; those of others stay."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            for k, body in enumerate(self.waiting):
                if isinstance(body, kind) and is_it(body):
                    return self.waiting.pop(k)
            refused = [body for body in self.waiting if isinstance(body, base.ErrorResponse)]
            assert not refused, refused
            self.adapter.stdin.write(self.client.send())
            self.adapter.stdin.flush()
            data = self.adapter.stdout.read()
            if data:
                self.waiting += self.client.receive(data)
            else:
                assert self.adapter.poll() is None, "the adapter has gone"
                time.sleep(0.005)
        raise AssertionError("no %s within %d s; there were %s" % (kind.__name__, LIMIT, self.waiting))

    def stopped(self, reason):
        body = self.wait_for(events.StoppedEvent)
        assert body.reason == reason, (body.reason, reason)
        return body.threadId

    def top(self, thread):
        self.client.stack_trace(thread)
        return self.wait_for(responses.StackTraceResponse).stackFrames[0]

    def variables(self, reference):
        self.client.variables(reference)
        return {v.name: v for v in self.wait_for(responses.VariablesResponse).variables}


def line_of(path, text):
    with open(path) as f:
        return 1 + [text in line for line in f].index(True)


def debug(lockstep, source, program):
    s = Session(lockstep)
    assert s.wait_for(responses.Initialized).supportsStepBack
    s.client.send_request("launch", {"program": program, "args": ["histogram"], "cwd": os.path.dirname(program)})
    s.wait_for(events.InitializedEvent)
    store = line_of(source, "bins[key] = old + 1")
    s.client.set_breakpoints({"path": source}, [{"line": store}])
    s.wait_for(responses.SetBreakpointsResponse)
    s.client.configuration_done()
    thread = s.stopped("breakpoint")
    frame = s.top(thread)
    assert frame.line == store and frame.name.startswith("histogram"), frame
    s.client.threads()
    assert thread in [t.id for t in s.wait_for(responses.ThreadsResponse).threads]

    s.client.scopes(frame.id)
    scopes = {scope.name: scope.variablesReference for scope in s.wait_for(responses.ScopesResponse).scopes}
    local = s.variables(scopes["Locals"])
    assert {"key", "old"} <= set(local), local
    old = local["old"].value

    s.client.next(thread)
    assert s.top(s.stopped("step")).line > store
    s.client.step_back(thread)
    frame = s.top(s.stopped("step"))
    assert frame.line == store, frame
    s.client.evaluate("old", frame_id=frame.id)
    assert s.wait_for(responses.EvaluateResponse).result == old

    s.client.data_breakpoint_info("bins[key]", frameId=frame.id)
    info = s.wait_for(responses.DataBreakpointInfoResponse)
    assert info.dataId, info
    s.client.set_data_breakpoints([{"dataId": info.dataId}])
    assert s.wait_for(responses.SetDataBreakpointsResponse).breakpoints[0].verified
    s.client.continue_(thread)
    thread = s.stopped("data breakpoint")
    s.client.set_data_breakpoints([])
    s.client.set_breakpoints({"path": source}, [])
    s.client.continue_(thread)
    assert s.wait_for(events.ExitedEvent).exitCode == 0
    s.wait_for(events.TerminatedEvent)
    s.client.disconnect()
    s.wait_for(base.Response, lambda r: r.command == "disconnect")
    assert s.adapter.wait(LIMIT) == 0


def main(lockstep, sources):
    source = os.path.join(os.path.realpath(sources), "tests/debug/tour.cu")
    with tempfile.TemporaryDirectory() as made:
        program = os.path.join(made, "tour")
        subprocess.run([lockstep, "cc", "-cudart", "shared", "-arch=sm_90", "-G", source, "-o", program], check=True)
        debug(lockstep, source, program)
    print("dap-python went from initialize to the end")


main(*sys.argv[1:])
