#!/usr/bin/env python3
"""test_plugin.py [BUILD]: what the pytest plugin says of what goes wrong: a test that a signal ends, a tool that there is not, no command.
The plugin is that of an installed wheel, or with BUILD that of the source tree on the programs of the build. Ends with 77 where
there is no pytest."""
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

if importlib.util.find_spec("pytest") is None:
    print("there is no pytest: nothing was tried")
    sys.exit(77)
failed = []
for name in [n for n in os.environ if n.startswith("LOCKSTEP_") and n != "LOCKSTEP_LLVM"]:
    del os.environ[name]
TESTS = """
import os, signal, pytest
def test_right(): pass
def test_killed(): os.kill(os.getpid(), signal.SIGKILL)
@pytest.mark.lockstep
def test_killed_alone(): os.kill(os.getpid(), signal.SIGKILL)
@pytest.mark.lockstep(tools="nonsense")
def test_tools(): pass
@pytest.mark.lockstep
def test_alone(): pass
"""


def run(*words, status, says, silent=()):
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugin, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != status:
        failed.append(f"pytest {words}: status {done.returncode}, not {status}\n{done.stdout}")
    failed.extend(f"pytest {words}: does not say {text!r}\n{done.stdout}" for text in says if text not in done.stdout)
    failed.extend(f"pytest {words}: says {text!r}\n{done.stdout}" for text in silent if text in done.stdout)


def make_package(build, folder):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "packaging", "python", "lockstep")
    shutil.copytree(source, os.path.join(folder, "lockstep"))
    open(os.path.join(folder, "lockstep", "numba_links.py"), "w").close()
    os.symlink(os.path.abspath(build), os.path.join(folder, "lockstep", "tree"))
    os.environ["PYTHONPATH"] = folder
    os.environ["PYTEST_ADDOPTS"] = "-p lockstep.pytest_plugin"


plugin = []
with tempfile.TemporaryDirectory() as folder:
    if len(sys.argv) > 1:
        make_package(sys.argv[1], folder)
    os.mkdir(os.path.join(folder, "project"))
    os.chdir(os.path.join(folder, "project"))
    with open("test_it.py", "w") as f:
        f.write(TESTS)
    run("--lockstep", "test_it.py::test_right", status=0, says=["1 passed"])
    run("--lockstep", "test_it.py", status=137, says=["lockstep: pytest ended with status 137 (signal 9, Killed) while test_it.py::test_killed ran"])
    run("--lockstep", "--lockstep-tools", "memchek", "test_it.py::test_right", status=2, says=["there is no tool 'memchek'"])
    run("test_it.py::test_alone", status=0, says=["1 passed"])
    run("test_it.py::test_killed_alone", status=1, says=["ended with status 137 (signal 9, Killed)"], silent=["pytest_plugin.py"])
    run("test_it.py::test_tools", status=1, says=["there is no tool 'nonsense'"], silent=["pytest_plugin.py"])
    if len(sys.argv) > 1:
        os.unlink(os.path.join(folder, "lockstep", "tree"))
        run("--lockstep", "test_it.py::test_right", status=4, says=["the command of Lockstep is not at"], silent=["Traceback"])
for text in failed:
    print(text, file=sys.stderr)
sys.exit(1 if failed else 0)
