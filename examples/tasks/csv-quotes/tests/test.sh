#!/bin/bash
# Runs the hidden tests against the workspace; the reward is 1 when all of them pass.
cd "${APP_DIR:-/app}" || exit 1
logs="${LOGS_DIR:-/logs}/verifier"
mkdir -p "$logs"
reward=0
if node --test --test-reporter=spec "${TESTS_DIR:-/tests}/hidden.test.mjs"; then reward=1; fi
echo "$reward" > "$logs/reward.txt"
