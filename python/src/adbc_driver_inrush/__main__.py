"""Tells where the driver is, or installs its manifest."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from inrush._driver import manifest

USAGE = "usage: python -m adbc_driver_inrush [install]"


def folder() -> Path:
    """Where ADBC's managers look for manifests: of this environment, or of this user."""
    if sys.prefix != sys.base_prefix:
        return Path(sys.prefix) / "etc" / "adbc" / "drivers"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "ADBC" / "Drivers"
    config = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(config) / "adbc" / "drivers"


def main(arguments: list[str]) -> int:
    if not arguments:
        print(manifest(), end="")
        return 0
    if arguments != ["install"]:
        print(USAGE, file=sys.stderr)
        return 2
    path = folder() / "inrush.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(manifest(), encoding="utf-8")
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
