"""`inrush.load` of files: every option of a file, and hints that work when they are followed."""

from __future__ import annotations

import datetime
import decimal
import inspect
import logging
from pathlib import Path
from typing import Any

import pytest
from conftest import Place

import inrush

TABLE = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), n DECIMAL(9,2), d DATE, ok TINYINT(1))"

D = decimal.Decimal
ANN = (1, "Ann", D("1234.50"), datetime.date(2024, 5, 1), 1)

# A file's name and text, the options, and the row.
READ: dict[str, tuple[str, str | bytes, dict[str, Any], tuple[Any, ...]]] = {
    "found out": ("a.csv", "id;name;n\n1;Ann;1234.50\n", {}, (1, "Ann", D("1234.50"), None, None)),
    "delimiter": ("a.csv", "id:name\n1:Ann\n", {"delimiter": ":"}, (1, "Ann", None, None, None)),
    "a tab": ("a.csv", "id\tname\n1\tA,n\n", {"delimiter": "\t"}, (1, "A,n", None, None, None)),
    "format": ("a.txt", "id\tname\n1\tAnn\n", {"format": "tsv"}, (1, "Ann", None, None, None)),
    "quote": ("a.csv", "id,name\n1,~A,n~\n", {"quote": "~"}, (1, "A,n", None, None, None)),
    "no quote": ("a.csv", 'id,name\n1,"A\n', {"quote": ""}, (1, '"A', None, None, None)),
    "escape": ("a.csv", 'id,name\n1,"A\\"n"\n', {"escape": "\\"}, (1, 'A"n', None, None, None)),
    "comment": ("a.csv", "# a title\nid,name\n#,x\n1,Ann\n#\n", {"comment": "#"}, (1, "Ann", None, None, None)),
    "header": ("a.csv", "id,name\n1,Ann\n", {"header": True}, (1, "Ann", None, None, None)),
    "no header": ("a.csv", "1,Ann,1234.50,2024-05-01,1\n", {"header": False}, ANN),
    "null": ("a.csv", "id,name\n1,-\n", {"null": "-"}, (1, None, None, None, None)),
    "several nulls": ("a.csv", "id,name,n\n1,-,?\n", {"null": ["-", "?"]}, (1, None, None, None, None)),
    "encoding": ("a.csv", b"id,name\n1,\xe4\n", {"encoding": "latin1"}, (1, "ä", None, None, None)),
    "decimal": ("a.csv", "id;n\n1;1.234,50\n", {"decimal": ",", "thousands": "."}, (1, None, D("1234.50"), None, None)),
    "currency": ("a.csv", "id,n\n1,€ 5\n", {"currency": "€"}, (1, None, D("5.00"), None, None)),
    "percent": ("a.csv", "id,n\n1,50 %\n", {"percent": "share"}, (1, None, D("0.50"), None, None)),
    "words": ("a.csv", "id,ok\n1,ja\n", {"true": "ja", "false": ["nein"]}, (1, None, None, None, 1)),
    "date_format": ("a.csv", "id,d\n1,01.05.2024\n", {"date_format": "%d.%m.%Y"}, (1, None, None, ANN[3], None)),
    "of a field": ("a.csv", "id,d\n1,01.05.2024\n", {"date_format": {"d": "%d.%m.%Y"}}, (1, None, None, ANN[3], None)),
    "widths": ("a.txt", "id name \n1  Ann  \n", {"widths": [3, 5]}, (1, "Ann", None, None, None)),
    "the rest": ("a.txt", "id name \n1  Ann B\n", {"widths": "3,rest"}, (1, "Ann B", None, None, None)),
    "extra_fields": ("a.csv", "id,name\n1,Ann,x\n", {"extra_fields": "ignore"}, (1, "Ann", None, None, None)),
    "names": ("a.jsonl", '{"id":1,"name":"Ann","x":2}\n', {"extra_fields": "ignore"}, (1, "Ann", None, None, None)),
    "formulas": ("a.csv", "id,name\n1,Ann\n", {"formulas": "stored"}, (1, "Ann", None, None, None)),
    "missing_fields": ("a.csv", "id,name,n\n1,Ann\n", {"missing_fields": "null"}, (1, "Ann", None, None, None)),
    "skip": ("a.csv", "# a title\nid,name\n1,Ann\n", {"skip": 1}, (1, "Ann", None, None, None)),
    "skip auto": ("a.csv", "# a title\nid,name\n1,Ann\n", {"skip": "auto"}, (1, "Ann", None, None, None)),
    "limit": ("a.csv", "id,name\n1,Ann\n2,Bob\n", {"limit": 1}, (1, "Ann", None, None, None)),
    "json_path": ("a.json", '{"x": {"y": [{"id": 1}]}}', {"json_path": "x.y"}, (1, None, None, None, None)),
    "set": (
        "a.csv",
        "id,x\n1,nn\n",
        {"columns": ["id", "@x"], "set": "name=CONCAT('A', @x)"},
        (1, "Ann", None, None, None),
    ),
}


@pytest.mark.parametrize(("name", "text", "options", "want"), READ.values(), ids=READ.keys())
def test_options_of_files(
    each: Place, tmp_path: Path, name: str, text: str | bytes, options: dict[str, Any], want: tuple[Any, ...]
) -> None:
    each.sql(TABLE)
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert inrush.load(path, "t", each.url, **options).stored == 1
    assert each.rows("SELECT * FROM t") == [want]


# A file's text, the options, what the hint says, and the options that follow it.
HINTS: dict[str, tuple[str | bytes, dict[str, Any], str, dict[str, Any]]] = {
    "a header or a row": (
        "Ann,Berlin\nBob,Paris\n",
        {"columns": ["@a", "name"], "set": "id=7"},
        "`header=True` or `header=False`",
        {"header": True},
    ),
    "a title": ("# a title\nid,name\n1,Ann\n", {}, '`skip="auto"`', {"skip": "auto"}),
    "too few fields": ("id,name,n\n1,Ann\n", {}, '`missing_fields="null"`', {"missing_fields": "null"}),
    "too many fields": ("id,name\n1,Ann,x\n2,Bob\n", {}, '`extra_fields="ignore"`', {"extra_fields": "ignore"}),
    "a missing value": ("id,n\n1,NA\n", {}, '`null="NA"`', {"null": "NA"}),
    "a decimal comma": ("id;n\n1;1,50\n", {}, '`decimal=","`', {"decimal": ","}),
    "a date": ("id,d\n1,25.05.2024\n", {}, "date_format=", {"date_format": "d=%d.%m.%Y"}),
    "an encoding": (b"id,name\n1,M\xfcller\n", {}, '`encoding="auto"`', {"encoding": "auto"}),
    "a quote": ('id,name\n1,"A" b\n', {}, '`quote=""`', {"quote": ""}),
}


@pytest.mark.parametrize(("text", "options", "says", "followed"), HINTS.values(), ids=HINTS.keys())
def test_hints_work(
    each: Place, tmp_path: Path, text: str | bytes, options: dict[str, Any], says: str, followed: dict[str, Any]
) -> None:
    each.sql(TABLE)
    path = tmp_path / "a.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(inrush.Error) as raised:
        inrush.load(path, "t", each.url, **options)
    assert says in (raised.value.hint or ""), raised.value
    assert "--" not in str(raised.value), raised.value
    inrush.load(path, "t", each.url, **options, **followed)


def test_files_that_disagree_about_a_header(each: Place, tmp_path: Path) -> None:
    each.sql(TABLE)
    (tmp_path / "a.csv").write_text("name,id,d\nAnn,1,2024-05-01\nBea,2,2024-05-02\n")
    (tmp_path / "b.csv").write_text("Cid,3,2024-05-01\nDan,4,2024-05-02\n")
    with pytest.raises(inrush.ProgrammingError, match=r"a\.csv` has a header, and .*b\.csv` seems to have none"):
        inrush.load([tmp_path / "a.csv", tmp_path / "b.csv"], "t", each.url)
    assert each.rows("SELECT COUNT(*) FROM t") == [(0,)]


def test_folders_and_patterns(each: Place, tmp_path: Path) -> None:
    each.sql(TABLE)
    for n in (1, 2, 3):
        (tmp_path / f"part-{n}.csv").write_text(f"id,name\n{n},x\n")
    (tmp_path / "other.txt").write_text("id,name\n4,x\n")
    assert inrush.load(tmp_path / "part-*.csv", "t", each.url).stored == 3
    assert inrush.load(str(tmp_path / "part-[12].csv"), "t", each.url).already_loaded
    with pytest.raises(inrush.ProgrammingError, match="no file is named like"):
        inrush.load(tmp_path / "*.tsv", "t", each.url)
    assert inrush.load(tmp_path, "t", each.url).stored == 4


def test_all_files_that_are_missing_are_named(each: Place, tmp_path: Path) -> None:
    each.sql(TABLE)
    with pytest.raises(inrush.Error, match=r"(?s)one\.csv.*two\.csv"):
        inrush.load([tmp_path / "one.csv", tmp_path / "two.csv"], "t", each.url)


def test_types_of_a_new_table(place: Place, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("zip,n\n" + "01234,1\n" * 3 + "01235,x\n")
    types = (
        "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE FROM information_schema.COLUMNS "
        "WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{}'"
    )
    with pytest.raises(inrush.DataError) as raised:
        inrush.load(path, "short", place.url, create=True, sample=3)
    hint = raised.value.hint or ""
    assert '`sample="all"`' in hint and '`type="n=VARCHAR(255)"`' in hint, raised.value
    inrush.load(path, "whole", place.url, create=True, sample="all", type={"zip": "CHAR(7)"}, tight=True)
    found = {name: (ty, null) for name, ty, null in place.rows(types.format("whole"))}
    assert found == {"zip": ("char(7)", "NO"), "n": ("varchar(16)", "NO")}
    with pytest.raises(inrush.ProgrammingError, match="nosuch"):
        inrush.load(path, "made", place.url, create=True, type={"nosuch": "INT"})
    with pytest.raises(inrush.InterfaceError, match="`create`"):
        inrush.load(path, "made", place.url, tight=True)


def test_what_was_found_is_logged(each: Place, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.csv").write_text("id;name\n1;NA\n2;3\n")
    with caplog.at_level(logging.INFO, "inrush"):
        inrush.load(tmp_path / "a.csv", "t", each.url, create=True)
    said = "\n".join(record.message for record in caplog.records)
    assert "`;` between fields" in said and "`NA` is read as NULL in id, name" in said and "`tight=True`" in said, said


def test_diverted_rows_load_again(each: Place, tmp_path: Path) -> None:
    each.sql(TABLE)
    (tmp_path / "a.csv").write_text("name,id\nAnn,one\nBob,2\n")
    inrush.load(tmp_path / "a.csv", "t", each.url, bad_rows=f"divert:{tmp_path}/bad-{{file}}-{{table}}.csv")
    bad = tmp_path / "bad-a-t.csv"
    assert bad.read_text() == "name,id\nAnn,one\n"
    rows = [{"name": "Cid", "id": "three"}]
    inrush.load(rows, "t", each.url, bad_rows=f"divert:{tmp_path}/rows.csv")
    assert (tmp_path / "rows.csv").read_text() == "name,id\nCid,three\n"
    bad.write_text(bad.read_text().replace("one", "1"))
    with pytest.raises(inrush.ProgrammingError, match="is read and would be written"):
        inrush.load(bad, "t", each.url, bad_rows=f"divert:{bad}")
    assert inrush.load(bad, "t", each.url).stored == 1
    assert each.rows("SELECT id, name FROM t ORDER BY id") == [(1, "Ann"), (2, "Bob")]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"delimiter": "||"}, r"delimiter"),
        ({"format": "yaml"}, r"format='yaml'.*\"csv\""),
        ({"encoding": "utf-9"}, r"utf-9"),
        ({"header": "yes"}, r"header='yes'.*True or False"),
        ({"skip": "few"}, r"skip"),
        ({"decimal": ",,"}, r"decimal"),
        ({"percent": "half"}, r"percent='half'"),
        ({"extra_fields": "drop"}, r"extra_fields='drop'"),
        ({"limit": -1}, r"limit"),
        ({"widths": "wide"}, r"widths"),
        ({"date_format": {"born": "%d.%m.%Y"}}, r"no file has a field `born`"),
        ({"batch": 0}, r"batch"),
        ({"batch": "1GiB"}, r"batch"),
        ({"unchecked": "all"}, r"unchecked"),
        ({"max_bad": "101%"}, r"max_bad"),
    ],
)
def test_options_of_files_are_named(each: Place, tmp_path: Path, options: dict[str, Any], says: str) -> None:
    each.sql(TABLE)
    (tmp_path / "a.csv").write_text("id,name\n1,Ann\n")
    with pytest.raises(inrush.Error, match=says) as raised:
        inrush.load(tmp_path / "a.csv", "t", each.url, **options)
    assert "--" not in str(raised.value), raised.value
    assert each.rows("SELECT COUNT(*) FROM t") == [(0,)]


def test_options_without_a_meaning(each: Place, tmp_path: Path) -> None:
    each.sql(TABLE)
    with pytest.raises(inrush.InterfaceError, match="`delimiter` is about files"):
        inrush.load([(1, "Ann", 1, None, 1)], "t", each.url, delimiter=";")
    with pytest.raises(TypeError, match="'delimeter'; did you mean 'delimiter'"):
        inrush.load(tmp_path / "a.csv", "t", each.url, delimeter=";")  # type: ignore[call-arg]


def test_options_of_every_load(each: Place, tmp_path: Path) -> None:
    each.sql(TABLE)
    rows = [{"id": n, "name": "x"} for n in range(100)]
    report = inrush.load(rows, "t", each.url, batch=10, max_bad="1%", unchecked=["unique"], bad_rows="skip")
    assert (report.stored, report.chunks) == (100, 10)


@pytest.mark.parametrize(
    "options",
    [
        {"memory": 64 << 20, "rate": 10**9, "retry_for": 0.5, "lanes": 1, "batch": 10},
        {"memory": "64MiB", "rate": "50k", "retry_for": "10m", "lanes": "auto", "batch": "4MiB", "method": "auto"},
        {"memory": "1g", "rate": "1M/s", "retry_for": "0", "batch": "auto"},
    ],
)
def test_sizes_and_times_as_the_command_has_them(each: Place, options: dict[str, Any]) -> None:
    """What hints of the command say, such as `retry_for="10m"`, is taken."""
    each.sql(TABLE)
    assert inrush.load([{"id": 1}], "t", each.url, **options).stored == 1


def test_a_new_table_of_the_old_definition(place: Place, tmp_path: Path) -> None:
    place.sql("CREATE TABLE t (id SMALLINT PRIMARY KEY, name CHAR(9), KEY k (name))", "INSERT INTO t VALUES (1, 'old')")
    (tmp_path / "a.csv").write_text("id,name\n2,new\n")
    with pytest.raises(inrush.LoadError):
        inrush.load([{"id": 3}, {"id": 3}], "t", place.url, replace_table=True)
    assert place.rows("SELECT * FROM t") == [(1, "old")]
    assert inrush.load(tmp_path / "a.csv", "t", place.url, replace_table=True).stored == 1
    types = "SELECT DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 't'"
    assert place.rows("SELECT * FROM t") == [(2, "new")]
    assert sorted(place.rows(types)) == [("char",), ("smallint",)]
    # The hint for what was replaced since names what keeps the definition.
    (tmp_path / "a.csv").write_text("id,name\n9,other\n")
    with pytest.raises(inrush.Error) as raised:
        inrush.load(tmp_path / "a.csv", "t", place.url)
    assert "`replace_table=True`" in (raised.value.hint or ""), raised.value


def test_what_hands_options_on_has_them_all() -> None:
    """`LoadOptions` is the signature of `inrush.load`, so that `Connection.load` and `inrush.aio` take the same."""
    own = {name: ty.__forward_arg__ for name, ty in inrush.LoadOptions.__annotations__.items()}
    of_files = inrush.FileOptions.__annotations__.keys()
    parameters = inspect.signature(inrush.load).parameters.values()
    of_load = {one.name: one.annotation for one in parameters if one.kind is one.KEYWORD_ONLY}
    assert {name: ty for name, ty in own.items() if name not in of_files} == of_load
    documented = inspect.getdoc(inrush.load) or ""
    assert [name for name in of_load if f"\n    {name}: " not in documented] == []
