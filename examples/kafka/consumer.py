"""Loads the records of a topic, each exactly once, however often they are delivered.

Kafka delivers at least once: after a crash, or when a partition moves to another consumer, records come again, and two consumers may have the
same partition for a while. So each block of offsets is a part of a named job: blocks have fixed borders, and their part's name is topic,
partition and first offset. Whoever loads a block stores the same rows under the same name, and the ledger lets one of them do it.

A file stands for Kafka here: a JSON object a line, as `{"partition": 0, "offset": 7, "value": {"id": 7, "price": 1.5}}`. With a real consumer
(confluent-kafka, aiokafka) only `records` changes; commit offsets after `load_block` has returned.

    python examples/kafka/consumer.py records.jsonl --url mysql://me@localhost/shop --table orders
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import inrush


@dataclass
class Record:
    partition: int
    offset: int
    value: dict[str, Any]


def records(path: str) -> Iterator[Record]:
    """What a consumer's poll() gives, in the order of its delivery."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield Record(**json.loads(line))


def load_block(rows: list[dict[str, Any]], topic: str, partition: int, first: int, table: str, url: str) -> bool:
    """Loads the records from offset `first` on. Returns whether it was this call that did it."""
    report = inrush.load(rows, table, url, job=f"topic {topic}", part=f"{partition}-{first}")
    return not report.already_loaded


def consume(delivered: Iterator[Record], topic: str, table: str, url: str, block_size: int) -> tuple[int, int]:
    """Loads every full block. Returns how many were loaded, and how many had been loaded before."""
    blocks: dict[tuple[int, int], dict[int, dict[str, Any]]] = {}
    loaded = before = 0
    for record in delivered:
        first = record.offset - record.offset % block_size
        block = blocks.setdefault((record.partition, first), {})
        # A record that is delivered twice is one of the block.
        block[record.offset] = record.value
        if len(block) < block_size:
            continue
        rows = [block[offset] for offset in sorted(block)]
        del blocks[record.partition, first]
        if load_block(rows, topic, record.partition, first, table, url):
            loaded += 1
        else:
            before += 1
        # Here a consumer commits offset `first + block_size`, if all earlier blocks of the partition are loaded.
    return loaded, before


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="the records, a JSON object a line")
    parser.add_argument("--url", required=True, help="the server and the database")
    parser.add_argument("--table", required=True)
    parser.add_argument("--topic", default="orders")
    parser.add_argument("--block", type=int, default=500, help="offsets of a block; never change it for a topic")
    args = parser.parse_args()
    loaded, before = consume(records(args.file), args.topic, args.table, args.url, args.block)
    print(f"{loaded} blocks loaded, {before} were loaded before")
    return 0


if __name__ == "__main__":
    sys.exit(main())
