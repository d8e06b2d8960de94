#!/bin/bash
set -euo pipefail
cd "${APP_DIR:-/app}"
cat > words/count.py <<'EOF'
import re

WORD = re.compile(r"\w+(?:['-]\w+)*")


def count_words(text):
    """Pairs of word and count, the most frequent first, then by word."""
    counts = {}
    for word in WORD.findall(text.lower()):
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
EOF
