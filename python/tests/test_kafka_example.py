"""examples/kafka: records that are delivered again, by two consumers at once and after a kill, are stored once."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

from conftest import Place

CONSUMER = Path(__file__).parents[2] / "examples" / "kafka" / "consumer.py"
OFFSETS = 3000
PARTITIONS = 2


def deliveries(path: Path, seed: int) -> Path:
    """A file in which each record is at least once: runs of offsets, each from somewhere before the last one's end."""
    dice = random.Random(seed)
    lines = []
    reached = [0] * PARTITIONS
    while min(reached) < OFFSETS:
        partition = dice.randrange(PARTITIONS)
        first = max(0, reached[partition] - dice.randrange(400))
        reached[partition] = max(reached[partition], min(OFFSETS, first + dice.randrange(1, 700)))
        for offset in range(first, reached[partition]):
            value = {"id": partition * OFFSETS + offset, "name": f"{partition}/{offset}"}
            lines.append(json.dumps({"partition": partition, "offset": offset, "value": value}))
    path.write_text("\n".join(lines) + "\n")
    return path


def consumer(place: Place, file: Path) -> subprocess.Popen[str]:
    arguments = [sys.executable, str(CONSUMER), str(file), "--url", place.url, "--table", "orders"]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def test_records_that_are_delivered_again_are_stored_once(place: Place, tmp_path: Path) -> None:
    place.sql("CREATE TABLE orders (id INT NOT NULL, name VARCHAR(20) NOT NULL)")
    files = [deliveries(tmp_path / f"{seed}.jsonl", seed) for seed in range(3)]
    killed = consumer(place, files[0])
    while place.rows("SELECT COUNT(*) FROM orders") == [(0,)]:
        pass
    killed.kill()
    killed.communicate()
    said = []
    both = [consumer(place, file) for file in files[:2]]
    for one in both:
        said.append(one.communicate()[0])
        assert one.returncode == 0
    last = consumer(place, files[2])
    said.append(last.communicate()[0])
    assert "0 blocks loaded, " in said[-1]
    everything = PARTITIONS * OFFSETS
    assert place.rows("SELECT COUNT(*), COUNT(DISTINCT id), MIN(id), MAX(id) FROM orders") == [
        (everything, everything, 0, everything - 1)
    ]
