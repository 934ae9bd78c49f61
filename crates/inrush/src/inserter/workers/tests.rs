use super::*;
use crate::InserterOptions;
use crate::inserter::queue::WakeOrder;
use crate::inserter::shared::tests::{bring, shared, stored};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn tables(workers: &Arc<Workers>, n: usize) -> Vec<Arc<Shared>> {
    let options = || InserterOptions::new().with_lanes(2).with_batch_rows(1);
    let tables: Vec<_> = (0..n).map(|_| shared(options())).collect();
    tables.iter().for_each(|table| workers.add(table).unwrap());
    tables
}

/// Writes one batch, and returns the index of its table; `None`: there is no work.
fn write_one(worker: &mut Worker, tables: &[Arc<Shared>]) -> Option<usize> {
    match worker.next() {
        NextJob::Write(mut held, taken) => {
            let of = tables.iter().position(|table| Arc::ptr_eq(table, &held.lane_mut().shared));
            let end = stored(taken.batch());
            taken.tell(Ok(end));
            held.put_back();
            of
        }
        NextJob::Rest(waiter) => {
            let _ = waiter.leave();
            None
        }
        NextJob::Conclude(_) | NextJob::End => panic!("nobody closed anything"),
    }
}

#[test]
fn tables_take_turns() {
    let (workers, mut each) = Workers::new(1);
    let worker = &mut each[0];
    let tables = tables(&workers, 3);
    assert_eq!(write_one(worker, &tables), None);
    // Four rows of the first table are queued before one each of the others.
    let mut tickets: Vec<_> = [0, 0, 0, 0, 1, 2].iter().map(|of: &usize| bring(&tables[*of], 2).unwrap()).collect();
    let order: Vec<_> = std::iter::from_fn(|| write_one(worker, &tables)).collect();
    // The first table has two lanes.
    assert_eq!(order, [0, 0, 1, 2, 0, 0]);
    for ticket in tickets.drain(..) {
        assert_eq!(ticket.wait().unwrap().id, Some(20));
    }
}

#[test]
fn a_worker_that_rests_is_called_for_a_row() {
    let (workers, mut each) = Workers::new(2);
    let tables = tables(&workers, 100);
    let mut waiters = Vec::new();
    for worker in &mut each {
        let NextJob::Rest(waiter) = worker.next() else { panic!() };
        waiters.push(waiter);
    }
    let ticket = bring(&tables[77], 2).unwrap();
    // One of the two, the one that has slept for the shortest time.
    assert_eq!(waiters[1].leave(), Some(()));
    assert_eq!(waiters[0].leave(), None);
    assert_eq!(write_one(&mut each[1], &tables), Some(77));
    ticket.wait().unwrap();
}

#[test]
fn workers_end_with_the_last_table() {
    let (workers, mut each) = Workers::new(2);
    let tables = tables(&workers, 2);
    let ticket = bring(&tables[1], 2).unwrap();
    let end = tables[0].close_and_tell();
    workers.close();
    assert!(workers.add(&shared(InserterOptions::new())).is_err(), "it takes no table any more");
    let mut n_ended = 0;
    let [first, second] = &mut each[..] else { panic!() };
    loop {
        match first.next() {
            NextJob::Write(mut held, taken) => {
                assert!(Arc::ptr_eq(&held.lane_mut().shared, &tables[1]));
                let end = stored(taken.batch());
                taken.tell(Ok(end));
                held.put_back();
            }
            NextJob::Conclude(held) => {
                drop(held);
                n_ended += 1;
            }
            NextJob::Rest(waiter) => {
                let _ = waiter.leave();
                break;
            }
            NextJob::End => panic!("a table is there"),
        }
    }
    assert_eq!(n_ended, 2);
    assert_eq!(end.leave(), Some(WakeOrder::Over));
    ticket.wait().unwrap();
    let NextJob::Rest(waiter) = second.next() else { panic!() };
    tables[1].close();
    for _ in 0..2 {
        let NextJob::Conclude(held) = first.next() else { panic!() };
        drop(held);
    }
    assert!(matches!(first.next(), NextJob::End));
    assert_eq!(waiter.leave(), Some(()), "the other one is told");
    assert!(matches!(second.next(), NextJob::End));
}

#[test]
fn without_workers_everybody_has_an_answer() {
    let (workers, mut each) = Workers::new(2);
    let tables = tables(&workers, 3);
    let tickets: Vec<_> = tables.iter().map(|table| bring(table, 2).unwrap()).collect();
    let NextJob::Write(held, taken) = each[0].next() else { panic!() };
    let flush = tables[2].flush();
    // As when a runtime ends, in the middle of a write.
    drop((taken, held));
    drop(each);
    assert_eq!(flush.wait(None), Some(WakeOrder::Over));
    let unknown = tickets.into_iter().map(|ticket| ticket.wait().unwrap_err().is_outcome_unknown());
    assert_eq!(unknown.filter(|is_unknown| *is_unknown).count(), 1);
    assert!(bring(&tables[0], 2).is_err());
    let message = workers.add(&shared(InserterOptions::new())).unwrap_err().to_string();
    assert_eq!(message, "the inserter's task ended before the row was written");
    assert_eq!(Arc::strong_count(&tables[0]), 1, "nothing holds on to it");
}

#[test]
fn a_worker_that_panics_takes_its_lane_along() {
    let (workers, mut each) = Workers::new(2);
    let tables = tables(&workers, 1);
    let ticket = bring(&tables[0], 2).unwrap();
    let mut first = each.remove(0);
    let ended = catch_unwind(AssertUnwindSafe(move || {
        let NextJob::Write(_held, _taken) = first.next() else { return };
        panic!("on purpose");
    }));
    assert!(ended.is_err() && ticket.wait().unwrap_err().is_outcome_unknown());
    // The other lane and the other worker continue, and end normally.
    let ticket = bring(&tables[0], 2).unwrap();
    assert_eq!(write_one(&mut each[0], &tables), Some(0));
    ticket.wait().unwrap();
    workers.close();
    tables[0].close();
    let NextJob::Conclude(held) = each[0].next() else { panic!() };
    drop(held);
    assert!(matches!(each[0].next(), NextJob::End));
}
