def split(cents, parts):
    """Splits an amount into equal parts."""
    return [cents // parts] * parts
