#!/bin/bash
set -euo pipefail
cd "${APP_DIR:-/app}"
cat > globs/match.py <<'EOF'
import re


def matches(pattern, path):
    """Whether a path matches a pattern with `*`, `?` and `**` between slashes."""
    parts = re.split(r"(\*\*/|\*|\?)", pattern)
    meanings = {"**/": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]"}
    return re.fullmatch("".join(meanings.get(part, re.escape(part)) for part in parts), path) is not None
EOF
