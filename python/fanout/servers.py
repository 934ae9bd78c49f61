"""The servers of python/tests, by their fixtures there."""

from __future__ import annotations

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location(
    "inrush_test_servers", Path(__file__).parents[1] / "tests" / "conftest.py"
)
assert _spec and _spec.loader
_servers = importlib.util.module_from_spec(_spec)
__import__("sys").modules["inrush_test_servers"] = _servers
_spec.loader.exec_module(_servers)

Place = _servers.Place
each = _servers.each
