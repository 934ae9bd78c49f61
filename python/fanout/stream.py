"""A program with a streaming query, for tests that kill it: `stream.py FOLDER URL`.

FOLDER has the files of the source in `in`, the checkpoint and the marks of the faults.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

SCHEMA = "id BIGINT, name STRING"


def start(spark: Any, folder: Path, url: str, source: str, **options: str) -> Any:
    """Begins the query, or continues it: a micro-batch for each file, until all are stored."""
    of = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).option("header", True).csv(str(folder / "in"))
    write = of.repartition(3, "id").writeStream.format(source).option("checkpointLocation", str(folder / "checkpoint"))
    write = write.options(url=url, table="orders", **options).trigger(availableNow=True)
    return write.start(str(folder / "marks"))


def main() -> None:
    from faulty import FaultyDataSource
    from pyspark.sql import SparkSession

    folder, url = Path(sys.argv[1]), sys.argv[2]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2,4]").appName("inrush").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "3").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark.dataSource.register(FaultyDataSource)
    start(spark, folder, url, "faulty").awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main()
