use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;
use std::thread;

#[derive(Default)]
struct Counter(AtomicUsize);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn id(row: usize) -> Result<Inserted> {
    Ok(Inserted { id: Some(row as u64) })
}

fn poll(ticket: &mut Ticket, counter: &Arc<Counter>) -> Option<u64> {
    match ticket.poll(&mut Context::from_waker(&Waker::from(Arc::clone(counter)))) {
        Poll::Ready(answer) => answer.unwrap().id,
        Poll::Pending => None,
    }
}

#[test]
fn each_task_gets_its_own_answer_and_is_woken_once() {
    let answers = Arc::new(Answers::new(&Arc::default()));
    let counter = Arc::new(Counter::default());
    let mut tickets: Vec<_> = (0..5).map(|row| answers.ticket(row)).collect();
    // From the last to the first, twice; the caller of row 0 comes only after the answers were delivered.
    for _ in 0..2 {
        tickets[1..].iter_mut().rev().for_each(|ticket| assert_eq!(poll(ticket, &counter), None));
    }
    answers.tell(5, id);
    assert_eq!(counter.0.load(Ordering::SeqCst), 4);
    for (row, ticket) in tickets.iter_mut().enumerate() {
        assert_eq!(poll(ticket, &counter), Some(row as u64));
    }
}

#[test]
fn the_last_waker_counts() {
    let answers = Arc::new(Answers::new(&Arc::default()));
    let (first, last) = (Arc::new(Counter::default()), Arc::new(Counter::default()));
    let mut ticket = answers.ticket(0);
    assert_eq!((poll(&mut ticket, &first), poll(&mut ticket, &last)), (None, None));
    answers.tell(1, id);
    assert_eq!((first.0.load(Ordering::SeqCst), last.0.load(Ordering::SeqCst)), (0, 1));
}

#[test]
fn threads_wait_for_their_own() {
    let answers = Arc::new(Answers::new(&Arc::default()));
    thread::scope(|scope| {
        let waiting: Vec<_> =
            (0..8).map(|row| answers.ticket(row)).map(|ticket| scope.spawn(|| ticket.wait())).collect();
        answers.tell(8, id);
        for (row, thread) in waiting.into_iter().enumerate() {
            assert_eq!(thread.join().unwrap().unwrap().id, Some(row as u64));
        }
    });
}

#[test]
fn errors_of_those_who_left_are_kept_for_somebody_else() {
    let unreported = Arc::default();
    let answers = Arc::new(Answers::new(&unreported));
    let mut tickets: Vec<_> = (0..5).map(|row| answers.ticket(row)).collect();
    let (late, stays) = (tickets.remove(4), tickets.remove(0));
    drop(tickets);
    answers.tell(5, |row| match row {
        3 => id(row),
        _ => Err(Error::data(format!("row {row} is bad"))),
    });
    assert_eq!(stays.wait().unwrap_err().to_string(), "row 0 is bad");
    // Its answer was delivered, and its caller did not take it.
    drop(late);
    let (n, first) = unreported.take().unwrap();
    assert_eq!((n, first.to_string()), (3, "row 1 is bad".to_owned()));
    assert!(unreported.take().is_none());
}
