use super::*;
use crate::inserter::shape::Known;
use inrush_core::column::Rules;
use inrush_core::wire::{ServerVersion, Vendor};
use std::thread;

pub(crate) fn shared(options: InserterOptions) -> Arc<Shared> {
    Shared::new("people", options, 1, crate::inserter::MAX_SPARE_BYTES).unwrap()
}

fn shape() -> Arc<RowShape> {
    let server = ServerVersion { vendor: Vendor::MySql, numbers: (9, 7, 0), text: String::new() };
    let rules = Rules::utc(server);
    let known = Known { table: None, rules: &rules, at: Instant::now() };
    let name = TableName::parse("people").unwrap();
    Arc::new(RowShape::new(&name, &known, None, &["n"], crate::InserterOptions::new().terms()).unwrap())
}

pub(crate) fn bring(shared: &Shared, n: i64) -> Result<Ticket> {
    match shared.bring(&shape(), &[Value::Int(n)])? {
        Entry::In(ticket) => Ok(ticket),
        Entry::Blocked(blocked) => {
            let call = blocked.waiter.wait(None).unwrap();
            blocked.called(call, &shape(), &[Value::Int(n)])
        }
    }
}

/// Writes what is queued. Returns `false` if nothing is.
fn write(lane: &mut Lane) -> bool {
    let Next::Write(taken) = lane.next() else { return false };
    let end = stored(taken.batch());
    taken.tell(Ok(end));
    true
}

/// What becomes of the rows of a batch: odd numbers are bad, the others' ids are ten times themselves.
pub(crate) fn stored(batch: &Batch) -> Stored {
    let mut stored = Stored::default();
    for row in 0..batch.rows.n_rows() {
        let mut values = Vec::new();
        inrush_core::convert::BoundRows::row(&batch.rows, row, &mut values).unwrap();
        let n = values[0].as_i64().unwrap();
        stored.ids.push(Some(10 * n as u64));
        if n % 2 == 1 {
            stored.bad_rows.insert(row, Error::data(format!("{n} is odd")));
        }
    }
    stored
}

#[test]
fn each_caller_gets_the_answer_to_his_row() {
    let shared = shared(InserterOptions::new().with_lanes(1));
    let mut lane = Lane::new(&shared, 0);
    let tickets: Vec<_> = (0..5).map(|n| bring(&shared, n).unwrap()).collect();
    assert_eq!(shared.status().queued, 5);
    assert!(write(&mut lane) && !write(&mut lane));
    for (n, ticket) in tickets.into_iter().enumerate() {
        match (n % 2, ticket.wait()) {
            (0, answer) => assert_eq!(answer.unwrap().id, Some(10 * n as u64)),
            (_, answer) => assert_eq!(answer.unwrap_err().to_string(), format!("{n} is odd")),
        }
    }
    let status = shared.status();
    assert_eq!((status.queued, status.in_flight, status.stored, status.failed, status.batches), (0, 0, 3, 2, 1));
}

#[test]
fn whoever_finds_no_room_comes_in_when_a_batch_leaves() {
    let shared = shared(InserterOptions::new().with_lanes(1).with_queue_rows(1).with_batch_rows(1));
    let mut lane = Lane::new(&shared, 0);
    thread::scope(|scope| {
        let callers: Vec<_> = (0..6)
            .map(|n| {
                scope.spawn({
                    let shared = &shared;
                    move || bring(shared, 2 * n).unwrap().wait().unwrap()
                })
            })
            .collect();
        while shared.status().waiting < 5 {
            thread::yield_now();
        }
        assert_eq!(shared.status().queued, 1);
        // A caller that no longer waits takes no room.
        drop(shared.bring(&shape(), &[Value::Int(1)]).unwrap());
        while shared.status().stored < 6 {
            write(&mut lane);
        }
        for (n, caller) in callers.into_iter().enumerate() {
            assert_eq!(caller.join().unwrap().id, Some(20 * n as u64));
        }
    });
    assert_eq!(shared.status().batches, 6);
}

#[test]
fn a_lane_that_dies_leaves_nobody_without_an_answer() {
    let shared = shared(InserterOptions::new().with_lanes(1).with_batch_rows(2));
    let mut lane = Lane::new(&shared, 0);
    let mut tickets: Vec<_> = (0..5).map(|n| bring(&shared, n).unwrap()).collect();
    let Next::Write(taken) = lane.next() else { panic!() };
    let flush = shared.flush();
    drop(taken);
    drop(lane);
    assert_eq!(flush.wait(None), Some(WakeOrder::Over));
    for ticket in tickets.drain(..2) {
        assert!(ticket.wait().unwrap_err().is_outcome_unknown());
    }
    for ticket in tickets {
        assert!(!ticket.wait().unwrap_err().is_outcome_unknown());
    }
    assert!(bring(&shared, 1).is_err());
    let status = shared.status();
    assert_eq!((status.queued, status.in_flight, status.failed, status.unknown), (0, 0, 3, 2));
}

#[test]
fn what_callers_did_not_hear_is_told_once() {
    let shared = shared(InserterOptions::new().with_lanes(1));
    let mut lane = Lane::new(&shared, 0);
    (0..4).for_each(|n| drop(bring(&shared, n).unwrap()));
    write(&mut lane);
    let error = shared.hear().unwrap_err();
    assert_eq!(error.to_string(), "2 rows of callers that had gone were not acknowledged; the first: 1 is odd");
    shared.hear().unwrap();
    assert_eq!(shared.status().stored, 2, "the others are stored all the same");
}

#[test]
fn a_closed_inserter_writes_what_it_has_and_takes_nothing() {
    let shared = shared(InserterOptions::new().with_lanes(1));
    let mut lane = Lane::new(&shared, 0);
    let Next::Rest(waiter) = lane.next() else { panic!() };
    let ticket = bring(&shared, 2).unwrap();
    shared.close();
    assert_eq!(bring(&shared, 4).err().unwrap().to_string(), "the inserter is closed");
    assert_eq!(waiter.wait(None), Some(WakeOrder::Look));
    assert!(write(&mut lane));
    assert_eq!(ticket.wait().unwrap().id, Some(20));
    assert!(matches!(lane.next(), Next::End));
}

/// Many callers, some of which do not wait, and lanes that write as they like: every row is written once, and every caller gets the
/// answer to its own row.
#[test]
fn many_callers_and_lanes() {
    let shared = shared(InserterOptions::new().with_lanes(2).with_queue_rows(20).with_batch_rows(7));
    thread::scope(|scope| {
        let lanes: Vec<_> = (0..2)
            .map(|number| {
                let mut lane = Lane::new(&shared, number);
                scope.spawn(move || {
                    loop {
                        if write(&mut lane) {
                            continue;
                        }
                        match lane.next() {
                            Next::Rest(waiter) => drop(waiter.wait(None)),
                            Next::Write(taken) => drop(taken),
                            Next::End => return,
                        }
                    }
                })
            })
            .collect();
        let callers: Vec<_> = (0..16)
            .map(|caller| {
                let shared = &shared;
                scope.spawn(move || {
                    for n in 0..200 {
                        let n = caller * 1000 + n;
                        match (n % 3, bring(shared, n).unwrap()) {
                            (0, ticket) => drop(ticket),
                            (_, ticket) => match ticket.wait() {
                                Ok(inserted) => assert_eq!(inserted.id, Some(10 * n as u64)),
                                Err(error) if error.is_outcome_unknown() => {}
                                Err(error) => assert_eq!(error.to_string(), format!("{n} is odd")),
                            },
                        }
                    }
                })
            })
            .collect();
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        shared.close();
        lanes.into_iter().for_each(|lane| lane.join().unwrap());
    });
    let status = shared.status();
    assert_eq!(status.stored + status.failed + status.unknown, 3200);
    assert_eq!((status.queued, status.in_flight, status.waiting), (0, 0, 0));
}
