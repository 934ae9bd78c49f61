//! Whether the first record has the names of the columns.
//!
//! A column whose values are numbers or days, under a first field that is neither, speaks for a header; under one that is, against it.
//! A year may be a name (`country,2019,2020`) and says nothing. Where nothing speaks for either, texts under texts, it is a header, as in
//! RFC 4180.

use super::layout::Layout;
use super::shape::Shape;
use inrush_core::error::{Error, Result};

pub(super) fn find(name: &str, layout: &Layout<'_>) -> Result<bool> {
    let mut records = layout.records.iter().filter(|record| !record.is_blank());
    let Some(first) = records.next() else { return Ok(true) };
    let shape = |range: &std::ops::Range<usize>| Shape::of(&layout.text[range.clone()]);
    let n_fields = first.fields.len();
    let mut typed = vec![0_usize; n_fields];
    let mut filled = vec![0_usize; n_fields];
    for record in records.take(MOST_RECORDS).filter(|record| record.fields.len() == n_fields) {
        for (i, field) in record.fields.iter().enumerate() {
            match shape(&field.text) {
                Shape::Empty => {}
                Shape::Text => filled[i] += 1,
                Shape::Year | Shape::Number | Shape::Moment => {
                    filled[i] += 1;
                    typed[i] += 1;
                }
            }
        }
    }
    if filled.iter().all(|n| *n == 0) {
        // It is all there is: numbers and days alone are a row.
        let mut shapes =
            first.fields.iter().map(|field| shape(&field.text)).filter(|shape| *shape != Shape::Empty).peekable();
        let is_row = shapes.peek().is_some() && shapes.all(|shape| matches!(shape, Shape::Number | Shape::Moment));
        return Ok(!is_row);
    }
    let (mut for_it, mut against) = (0, 0);
    for (i, field) in first.fields.iter().enumerate() {
        let is_typed = filled[i] > 0 && typed[i] * 10 >= filled[i] * 9;
        match shape(&field.text) {
            Shape::Text if is_typed => for_it += 1,
            Shape::Number | Shape::Moment if is_typed => against += 1,
            _ => {}
        }
    }
    match (for_it, against) {
        (0, 0) => Ok(true),
        (_, 0) => Ok(true),
        (0, _) => Ok(false),
        (for_it, against) if for_it > against => Ok(true),
        _ => Err(Error::config(format!("the first line of `{name}` may be a header or a row"))
            .with_hint("say which: `--header` or `--no-header`")),
    }
}

const MOST_RECORDS: usize = 1_000;
