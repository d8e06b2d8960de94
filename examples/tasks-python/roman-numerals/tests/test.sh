#!/bin/bash
# Runs the hidden tests against the workspace; the reward is 1 when all of them pass.
cd "${APP_DIR:-/app}" || exit 1
logs="${LOGS_DIR:-/logs}/verifier"
mkdir -p "$logs"
reward=0
if PYTHONPATH="$PWD" PYTHONDONTWRITEBYTECODE=1 python3 -m unittest discover -v -s "${TESTS_DIR:-/tests}" -p 'test_*.py'; then reward=1; fi
echo "$reward" > "$logs/reward.txt"
