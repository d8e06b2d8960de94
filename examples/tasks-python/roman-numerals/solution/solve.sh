#!/bin/bash
set -euo pipefail
cd "${APP_DIR:-/app}"
cat > roman/numerals.py <<'EOF'
VALUES = [
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
]


def to_roman(number):
    """The numeral of a number from 1 to 3999."""
    if not 1 <= number <= 3999:
        raise ValueError(f"expected 1 to 3999, got {number}")
    text = ""
    for value, letters in VALUES:
        text += letters * (number // value)
        number %= value
    return text


def from_roman(text):
    """The number of a numeral."""
    number = 0
    for value, letters in VALUES:
        while text.startswith(letters):
            number += value
            text = text[len(letters):]
    return number
EOF
