#!/bin/bash
# Runs the hidden tests against the workspace; the reward is 1 when all of them ran and passed. They are counted, because
# code that ends the process early leaves exit code 0 behind.
set -o pipefail
cd "${APP_DIR:-/app}" || exit 1
tests="${TESTS_DIR:-/tests}"
logs="${LOGS_DIR:-/logs}/verifier"
mkdir -p "$logs"
export PYTHONPATH="$PWD" PYTHONDONTWRITEBYTECODE=1
expected=$(grep -c '^    def test_' "$tests/test_hidden.py")
reward=0
if python3 -m unittest discover -v -s "$tests" -p 'test_*.py' 2>&1 | tee "$logs/tests.txt"; then
  [ "$(grep '^Ran ' "$logs/tests.txt" | tail -n 1 | cut -d ' ' -f 2)" = "$expected" ] && reward=1
fi
echo "$reward" > "$logs/reward.txt"
