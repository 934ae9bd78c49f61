//! The values of one execution: by position (tuples, slices) or by name (`params! { "name" => value }`).

use crate::convert::ToValue;
use crate::error::{Error, Result};
use crate::value::Value;

/// The values for a statement's placeholders. `()` means none.
pub trait Params {
    /// Whether placeholders are `:name`, so that the statement's text must be searched for them.
    const NAMED: bool;

    /// Puts the values into the order of the placeholders. `names` holds the name of each placeholder of a statement that
    /// names them, and nothing for a statement with `?`.
    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>>;

    /// The names of the values, in their order, if they have names of their own and know them.
    fn own_names(&self) -> Vec<&str> {
        Vec::new()
    }

    /// What many such sets have in common with this first one: computed once, and passed to [`Params::append`] with each.
    ///
    /// # Errors
    /// What is wrong with all of them.
    fn order(&self, _names: &[Box<str>]) -> Result<Order> {
        Ok(Order::default())
    }

    /// Appends what [`Params::values`] returns. For types with many sets, an own implementation saves most of the time.
    ///
    /// # Errors
    /// Those of `values`; `out` may then have some of the values.
    fn append<'a>(&'a self, names: &[Box<str>], _order: &Order, out: &mut Vec<Value<'a>>) -> Result<()> {
        out.extend_from_slice(self.values(names)?.as_ref());
        Ok(())
    }

    /// Passes what [`Params::append`] appends to `to`, value by value, each of a type that the compiler knows. Returns `false` if
    /// `to` refused a value, if there are not `n_values`, or if this is not known that quickly.
    #[inline]
    fn visit<'a>(&'a self, _order: &Order, _n_values: usize, _to: &mut impl ValueVisitor<'a>) -> bool {
        false
    }
}

/// Takes the values of a row, one after the other.
///
/// It is a trait and not a closure, because a closure would be called: a row has a few values of known types, and each of them
/// takes only a few instructions.
pub trait ValueVisitor<'a> {
    /// Takes the value of placeholder `i`, counted from 0. Returns `false` if it accepts no more values.
    fn take(&mut self, i: usize, value: Value<'a>) -> bool;
}

/// The position of each placeholder's value in each of many sets of values.
#[derive(Clone, Debug, Default)]
pub struct Order(Option<Vec<usize>>);

impl Order {
    /// The order of values without names.
    ///
    /// # Errors
    /// `Config` if a placeholder comes twice by name.
    pub fn by_position(names: &[Box<str>]) -> Result<Self> {
        by_position(names).map(|()| Self::default())
    }

    /// The positions of the values of `columns`. Columns that no placeholder names are left out.
    ///
    /// # Errors
    /// `Config` for a placeholder without a column, and for a statement whose placeholders have no names.
    pub fn by_name(names: &[Box<str>], columns: &[&str]) -> Result<Self> {
        some_name(names, columns)?;
        let positions = (0..names.len()).map(|i| position(names, i, columns)).collect::<Result<Vec<_>>>()?;
        let is_own =
            positions.len() == columns.len() && positions.iter().enumerate().all(|(i, position)| i == *position);
        Ok(Self((!is_own).then_some(positions)))
    }

    /// The position of each placeholder's value; `None` if the values come as the placeholders do.
    pub fn positions(&self) -> Option<&[usize]> {
        self.0.as_deref()
    }
}

/// The trait that `#[derive(ToRow)]` implements for a struct: one row, a column for each field.
#[diagnostic::on_unimplemented(note = "derive it: `#[derive(inrush::ToRow)]`")]
pub trait ToRow: Params {
    /// The names of the columns, in the order of the fields; nothing for a struct whose fields have none.
    const COLUMNS: &'static [&'static str];

    /// The value of the column at this place, or of the field for a struct whose fields have no names; NULL after the last one.
    fn value(&self, place: usize) -> Value<'_>;
}

/// The values of one execution in the order of its placeholders, borrowed from the parameters.
///
/// There is one type for all kinds of parameters. With an associated type of the trait, no task could be spawned that gets
/// borrowed values, because the compiler does not see that a future with such a type is `Send`.
#[derive(Clone, Debug)]
pub struct ParamValues<'a> {
    few: [Value<'a>; FEW],
    n_few: usize,
    /// All of them, if there are more than a few.
    many: Vec<Value<'a>>,
}

impl<'a> ParamValues<'a> {
    /// The values of those of the columns that the placeholders name.
    ///
    /// # Errors
    /// Those of [`Order::by_name`].
    pub fn by_name(names: &[Box<str>], columns: &[&str], value: impl Fn(usize) -> Value<'a>) -> Result<Self> {
        some_name(names, columns)?;
        (0..names.len()).map(|i| position(names, i, columns).map(&value)).collect()
    }
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

    fn append<'a>(&'a self, _names: &[Box<str>], _order: &Order, _out: &mut Vec<Value<'a>>) -> Result<()> {
        Ok(())
    }
}

/// One value for each placeholder.
impl<T: ToValue> Params for [T] {
    const NAMED: bool = false;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>> {
        by_position(names)?;
        Ok(self.iter().map(ToValue::to_value).collect())
    }

    fn order(&self, names: &[Box<str>]) -> Result<Order> {
        Order::by_position(names)
    }

    #[inline]
    fn append<'a>(&'a self, _names: &[Box<str>], _order: &Order, out: &mut Vec<Value<'a>>) -> Result<()> {
        out.extend(self.iter().map(ToValue::to_value));
        Ok(())
    }

    #[inline(always)]
    fn visit<'a>(&'a self, _: &Order, n_values: usize, to: &mut impl ValueVisitor<'a>) -> bool {
        n_values == self.len() && self.iter().enumerate().all(|(i, value)| to.take(i, value.to_value()))
    }
}

impl<T: ToValue> Params for Vec<T> {
    const NAMED: bool = false;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>> {
        self.as_slice().values(names)
    }

    fn order(&self, names: &[Box<str>]) -> Result<Order> {
        self.as_slice().order(names)
    }

    #[inline]
    fn append<'a>(&'a self, names: &[Box<str>], order: &Order, out: &mut Vec<Value<'a>>) -> Result<()> {
        self.as_slice().append(names, order, out)
    }

    #[inline(always)]
    fn visit<'a>(&'a self, order: &Order, n_values: usize, to: &mut impl ValueVisitor<'a>) -> bool {
        self.as_slice().visit(order, n_values, to)
    }
}

impl<T: ToValue, const N: usize> Params for [T; N] {
    const NAMED: bool = false;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>> {
        self.as_slice().values(names)
    }

    fn order(&self, names: &[Box<str>]) -> Result<Order> {
        self.as_slice().order(names)
    }

    #[inline]
    fn append<'a>(&'a self, names: &[Box<str>], order: &Order, out: &mut Vec<Value<'a>>) -> Result<()> {
        self.as_slice().append(names, order, out)
    }

    #[inline(always)]
    fn visit<'a>(&'a self, order: &Order, n_values: usize, to: &mut impl ValueVisitor<'a>) -> bool {
        self.as_slice().visit(order, n_values, to)
    }
}

impl<P: Params + ?Sized> Params for &P {
    const NAMED: bool = P::NAMED;

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>> {
        (**self).values(names)
    }

    fn own_names(&self) -> Vec<&str> {
        (**self).own_names()
    }

    fn order(&self, names: &[Box<str>]) -> Result<Order> {
        (**self).order(names)
    }

    #[inline]
    fn append<'a>(&'a self, names: &[Box<str>], order: &Order, out: &mut Vec<Value<'a>>) -> Result<()> {
        (**self).append(names, order, out)
    }

    #[inline(always)]
    fn visit<'a>(&'a self, order: &Order, n_values: usize, to: &mut impl ValueVisitor<'a>) -> bool {
        (**self).visit(order, n_values, to)
    }
}

/// Values by name, as `params!` makes them.
#[derive(Clone, Debug, Default)]
pub struct Named<'p>(Vec<(&'p str, Value<'p>)>);

impl<'p> Named<'p> {
    /// Values by name. A statement may contain a name several times.
    pub fn new(values: Vec<(&'p str, Value<'p>)>) -> Self {
        Self(values)
    }
}

impl<'p> Params for Named<'p> {
    const NAMED: bool = true;

    fn own_names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| *name).collect()
    }

    fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>> {
        for_names(&self.0, names)
    }

    /// Empty for a set that does not fit: it is refused when it is appended.
    fn order(&self, names: &[Box<str>]) -> Result<Order> {
        let fits = self.values(names).is_ok();
        Ok(Order(fits.then(|| names.iter().filter_map(|name| self.position(name)).collect())))
    }

    /// If this set is as long as the one that the order was taken from, each name is expected at the same position: one
    /// comparison for each name, no search.
    fn append<'a>(&'a self, names: &[Box<str>], order: &Order, out: &mut Vec<Value<'a>>) -> Result<()> {
        let n_before = out.len();
        if order.positions().is_some_and(|positions| self.append_in(positions, names, out)) {
            return Ok(());
        }
        out.truncate(n_before);
        out.extend_from_slice(self.values(names)?.as_ref());
        Ok(())
    }
}

/// The values of these names. Every given value's name must be among them.
fn for_names<'p>(given: &[(&str, Value<'p>)], names: &[Box<str>]) -> Result<ParamValues<'p>> {
    for (i, (name, _)) in given.iter().enumerate() {
        if names.iter().all(|other| **other != **name) {
            return Err(unused(name, names));
        }
        if given[..i].iter().any(|(before, _)| before == name) {
            return Err(Error::config(format!("`:{name}` is given two values")));
        }
    }
    let value = |name: &str| given.iter().find(|(given, _)| *given == name).map(|(_, value)| *value);
    names.iter().map(|name| value(name).ok_or_else(|| no_value(name))).collect()
}

macro_rules! maps {
    ($($ty:ty, $($param:ident $(: $bound:path)?),*;)*) => { $(
        /// Values by name, as [`Named`].
        impl<K: AsRef<str>, T: ToValue $(, $param $(: $bound)?)*> Params for $ty {
            const NAMED: bool = true;

            fn own_names(&self) -> Vec<&str> {
                self.keys().map(AsRef::as_ref).collect()
            }

            fn values<'a>(&'a self, names: &[Box<str>]) -> Result<ParamValues<'a>> {
                let given: Vec<_> = self.iter().map(|(name, value)| (name.as_ref(), value.to_value())).collect();
                for_names(&given, names)
            }
        }
    )* };
}

maps! {
    std::collections::BTreeMap<K, T>,;
    std::collections::HashMap<K, T, S>, S;
}

impl<'p> Named<'p> {
    /// Returns `false`, with some values appended, if a name is not at the position that it had in the other set.
    fn append_in(&self, positions: &[usize], names: &[Box<str>], out: &mut Vec<Value<'p>>) -> bool {
        // The other set's names were all used, so that it had as many as there are positions.
        let n_given = positions.iter().max().map_or(0, |last| last + 1);
        if positions.len() != names.len() || self.0.len() != n_given {
            return false;
        }
        names.iter().zip(positions).all(|(name, position)| {
            let (given, value) = self.0[*position];
            out.push(value);
            *given == **name
        })
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|(given, _)| *given == name)
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

            fn order(&self, names: &[Box<str>]) -> Result<Order> {
                Order::by_position(names)
            }

            #[inline]
            fn append<'a>(&'a self, _names: &[Box<str>], _order: &Order, out: &mut Vec<Value<'a>>) -> Result<()> {
                out.extend([$(self.$i.to_value()),+]);
                Ok(())
            }

            #[inline(always)]
            fn visit<'a>(&'a self, _: &Order, n_values: usize, to: &mut impl ValueVisitor<'a>) -> bool {
                n_values == $n $(&& to.take($i, self.$i.to_value()))+
            }
        }
    )* };
}

for_tuples!(tuples);

/// A statement with names accepts values by position only if no name occurs twice: then the order is unambiguous.
pub(crate) fn by_position(names: &[Box<str>]) -> Result<()> {
    let twice = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name));
    match twice {
        None => Ok(()),
        Some((_, name)) => Err(Error::config(format!("placeholder `:{name}` comes twice, so values need names"))
            .with_hint("use `params! { \"name\" => value, .. }`")),
    }
}

/// The position in `columns` of placeholder `i`: most often the same position.
fn position(names: &[Box<str>], i: usize, columns: &[&str]) -> Result<usize> {
    let name = &*names[i];
    match columns.get(i) {
        Some(column) if *column == name => Ok(i),
        _ => columns.iter().position(|column| *column == name).ok_or_else(|| no_value(name)),
    }
}

fn some_name(names: &[Box<str>], columns: &[&str]) -> Result<()> {
    match columns.first() {
        Some(first) if names.is_empty() => Err(unused(first, names)),
        _ => Ok(()),
    }
}

fn unused(given: &str, names: &[Box<str>]) -> Error {
    let message = format!("the statement has no placeholder `:{given}`");
    Error::config(message).with_hint(format!("it has {}", listed(names)))
}

fn no_value(name: &str) -> Error {
    Error::config(format!("no value for `:{name}`"))
}

pub(crate) fn listed(names: &[Box<str>]) -> String {
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
    fn maps_are_names_with_values() {
        let map = std::collections::BTreeMap::from([("a", 1), ("b", 2)]);
        check(&map, &["b", "a", "b"], Ok(&[Value::Int(2), Value::Int(1), Value::Int(2)]));
        check(&map, &["a"], Err("the statement has no placeholder `:b`"));
        let owned: std::collections::HashMap<String, &str> = [("a".to_owned(), "x")].into();
        check(owned, &["a"], Ok(&[Value::Text("x")]));
    }
    #[test]
    fn names_that_do_not_fit() {
        check(Named::new(vec![("a", Value::Null)]), &["a", "b"], Err("no value for `:b`"));
        check(Named::new(vec![("c", Value::Null)]), &["a"], Err("the statement has no placeholder `:c`"));
    }
}
