import re


def matches(pattern, path):
    """Whether a path matches a pattern."""
    return re.match(pattern.replace("*", ".*"), path) is not None
