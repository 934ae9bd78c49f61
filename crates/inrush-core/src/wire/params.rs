//! The values of one execution: by position (tuples, slices) or by name (`params! { "name" => value }`).

use crate::error::{Error, Result};
use crate::wire::{ToValue, Value};

/// The values for a statement's placeholders. `()` stands for none.
pub trait Params {
    /// The values in the order of the placeholders, borrowed from the parameters.
    type Values<'a>: AsRef<[Value<'a>]> + Send
    where
        Self: 'a;

    /// Whether placeholders are `:name`, so that the statement's text must be searched for them.
    const NAMED: bool;

    /// Puts the values into the order of the placeholders. `names` holds the name of each placeholder of a statement that
    /// names them, and nothing for a statement with `?`.
    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<Self::Values<'a>>;
}

impl Params for () {
    type Values<'a> = [Value<'a>; 0];
    const NAMED: bool = false;

    fn values<'a>(&'a self, _names: &[Box<str>]) -> Result<Self::Values<'a>> {
        Ok([])
    }
}

/// One value for each placeholder.
impl<T: ToValue> Params for [T] {
    type Values<'a>
        = Vec<Value<'a>>
    where
        T: 'a;
    const NAMED: bool = false;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<Self::Values<'a>> {
        by_position(names)?;
        Ok(self.iter().map(ToValue::to_value).collect())
    }
}

impl<T: ToValue> Params for Vec<T> {
    type Values<'a>
        = Vec<Value<'a>>
    where
        T: 'a;
    const NAMED: bool = false;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<Self::Values<'a>> {
        self.as_slice().values(names)
    }
}

impl<T: ToValue, const N: usize> Params for [T; N] {
    type Values<'a>
        = [Value<'a>; N]
    where
        T: 'a;
    const NAMED: bool = false;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<Self::Values<'a>> {
        by_position(names)?;
        Ok(self.each_ref().map(ToValue::to_value))
    }
}

impl<P: Params + ?Sized> Params for &P {
    type Values<'a>
        = P::Values<'a>
    where
        Self: 'a;
    const NAMED: bool = P::NAMED;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<Self::Values<'a>> {
        (**self).values(names)
    }
}

/// Values by name, as `params!` makes them.
#[derive(Clone, Debug, Default)]
pub struct Named<'p>(Vec<(&'p str, Value<'p>)>);

impl<'p> Named<'p> {
    /// Values by name. A name may stand in the statement several times.
    pub fn new(values: Vec<(&'p str, Value<'p>)>) -> Self {
        Self(values)
    }
}

impl<'p> Params for Named<'p> {
    type Values<'a>
        = Vec<Value<'a>>
    where
        'p: 'a;
    const NAMED: bool = true;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<Self::Values<'a>> {
        if let Some((unused, _)) = self.0.iter().find(|(given, _)| names.iter().all(|name| **name != **given)) {
            return Err(Error::config(format!("the statement has no placeholder `:{unused}`"))
                .with_hint(format!("it has {}", listed(names))));
        }
        let value = |name: &str| {
            let given = self.0.iter().find(|(given, _)| *given == name);
            given.map(|(_, value)| *value).ok_or_else(|| Error::config(format!("no value for `:{name}`")))
        };
        names.iter().map(|name| value(name)).collect()
    }
}

macro_rules! tuples {
    ($(($n:literal: $($t:ident $i:tt),+))*) => { $(
        /// One value for each placeholder.
        impl<$($t: ToValue),+> Params for ($($t,)+) {
            type Values<'a> = [Value<'a>; $n] where Self: 'a;
            const NAMED: bool = false;

            fn values<'a>(&'a self, names: &[Box<str>]) -> Result<Self::Values<'a>> {
                by_position(names)?;
                Ok([$(self.$i.to_value()),+])
            }
        }
    )* };
}

tuples! {
    (1: A 0)
    (2: A 0, B 1)
    (3: A 0, B 1, C 2)
    (4: A 0, B 1, C 2, D 3)
    (5: A 0, B 1, C 2, D 3, E 4)
    (6: A 0, B 1, C 2, D 3, E 4, F 5)
    (7: A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
    (9: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8)
    (10: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9)
    (11: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10)
    (12: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11)
    (13: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12)
    (14: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13)
    (15: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14)
    (16: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15)
}

/// A statement with names takes values by position all the same only if no name comes twice: then the order is plain.
fn by_position(names: &[Box<str>]) -> Result<()> {
    let twice = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name));
    match twice {
        None => Ok(()),
        Some((_, name)) => Err(Error::config(format!("placeholder `:{name}` comes twice, so values need names"))
            .with_hint("use `params! { \"name\" => value, .. }`")),
    }
}

fn listed(names: &[Box<str>]) -> String {
    if names.is_empty() {
        return "none with a name".to_owned();
    }
    names.iter().map(|name| format!("`:{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<Box<str>> {
        names.iter().map(|&name| name.into()).collect()
    }

    #[track_caller]
    fn check(params: impl Params, placeholders: &[&str], want: Result<&[Value<'_>], &str>) {
        let got = params.values(&names(placeholders));
        let got = got.as_ref().map(AsRef::as_ref);
        assert_eq!(got.map_err(|error| error.message()), want);
    }

    #[test]
    fn tuples_and_slices() {
        check((1, "a"), &[], Ok(&[Value::Int(1), Value::Text("a")]));
        check([1, 2], &[], Ok(&[Value::Int(1), Value::Int(2)]));
        check(&[1u8, 2][..], &["a", "b"], Ok(&[Value::UInt(1), Value::UInt(2)]));
        check((), &[], Ok(&[]));
    }
    #[test]
    fn a_name_that_comes_twice_needs_names() {
        check((1, 2), &["a", "a"], Err("placeholder `:a` comes twice, so values need names"));
    }
    #[test]
    fn names_in_any_order_and_twice() {
        let named = Named::new(vec![("b", Value::Int(2)), ("a", Value::Int(1))]);
        check(named, &["a", "b", "a"], Ok(&[Value::Int(1), Value::Int(2), Value::Int(1)]));
    }
    #[test]
    fn names_that_do_not_fit() {
        check(Named::new(vec![("a", Value::Null)]), &["a", "b"], Err("no value for `:b`"));
        check(Named::new(vec![("c", Value::Null)]), &["a"], Err("the statement has no placeholder `:c`"));
    }
}
