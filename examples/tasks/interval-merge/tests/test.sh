#!/bin/bash
# Runs the hidden tests against the workspace; the reward is 1 when all of them ran and passed. They are counted, because
# code that ends the process early lets `node --test` report success.
set -o pipefail
cd "${APP_DIR:-/app}" || exit 1
tests="${TESTS_DIR:-/tests}/hidden.test.mjs"
logs="${LOGS_DIR:-/logs}/verifier"
mkdir -p "$logs"
expected=$(grep -c '^test(' "$tests")
reward=0
if node --test --test-reporter=tap "$tests" 2>&1 | tee "$logs/tests.tap"; then
  [ "$(grep '^# pass ' "$logs/tests.tap" | tail -n 1)" = "# pass $expected" ] && reward=1
fi
echo "$reward" > "$logs/reward.txt"
