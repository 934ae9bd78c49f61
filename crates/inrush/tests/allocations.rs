//! What a row costs in allocations. One that is streamed: nothing, if what is read borrows from it, with both shells, as text and in
//! binary form, on every server. One of a batch that is bound: nothing, however it is given. To check it: nothing.
#![allow(clippy::unwrap_used)]
// An allocator that counts is one that passes everything on.
#![allow(unsafe_code)]

use arrow_array::{ArrayRef, Decimal128Array, Int64Array, RecordBatch, StringArray};
use inrush::sans_io::batch::Validator;
use inrush::sans_io::column::Rules;
use inrush::sans_io::column::{Column, ColumnType};
use inrush::sans_io::convert::{BoundRows, RowBuffer, RowReader, Rows};
use inrush::sans_io::value::{Date, DateTime};
use inrush::sans_io::wire::ServerVersion;
use inrush::{Config, FromRow, Result, TlsMode, ToRow, Value, blocking, columns, params, scalar};
use inrush_testkit::servers::{self, Server};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

#[derive(FromRow)]
struct Entry<'r> {
    id: u64,
    #[inrush(rename = "txt")]
    text: &'r str,
    day: jiff::civil::Date,
    price: &'r str,
    none: Option<i32>,
}

/// The shell's connection and the SQL, and how many allocations its rows took behind the first ones.
type Measure = fn(&Server, &str, Form) -> Result<(u64, usize)>;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Text,
    Binary,
}

#[test]
fn a_streamed_row_allocates_nothing() {
    let sql = "WITH d AS (SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6) \
               SELECT a.n + 7 * b.n AS id, REPEAT('x', a.n * b.n) AS txt, DATE'2024-02-29' AS day, 12.50 AS price, NULL AS none \
               FROM d AS a, d AS b, d AS c, d AS d1, d AS e";
    for server in servers::with_local_infile() {
        for form in [Form::Text, Form::Binary] {
            for (shell, measure) in [("blocking", blocking as Measure), ("tokio", tokio as Measure)] {
                let (n_allocations, n_rows) = measure(&server, sql, form).unwrap();
                assert_eq!((n_allocations, n_rows), (0, 7_usize.pow(5)), "{} {shell} {form:?}", server.name);
            }
        }
    }
}

/// Reads all rows and counts from row 1000 on: until then buffers find their sizes.
macro_rules! read {
    ($connection:expr, $sql:expr, $form:expr $(, $wait:tt)?) => {{
        let statement = $connection.prepare($sql)$(.$wait)??;
        let mut rows = match $form {
            Form::Text => $connection.query_iter($sql, ())$(.$wait)??,
            Form::Binary => $connection.query_iter(&statement, ())$(.$wait)??,
        };
        let (mut before, mut n_rows) = (0, 0);
        while let Some(entry) = rows.next_as::<Entry<'_>>()$(.$wait)?? {
            assert!(entry.id < 49 && entry.text.len() <= 36 && entry.none.is_none());
            assert!(entry.price == "12.50" && entry.day.day() == 29);
            n_rows += 1;
            if n_rows == 1000 {
                before = allocations();
            }
        }
        Ok((allocations() - before, n_rows))
    }};
}

fn blocking(server: &Server, sql: &str, form: Form) -> Result<(u64, usize)> {
    let mut connection = blocking::Connection::connect(config(server))?;
    read!(connection, sql, form)
}

fn tokio(server: &Server, sql: &str, form: Form) -> Result<(u64, usize)> {
    // On this thread alone, where allocations are counted.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = inrush::Connection::connect(config(server)).await?;
        read!(connection, sql, form, await)
    })
}

fn config(server: &Server) -> Config {
    let config = Config::new().with_user(&server.user).with_password(&server.password);
    config.with_host(&server.host).with_port(server.port).with_tls(TlsMode::Disabled).with_public_key_retrieval(true)
}

#[derive(ToRow)]
struct Item<'r> {
    name: &'r str,
    price: String,
    id: i64,
}

const N_ROWS: usize = 5000;

/// Binds rows to `:id`, `:name` and `:price`, or to three `?`.
#[track_caller]
fn check_bound(rows: &impl Rows, names: &[&str]) {
    let names: Vec<Box<str>> = names.iter().map(|&name| name.into()).collect();
    let bound = rows.bind(&names, 3).unwrap();
    assert_eq!(bound.n_rows(), N_ROWS);
    let mut reader = RowReader::new(&*bound, 0..N_ROWS);
    let mut values = Vec::with_capacity(3);
    let mut before = 0;
    for row in 0..N_ROWS {
        // Until then buffers find their sizes.
        if row == 1000 {
            before = allocations();
        }
        values.clear();
        bound.row(row, &mut values).unwrap();
        assert_eq!(reader.row(row).unwrap(), values);
        assert_eq!(values[0], Value::Int(row as i64));
    }
    assert_eq!(allocations() - before, 0);
}

#[test]
fn a_row_that_is_bound_allocates_nothing() {
    let ids: Vec<i64> = (0..N_ROWS as i64).collect();
    let names: Vec<String> = ids.iter().map(|id| format!("name {id}")).collect();
    let each = || ids.iter().zip(&names);
    check_bound(&each().map(|(id, name)| (*id, name, 1.5)).collect::<Vec<_>>(), &[]);
    check_bound(&each().map(|(id, name)| [Value::Int(*id), Value::Text(name), Value::Null]).collect::<Vec<_>>(), &[]);
    let named = ["id", "name", "price"];
    check_bound(
        &each().map(|(id, name)| params! { "name" => *name, "id" => *id, "price" => 1 }).collect::<Vec<_>>(),
        &named,
    );
    check_bound(&each().map(|(id, name)| Item { name, price: "1.50".to_owned(), id: *id }).collect::<Vec<_>>(), &named);
    check_bound(&columns! { name: &names, id: &ids, price: scalar(1.5) }, &named);
    let array = |array: ArrayRef| array;
    let batch = RecordBatch::try_from_iter([
        ("price", array(Arc::new(Decimal128Array::from_iter_values(ids.iter().map(|id| i128::from(*id)))))),
        ("name", array(Arc::new(StringArray::from(names.clone())))),
        ("id", array(Arc::new(Int64Array::from(ids.clone())))),
    ]);
    check_bound(&batch.unwrap(), &named);
    let mut buffer = RowBuffer::new(3);
    each().for_each(|(id, name)| buffer.push(&[Value::Int(*id), Value::Text(name), Value::Null]).unwrap());
    check_bound(&buffer, &[]);
    // What was cleared keeps its memory.
    let before = allocations();
    buffer.clear();
    each().for_each(|(id, name)| buffer.push(&[Value::Int(*id), Value::Text(name), Value::Null]).unwrap());
    assert_eq!(allocations() - before, 0);
}

#[test]
fn a_checked_row_allocates_nothing() {
    let types = ["bigint", "varchar(20)", "double", "datetime", "date", "decimal(10,2)"];
    let columns = types.map(|ty| Column::new("c", ColumnType::parse(ty)));
    let rules = Rules::utc(ServerVersion::parse("9.7.4"));
    let validator = Validator::new(&columns.each_ref().map(Some), &rules);
    let day = Date { year: 2024, month: 2, day: 29 };
    let at = DateTime { date: day, hour: 1, ..DateTime::default() };
    let rows = vec![(7, "text", 1.5, at, Value::Date(day), 2.25); 10_000];
    let bound = rows.bind(&[], columns.len()).unwrap();
    let fewer = rows[..1000].bind(&[], columns.len()).unwrap();
    let count = |rows: &dyn BoundRows| {
        let before = allocations();
        assert_eq!(validator.check(rows).unwrap().n_replaced(), 0);
        allocations() - before
    };
    assert_eq!(count(&*bound), count(&*fewer));
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    let text = std::hint::black_box(Value::Int(7).to_string());
    assert!(text == "7" && allocations() > before);
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static N_ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// How often this thread has allocated so far.
fn allocations() -> u64 {
    N_ALLOCATIONS.get()
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        N_ALLOCATIONS.set(N_ALLOCATIONS.get() + 1);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        N_ALLOCATIONS.set(N_ALLOCATIONS.get() + 1);
        // SAFETY: as above.
        unsafe { System.realloc(ptr, layout, new_size) }
    }
}
