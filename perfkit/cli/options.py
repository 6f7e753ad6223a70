"""Options written KEY=VALUE on the command line."""

from __future__ import annotations

from perfkit.core.errors import UsageError


def key_value(text: str) -> tuple[str, str | int | float]:
    """Key and value of one option; a value that is a number becomes one."""
    key, sign, value = text.partition("=")
    if not sign:
        raise UsageError(f"--option {text!r}: is not KEY=VALUE")
    for kind in (int, float):
        try:
            return key, kind(value)
        except ValueError:
            continue
    return key, value
