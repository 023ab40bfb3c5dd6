"""The pytest plugin: tests run on Lockstep's device, under its checks, and fail on findings.

    pytest --lockstep               all tests: pytest starts itself again under `lockstep check`
    @pytest.mark.lockstep           this test, in a process of its own; lockstep(tools="memcheck") chooses

In a process under the checks, the driver appends what it finds to a file of the session as each launch ends
(`$LOCKSTEP_SESSION/<pid>.chk`). What was appended while a test ran, up to a wait for all its work, is that test's."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile

import pytest

from lockstep import executable

INSIDE = "PYTEST_LOCKSTEP"  # set in a pytest that runs under `lockstep check`
AT = "PYTEST_LOCKSTEP_AT"  # there, a file that has the name of the test that runs


def pytest_addoption(parser):
    group = parser.getgroup("lockstep", "Lockstep, a GPU in software")
    group.addoption("--lockstep", action="store_true", help="run all tests on Lockstep's device, under its checks")
    group.addoption("--lockstep-tools", metavar="TOOL,...", default="memcheck,racecheck,synccheck",
                    help="the tools of `lockstep check` (memcheck,racecheck,synccheck)")


def pytest_configure(config):
    config.addinivalue_line("markers", "lockstep(tools=None): run this test on Lockstep's device, in a process of its own, "
                                       "and fail on findings")
    if inside():
        from lockstep import numba_links  # noqa: F401 (numba is to link by the driver, when it is imported)

        config.pluginmanager.register(Findings(os.environ.get("LOCKSTEP_SESSION", "")), "lockstep-findings")


def inside():
    return INSIDE in os.environ


def command_of_lockstep():
    if not os.access(executable(), os.X_OK):
        raise pytest.UsageError(f"the command of Lockstep is not at {executable()}: install the wheel again (docs/pytest.md)")
    return executable()


def end_of(status):
    """An exit status in words: "status 139 (signal 11, Segmentation fault)"."""
    try:
        return f"status {status} (signal {status - 128}, {signal.strsignal(status - 128)})" if status > 128 else f"status {status}"
    except ValueError:
        return f"status {status}"


def check_command(tools, json_file):
    """What stands in front of the program; the report is kept out of the way, as the tests say what was found."""
    return [command_of_lockstep(), "check", "--tool", tools, "--require-cuda-init", "no", "--check-exit-code", "no", "--no-check",
            "--destroy-on-device-error", "kernel",  # the tests behind a bad access go on
            "--log-file", os.devnull, "--json=" + json_file]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """With --lockstep: the same command line again, under the checks."""
    if not config.getoption("--lockstep") or inside():
        return None
    with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
        command = check_command(config.getoption("--lockstep-tools"), os.path.join(folder, "findings.json"))
        command += [sys.executable, "-m", "pytest", *config.invocation_params.args]
        at = os.path.join(folder, "at")
        status = subprocess.run(command, env=dict(os.environ, **{INSIDE: "all", AT: at}), check=False).returncode
        if status > max(pytest.ExitCode):
            test = read(at)
            print(f"\nlockstep: pytest ended with {end_of(status)}" + (f" while {test} ran" if test else ""), file=sys.stderr)
        return status


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


# ---- in a process under the checks ----


class Findings:
    """What the driver writes, test by test."""

    def __init__(self, session):
        self.path = os.path.join(session, f"{os.getpid()}.chk")
        self.read_to = 0

    def wait(self):
        """Until the device has done all that this process asked for. Nothing is loaded for it."""
        import ctypes

        try:
            driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        except OSError:
            return  # CUDA has not been used
        driver.cuCtxSynchronize()

    def take(self):
        """What was found since it was last asked."""
        try:
            with open(self.path, encoding="utf-8", errors="replace") as file:
                file.seek(self.read_to)
                lines = file.readlines()
                self.read_to = file.tell()
        except FileNotFoundError:
            return []
        rows = [row_of(line) for line in lines if line.endswith("\n")]
        return [row for row in rows if "kind" in row and row.get("severity", "error") == "error"]

    def pytest_runtest_logstart(self, nodeid):
        if AT in os.environ:
            with open(os.environ[AT], "w", encoding="utf-8") as file:
                file.write(nodeid)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        self.take()  # of fixtures, and of what ran between tests
        outcome = yield
        self.wait()
        found = self.take()
        if found and not outcome.excinfo:
            outcome.force_exception(Found(found))
        elif found:
            item.add_report_section("call", "lockstep", "\n".join(told(f) for f in found))


def row_of(line):
    """What a line says; one that is damaged says nothing."""
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}


class Found(Exception):
    def __init__(self, rows):
        super().__init__("\n".join(["lockstep check:", *[told(row) for row in rows]]))


def place(at):
    where = at.get("function") or at.get("kernel") or "?"
    if at.get("file"):
        where += f" in {os.path.basename(at['file'])}:{at.get('line', 0)}"
    elif at.get("ptx_line"):
        where += f" (PTX line {at['ptx_line']})"
    if at.get("thread"):
        where += f", thread {tuple(at['thread'])} of block {tuple(at.get('block', ()))}"
    return where


def told(row):
    """A finding as text."""
    lines = [f"  {row.get('title') or row['kind']}" + (f": {row['what']}" if row.get("what") else "")]
    for party in "at", "other":
        if row.get(party):
            lines.append(f"    {'and' if party == 'other' else 'at'} {place(row[party])}")
    lines += [f"    {line}" for line in row.get("detail", [])]
    return "\n".join(lines)


# ---- marked tests, in a pytest that runs outside ----


def outcome_of(item, tools):
    """Runs one test in a process of its own; its exit status, and what it said."""
    with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
        command = check_command(tools, os.path.join(folder, "findings.json"))
        command += [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", "--rootdir",
                    str(item.config.rootpath), item.nodeid]
        done = subprocess.run(command, env=dict(os.environ, **{INSIDE: "one"}), cwd=item.config.rootpath, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Instead of a marked test's function: the test under the checks."""
    mark = pyfuncitem.get_closest_marker("lockstep")
    if not mark or inside():
        return None
    tools = mark.kwargs.get("tools") or pyfuncitem.config.getoption("--lockstep-tools")
    status, said = outcome_of(pyfuncitem, tools)
    if status:
        pytest.fail(f"on Lockstep this test ended with {end_of(status)}:\n{said}", pytrace=False)
    if re.search(r"^1 skipped", said, re.MULTILINE):
        pytest.skip("skipped on Lockstep")
    return True
