"""Stand-ins for what the package swebench imports beside its grading code.

Importing this module puts them in place, so that the package can be installed without its dependencies.
"""

import importlib.abc
import importlib.machinery
import sys
from types import ModuleType


class Anything(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing


class Nothing(Exception, metaclass=Anything):
    """Has whatever is asked of it, can be called, caught, decorated with and inherited from, and does nothing."""

    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        return Nothing

    def __call__(self, *args, **kwargs):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return None


class Absent(ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing


STAND_INS = "bs4 chardet datasets docker dotenv fastcore ghapi git modal requests tenacity tqdm unidiff yaml".split()


class AbsentModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes last: stands in for what the package names and is not installed."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in STAND_INS:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.append(AbsentModules())
