//! Excel workbooks: a sheet of cells with types, bad cells, and a load that goes on.

use crate::place::{Place, Rows, everywhere};
use std::io::Write;

#[test]
fn a_sheet_makes_a_table() {
    everywhere("sheets", |place| {
        place.write("a.xlsx", workbook(&[("People", &rows(1..=3)), ("Other", "")]));
        let done = place.load("a.xlsx --into people --create-table");
        assert_eq!(done.code, 1, "{done}");
        done.says("`a.xlsx` holds 2 sheets: `People`, `Other`");
        let load =
            || place.done(&place.command("--into people --create-table --json").arg("a.xlsx#People").output().unwrap());
        let done = load();
        assert_eq!(done.code, 0, "{done}");
        let want = "1,n1 \t\n,2024-03-01|2,n2 \t\n,2024-03-02|3,n3 \t\n,2024-03-03";
        assert_eq!(place.sql("SELECT id, name, born FROM people ORDER BY id"), want);
        // It is loaded: nothing of it is stored twice.
        assert_eq!(load().code, 0);
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "3");
        place.write("a.ods", archive(&[("content.xml", "<x/>")]));
        let done = place.load("a.ods --into people");
        assert_eq!(done.code, 1, "{done}");
        done.says("hint: save it as .xlsx or CSV first");
    });
}

/// Of a sheet, and of lines of fixed width.
#[test]
fn blank_rows_of_one_column_store_nothing() {
    everywhere("blank_rows", |place| {
        let rows = "<row r='3'><c><v>10</v></c></row><row r='4'><c><v>11</v></c></row><row r='5'/><row r='7'><c><v>12</v></c></row>";
        place.write("a.xlsx", workbook(&[("S", rows)]));
        place.write("a.txt", "\n\n10\n11\n\n \n12\n");
        for (file, more) in [("a.xlsx", ""), ("a.txt", "--widths 5")] {
            place.sql("DROP TABLE IF EXISTS t; CREATE TABLE t (n INT)");
            let done = place.load(&format!("{file} --into t --no-header {more}"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{file} {more}: {done}");
            assert_eq!(place.sql("SELECT COUNT(*), SUM(n) FROM t"), "3,33", "{file} {more}");
        }
    });
}

/// As openpyxl writes them: nothing is stored until somebody says what such cells are.
#[test]
fn formulas_without_results() {
    everywhere("formulas", |place| {
        let formula = "<row><c><v>9</v></c><c><f>A2*2</f><v></v></c></row>";
        place.write("a.xlsx", workbook(&[("S", &format!("{}{formula}", rows(1..=2)))]));
        let refused = place.load("a.xlsx --into t --create-table");
        assert_eq!(refused.code, 1, "{refused}");
        refused.says("cell `B4` has a formula whose result is not in the workbook (`a.xlsx`)");
        refused.says("`soffice --headless --convert-to xlsx --outdir computed a.xlsx`");
        let done = place.load("a.xlsx --into t --create-table --formulas stored");
        assert_eq!((done.code, place.sql("SELECT name FROM t WHERE id = 9")), (0, "NULL".to_owned()), "{done}");
        // Behind the sample it stops the load.
        place.write("b.xlsx", workbook(&[("S", &format!("{}{formula}", rows(10..=20_000)))]));
        let late = place.load("b.xlsx --into t");
        assert_eq!(late.code, 2, "{late}");
        late.says("has a formula whose result is not in the workbook (`b.xlsx`)");
    });
}

/// A first row of values is no header: it was lost without a word.
#[test]
fn a_sheet_without_a_header() {
    everywhere("headless", |place| {
        let rows = "<row><c><v>1</v></c><c><v>5</v></c></row><row><c><v>2</v></c><c><v>6</v></c></row>";
        place.write("a.xlsx", workbook(&[("S", rows)]));
        let done = place.done(&place.command("a.xlsx --into t --create-table --json").output().unwrap());
        assert_eq!((done.code, place.sql("SELECT * FROM t ORDER BY c1")), (0, "1,5|2,6".to_owned()), "{done}");
        done.says("found in `a.xlsx`: no header");
        place.write("b.txt", "1   5\n2   6\n");
        let done = place.load("b.txt --into u --create-table --widths 4,rest");
        assert_eq!((done.code, place.sql("SELECT * FROM u ORDER BY c1")), (0, "1,5|2,6".to_owned()), "{done}");
    });
}

#[test]
fn bad_rows_have_their_row_and_come_back() {
    everywhere("cells", |place| {
        place.sql("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20), born DATE)");
        let bad = "<row r='9'><c t='e'><v>#N/A</v></c><c t='str'><v>x\ty</v></c></row>";
        place.write("a.xlsx", workbook(&[("People", &format!("{}{bad}", rows(1..=3)))]));
        let done = place.load("a.xlsx --into people --bad-rows divert:bad.tsv");
        assert_eq!(done.code, 4, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), MAX(born) FROM people"), "3,2024-03-03");
        assert_eq!(done.json["first_rejects"][0]["line"], 9, "{done}");
        assert_eq!(place.read("bad.tsv"), "id\tname\tborn\n#N/A\tx\\ty\n");
        place.write("bad.tsv", place.read("bad.tsv").replace("#N/A", "9"));
        // The line ends with two fields: the cell behind them is empty.
        let mut again = place.command("bad.tsv --into people --format tsv --missing-fields null --json");
        let done = place.done(&again.args(["--quote", "", "--escape", "\\"]).output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT name, born FROM people WHERE id = 9"), "x\ty,NULL");
    });
}

#[test]
fn a_load_that_stopped_goes_on() {
    everywhere("halves", |place| {
        place.sql("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20), born DATE)");
        place.sql("INSERT INTO people VALUES (6, 'in the way', NULL)");
        place.write("a.xlsx", workbook(&[("People", &rows(1..=9))]));
        let load = |place: &Place| {
            place.done(&place.command("a.xlsx --into people --batch 2 --lanes 1 --json").output().unwrap())
        };
        assert_eq!(load(place).code, 2);
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "5");
        place.sql("DELETE FROM people WHERE name = 'in the way'");
        let done = load(place);
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), SUM(id) FROM people"), "9,45");
        // Another workbook of that name is not the one whose rows are stored.
        place.write("a.xlsx", workbook(&[("People", &rows(2..=10))]));
        assert_eq!(load(place).code, 5);
    });
}

/// A header, and a row for each id: a number, a text with a tab and a line end, a day.
fn rows(ids: std::ops::RangeInclusive<u32>) -> String {
    let row = |id| {
        format!("<row><c><v>{id}</v></c><c t='str'><v>n{id} _x0009_\n</v></c><c s='1'><v>{}</v></c></row>", 45351 + id)
    };
    let names = ["id", "name", "born"].map(|name| format!("<c t='inlineStr'><is><t>{name}</t></is></c>"));
    std::iter::once(format!("<row>{}</row>", names.concat())).chain(ids.map(row)).collect()
}

/// A workbook of sheets by name and rows; style 1 is that of days.
fn workbook(sheets: &[(&str, &str)]) -> Vec<u8> {
    let (mut list, mut links, mut files) = (String::new(), String::new(), Vec::new());
    let link =
        |id: &str, kind: &str, target: &str| format!("<Relationship Id='{id}' Type='x/{kind}' Target='{target}'/>");
    for (i, (name, rows)) in sheets.iter().enumerate() {
        list += &format!("<sheet name='{name}' r:id='r{i}'/>");
        links += &link(&format!("r{i}"), "worksheet", &format!("worksheets/{i}.xml"));
        files.push((format!("xl/worksheets/{i}.xml"), format!("<worksheet><sheetData>{rows}</sheetData></worksheet>")));
    }
    links += &link("s", "styles", "styles.xml");
    let styles = "<styleSheet><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/></cellXfs></styleSheet>";
    files.push(("xl/styles.xml".into(), styles.into()));
    files.push(("xl/workbook.xml".into(), format!("<workbook><sheets>{list}</sheets></workbook>")));
    files.push(("xl/_rels/workbook.xml.rels".into(), format!("<Relationships>{links}</Relationships>")));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&name[..], &text[..])).collect();
    archive(&files)
}

fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}
