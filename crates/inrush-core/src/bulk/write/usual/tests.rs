//! The quick way writes what the thorough one writes, or nothing.

use super::super::bulk;
use super::*;
use crate::wire::{Time, stmt};
use proptest::collection::vec;
use proptest::prelude::*;

const FAR: usize = 1 << 20;

/// What is appended to `at` bytes of others, if that is done the quick way.
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

/// What the thorough way makes of a row for these types; `None` where it begins another packet.
fn thorough(row: &[Value<'_>], types: &[ParamType]) -> Option<Vec<u8>> {
    let (mut bytes, mut types) = (Vec::new(), types.to_vec());
    bulk::put_row(row, &mut types, FAR, &mut bytes).then_some(bytes)
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
        let (mut page, mut want) = (Page::new(b"head".to_vec()), b"head".to_vec());
        for (i, (n_bytes, is_quick, is_kept)) in rows.into_iter().enumerate() {
            let (row, start) = (vec![i as u8; n_bytes], page.len());
            if is_quick {
                let put = |block: &mut Block, at: usize| {
                    block.get_mut(at..at + n_bytes)?.copy_from_slice(&row);
                    Some(at + n_bytes)
                };
                prop_assert!(page.put(put));
            } else {
                prop_assert!(!page.put(|_, _| None));
                page.bytes().extend_from_slice(&row);
            }
            match is_kept {
                true => want.extend_from_slice(&row),
                false => page.truncate(start),
            }
            prop_assert_eq!(page.len(), want.len());
        }
        prop_assert_eq!(page.into_bytes(), want);
    }
}
