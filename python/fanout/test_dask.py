"""`inrush.dask`: every partition once."""

from __future__ import annotations

import dask
import dask.dataframe
import pandas as pd
import pytest
from servers import Place

import inrush
import inrush.dask

ROWS = 10_000


def frame(partitions: int) -> dask.dataframe.DataFrame:
    rows = pd.DataFrame({"id": range(ROWS), "name": [f"n{n}" for n in range(ROWS)]})
    return dask.dataframe.from_pandas(rows, npartitions=partitions)


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_partitions_are_loaded_once(each: Place, scheduler: str) -> None:
    each.sql("CREATE TABLE orders (id BIGINT NOT NULL, name VARCHAR(20))")
    with dask.config.set(scheduler=scheduler):
        for _ in range(2):
            reports = inrush.dask.load(frame(4), "orders", each.url, job="orders")
            assert [report.stored for report in reports] == [ROWS // 4] * 4
        assert all(report.already_loaded for report in reports)
        with pytest.raises(inrush.Error, match="begun with 4 parts"):
            inrush.dask.load(frame(5), "orders", each.url, job="orders")
    assert each.rows("SELECT COUNT(*), COUNT(DISTINCT id) FROM orders") == [(ROWS, ROWS)]
