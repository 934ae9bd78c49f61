//! A column of a result set, or a parameter of a statement.
//!
//! ```text
//! l ..         catalog, always "def"
//! l ..         schema
//! l ..         table (alias)
//! l ..         table (as it is called)
//! l ..         column (alias)
//! l ..         column (as it is called)
//! 0c           length of what follows
//! cc cc        collation
//! ll ll ll ll  greatest length
//! tt           type
//! ff ff        flags
//! dd           decimals
//! 00 00
//! ```

use crate::wire::{ColumnFlags, ColumnType, Cursor, Malformed};

/// A column of a result set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnDef {
    /// The name in the result: the alias, if there is one.
    pub name: String,
    /// The table's name, empty for an expression.
    pub table: String,
    /// The table's schema, empty for an expression.
    pub schema: String,
    /// The collation's number; 63 means bytes, not text.
    pub collation: u16,
    /// The greatest length of a value, in bytes.
    pub length: u32,
    /// The type. One that we do not know is `MYSQL_TYPE_UNKNOWN`.
    pub ty: ColumnType,
    /// NOT NULL, UNSIGNED and the like.
    pub flags: ColumnFlags,
    /// Digits after the point.
    pub decimals: u8,
}

impl ColumnDef {
    /// Reads the packet.
    pub fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let mut r = Cursor::new(body, "column definition");
        r.lenenc_bytes()?;
        let schema = text(r.lenenc_bytes()?);
        let table = text(r.lenenc_bytes()?);
        r.lenenc_bytes()?;
        let name = text(r.lenenc_bytes()?);
        r.lenenc_bytes()?;
        let fixed = r.lenenc_bytes()?;
        let mut r = Cursor::new(fixed, "column definition");
        Ok(Self {
            name,
            table,
            schema,
            collation: r.u16()?,
            length: r.u32()?,
            ty: ColumnType::of(r.u8()?).unwrap_or(ColumnType::MYSQL_TYPE_UNKNOWN),
            flags: ColumnFlags::from_bits_retain(r.u16()?),
            decimals: r.u8()?,
        })
    }

    /// The type alone. `None`: the type is unknown, or the packet is malformed.
    pub fn type_of(body: &[u8]) -> Option<ColumnType> {
        let mut r = Cursor::new(body, "column definition");
        for _ in 0..TEXTS {
            r.lenenc_bytes().ok()?;
        }
        let mut fixed = Cursor::new(r.lenenc_bytes().ok()?, "column definition");
        fixed.take(6).ok()?;
        ColumnType::of(fixed.u8().ok()?)
    }

    /// Whether the number is UNSIGNED.
    pub fn is_unsigned(&self) -> bool {
        self.flags.contains(ColumnFlags::UNSIGNED_FLAG)
    }
}

/// Catalog, schema, two names of the table, two of the column.
const TEXTS: usize = 6;

/// The definitions of one result, as they arrive.
#[derive(Clone, Debug, Default)]
pub struct ColumnDefs {
    columns: Vec<ColumnDef>,
    /// The packets they came in, one after the other, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl ColumnDefs {
    /// Adds the definition in `body`; their number is limited by the caller, their size here.
    pub fn push(&mut self, body: &[u8]) -> Result<(), Malformed> {
        if self.bytes.len() + body.len() > MAX_BYTES {
            return Err(Cursor::new(body, "column definition").malformed("there is no end to them"));
        }
        self.columns.push(ColumnDef::parse(body)?);
        self.bytes.extend_from_slice(body);
        self.ends.push(self.bytes.len());
        Ok(())
    }

    /// Whether definition `position` came in just this packet.
    pub fn came_as(&self, position: usize, body: &[u8]) -> bool {
        let start = position.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.ends.get(position).is_some_and(|&end| self.bytes[start..end] == *body)
    }

    /// The first `n` of them.
    pub fn first(&self, n: usize) -> Self {
        let n_bytes = n.checked_sub(1).map_or(0, |last| self.ends[last]);
        Self {
            columns: self.columns[..n].to_vec(),
            bytes: self.bytes[..n_bytes].to_vec(),
            ends: self.ends[..n].to_vec(),
        }
    }

    /// Number of definitions.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Number of bytes they came in.
    pub fn n_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The definitions.
    pub fn as_slice(&self) -> &[ColumnDef] {
        &self.columns
    }

    /// The definitions.
    pub fn into_vec(self) -> Vec<ColumnDef> {
        self.columns
    }
}

/// Names have at most 256 characters and a table at most 4096 columns, so that real servers stay far below.
const MAX_BYTES: usize = 16 * 1024 * 1024;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &[u8] = b"\x03def\x04shop\x01p\x06people\x02id\x02id\x0c\x3f\0\x14\0\0\0\x08\x23\x42\0\0\0";

    #[test]
    fn reads_a_column() {
        let column = ColumnDef::parse(ID).unwrap();
        assert_eq!((&*column.schema, &*column.table, &*column.name), ("shop", "p", "id"));
        assert_eq!((column.collation, column.length, column.decimals), (63, 20, 0));
        assert_eq!(column.ty, ColumnType::MYSQL_TYPE_LONGLONG);
        assert!(column.is_unsigned());
    }

    #[test]
    fn cut_anywhere_it_is_malformed() {
        for n in 0..ID.len() - 2 {
            assert!(ColumnDef::parse(&ID[..n]).is_err(), "{n}");
        }
    }

    #[test]
    fn an_unknown_type_is_kept_as_unknown() {
        let mut body = ID.to_vec();
        let at = body.len() - 6;
        body[at] = 0xDD;
        assert_eq!(ColumnDef::parse(&body).unwrap().ty, ColumnType::MYSQL_TYPE_UNKNOWN);
    }
}
