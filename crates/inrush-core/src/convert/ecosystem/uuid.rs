//! `uuid`. A `Uuid` is the 16 bytes of a BINARY(16); [`Hyphenated`] and [`Simple`] are the text of a CHAR(36) or CHAR(32), and of
//! MariaDB's UUID. Any of these is read as a `Uuid`.

use crate::convert::{FromValue, ToValue};
use crate::error::Result;
use crate::value::{Value, WriteValue};
use crate::wire::ColumnDef;
use uuid::Uuid;
use uuid::fmt::{Hyphenated, Simple};

impl ToValue for Uuid {
    fn to_value(&self) -> Value<'_> {
        Value::Bytes(self.as_bytes())
    }
}

macro_rules! texts {
    ($($ty:ident),*) => { $(
        impl ToValue for $ty {
            fn to_value(&self) -> Value<'_> {
                Value::Written(self)
            }
        }

        impl WriteValue for $ty {
            fn write(&self, out: &mut Vec<u8>) -> Result<()> {
                let mut text = [0; $ty::LENGTH];
                out.extend_from_slice(self.encode_lower(&mut text).as_bytes());
                Ok(())
            }
        }
    )* };
}

texts!(Hyphenated, Simple);

impl FromValue<'_> for Uuid {
    const KIND: &'static str = "a UUID (`uuid::Uuid`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        let bytes = value.as_bytes()?;
        // No text of a UUID is 16 bytes long.
        Self::from_slice(bytes).or_else(|_| Self::try_parse_ascii(bytes)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::from_value::tests::read;

    #[test]
    fn there_and_back() {
        let uuid = Uuid::from_u128(0x0192_f3a8_0000_7000_8000_0000_0000_00ff);
        assert_eq!(read::<Uuid>(uuid.to_value()), Some(uuid));
        assert_eq!(uuid.hyphenated().to_value().to_string(), "0192f3a8-0000-7000-8000-0000000000ff");
        assert_eq!(read::<Uuid>(Value::Text("0192F3A8-0000-7000-8000-0000000000FF")), Some(uuid));
        assert_eq!(read::<Uuid>(Value::Bytes(b"0192f3a800007000800000000000000ff")), None);
        assert_eq!(uuid.simple().to_value().to_string().len(), 32);
        assert_eq!(read::<Uuid>(Value::Text("0192f3a8")), None);
        assert_eq!(read::<Uuid>(Value::Int(1)), None);
    }
}
