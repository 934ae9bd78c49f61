//! The values of one execution: by position (tuples, slices) or by name (`params! { "name" => value }`).

use crate::error::{Error, Result};
use crate::wire::{ToValue, Value};

/// The values for a statement's placeholders. `()` stands for none.
pub trait Params {
    /// Whether placeholders are `:name`, so that the statement's text must be searched for them.
    const NAMED: bool;

    /// Puts the values into the order of the placeholders. `names` holds the name of each placeholder of a statement that
    /// names them, and nothing for a statement with `?`.
    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>>;
}

/// The values of one execution in the order of its placeholders, borrowed from the parameters.
///
/// One type for all kinds of parameters: were it one of the trait's, no task could be spawned that is given borrowed values, since the
/// compiler does not see that a future with such a type in it is `Send`.
#[derive(Clone, Debug)]
pub struct ParamValues<'a> {
    few: [Value<'a>; FEW],
    n_few: usize,
    /// All of them, if there are more than a few.
    many: Vec<Value<'a>>,
}

impl<'a> FromIterator<Value<'a>> for ParamValues<'a> {
    fn from_iter<I: IntoIterator<Item = Value<'a>>>(values: I) -> Self {
        let mut values = values.into_iter();
        let (mut few, mut n_few) = ([Value::Null; FEW], 0);
        for (slot, value) in few.iter_mut().zip(&mut values) {
            *slot = value;
            n_few += 1;
        }
        let many = match values.next() {
            None => Vec::new(),
            Some(next) => few.into_iter().chain([next]).chain(values).collect(),
        };
        Self { few, n_few, many }
    }
}

impl<'a> AsRef<[Value<'a>]> for ParamValues<'a> {
    fn as_ref(&self) -> &[Value<'a>] {
        if self.many.is_empty() { &self.few[..self.n_few] } else { &self.many }
    }
}

impl Params for () {
    const NAMED: bool = false;

    fn values<'a>(&'a self, _names: &[Box<str>]) -> Result<ParamValues<'a>> {
        Ok(ParamValues::from_iter([]))
    }
}

/// One value for each placeholder.
impl<T: ToValue> Params for [T] {
    const NAMED: bool = false;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>> {
        by_position(names)?;
        Ok(self.iter().map(ToValue::to_value).collect())
    }
}

impl<T: ToValue> Params for Vec<T> {
    const NAMED: bool = false;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>> {
        self.as_slice().values(names)
    }
}

impl<T: ToValue, const N: usize> Params for [T; N] {
    const NAMED: bool = false;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>> {
        by_position(names)?;
        Ok(self.iter().map(ToValue::to_value).collect())
    }
}

impl<P: Params + ?Sized> Params for &P {
    const NAMED: bool = P::NAMED;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>> {
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
    const NAMED: bool = true;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>> {
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
            const NAMED: bool = false;

            fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>> {
                by_position(names)?;
                Ok([$(self.$i.to_value()),+].into_iter().collect())
            }
        }
    )* };
}

for_tuples!(tuples);

/// A statement with names takes values by position all the same only if no name comes twice: then the order is plain.
pub(crate) fn by_position(names: &[Box<str>]) -> Result<()> {
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

/// More values than most statements have. The others cost an allocation.
const FEW: usize = 8;

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
    fn more_than_a_few() {
        let numbers: Vec<i32> = (0..20).collect();
        let want: Vec<_> = numbers.iter().map(|n| Value::Int((*n).into())).collect();
        for n in 0..numbers.len() {
            check(&numbers[..n], &[], Ok(&want[..n]));
        }
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
