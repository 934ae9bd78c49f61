"""A bar for `progress=True`: tqdm's (a widget in a notebook), else rich's, else a line on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._report import Progress


def bar() -> tuple[Callable[[Progress], object], Callable[[], None]]:
    """What is called with the progress, and what ends it."""
    for make in (_tqdm, _rich):
        try:
            return make()
        except ImportError:
            pass
    return _line()


def _tqdm() -> tuple[Callable[[Progress], object], Callable[[], None]]:
    from tqdm.auto import tqdm  # pyright: ignore

    shown: Any = tqdm(unit="B", unit_scale=True, desc="inrush")

    def show(now: Progress) -> None:
        shown.total = now.bytes + now.left if now.left is not None else None
        shown.set_postfix_str(f"{now.stored:,} rows", refresh=False)
        shown.update(now.bytes - shown.n)

    return show, shown.close


def _rich() -> tuple[Callable[[Progress], object], Callable[[], None]]:
    from rich.progress import Progress as Rich  # pyright: ignore

    shown: Any = Rich()
    task = shown.add_task("inrush", total=None)
    shown.start()

    def show(now: Progress) -> None:
        total = now.bytes + now.left if now.left is not None else None
        shown.update(task, completed=now.bytes, total=total, description=f"inrush: {now.stored:,} rows")

    return show, shown.stop


def _line() -> tuple[Callable[[Progress], object], Callable[[], None]]:
    def show(now: Progress) -> None:
        speed = now.stored / max(now.seconds, 0.001)
        print(f"\r{now.stored:,} rows, {speed:,.0f} rows/s", end="", file=sys.stderr, flush=True)

    return show, lambda: print(file=sys.stderr)
