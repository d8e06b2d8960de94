#!/usr/bin/env bash
# Checks shell scripts, YAML, workflows and the compose file: one configuration for people and CI.
# Needs shellcheck, yamllint, docker-compose, and actionlint or Go.
set -euo pipefail
cd "$(dirname "$0")/../.."

mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
shellcheck "${scripts[@]}"
yamllint --strict .
workflows=(.github/workflows/*.yml examples/consumer-workflow/*.yml)
if command -v actionlint >/dev/null; then
  actionlint "${workflows[@]}"
elif command -v go >/dev/null; then
  go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 "${workflows[@]}"
elif [[ "${CI:-}" == true ]]; then
  printf 'the workflows cannot be checked: neither actionlint nor Go is on the path\n' >&2
  exit 1
else
  printf 'NOT CHECKED: the workflows, because neither actionlint nor Go is on the path\n' >&2
fi
docker-compose config --quiet
printf 'scripts, YAML, workflows and docker-compose.yml are in order\n'
