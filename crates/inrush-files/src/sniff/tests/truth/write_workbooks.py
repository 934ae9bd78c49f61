"""Writes workbooks as other programs do, for truth/sheets.rs: a list of them as JSON on standard input."""

import datetime
import json
import sys


def cell(value):
    """A cell as Python has it."""
    match value:
        case {"text": text}:
            return text
        case {"day": day}:
            return datetime.date.fromisoformat(day)
        case _:
            return value


def by_openpyxl(path, rows):
    import openpyxl

    workbook = openpyxl.Workbook()
    for row in rows:
        workbook.active.append(row)
    workbook.save(path)


def by_xlsxwriter(path, rows):
    import xlsxwriter

    # Texts stay texts.
    options = {"strings_to_numbers": False, "strings_to_formulas": False, "strings_to_urls": False, "default_date_format": "yyyy-mm-dd"}
    with xlsxwriter.Workbook(path, options) as workbook:
        sheet = workbook.add_worksheet()
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)


def by_pyexcelerate(path, rows):
    import pyexcelerate

    workbook = pyexcelerate.Workbook()
    sheet = workbook.new_sheet("S", data=rows)
    # By itself it writes a day as a number.
    day = pyexcelerate.Style(format=pyexcelerate.Format("yyyy-mm-dd"))
    for number, row in enumerate(rows, start=1):
        for column, value in enumerate(row, start=1):
            if isinstance(value, datetime.date):
                sheet.set_cell_style(number, column, day)
    workbook.save(path)


WRITERS = {"openpyxl": by_openpyxl, "xlsxwriter": by_xlsxwriter, "pyexcelerate": by_pyexcelerate}

for order in json.load(sys.stdin):
    WRITERS[order["writer"]](order["path"], [[cell(value) for value in row] for row in order["rows"]])
