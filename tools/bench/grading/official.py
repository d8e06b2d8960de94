"""Grades the logs of a folder by the official package, one pass for each line on stdin.

Answers a line {"seconds": …}, and after the last pass {"answers": [[found, resolution], …]}.
"""

import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "libs/grading/src/oracle"))

import stand_ins  # noqa: F401, E402, must come before the package
from swebench.harness import grading  # noqa: E402

folder = Path(sys.argv[1])
rows = json.loads((folder / "rows.json").read_text())


def grade(index, row):
    spec = SimpleNamespace(**row)
    prediction = {"instance_id": row["instance_id"], "model_patch": "patch"}
    report = grading.get_eval_report(spec, prediction, str(folder / f"{index}.log"), True)
    tests = report[row["instance_id"]].get("tests_status")
    return [tests is not None, None if tests is None else grading.get_resolution_status(tests)]


answers = []
for _ in sys.stdin:
    started = time.perf_counter()
    answers = [grade(index, row) for index, row in enumerate(rows)]
    print(json.dumps({"seconds": time.perf_counter() - started}), flush=True)
print(json.dumps({"answers": answers}), flush=True)
