//! The order of a key: turns the cells of a row into bytes that `memcmp` compares as the server orders the values.
//!
//! Invariant: the bytes of a part delimit themselves (a fixed width, or a terminator), so the parts of a composite key are
//! appended one after another. No cell causes a panic; a cell that is not a value of its type gets some stable order.
//! Why approximate orders are allowed: rows are sorted so that the server's pages fill one after another. A wrong order costs
//! speed, never rows. How close each collation is: docs/notes/sort-order.md.

mod bytes;
mod decimal;
mod expression;
mod float;
mod int;
mod member;
mod moment;
mod network;
mod text;

pub(crate) use text::latin1_swedish_weights;

use super::{Column, ColumnType};

/// How the server orders one part of a key.
#[derive(Clone, Debug)]
pub struct KeyPart {
    kind: Kind,
    nullable: bool,
    descending: bool,
    exact: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    Int(int::IntOrder),
    Year,
    Decimal(decimal::DecimalOrder),
    Float,
    Double,
    Date,
    DateTime(moment::DateTimeOrder),
    Time(moment::TimeOrder),
    Bytes(bytes::BytesOrder),
    Text(text::TextOrder),
    Enum(member::EnumOrder),
    Set(member::SetOrder),
    Network(network::NetworkOrder),
    Computed(expression::Computation, bytes::BytesOrder),
}

impl KeyPart {
    /// The order of a column's cells. Returns `None` if we know no order for the type (JSON, geometry, VECTOR, unknown types).
    ///
    /// `collation` is the column's collation as the server spells it. `prefix`: only so many characters (bytes of binary types) count.
    pub fn of(column: &Column, collation: Option<&str>, prefix: Option<u32>, descending: bool) -> Option<Self> {
        let text = |is_char| Kind::Text(text::TextOrder::new(collation, prefix, is_char));
        let kind = match &column.ty {
            ColumnType::Int { bytes, unsigned, .. } => Kind::Int(int::IntOrder::new(*bytes, *unsigned)),
            ColumnType::Bit { bits } => Kind::Int(int::IntOrder::bits(*bits)),
            ColumnType::Year => Kind::Year,
            ColumnType::Decimal { precision, scale, .. } => {
                Kind::Decimal(decimal::DecimalOrder::new(*precision, *scale))
            }
            ColumnType::Float { .. } => Kind::Float,
            ColumnType::Double { .. } => Kind::Double,
            ColumnType::Date => Kind::Date,
            ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => {
                Kind::DateTime(moment::DateTimeOrder::new(*fsp))
            }
            ColumnType::Time { fsp } => Kind::Time(moment::TimeOrder::new(*fsp)),
            ColumnType::Binary { bytes } => Kind::Bytes(bytes::BytesOrder::padded(shorter(*bytes, prefix))),
            ColumnType::VarBinary { bytes } | ColumnType::Blob { bytes } => {
                Kind::Bytes(bytes::BytesOrder::varying(shorter(*bytes, prefix)))
            }
            ColumnType::Char { .. } => text(true),
            ColumnType::VarChar { .. } | ColumnType::Text { .. } => text(false),
            ColumnType::Enum { members } => Kind::Enum(member::EnumOrder::new(members)),
            ColumnType::Set { members } => Kind::Set(member::SetOrder::new(members)),
            ColumnType::Uuid => Kind::Network(network::NetworkOrder::Uuid),
            ColumnType::Inet4 => Kind::Network(network::NetworkOrder::Inet4),
            ColumnType::Inet6 => Kind::Network(network::NetworkOrder::Inet6),
            ColumnType::Json | ColumnType::Geometry { .. } | ColumnType::Vector { .. } | ColumnType::Other(_) => {
                return None;
            }
        };
        let exact = match &kind {
            Kind::Text(order) => order.is_exact(),
            // The local time may repeat; see `with_fixed_zone`.
            _ => !matches!(column.ty, ColumnType::Timestamp { .. }),
        };
        Some(Self { kind, nullable: column.nullable, descending, exact })
    }

    /// The order of a binary column that is computed from the text of one field. `sql` is the expression with `@` for the field, as
    /// `Computed::sql(|_| "@".into())` writes it. Returns `None` for other expressions than `UNHEX(@)`, `UNHEX(REPLACE(@,'-',''))`,
    /// `UUID_TO_BIN(@)` and `UUID_TO_BIN(@, 0|1)`, and for columns of other types.
    pub fn of_expression(column: &Column, sql: &str, prefix: Option<u32>, descending: bool) -> Option<Self> {
        let order = match column.ty {
            ColumnType::Binary { bytes } => bytes::BytesOrder::padded(shorter(bytes, prefix)),
            ColumnType::VarBinary { bytes } | ColumnType::Blob { bytes } => {
                bytes::BytesOrder::varying(shorter(bytes, prefix))
            }
            _ => return None,
        };
        let kind = Kind::Computed(expression::Computation::parse(sql)?, order);
        Some(Self { kind, nullable: column.nullable, descending, exact: true })
    }

    /// The same in a session whose zone has a fixed offset: local times have the order of their instants, so TIMESTAMP is exact.
    pub fn with_fixed_zone(mut self) -> Self {
        self.exact |= matches!(self.kind, Kind::DateTime(_));
        self
    }

    /// Whether the order is exactly the server's, or only close to it.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Appends the order of a cell (`None`: NULL) to `key`. The cell is text as `column::check` leaves it; raw bytes for binary types.
    #[inline]
    pub fn append(&self, cell: Option<&[u8]>, key: &mut Vec<u8>) {
        let start = key.len();
        if self.nullable {
            key.push(cell.is_some().into());
        }
        if cell.is_some() || !self.nullable {
            // NULL in a column that takes none: the server stores a value of its own.
            self.append_value(cell.unwrap_or_default(), key);
        }
        if self.descending {
            key[start..].iter_mut().for_each(|byte| *byte = !*byte);
        }
    }

    /// The same for a value in an ascending column without NULL, whatever this part is.
    pub(crate) fn append_not_null(&self, cell: &[u8], key: &mut Vec<u8>) {
        self.append_value(cell, key);
    }

    #[inline]
    fn append_value(&self, cell: &[u8], key: &mut Vec<u8>) {
        match &self.kind {
            Kind::Int(order) => order.append(cell, key),
            Kind::Year => int::append_year(cell, key),
            Kind::Decimal(order) => order.append(cell, key),
            Kind::Float => float::append_float(cell, key),
            Kind::Double => float::append_double(cell, key),
            Kind::Date => moment::append_date(cell, key),
            Kind::DateTime(order) => order.append(cell, key),
            Kind::Time(order) => order.append(cell, key),
            Kind::Bytes(order) => order.append(cell, key),
            Kind::Text(order) => order.append(cell, key),
            Kind::Enum(order) => order.append(cell, key),
            Kind::Set(order) => order.append(cell, key),
            Kind::Network(order) => order.append(cell, key),
            Kind::Computed(computation, order) => computation.append(cell, *order, key),
        }
    }
}

fn shorter(bytes: u32, prefix: Option<u32>) -> u32 {
    prefix.map_or(bytes, |prefix| bytes.min(prefix))
}

#[cfg(test)]
mod tests;
