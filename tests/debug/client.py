"""client.py - a debugger's side of the agent's protocol (docs/debug.md, "The agent"), for tests."""
import json
import os
import socket
import subprocess
import tempfile


class Refused(Exception):
    pass


def environment_of(lib, **words):
    """A program's. TEST_PRELOAD is the sanitizer's library, which must be there before ours."""
    env = dict(os.environ, LD_LIBRARY_PATH=lib, **words)
    if "TEST_PRELOAD" in env:
        env.update(LD_PRELOAD=env["TEST_PRELOAD"],
                   ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0:use_sigaltstack=0")
    return env


class Debugger:
    """A program under the agent. Every wait has a limit, so that what hangs fails."""

    def __init__(self, command, lib, environment=(), limit=60, by_number=False):
        self.env = environment_of(lib, **dict(environment))
        self.socket = self.start_by_number(command) if by_number else self.start_by_path(command, limit)
        self.socket.settimeout(limit)
        self.limit = limit
        self.rest = b""
        self.events = []
        self.last_id = 0
        self.hello = self.wait("hello")

    def start(self, command, where, **words):
        env = dict(self.env, LOCKSTEP_DEBUG=where)
        self.program = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **words)

    def start_by_path(self, command, limit):
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "agent")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen(1)
            listener.settimeout(limit)
            self.start(command, path)
            return listener.accept()[0]

    def start_by_number(self, command):
        ours, theirs = socket.socketpair()
        with theirs:
            self.start(command, str(theirs.fileno()), pass_fds=[theirs.fileno()])
        return ours

    def receive(self):
        """One message, or None at the end."""
        while b"\n" not in self.rest:
            more = self.socket.recv(1 << 20)
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def send_raw(self, data):
        self.socket.sendall(data)

    def ask(self, cmd, **words):
        """The answer; events that come before it are kept."""
        self.last_id += 1
        self.send_raw(json.dumps(dict(words, cmd=cmd, id=self.last_id)).encode() + b"\n")
        while True:
            message = self.receive()
            assert message is not None, "the agent has gone"
            if "event" in message:
                self.events.append(message)
                continue
            assert message["id"] == self.last_id, message
            if not message["ok"]:
                raise Refused(message["error"])
            return message

    def refused(self, cmd, **words):
        """The error's text."""
        try:
            answer = self.ask(cmd, **words)
        except Refused as e:
            return str(e)
        raise AssertionError("not refused: %s %s: %s" % (cmd, words, answer))

    def wait(self, name):
        """The next event of that name; those before it are dropped, but for the end."""
        while True:
            event = self.events.pop(0) if self.events else self.receive()
            assert event is not None, "the agent has gone before " + name
            if event.get("event") == name:
                return event

    def go(self, cmd="continue", **words):
        """Goes on, and gives the next stop."""
        self.ask(cmd, **words)
        return self.wait("stop")

    def run_to_end(self):
        """(status, stdout, stderr) of the program, after a last `continue`."""
        self.ask("continue")
        return self.finish()

    def finish(self):
        while self.receive() is not None:
            pass
        return self.end()

    def end(self):
        out, err = self.program.communicate(timeout=self.limit)
        self.socket.close()
        return self.program.returncode, out, err

    def kill(self):
        self.program.kill()
        self.program.communicate()
        self.socket.close()

    def registers(self, *names, **words):
        """name -> 32 numbers"""
        answer = self.ask("registers", names=list(names), **words)
        return {r["name"]: [int(x, 16) for x in r["lanes"]] for r in answer["registers"]}

    def memory(self, address, size, space="global", **words):
        return bytes.fromhex(self.ask("read", address=address, size=size, space=space, **words)["data"])
