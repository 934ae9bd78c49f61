//! One table on one server: what is stored, in which order it comes back, and how many neighbours our keys have the wrong way round.

use arrow_array::BinaryViewArray;
use inrush::sans_io::column::Rules;
use inrush::sans_io::column::check::Check;
use inrush::sans_io::column::order::KeyPart;
use inrush::sans_io::column::{Column, ColumnType};
use inrush::sans_io::wire::ServerVersion;
use inrush_testkit::servers::{self, Server};

/// A column of a key.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) ty: String,
    pub(super) collation: Option<&'static str>,
    pub(super) prefix: Option<u32>,
    pub(super) descending: bool,
    /// What is stored is computed of the cell: an expression with `@` for it.
    pub(super) expression: Option<&'static str>,
}

impl Part {
    pub(super) fn of(ty: &str) -> Self {
        Self { ty: ty.into(), collation: None, prefix: None, descending: false, expression: None }
    }

    pub(super) fn collate(ty: &str, collation: &'static str) -> Self {
        Self { collation: Some(collation), ..Self::of(ty) }
    }

    fn declared(&self) -> String {
        match self.collation {
            Some(name) => {
                let charset = name.split('_').next().unwrap_or_default();
                format!("{} CHARACTER SET {charset} COLLATE {name}", self.ty)
            }
            None => self.ty.clone(),
        }
    }

    fn column(&self, nullable: bool) -> Column {
        let charset = self.collation.map(|name| name.split('_').next().unwrap_or_default().to_owned());
        Column { charset, nullable, ..Column::new("c", ColumnType::parse(&self.ty)) }
    }

    fn key_part(&self, nullable: bool) -> KeyPart {
        let column = self.column(nullable);
        match self.expression {
            Some(sql) => KeyPart::of_expression(&column, sql, self.prefix, self.descending).unwrap(),
            None => KeyPart::of(&column, self.collation, self.prefix, self.descending).unwrap(),
        }
    }

    /// Whether the order is exact in a session whose zone is UTC.
    pub(super) fn is_exact(&self) -> bool {
        self.key_part(true).with_fixed_zone().is_exact()
    }

    /// The cells as they leave their check; bad ones are left out.
    fn checked(&self, cells: &[Vec<u8>], rules: &Rules) -> Vec<Vec<u8>> {
        if self.expression.is_some() {
            return cells.to_vec();
        }
        let check = Check::new(&self.column(true), rules);
        let array = BinaryViewArray::from_iter(cells.iter().map(|cell| Some(cell.as_slice())));
        let mut bad = Vec::new();
        let checked = check.run(&array, false, &mut bad);
        let is_bad = |at: &usize| bad.iter().any(|bad| bad.row as usize == *at);
        (0..cells.len()).filter(|at| !is_bad(at)).map(|at| checked.cells.value(at).to_vec()).collect()
    }

    fn literal(&self, cell: &[u8]) -> String {
        let hex: String = cell.iter().map(|byte| format!("{byte:02x}")).collect();
        match (self.expression, &self.column(true).ty) {
            (Some(sql), _) => sql.replace('@', &format!("_utf8mb4 x'{hex}'")),
            (None, ColumnType::Bit { .. }) => String::from_utf8(cell.to_vec()).unwrap(),
            (None, ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. }) => {
                format!("x'{hex}'")
            }
            _ => format!("_utf8mb4 x'{hex}'"),
        }
    }
}

/// Inverted neighbours and all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inversions {
    pub(super) inverted: usize,
    pub(super) neighbours: usize,
}

impl Inversions {
    pub(super) fn percent(self) -> f64 {
        100.0 * self.inverted as f64 / self.neighbours.max(1) as f64
    }
}

/// On every server that takes the column: nothing is inverted.
#[track_caller]
pub(super) fn exact(ty: &str, cells: &[Vec<u8>]) {
    exact_parts(&[Part::of(ty)], &[cells]);
}

/// The same for a key of several parts; a row has one cell of each.
#[track_caller]
pub(super) fn exact_parts(parts: &[Part], cells: &[&[Vec<u8>]]) {
    let mut n_servers = 0;
    for server in servers::with_local_infile() {
        let Some(found) = on(&server, parts, cells) else { continue };
        n_servers += 1;
        parts.iter().for_each(|part| assert!(part.is_exact(), "{part:?}"));
        for (how, found, example) in found {
            assert_eq!(found.inverted, 0, "{parts:?} on {}, {how}: {example}", server.name);
        }
    }
    assert!(n_servers > 0, "no server takes {parts:?}");
}

/// How the rows were read, what was found, and the first inversion.
pub(super) type Found = (&'static str, Inversions, String);

/// Stores the cells and reads them in both ways. `None` if the server does not know the type, the collation or the function.
pub(super) fn on(server: &Server, parts: &[Part], cells: &[&[Vec<u8>]]) -> Option<Vec<Found>> {
    let version = server.sql("SELECT version();")[0][0].clone();
    let rules = Rules::utc(ServerVersion::parse(&version));
    let columns: Vec<Vec<Vec<u8>>> = parts.iter().zip(cells).map(|(part, cells)| part.checked(cells, &rules)).collect();
    let n_rows = columns.iter().map(Vec::len).min().unwrap();
    assert!(n_rows * 2 > cells[0].len(), "{parts:?}: {n_rows} of {} cells are good", cells[0].len());
    let schema = server.schema("order");
    let declare = |null: &str| -> String {
        parts.iter().enumerate().map(|(at, part)| format!("c{at} {} {null}, ", part.declared())).collect()
    };
    let names = |with_prefix: bool| -> String {
        let name = |(at, part): (usize, &Part)| {
            let prefix = part.prefix.filter(|_| with_prefix).map(|n| format!("({n})")).unwrap_or_default();
            format!("c{at}{prefix}{}, ", if part.descending { " DESC" } else { "" })
        };
        parts.iter().enumerate().map(name).collect()
    };
    let (key, order) = (names(true), names(false));
    let create = format!(
        "USE {schema}; CREATE TABLE sorted ({}id INT NOT NULL, PRIMARY KEY ({key}id)); \
         CREATE TABLE heap ({}id INT NOT NULL);",
        declare("NOT NULL"),
        declare("NULL"),
        schema = schema.name(),
    );
    if let Err(why) = server.try_sql(&create) {
        let unknown = ["Unknown", "unknown", "syntax", "COLLATION"].iter().any(|word| why.contains(word));
        assert!(unknown, "{} on {}: {why}", create, server.name);
        return None;
    }
    let row = |row: usize| -> String {
        parts.iter().zip(&columns).map(|(part, cells)| format!("{}, ", part.literal(&cells[row]))).collect()
    };
    let rows: Vec<String> = (0..n_rows).map(|at| format!("({}{at})", row(at))).collect();
    let nulls = parts.iter().map(|_| "NULL, ").collect::<String>();
    let fill = format!(
        "USE {schema}; SET time_zone = '+00:00'; INSERT INTO heap VALUES {rows}; INSERT INTO sorted SELECT * FROM heap; \
         INSERT INTO heap VALUES ({nulls}{n_rows}), ({nulls}{});",
        n_rows + 1,
        rows = rows.join(","),
        schema = schema.name(),
    );
    if let Err(why) = server.try_sql(&fill) {
        assert!(why.contains("FUNCTION") && why.contains("does not exist"), "{parts:?} on {}: {why}", server.name);
        return None;
    }
    let ids = |sql: &str| -> Vec<usize> { schema.sql(sql).iter().map(|row| row[0].parse().unwrap()).collect() };
    let mut found = Vec::new();
    if parts.iter().all(|part| part.prefix.is_none()) {
        let by_order = ids(&format!("SET time_zone = '+00:00'; SELECT id FROM heap ORDER BY {order}id;"));
        found.push(inversions("ORDER BY", parts, true, &columns, &by_order));
    }
    let clustered = ids("SELECT id FROM sorted FORCE INDEX (PRIMARY);");
    // The server may choose to read it sorted by something else; it has no other index.
    found.push(inversions("clustered index", parts, false, &columns, &clustered));
    Some(found)
}

fn inversions(how: &'static str, parts: &[Part], nullable: bool, columns: &[Vec<Vec<u8>>], ids: &[usize]) -> Found {
    let key_parts: Vec<KeyPart> = parts.iter().map(|part| part.key_part(nullable)).collect();
    let key = |id: usize| {
        let mut key = Vec::new();
        for (part, cells) in key_parts.iter().zip(columns) {
            part.append(cells.get(id).map(Vec::as_slice), &mut key);
        }
        // As in the server's order.
        key.extend_from_slice(&(id as u32).to_be_bytes());
        key
    };
    let shown = |id: usize| -> String {
        columns
            .iter()
            .map(|cells| format!("`{}` ", cells.get(id).map_or("NULL".into(), |cell| cell.escape_ascii().to_string())))
            .collect()
    };
    let wrong = |pair: &&[usize]| key(pair[0]) > key(pair[1]);
    let inverted: Vec<&[usize]> = ids.windows(2).filter(wrong).collect();
    let example =
        inverted.iter().take(5).map(|pair| format!("{}before {}; ", shown(pair[0]), shown(pair[1]))).collect();
    (how, Inversions { inverted: inverted.len(), neighbours: ids.len().saturating_sub(1) }, example)
}
