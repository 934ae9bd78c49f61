//! The fast path writes what the slow path writes, or nothing.

use super::*;
use crate::convert::{BoundRows, Columns, Rows};
use crate::value::{Date, DateTime, Time};
use crate::wire::{bulk_execute, stmt};
use arrow_array::{Date32Array, StringArray, TimestampMicrosecondArray};
use proptest::collection::vec;
use proptest::prelude::*;

const FAR: usize = 1 << 20;

/// The bytes that the fast path appends to `at` other bytes; `None` if it refuses.
fn quick(at: usize, put: impl FnOnce(&mut Block, usize) -> Option<usize>) -> Option<Vec<u8>> {
    let mut block = [0xA5; BLOCK];
    let end = put(&mut block, at)?;
    assert!(block[..at].iter().all(|byte| *byte == 0xA5));
    Some(block[at..end].to_vec())
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{0,40}", "[a-z]{240,260}", "[a-z]{0,999}"]
}

fn moment() -> impl Strategy<Value = DateTime> {
    let micros = prop_oneof![Just(0), any::<u32>()];
    (any::<(u16, u8, u8, u8, u8, u8)>(), micros).prop_map(|((year, month, day, hour, minute, second), micros)| {
        DateTime { date: Date { year, month, day }, hour, minute, second, micros }
    })
}

/// A value of each kind, and which of them a row has.
fn rows() -> impl Strategy<Value = (String, i64, f64, DateTime, Vec<usize>, Vec<usize>)> {
    (text(), any::<i64>(), any::<f64>(), moment(), vec(0..11_usize, 0..8), vec(0..11_usize, 8))
}

fn row<'a>(text: &'a str, n: i64, double: f64, moment: DateTime, kinds: &[usize]) -> Vec<Value<'a>> {
    let kinds = kinds.iter().map(|kind| match kind {
        0 => Value::Null,
        1 => Value::Bytes(text.as_bytes()),
        2 => Value::Text(text),
        3 => Value::Int(n),
        4 => Value::UInt(n as u64),
        5 => Value::Float(double as f32),
        6 => Value::Double(double),
        7 => Value::Date(moment.date),
        8 => Value::DateTime(moment),
        9 => Value::Time(Time { days: 34, ..Time::default() }),
        _ => Value::Text("a"),
    });
    kinds.collect()
}

/// What the slow path writes for a row of these types; `None` where it begins another packet.
fn thorough(row: &[Value<'_>], types: &[ParamType]) -> Option<Vec<u8>> {
    let (mut bytes, mut types) = (Vec::new(), types.to_vec());
    bulk_execute::put_row(row, &mut types, FAR, &mut bytes).then_some(bytes)
}

proptest! {
    #[test]
    fn rows_of_any_kind_and_room((text, n, double, moment, kinds, known) in rows(), at in 0..=BLOCK) {
        let row = row(&text, n, double, moment, &kinds);
        let types: Vec<_> = self::row("", 0, 0.0, moment, &known[..row.len()]).iter().map(ParamType::of).collect();
        if let Some(bytes) = quick(at, |block, at| put_bulk_row(&row, &types, block, at)) {
            prop_assert_eq!(Some(bytes), thorough(&row, &types));
        }
        let (mut bound, mut nulls) = (Vec::new(), Vec::new());
        stmt::values(&mut bound, &row, |_| false);
        if let Some(bytes) = quick(at, |block, at| put_bound_row(&row, &types, block, at, |i| nulls.push(i))) {
            prop_assert_eq!(bytes, bound);
            prop_assert_eq!(nulls, (0..row.len()).filter(|i| row[*i].is_null()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_is_usual_goes_the_quick_way(text in "[a-z]{0,250}", n: i64, double: f64, moment in moment(), at in 0..2000_usize) {
        let row = row(&text, n, double, moment, &[0, 1, 2, 3, 4, 6, 7, 8, 10]);
        let types: Vec<_> = row.iter().map(ParamType::of).collect();
        let bytes = quick(at, |block, at| put_bulk_row(&row, &types, block, at));
        prop_assert!(bytes.is_some());
        prop_assert_eq!(bytes, thorough(&row, &types));
        prop_assert!(quick(at, |block, at| put_bound_row(&row, &types, block, at, |_| ())).is_some());
    }

    #[test]
    fn a_page_holds_what_was_put_and_not_taken_back(rows in vec((0..3000_usize, any::<bool>(), any::<bool>()), 0..20)) {
        let (mut row_block, mut want) = (RowBlock::new(b"head".to_vec()), b"head".to_vec());
        for (i, (n_bytes, is_quick, is_kept)) in rows.into_iter().enumerate() {
            let (row, start) = (vec![i as u8; n_bytes], row_block.len());
            if is_quick {
                let put = |block: &mut Block, at: usize| {
                    block.get_mut(at..at + n_bytes)?.copy_from_slice(&row);
                    Some(at + n_bytes)
                };
                prop_assert!(row_block.put(put));
            } else {
                prop_assert!(!row_block.put(|_, _| None));
                row_block.bytes().extend_from_slice(&row);
            }
            match is_kept {
                true => want.extend_from_slice(&row),
                false => row_block.truncate(start),
            }
            prop_assert_eq!(row_block.len(), want.len());
        }
        prop_assert_eq!(row_block.into_bytes(), want);
    }
}

/// A row whose values all take the fast path, unless the text is long.
type Person = (i64, Option<String>, f64, Option<i64>);

fn people() -> impl Strategy<Value = Vec<Person>> {
    let name = proptest::option::of(prop_oneof![20 => "[a-z]{0,40}", 1 => "[a-z]{245,255}"]);
    let micros = prop_oneof![-62_135_596_800..253_402_300_799_i64].prop_map(|second| second * 1_000_000);
    let micros = proptest::option::of((micros, prop_oneof![Just(0), 0..1_000_000_i64]).prop_map(|(a, b)| a + b));
    vec((any::<i64>(), name, any::<f64>(), micros), 0..200)
}

/// How many rows a block takes, its bytes, and the bits of its NULLs.
fn put_all(rows: &dyn BoundRows, types: &[ParamType], most: usize, has_bits: bool) -> (usize, Vec<u8>, Vec<u8>) {
    let (mut row_block, mut bits) =
        (RowBlock::new(b"head".to_vec()), vec![0; (rows.n_rows() * types.len() + 3).div_ceil(8)]);
    let nulls = has_bits.then_some(Nulls { bits: &mut bits, first: 3 });
    let n = rows.put_common(0..rows.n_rows(), &mut RowBlockWriter { row_block: &mut row_block, types, most, nulls });
    let n_bits = n * types.len() + 3;
    // The bits of a row that was not taken do not matter.
    (n, row_block.into_bytes(), (0..n_bits).map(|i| bits[i / 8] >> (i % 8) & 1).collect())
}

proptest! {
    #[test]
    fn rows_and_columns_fill_the_same_sheet(people in people(), most in prop_oneof![0..20_000_usize, Just(FAR)], bulk: bool) {
        let moment = |micros: &i64| DateTime::from_micros_since_epoch(*micros).unwrap();
        let tuples: Vec<_> =
            people.iter().map(|(id, name, score, micros)| (id, name, score, micros.as_ref().map(moment))).collect();
        let (ids, scores): (Vec<_>, Vec<_>) = people.iter().map(|(id, _, score, _)| (*id, *score)).unzip();
        let names: StringArray = people.iter().map(|(_, name, _, _)| name.as_ref()).collect();
        let moments: TimestampMicrosecondArray = people.iter().map(|(_, _, _, micros)| *micros).collect();
        let columns = Columns::default().with("a", &ids).with("b", &names).with("c", &scores).with("d", &moments);
        let (tuples, columns) = (tuples.bind(&[], 4).unwrap(), columns.bind(&[], 4).unwrap());

        let types = [ParamType::INT, ParamType::TEXT, ParamType::DOUBLE, ParamType::DATE_TIME];
        let (mut bytes, mut bits, mut n, mut values) = (b"head".to_vec(), vec![0; 3], 0, Vec::new());
        for row in 0..tuples.n_rows() {
            values.clear();
            tuples.row(row, &mut values).unwrap();
            let start = bytes.len();
            match bulk {
                true => bytes.extend(thorough(&values, &types).unwrap()),
                false => stmt::values(&mut bytes, &values, |_| false),
            }
            if bytes.len() > most || values.iter().any(|value| matches!(value, Value::Text(text) if text.len() > 250)) {
                bytes.truncate(start);
                break;
            }
            bits.extend(values.iter().map(|value| u8::from(value.is_null() && !bulk)));
            n += 1;
        }
        let want = (n, bytes, bits);
        prop_assert_eq!(&put_all(&*tuples, &types, most, !bulk), &want);
        let by_columns = put_all(&*columns, &types, most, !bulk);
        // Columns may stop a little earlier, but only for a reason.
        prop_assert!(by_columns.0 == n || (n < people.len() && by_columns.0 + SOME > n), "{} of {n}", by_columns.0);
        prop_assert!(want.1.starts_with(&by_columns.1) && want.2.starts_with(&by_columns.2));
    }
}

#[test]
fn what_has_another_type_is_not_usual() {
    let rows = [(1, "a"), (2, "b")];
    let bound = rows.bind(&[], 2).unwrap();
    let types = [ParamType::INT, ParamType::BYTES];
    assert_eq!(put_all(&*bound, &types, FAR, false).0, 0);
    assert_eq!(put_all(&*bound, &types[..1], FAR, false).0, 0);
    let (ids, days) = ([1, 2], Date32Array::from_iter_values([0, i32::MAX]));
    let columns = Columns::default().with("a", &ids).with("b", &days);
    let bound = columns.bind(&[], 2).unwrap();
    assert_eq!(put_all(&*bound, &[ParamType::INT, ParamType::DATE], FAR, false).0, 0);
    assert_eq!(put_all(&*bound, &types[..1], FAR, false).0, 0);
}
