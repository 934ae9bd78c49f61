//! One file into two tables: by a rule, each record goes into one of them. A target of a load is a part of its source: a job, lanes and a
//! ledger of its own (ADR 23), so each goes on by itself where it was stopped.

use crate::place::{Place, everywhere};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryViewArray, RecordBatch};
use inrush::{BatchSize, Config, LoadOptions, Loader};
use inrush_core::load::ledger::{ChunkLine, Identity, Mapping};
use inrush_core::load::{Batch, FieldUse, Origin, Source, Unchanged};
use inrush_core::{Error, Result};
use inrush_files::{CsvOptions, Format, open};
use std::fmt::Write as _;
use std::sync::Arc;

/// The records of a source whose first column has this parity.
struct Part {
    all: Box<dyn Source>,
    parity: u64,
}

impl Part {
    fn of(&self, batch: Batch) -> Batch {
        let ids = batch.rows.column(0).as_binary_view();
        let id = |row| std::str::from_utf8(ids.value(row)).unwrap().parse::<u64>().unwrap();
        let kept: Vec<usize> = (0..ids.len()).filter(|&row| id(row) % 2 == self.parity).collect();
        let cells = |column: &ArrayRef| {
            let column = column.as_binary_view();
            let kept = kept.iter().map(|&row| column.is_valid(row).then(|| column.value(row)));
            Arc::new(kept.collect::<BinaryViewArray>()) as ArrayRef
        };
        let columns: Vec<ArrayRef> = batch.rows.columns().iter().map(cells).collect();
        let offsets = |all: &[u32]| kept.iter().map(|&row| all[row]).collect();
        let origin = Origin {
            record_starts: offsets(&batch.origin.record_starts),
            record_ends: offsets(&batch.origin.record_ends),
            stood: None,
            // Its text holds the other part's rows too.
            verbatim: None,
            ..batch.origin
        };
        Batch { rows: RecordBatch::try_new(batch.rows.schema(), columns).unwrap(), origin, ..batch }
    }
}

impl Source for Part {
    fn name(&self) -> &str {
        self.all.name()
    }

    fn fields(&self) -> &[String] {
        self.all.fields()
    }

    fn select(&mut self, uses: &[FieldUse]) {
        self.all.select(uses);
    }

    fn next(&mut self) -> Result<Option<Batch>, Error> {
        Ok(self.all.next()?.map(|batch| self.of(batch)))
    }

    fn identity(&mut self) -> Result<Option<Identity>, Error> {
        self.all.identity()
    }

    fn reading(&self) -> Mapping {
        self.all.reading().with("part", self.parity)
    }

    fn resume(&mut self, stored: &[ChunkLine], verify: bool) -> Result<(), Error> {
        self.all.resume(stored, verify)
    }

    fn compare(&mut self, stored: &[ChunkLine]) -> Result<bool, Error> {
        self.all.compare(stored)
    }

    fn unchanged(&self) -> Option<Arc<dyn Unchanged>> {
        self.all.unchanged()
    }
}

const TARGETS: [&str; 2] = ["even", "odd"];

/// Loads both parts side by side. With `most` a part is stopped once so many of its rows are stored. Returns the rows that each stored.
fn load(place: &Place, most: Option<u64>) -> [u64; 2] {
    let parts = [0, 1].map(|parity| {
        let options = CsvOptions::default().with_batch_rows(Some(500));
        let all = open(place.path("n.csv").to_str().unwrap(), Format::Csv, &options).unwrap();
        Part { all, parity }
    });
    std::thread::scope(|scope| {
        let loads = parts.map(|part| {
            scope.spawn(move || {
                let options = LoadOptions::default().with_batch(BatchSize::Rows(500)).with_lanes(Some(2));
                let config = Config::from_url(&place.schema.url()).unwrap();
                let loader = Loader::new(config, TARGETS[part.parity as usize]).with_options(options);
                let control = loader.control();
                let stops = loader.with_event_handler(move |_| {
                    if most.is_some_and(|most| control.snapshot().stored >= most) {
                        control.stop();
                    }
                });
                let report = stops.load(vec![Box::new(part)]).unwrap();
                assert_eq!(report.stop.is_none(), most.is_none(), "{:?}", report.stop);
                report.stored - report.resumed.rows
            })
        });
        loads.map(|load| load.join().unwrap())
    })
}

#[test]
fn each_record_is_stored_once_in_its_own_table() {
    everywhere("parts", |place| {
        let mut text = "id,t\n".to_owned();
        (0..40_000).for_each(|id| writeln!(text, "{id},\"row {id}\"").unwrap());
        place.write("n.csv", text);
        for table in TARGETS {
            place.sql(&format!("CREATE TABLE {table} (id INT PRIMARY KEY, t VARCHAR(20))"));
        }
        let first = load(place, Some(2000));
        assert!(first.iter().all(|rows| (2000..20_000).contains(rows)), "{first:?}");
        let second = load(place, None);
        assert_eq!([first[0] + second[0], first[1] + second[1]], [20_000, 20_000]);
        assert_eq!(load(place, None), [0, 0], "both are loaded already");
        for (parity, table) in TARGETS.iter().enumerate() {
            let found = place.sql(&format!("SELECT COUNT(*), SUM(id % 2), SUM(t = CONCAT('row ', id)) FROM {table}"));
            assert_eq!(found, format!("20000,{},20000", parity * 20_000));
        }
        let jobs = place.sql("SELECT COUNT(*), COUNT(DISTINCT target), COUNT(DISTINCT source) FROM inrush_job");
        assert_eq!(jobs, "2,2,1");
    });
}
