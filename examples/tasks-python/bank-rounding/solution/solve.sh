#!/bin/bash
set -euo pipefail
cd "${APP_DIR:-/app}"
cat > money/split.py <<'EOF'
def split(cents, parts):
    """Splits an amount into parts that add up to it; the first ones are a cent larger."""
    if parts < 1:
        raise ValueError(f"expected at least one part, got {parts}")
    sign = -1 if cents < 0 else 1
    each, rest = divmod(abs(cents), parts)
    return [sign * (each + (1 if index < rest else 0)) for index in range(parts)]
EOF
