//! The columns of a struct that has those of others in it: what `#[derive(ToRow)]` computes where a field is flattened.

/// How many names there are.
///
/// # Panics
/// When compiled, for a part without names: a flattened struct whose fields have none.
pub const fn n_columns(parts: &[&[&str]]) -> usize {
    let (mut n, mut part) = (0, 0);
    while part < parts.len() {
        assert!(!parts[part].is_empty(), "a field that is flattened is a struct whose fields have names");
        n += parts[part].len();
        part += 1;
    }
    n
}

/// All names, in their order.
///
/// # Panics
/// At compile time, if a name occurs twice; case does not count.
pub const fn joined<const N: usize>(parts: &[&[&'static str]]) -> [&'static str; N] {
    let mut all = [""; N];
    let (mut n, mut part) = (0, 0);
    while part < parts.len() {
        let mut i = 0;
        while i < parts[part].len() {
            let name = parts[part][i];
            let mut before = 0;
            while before < n {
                assert!(
                    !all[before].eq_ignore_ascii_case(name),
                    "two fields have the same column, one of them in a flattened struct"
                );
                before += 1;
            }
            all[n] = name;
            n += 1;
            i += 1;
        }
        part += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: &[&[&str]] = &[&["a", "b"], &["c"]];

    #[test]
    fn names_in_their_order() {
        assert_eq!(n_columns(PARTS), 3);
        assert_eq!(joined::<3>(PARTS), ["a", "b", "c"]);
    }
    #[test]
    #[should_panic(expected = "two fields have the same column")]
    fn a_name_that_comes_twice() {
        joined::<3>(&[&["a", "b"], &["B"]]);
    }
    #[test]
    #[should_panic(expected = "whose fields have names")]
    fn a_part_without_names() {
        n_columns(&[&["a"], &[]]);
    }
}
