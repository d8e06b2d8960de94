"""Asks the official harness for its answers, one JSON object a line on stdin and stdout.

The package swebench is 5.0.2 or 4.1.0. Takes {parser, log}, {log, FAIL_TO_PASS, PASS_TO_PASS, log_parser, eval_type,
model_patch}, or {folder, predictions, dataset, run_id}; answers as gradeLog and runReport do, or {"error": NAME} where
the official code raises.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
from types import SimpleNamespace

import stand_ins  # noqa: F401, must come before the package
from swebench.harness import grading, reporting
from swebench.harness.log_parsers import python as log_parsers

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
