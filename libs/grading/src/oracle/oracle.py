"""Asks the official harness (the package swebench, 5.0.2 or 4.1.0) for its answers, one JSON object a line on stdin and stdout.

Takes {parser, log}, {log, FAIL_TO_PASS, PASS_TO_PASS, log_parser, eval_type, model_patch}, or {folder, predictions,
dataset, run_id}; answers as gradeLog and runReport do, or {"error": NAME} where the official code raises. What the
package needs beside its grading code is replaced by stand-ins, so that it can be installed without its dependencies.
"""

import contextlib
import importlib.abc
import importlib.machinery
import io
import json
import os
import sys
import tempfile
from types import ModuleType, SimpleNamespace


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

from swebench.harness import grading, reporting  # noqa: E402
from swebench.harness.log_parsers import python as log_parsers  # noqa: E402

# 4.1.0 chooses parser and kind of judgement by repository: a row's are made those of a repository of their own.
BY_REPOSITORY = hasattr(grading, "MAP_REPO_TO_PARSER")


def parse(case):
    return {"map": list(getattr(log_parsers, case["parser"])(case["log"], None).items())}


def specification(case):
    columns = ("FAIL_TO_PASS", "PASS_TO_PASS", "log_parser", "eval_type")
    spec = SimpleNamespace(instance_id="i", **{name: case[name] for name in columns})
    if BY_REPOSITORY:
        spec.repo, spec.version = "r", "v"
        grading.MAP_REPO_TO_PARSER = {"r": getattr(log_parsers, case["log_parser"])}
        grading.MAP_REPO_VERSION_TO_SPECS = {"r": {"v": {"test_cmd": ""}}}
        grading.FAIL_ONLY_REPOS = {"r"} if case["eval_type"] == "fail_only" else set()
    return spec


def grade(case, path):
    with open(path, "w", newline="") as file:
        file.write(case["log"])
    spec = specification(case)
    statuses, found = grading.get_logs_eval(spec, path)
    prediction = {"instance_id": "i", "model_patch": case.get("model_patch", "patch")}
    report = grading.get_eval_report(spec, prediction, path, True)["i"]
    tests = report.get("tests_status")
    return {
        "found": found,
        "resolution": None if tests is None else grading.get_resolution_status(tests),
        "status_map": list(statuses.items()),
        "report": report,
    }


def run_report(case):
    """The report over a folder that holds logs/run_evaluation."""
    os.chdir(case["folder"])
    dataset = [{"instance_id": instance} for instance in case["dataset"]]
    with contextlib.redirect_stdout(io.StringIO()):
        file = reporting.make_run_report(case["predictions"], dataset, case["run_id"])
    return {"file": str(file), "text": file.read_text()}


def answer_to(case, path):
    if "parser" in case:
        return parse(case)
    return run_report(case) if "folder" in case else grade(case, path)


with tempfile.NamedTemporaryFile() as scratch:
    for line in sys.stdin:
        case = json.loads(line)
        try:
            answer = answer_to(case, scratch.name)
        except Exception as error:  # the harness counts any exception as an error of the instance
            answer = {"error": type(error).__name__}
        print(json.dumps(answer), flush=True)
