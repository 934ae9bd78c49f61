# pyright: basic, reportMissingImports=false
"""`inrush.dask`: a DataFrame of Dask into a table, each partition once."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import inrush

if TYPE_CHECKING:
    from ._report import Report


def load(frame: Any, table: str, to: str | None = None, *, job: str | None = None, **options: Any) -> list[Report]:
    """Loads a DataFrame of Dask: each partition is a part of a named job, so a task that Dask runs again stores nothing twice.

    Args:
        frame: its partitions are computed and loaded by Dask's workers, which need `inrush`.
        table: `table` or `database.table`.
        to: a URL; None: INRUSH_URL of each worker, or its option files.
        job: a name by which a later call knows the same rows: it loads what is missing. The number of partitions must be the same
            then. Without one, rows are stored once by this call, and once more by the next.
        options: as of `inrush.load`.

    Returns:
        A report for each partition, in their order.

    Raises:
        Error: what a worker raised first; the partitions that are stored stay.
    """
    from dask.base import compute
    from dask.delayed import delayed

    parts = frame.to_delayed()
    name = job or f"dask {uuid.uuid4()}"
    # Each attempt of a task gives the same rows, so the name alone is compared: a partition need not be held in memory twice.
    given = {"if_loaded": "skip", "lanes": 1, **options}
    tasks = [
        delayed(inrush.load, pure=False)(part, table, to, job=name, part=number, parts=len(parts), **given)
        for number, part in enumerate(parts)
    ]
    return list(compute(*tasks))
