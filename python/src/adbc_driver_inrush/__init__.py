"""The ADBC driver of inrush under the name by which ADBC's clients look for drivers: `adbc_driver_<scheme>`.

polars finds it by the URL's scheme, `inrush://user@host/database`. `python -m adbc_driver_inrush` tells where the driver is, and
`python -m adbc_driver_inrush install` lets the managers of other languages find it by its name.
"""

from __future__ import annotations

from typing import Any

from inrush._driver import ENTRY_POINT, database_options, library, manifest
from inrush._inrush import VERSION as __version__

__all__ = ["__version__", "connect", "manifest"]


def connect(uri: str | None = None, db_kwargs: dict[str, str] | None = None) -> Any:
    """An `adbc_driver_manager.AdbcDatabase`: `mysql://user@host/database`; None: INRUSH_URL, or the option files."""
    import adbc_driver_manager

    return adbc_driver_manager.AdbcDatabase(
        driver=library(), entrypoint=ENTRY_POINT, **database_options(uri, db_kwargs)
    )
