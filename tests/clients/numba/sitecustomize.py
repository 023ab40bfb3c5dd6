"""Loaded by Python at its start when this folder is on PYTHONPATH: numba links by the driver's linker (cuLink...), whose input
stays PTX, and not by nvJitLink, whose output is machine code for one GPU."""
import importlib.abc
import importlib.util
import sys

DRIVER = "numba.cuda.cudadrv.driver"


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name not in (DRIVER, "numba_cuda." + DRIVER):
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module):
            import warnings

            import cuda.core._linker as linker

            warnings.filterwarnings("ignore")
            linker._nvjitlink_has_version_symbol = lambda *_: False  # "nvJitLink is too old"
            load(module)
            module._have_nvjitlink = lambda: False

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Finder())
