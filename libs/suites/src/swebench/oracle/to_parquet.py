"""Reads JSON lines from standard input and writes them as a Parquet file.

usage: to_parquet.py FILE COMPRESSION ROWS_PER_GROUP [lists]

With `lists`, FAIL_TO_PASS and PASS_TO_PASS become columns of lists, as SWE-bench Multilingual has them.
"""

import json
import sys

import pyarrow
import pyarrow.parquet

file, compression, per_group, *options = sys.argv[1:]
rows = [json.loads(line) for line in sys.stdin]
if "lists" in options:
    for row in rows:
        for column in ("FAIL_TO_PASS", "PASS_TO_PASS"):
            if isinstance(row.get(column), str):
                row[column] = json.loads(row[column])
pyarrow.parquet.write_table(
    pyarrow.Table.from_pylist(rows),
    file,
    compression=compression,
    row_group_size=int(per_group),
    write_statistics=False,
)
