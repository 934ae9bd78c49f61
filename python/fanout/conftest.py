"""Spark's session, and the servers of the other tests. What Spark's workers need is in their environment before they start."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests"
sys.path += [str(HERE), str(TESTS)]
os.environ["PYTHONPATH"] = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(HERE)])
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"

from servers import each  # noqa: E402, F401


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    # Four attempts of each task.
    builder = SparkSession.builder.master("local[2,4]").appName("inrush")
    session = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "3").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
