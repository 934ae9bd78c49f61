//! inrush's batches of rows of bench_users from memory, a transaction a batch.
//!
//! ```text
//! batch-bench blocking|async METHOD|auto tuples|columns FILE WARM_UPS LAPS      the server and the table in PEER_HOST .. PEER_TABLE
//! ```
//! `tuples` are a `Vec` of tuples, `columns` a `RecordBatch`.

mod columns;

use arrow_array::RecordBatch;
use bench_lib::{Laps, Place, Plan, Result, people};
use inrush::sans_io::convert::Rows;
use inrush::{BatchOptions, Config, Connection, Method, TlsMode, blocking};
use jiff::civil::DateTime;

type Person = people::Person<DateTime>;

struct Work {
    config: Config,
    sql: String,
    options: BatchOptions,
    plan: Plan,
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [twin, method, form, file, n_warm_ups, n_laps] = &args[..] else { return Err("see the top of main.rs".into()) };
    let place = Place::from_env()?;
    let options = match Method::parse(method, &Method::ALL)? {
        Some(method) => BatchOptions::new().with_method(method),
        None => BatchOptions::new(),
    };
    let work =
        Work { config: config(&place), sql: place.insert_sql(1), options, plan: Plan::parse(n_warm_ups, n_laps)? };
    let people = people::read(file, moment)?;
    let laps = match form.as_str() {
        "tuples" => run(twin, &work, Tuples(people))?,
        "columns" => run(twin, &work, Columns::new(&people)?)?,
        _ => return Err(format!("no form `{form}`").into()),
    };
    println!("{laps}");
    Ok(())
}

fn config(place: &Place) -> Config {
    Config::new()
        .with_host(&place.host)
        .with_port(place.port)
        .with_user(&place.user)
        .with_password(&place.password)
        .with_database(&place.database)
        .with_tls(TlsMode::Disabled)
        .with_public_key_retrieval(true)
        .with_local_infile(true)
        .with_multi_statements(true)
}

fn moment([year, month, day, hour, minute, second]: [u16; 6]) -> DateTime {
    jiff::civil::datetime(year as i16, month as i8, day as i8, hour as i8, minute as i8, second as i8, 0)
}

/// Rows in some form.
trait Form {
    type Rows<'a>: Rows
    where
        Self: 'a;

    fn n_rows(&self) -> usize;

    fn first(&self, n_rows: usize) -> Self::Rows<'_>;

    fn renumber(&mut self) -> Result<()>;
}

struct Tuples(Vec<Person>);

impl Form for Tuples {
    type Rows<'a> = &'a [Person];

    fn n_rows(&self) -> usize {
        self.0.len()
    }

    fn first(&self, n_rows: usize) -> &[Person] {
        &self.0[..n_rows]
    }

    fn renumber(&mut self) -> Result<()> {
        people::renumber(&mut self.0);
        Ok(())
    }
}

struct Columns(RecordBatch);

impl Columns {
    fn new(people: &[Person]) -> Result<Self> {
        Ok(Self(columns::of(people)?))
    }
}

impl Form for Columns {
    type Rows<'a> = RecordBatch;

    fn n_rows(&self) -> usize {
        self.0.num_rows()
    }

    fn first(&self, n_rows: usize) -> RecordBatch {
        self.0.slice(0, n_rows)
    }

    fn renumber(&mut self) -> Result<()> {
        self.0 = columns::renumber(&self.0)?;
        Ok(())
    }
}

fn run(twin: &str, work: &Work, form: impl Form) -> Result<Laps> {
    match twin {
        "blocking" => run_blocking(work, form),
        "async" => tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run_async(work, form)),
        _ => Err(format!("no twin `{twin}`").into()),
    }
}

fn run_blocking(work: &Work, mut form: impl Form) -> Result<Laps> {
    let mut connection = blocking::Connection::connect(&work.config)?;
    let insert = connection.prepare(&work.sql)?;
    let mut laps = Laps::default();
    for (is_measured, n_rows) in work.plan.batches(form.n_rows()) {
        let rows = form.first(n_rows);
        laps.start(is_measured);
        connection.transaction(|tx| tx.execute_batch_with(&insert, &rows, &work.options))?;
        laps.stop();
        drop(rows);
        form.renumber()?;
    }
    Ok(laps)
}

async fn run_async(work: &Work, mut form: impl Form) -> Result<Laps> {
    let mut connection = Connection::connect(&work.config).await?;
    let insert = connection.prepare(&work.sql).await?;
    let mut laps = Laps::default();
    for (is_measured, n_rows) in work.plan.batches(form.n_rows()) {
        let rows = form.first(n_rows);
        laps.start(is_measured);
        connection.transaction(async |tx| tx.execute_batch_with(&insert, &rows, &work.options).await).await?;
        laps.stop();
        drop(rows);
        form.renumber()?;
    }
    Ok(laps)
}
