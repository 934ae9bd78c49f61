//! The `with_` methods of options: one line each, for types whose fields are public and may become more.

/// Defines methods that each set one field and return the options. With `into` before a type, the method takes any value that
/// converts to that type: `4` for an `Option<usize>`.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    ($options:ident { $($with:ident => $field:ident: $(into $into:ty)? $(as $value:ty)?,)+ }) => {
        impl $options {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $with(mut self, value: $(impl Into<$into>)? $($value)?) -> Self {
                    self.$field = $(Into::<$into>::into)?(value);
                    self
                }
            )+
        }
    };
}
