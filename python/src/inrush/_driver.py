"""Where the ADBC driver is: the extension is its shared library, too."""

from __future__ import annotations

import os

from . import _inrush

ENTRY_POINT = "AdbcDriverInrushInit"
"""The function that a manager calls first."""


def library() -> str:
    """The path of the shared library."""
    return _inrush.__file__


def database_options(uri: str | None, given: dict[str, str] | None) -> dict[str, str]:
    """The options of an ADBC database, with the URL among them."""
    options = dict(given or {})
    uri = uri or os.environ.get("INRUSH_URL")
    if uri:
        options.setdefault("uri", uri)
    return options


def manifest() -> str:
    """The driver as an ADBC manifest: what a manager of any language finds it by, as `inrush`."""
    return (
        "manifest_version = 1\n"
        'name = "inrush"\n'
        f'version = "{_inrush.VERSION}"\n'
        'publisher = "inrush"\n'
        'license = "MIT OR Apache-2.0"\n\n'
        "[ADBC]\n"
        'version = "v1.1.0"\n\n'
        "[Driver]\n"
        f'entrypoint = "{ENTRY_POINT}"\n'
        f"shared = {_quoted(library())}\n"
    )


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
