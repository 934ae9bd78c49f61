//! The order of tables by their foreign keys: what a table refers to comes before it.

/// The numbers of the tables so that each comes after those that it refers to, else as they are. `references` has the numbers for each
/// table; others than those of tables are ignored.
///
/// # Errors
/// The numbers of tables that refer to each other in a circle, from one of them back to itself.
pub(super) fn by_references(references: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let mut states = vec![State::New; references.len()];
    let mut order = Vec::new();
    for first in 0..references.len() {
        let mut path = vec![(first, 0)];
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            if states[at] == State::Done {
                path.pop();
                continue;
            }
            states[at] = State::Begun;
            let parent = references[at].iter().filter(|parent| **parent < references.len()).nth(*next);
            *next += 1;
            match parent {
                None => {
                    states[at] = State::Done;
                    order.push(at);
                    path.pop();
                }
                Some(&parent) if states[parent] == State::Begun => {
                    let circle = path.iter().map(|(at, _)| *at).skip_while(|at| *at != parent);
                    return Err(circle.chain([parent]).collect());
                }
                Some(&parent) => path.push((parent, 0)),
            }
        }
    }
    Ok(order)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Begun,
    Done,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first() {
        let check = |references: &[&[usize]], want: Result<&[usize], &[usize]>| {
            let references: Vec<_> = references.iter().map(|parents| parents.to_vec()).collect();
            let got = by_references(&references);
            assert_eq!(got.as_deref().map_err(|circle| &circle[..]), want, "{references:?}");
        };
        check(&[], Ok(&[]));
        check(&[&[], &[], &[9]], Ok(&[0, 1, 2]));
        check(&[&[1, 2], &[2], &[]], Ok(&[2, 1, 0]));
        check(&[&[3], &[0], &[0, 1], &[]], Ok(&[3, 0, 1, 2]));
        check(&[&[0]], Err(&[0, 0]));
        check(&[&[1], &[2], &[1]], Err(&[1, 2, 1]));
    }
}
