#!/usr/bin/env bash
# Checks shell scripts, YAML, workflows and the compose file: one configuration for people and CI.
# Needs shellcheck, yamllint, docker-compose, and actionlint or Go.
set -euo pipefail
cd "$(dirname "$0")/../.."

mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
shellcheck "${scripts[@]}"
yamllint --strict .
if command -v actionlint >/dev/null; then
  actionlint
else
  go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.7
fi
docker-compose config --quiet
printf 'scripts, YAML, workflows and docker-compose.yml are in order\n'
