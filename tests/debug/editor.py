"""editor.py - an editor's side of the Debug Adapter Protocol, for tests."""
import json
import subprocess
import threading
import queue


class Refused(Exception):
    pass


class Editor:
    """`lockstep debug --dap`. Every wait has a limit, so that what hangs fails."""

    def __init__(self, lockstep, limit=60, **words):
        self.limit = limit
        self.adapter = subprocess.Popen([lockstep, "debug", "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, **words)
        self.messages = queue.Queue()
        self.events = []
        self.last = 0
        self.sequence = 0
        self.reader = threading.Thread(target=self.read_all, daemon=True)
        self.reader.start()

    def read_all(self):
        stream = self.adapter.stdout
        while True:
            length = None
            while True:
                line = stream.readline()
                if line in (b"", b"\r\n"):
                    break
                name, value = line.split(b":")
                assert name == b"Content-Length", line
                length = int(value)
            if not line:
                break
            self.messages.put(json.loads(stream.read(length)))
        self.messages.put(None)

    def receive(self):
        """One message, or None at the end."""
        message = self.messages.get(timeout=self.limit)
        if message is not None:
            self.sequence += 1
            assert message["seq"] == self.sequence, message
        return message

    def send_raw(self, data):
        self.adapter.stdin.write(data)
        self.adapter.stdin.flush()

    def send_body(self, body):
        self.send_raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def send(self, command, arguments=None):
        self.last += 1
        message = {"seq": self.last, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        self.send_body(json.dumps(message).encode())
        return self.last

    def response(self):
        """The next response; events that come before it are kept."""
        while True:
            message = self.receive()
            assert message is not None, "the adapter has gone"
            if message["type"] == "response":
                return message
            assert message["type"] == "event", message
            self.events.append(message)

    def ask(self, command, **arguments):
        """The body of the response."""
        number = self.send(command, arguments)
        r = self.response()
        assert r["request_seq"] == number and r["command"] == command, r
        if not r["success"]:
            raise Refused(r["body"]["error"]["format"])
        return r.get("body", {})

    def refused(self, command, **arguments):
        """The error's text."""
        try:
            body = self.ask(command, **arguments)
        except Refused as e:
            return str(e)
        raise AssertionError("not refused: %s %s: %s" % (command, arguments, body))

    def wait(self, *names):
        """The next event of one of the names; those before it are dropped, but for output."""
        kept = []
        while True:
            event = self.events.pop(0) if self.events else self.receive()
            assert event is not None, "the adapter has gone before %s; %s" % (names, kept)
            if event["event"] in names:
                self.events = kept + self.events
                return event.get("body", {})
            assert event["event"] != "terminated", "it has ended before %s; %s" % (names, kept)
            if event["event"] == "output":
                kept.append(event)

    def launch(self, program, *args, **words):
        """Up to where breakpoints may be set."""
        self.capabilities = self.ask("initialize", adapterID="lockstep", clientID="test", pathFormat="path")
        self.ask("launch", program=program, args=list(args), **words)
        self.wait("initialized")

    def run(self):
        self.ask("configurationDone")
        return self.wait("stopped")

    def go(self, command="continue", thread=1, **words):
        self.ask(command, threadId=thread, **words)
        return self.wait("stopped")

    def top(self, thread):
        return self.ask("stackTrace", threadId=thread)["stackFrames"][0]

    def scope(self, frame, name):
        """The reference of a scope's variables."""
        scopes = self.ask("scopes", frameId=frame)["scopes"]
        found = [s for s in scopes if s["name"] == name]
        assert found, (name, scopes)
        return found[0]["variablesReference"]

    def variables(self, reference, **words):
        """name -> variable"""
        return {v["name"]: v for v in self.ask("variables", variablesReference=reference, **words)["variables"]}

    def finish(self):
        """(exit code of the program, what it printed), after the session has ended of itself."""
        code = self.wait("exited")["exitCode"]
        self.wait("terminated")
        out = "".join(e["body"]["output"] for e in self.events if e["event"] == "output" and
                      e["body"].get("category") == "stdout")
        return code, out

    def end(self):
        """The adapter's exit status, after `disconnect`."""
        self.ask("disconnect")
        return self.gone()

    def gone(self):
        status = self.adapter.wait(timeout=self.limit)
        self.adapter.stdin.close()
        return status
