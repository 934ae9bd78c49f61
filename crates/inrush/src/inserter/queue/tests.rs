use super::*;

/// A queue of batches of numbers; those who wait are letters.
type Book = Queue<Vec<u32>, char>;

const LIMITS: Limits = Limits { batch: Size { rows: 3, bytes: 30 }, queue: Size { rows: 5, bytes: 50 } };

fn book() -> Book {
    Book::new(LIMITS, 1)
}

/// Brings a row of 5 bytes, for which there must be room.
#[track_caller]
fn bring(book: &mut Book, row: u32) {
    assert_eq!(book.admit(5), Admission::Enter);
    let (batch, place) = book.place(5, Vec::new).unwrap();
    assert_eq!(place, batch.len());
    batch.push(row);
}

#[track_caller]
fn check_batches(sizes: &[usize], want: &[&[usize]]) {
    let mut book = Book::new(Limits { queue: Size { rows: 99, bytes: 999 }, ..LIMITS }, 1);
    for bytes in sizes {
        assert_eq!(book.admit(*bytes), Admission::Enter);
        book.place(*bytes, Vec::new).unwrap().0.push(*bytes as u32);
    }
    let mut got = Vec::new();
    while let Work::Batch(_, batch) = book.work(0) {
        got.push(batch.into_iter().map(|bytes| bytes as usize).collect::<Vec<_>>());
    }
    assert_eq!(got, want);
    assert_eq!(book.queued(), Size::default());
}

#[test]
fn a_batch_is_full_by_rows() {
    check_batches(&[1, 1, 1, 1], &[&[1, 1, 1], &[1]]);
}
#[test]
fn a_batch_is_full_by_bytes() {
    check_batches(&[20, 10, 1], &[&[20, 10], &[1]]);
    check_batches(&[20, 11, 1], &[&[20], &[11, 1]]);
}
#[test]
fn a_row_too_large_for_any_batch_goes_alone() {
    check_batches(&[1, 99, 1], &[&[1], &[99], &[1]]);
}

/// So many callers that bring a row again as soon as the last was answered, and two lanes, which end in turn.
#[track_caller]
fn check_shares(n_callers: usize, want: [usize; 2]) {
    let size = Size { rows: 4096, bytes: 1 << 20 };
    let mut book = Book::new(Limits { batch: size, queue: size }, 2);
    (0..n_callers).for_each(|row| bring(&mut book, row as u32));
    let mut written = [(0, 0); 2];
    for turn in 0..40 {
        let lane = turn % 2;
        let (number, n_rows) = written[lane];
        if n_rows > 0 {
            book.answered(number, n_rows);
            (0..n_rows).for_each(|row| bring(&mut book, row as u32));
        }
        written[lane] = match book.work(lane) {
            Work::Batch(number, rows) => (number, rows.len()),
            _ => (0, 0),
        };
    }
    assert_eq!(written.map(|(_, n_rows)| n_rows), want);
    assert_eq!(book.queued().rows, n_callers - want[0] - want[1]);
}

#[test]
fn lanes_come_to_equal_shares() {
    check_shares(256, [128, 128]);
    check_shares(1001, [501, 500]);
    check_shares(4096, [2048, 2048]);
}
#[test]
fn few_rows_are_not_shared() {
    check_shares(20, [20, 0]);
    check_shares(40, [32, 8]);
}

#[test]
fn the_first_row_calls_a_lane_and_the_others_join_it() {
    let mut book = book();
    assert_eq!(book.work(0), Work::Nothing);
    book.rest(0, 'l');
    bring(&mut book, 1);
    assert_eq!(book.serve(), Some(('l', WakeOrder::Look)));
    bring(&mut book, 2);
    assert_eq!(book.serve(), None, "one is on its way");
    assert_eq!(book.work(0), Work::Batch(0, vec![1, 2]));
    bring(&mut book, 3);
    assert_eq!((book.serve(), book.n_in_flight()), (None, 2));
    book.answered(0, 2);
    assert_eq!(book.work(0), Work::Batch(1, vec![3]));
}

#[test]
fn a_second_lane_is_called_for_a_second_batch_only() {
    let mut book = Book::new(LIMITS, 2);
    book.rest(0, 'l');
    book.rest(1, 'm');
    for row in 0..3 {
        bring(&mut book, row);
    }
    assert_eq!((book.serve(), book.serve()), (Some(('m', WakeOrder::Look)), None));
    bring(&mut book, 3);
    assert_eq!((book.serve(), book.serve()), (Some(('l', WakeOrder::Look)), None));
}

#[test]
fn who_finds_no_room_enters_in_order() {
    let mut book = book();
    for row in 0..5 {
        bring(&mut book, row);
    }
    assert_eq!(book.admit(1), Admission::Wait);
    for who in ['a', 'b', 'c', 'd'] {
        book.wait(5, who);
    }
    assert_eq!(book.serve(), None);
    assert_eq!(book.work(0), Work::Batch(0, vec![0, 1, 2]));
    for who in ['a', 'b', 'c'] {
        assert_eq!(book.serve(), Some((who, WakeOrder::Enter(5))));
    }
    assert_eq!((book.serve(), book.n_blocked()), (None, 1), "they count before they are in");
    book.forgo(5);
    assert_eq!(book.serve(), Some(('d', WakeOrder::Enter(5))));
}

#[test]
fn a_large_row_waits_until_it_would_be_alone() {
    let mut book = book();
    bring(&mut book, 0);
    assert_eq!(book.admit(900), Admission::Wait);
    let number = book.wait(900, 'a');
    assert_eq!(book.admit(1), Admission::Wait, "nobody overtakes");
    book.wait(1, 'b');
    assert_eq!(book.serve(), None);
    book.leave(number);
    assert_eq!(book.serve(), Some(('b', WakeOrder::Enter(1))));
    book.forgo(1);
    book.wait(900, 'c');
    let _ = book.work(0);
    assert_eq!(book.serve(), Some(('c', WakeOrder::Enter(900))));
}

#[test]
fn a_flush_waits_for_what_was_there_before() {
    let mut book = book();
    book.flush('a');
    assert_eq!(book.serve(), Some(('a', WakeOrder::Over)), "nothing was");
    bring(&mut book, 0);
    let _ = book.work(0);
    bring(&mut book, 1);
    book.flush('b');
    let _ = book.work(0);
    bring(&mut book, 2);
    book.answered(1, 1);
    assert_eq!(book.serve(), None, "the first batch has no answer yet");
    book.answered(0, 1);
    assert_eq!(book.serve(), Some(('b', WakeOrder::Over)));
}

#[test]
fn a_closed_queue_is_emptied_and_takes_nothing() {
    let mut book = Book::new(LIMITS, 1);
    for row in 0..5 {
        bring(&mut book, row);
    }
    book.wait(5, 'a');
    book.close();
    book.flush('z');
    assert_eq!((book.serve(), book.admit(1)), (Some(('a', WakeOrder::Closed)), Admission::Closed));
    assert_eq!(book.serve(), None);
    assert!(matches!(book.work(0), Work::Batch(0, _)) && matches!(book.work(0), Work::Batch(1, _)));
    assert_eq!(book.work(0), Work::End);
    book.answered(0, 3);
    book.answered(1, 2);
    assert_eq!(book.serve(), Some(('z', WakeOrder::Over)));
}

#[test]
fn a_row_that_was_let_in_before_the_end_is_waited_for() {
    let mut book = book();
    assert_eq!(book.admit(5), Admission::Enter);
    book.close();
    assert_eq!(book.work(0), Work::Nothing);
    book.rest(0, 'l');
    assert_eq!(book.serve(), None);
    book.place(5, Vec::new).unwrap().0.push(1);
    assert_eq!(book.serve(), Some(('l', WakeOrder::Look)));
    assert_eq!(book.work(0), Work::Batch(0, vec![1]));
    assert_eq!(book.work(0), Work::End);
}

#[test]
fn a_lane_that_rests_is_called_to_its_end() {
    let mut book = book();
    book.rest(0, 'l');
    book.close();
    assert_eq!(book.serve(), Some(('l', WakeOrder::Look)));
    assert_eq!(book.work(0), Work::End);
}

#[test]
fn without_lanes_what_is_queued_comes_back() {
    let mut book = Book::new(LIMITS, 2);
    book.rest(0, 'l');
    bring(&mut book, 1);
    assert_eq!(book.serve(), Some(('l', WakeOrder::Look)));
    assert_eq!(book.lane_ended(0), Vec::<Vec<u32>>::new());
    book.rest(1, 'm');
    assert_eq!(book.serve(), Some(('m', WakeOrder::Look)), "another one comes in its place");
    book.flush('f');
    book.wait_for_end('e');
    assert_eq!((book.admit(5), book.serve()), (Admission::Enter, None));
    assert_eq!(book.lane_ended(1), [vec![1]]);
    assert_eq!((book.serve(), book.serve()), (Some(('e', WakeOrder::Over)), Some(('f', WakeOrder::Over))));
    assert_eq!(book.admit(1), Admission::Closed);
    assert!(book.place(5, Vec::new).is_none());
    assert_eq!(book.queued(), Size::default());
}

/// Whatever happens, every row is handed out exactly once, and no caller and no lane waits without a reason.
#[test]
fn whatever_happens_every_row_is_handed_out_once() {
    use rand::rngs::StdRng;
    use rand::{RngExt as _, SeedableRng as _};
    for seed in 0..400 {
        let random = &mut StdRng::seed_from_u64(seed);
        let n_lanes = random.random_range(1..4);
        let mut book: Queue<Vec<u32>, (char, usize)> = Queue::new(LIMITS, n_lanes);
        let (mut n_brought, mut n_blocked) = (0, Vec::<(u64, usize)>::new());
        let mut entering = Vec::new();
        let mut handed_out = Vec::new();
        let mut busy: Vec<Option<(u64, usize)>> = vec![None; n_lanes];
        // Lanes that may ask for work.
        let mut looking: Vec<usize> = (0..n_lanes).collect();
        let (mut n_flushes, mut n_resting, mut n_ended) = (0, 0, 0);
        for step in 0..400 {
            // In the end only actions that empty it.
            match random.random_range(0..if step < 300 { 8 } else { 4 }) {
                0 if !looking.is_empty() => {
                    let lane = looking.swap_remove(random.random_range(0..looking.len()));
                    match book.work(lane) {
                        Work::Batch(number, batch) => {
                            busy[lane] = Some((number, batch.len()));
                            handed_out.extend(batch);
                        }
                        Work::Nothing => {
                            book.rest(lane, ('l', lane));
                            n_resting += 1;
                        }
                        Work::End => n_ended += 1,
                    }
                }
                1 => {
                    let lane = random.random_range(0..n_lanes);
                    if let Some((number, n_rows)) = busy[lane].take() {
                        book.answered(number, n_rows);
                        looking.push(lane);
                    }
                }
                2 => {
                    if let Some(bytes) = entering.pop() {
                        book.place(bytes, Vec::new).unwrap().0.push(n_brought);
                        n_brought += 1;
                    }
                }
                3 => {
                    if let Some(bytes) = entering.pop() {
                        book.forgo(bytes);
                    }
                }
                4 => {
                    book.flush(('f', 0));
                    n_flushes += 1;
                }
                5 if !n_blocked.is_empty() => {
                    let (number, _) = n_blocked.swap_remove(random.random_range(0..n_blocked.len()));
                    book.leave(number);
                }
                _ => {
                    let bytes = random.random_range(0..60);
                    match book.admit(bytes) {
                        Admission::Enter => entering.push(bytes),
                        Admission::Wait => n_blocked.push((book.wait(bytes, ('o', bytes)), bytes)),
                        Admission::Closed => {}
                    }
                }
            }
            while let Some(((who, what), call)) = book.serve() {
                // Now and then the waiter that is called has just gone.
                if call == WakeOrder::Enter(what) && random.random_bool(0.2) {
                    book.undo(call);
                    n_blocked.remove(n_blocked.iter().enumerate().min_by_key(|(_, (n, _))| n).unwrap().0);
                    continue;
                }
                match (who, call) {
                    ('o', WakeOrder::Enter(_)) => {
                        entering.push(what);
                        n_blocked.remove(n_blocked.iter().enumerate().min_by_key(|(_, (n, _))| n).unwrap().0);
                    }
                    ('o', WakeOrder::Closed) => n_blocked.clear(),
                    ('l', WakeOrder::Look) => {
                        n_resting -= 1;
                        looking.push(what);
                    }
                    ('f', WakeOrder::Over) => n_flushes -= 1,
                    other => panic!("{other:?}"),
                }
            }
            assert!(book.settled(), "seed {seed}");
            assert_eq!(book.n_blocked(), n_blocked.len(), "seed {seed}");
            assert_eq!(book.n_in_flight(), busy.iter().flatten().map(|(_, n)| n).sum::<usize>());
        }
        // The end: the lanes write what is left and go.
        book.close();
        entering.drain(..).for_each(|bytes| book.forgo(bytes));
        loop {
            while let Some(((who, what), call)) = book.serve() {
                match (who, call) {
                    ('l', WakeOrder::Look) => {
                        n_resting -= 1;
                        looking.push(what);
                    }
                    ('f', WakeOrder::Over) => n_flushes -= 1,
                    ('o', WakeOrder::Closed) => {}
                    other => panic!("{other:?}"),
                }
            }
            busy.iter_mut().enumerate().filter_map(|(lane, busy)| Some((lane, busy.take()?))).for_each(
                |(lane, (number, n_rows))| {
                    book.answered(number, n_rows);
                    looking.push(lane);
                },
            );
            let Some(lane) = looking.pop() else { break };
            match book.work(lane) {
                Work::Batch(number, batch) => {
                    busy[lane] = Some((number, batch.len()));
                    handed_out.extend(batch);
                }
                Work::Nothing => panic!("it is closed, seed {seed}"),
                Work::End => n_ended += 1,
            }
        }
        assert_eq!((n_flushes, n_resting, n_ended), (0, 0, n_lanes), "seed {seed}");
        handed_out.sort_unstable();
        assert_eq!(handed_out, (0..n_brought).collect::<Vec<_>>(), "seed {seed}");
        assert_eq!((book.queued(), book.n_in_flight()), (Size::default(), 0));
    }
}
