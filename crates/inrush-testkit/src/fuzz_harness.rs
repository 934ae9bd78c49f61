//! Any bytes at all, into every decoder and every conversation. Nothing may panic, hang or take memory without bound;
//! whatever else comes out is fine. The fuzz targets and the stable tests share these bodies.

use std::ops::ControlFlow;

use inrush_core::convert::arrow::{ArrowOptions, Batches, InvalidDates};
use inrush_core::error::{Error, Result};
use inrush_core::session::pipeline::{Decision, Flight, NextCommand, Reply, Window};
use inrush_core::session::transaction::{Begin, Commit, release};
use inrush_core::session::{
    CachedExecute, ChangeUser, Channel, Collect, Conversation, Credentials, Execute, Infile, Isolation, LoadCounts,
    Login, LoginOptions, Pipeline, Prepare, Prepared, Query, Session, Statement, Step, TransactionOptions, Transport,
    simple as plain,
};
use inrush_core::value::Value;
use inrush_core::wire::ok::end_of_rows;
use inrush_core::wire::{
    AuthPacket, Capabilities, ColumnDef, Compression, ErrPacket, Frames, Greeting, Inbox, OkPacket, Outbox, PrepareOk,
    Row, RowFormat, SessionChange, StmtId,
};
use inrush_core::write::Template;

use crate::captured;

/// Takes any bytes.
pub type Harness = fn(&[u8]);

/// Every harness, with the name of its fuzz target.
pub const ALL: &[(&str, Harness)] = &[
    ("framing", framing),
    ("compressed", compressed),
    ("packets", packets),
    ("rows", rows),
    ("arrow", arrow),
    ("login", login),
    ("change_user", change_user),
    ("query", query),
    ("prepare", prepare),
    ("execute", execute),
    ("cached_execute", cached_execute),
    ("infile", infile),
    ("pipeline", pipeline),
    ("transaction", transaction),
    ("simple", simple),
    ("template", template),
];

/// Framing: the first byte is the size of the pieces into which the rest is cut.
pub fn framing(bytes: &[u8]) {
    let Some((&piece, bytes)) = bytes.split_first() else { return };
    let mut inbox = Inbox::new(1 << 20);
    let mut n_bytes = 0;
    for piece in bytes.chunks(usize::from(piece).max(1)) {
        inbox.extend(piece);
        loop {
            match inbox.next_packet() {
                Ok(Some(packet)) => n_bytes += packet.body.len(),
                Ok(None) => break,
                Err(error) => return assert!(error.is_fatal()),
            }
        }
    }
    assert!(n_bytes <= bytes.len());
}

/// Compressed frames: the first byte chooses the algorithm and the size of the pieces into which the rest is cut.
pub fn compressed(bytes: &[u8]) {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    let compression = if choice & 1 == 0 { Compression::ZLIB } else { Compression::ZSTD };
    let mut frames = Frames::new(compression).expect("a level that exists").expect("a compression");
    let mut inbox = Inbox::new(1 << 20);
    for piece in bytes.chunks(usize::from(choice / 2).max(1)) {
        frames.space()[..piece.len()].copy_from_slice(piece);
        frames.filled(piece.len());
        loop {
            match inbox.next_packet() {
                Ok(Some(_)) => continue,
                Ok(None) => {}
                Err(error) => return assert!(error.is_fatal()),
            }
            match frames.unpack(&mut inbox) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return assert!(error.is_fatal()),
            }
            // Twice the memory that a packet of the limit takes, whatever sizes the frames announce.
            assert!(inbox.space().len() <= 4 << 20);
        }
    }
}

/// Each packet's decoder. The test is that all of them return.
pub fn packets(bytes: &[u8]) {
    let _ = Greeting::parse(bytes);
    let _ = AuthPacket::parse(bytes);
    let _ = ErrPacket::parse(bytes).map(inrush_core::Error::from);
    let _ = ColumnDef::parse(bytes);
    let _ = PrepareOk::parse(bytes);
    let _ = SessionChange::read_all(bytes, |_| ());
    let _ = LoadCounts::parse(&String::from_utf8_lossy(bytes));
    for capabilities in [Capabilities::empty(), Capabilities::all()] {
        let _ = OkPacket::parse(bytes, capabilities).map(|ok| SessionChange::read_all(ok.state, |_| ()));
        if let Ok(ControlFlow::Break(ok)) = end_of_rows(bytes, capabilities) {
            assert!(ok.info.len() + ok.state.len() <= bytes.len());
        }
    }
}

/// Rows: the first byte is the number of columns, a byte each is their type and sign, the rest is the row.
pub fn rows(bytes: &[u8]) {
    let Some((&n_columns, bytes)) = bytes.split_first() else { return };
    let (types, body) = bytes.split_at(bytes.len().min(usize::from(n_columns)));
    let columns: Vec<_> = types
        .iter()
        .filter_map(|ty| {
            let mut body = captured::COLUMN_CURRENT_USER.to_vec();
            let at = body.len() - 6;
            (body[at], body[at + 1]) = (ty & 0xDF, ty & 0x20);
            ColumnDef::parse(&body).ok()
        })
        .collect();
    for format in [RowFormat::Text, RowFormat::Binary] {
        let mut n_values = 0;
        for value in Row::new(&columns, body, format).values().flatten() {
            let _ = (value.to_string(), value.as_u64(), value.as_i64(), value.as_f64());
            n_values += 1;
        }
        assert!(n_values <= columns.len());
    }
}

/// Parses a statement's text.
pub fn template(bytes: &[u8]) {
    let Ok(statement) = Statement::new(&String::from_utf8_lossy(bytes)) else { return };
    let template = Template::parse(&statement);
    let sql = statement.sql();
    assert_eq!(template.targets().len(), statement.marks().len());
    assert!(template.end().is_none_or(|end| sql.get(..end).is_some()));
    if let Some(row) = &template.row {
        let text = &sql[row.range.clone()];
        assert!(text.starts_with('(') && text.ends_with(')'));
        let is_inside = |number: usize| row.range.contains(&statement.marks()[number]);
        assert!((0..statement.marks().len()).all(|number| is_inside(number) == row.placeholders.contains(&number)));
        assert!(row.cells.len() <= text.len());
    }
}

/// Rows as Arrow: a byte for the number of columns, four for each (type, sign, length, decimals), one for the options; the rest
/// is cut into rows of seventeen bytes.
pub fn arrow(bytes: &[u8]) {
    let Some((&n_columns, bytes)) = bytes.split_first() else { return };
    let (columns, bytes) = bytes.split_at(bytes.len().min(usize::from(n_columns % 16) * 4));
    let columns: Vec<_> = columns.as_chunks().0.iter().filter_map(column).collect();
    let Some((&choice, rows)) = bytes.split_first() else { return };
    let invalid_dates = [InvalidDates::Refuse, InvalidDates::Null, InvalidDates::Text][usize::from(choice) % 3];
    let options = ArrowOptions::default().with_batch_rows(3).with_invalid_dates(invalid_dates);
    for format in [RowFormat::Text, RowFormat::Binary] {
        let mut batches = Batches::new(&columns, &options);
        let (mut n_pushed, mut n_rows, mut refused) = (0, 0, false);
        for row in rows.chunks(17) {
            match batches.push(Row::new(&columns, row, format)) {
                Ok(batch) => n_rows += batch.map_or(0, |batch| batch.num_rows()),
                Err(_) => refused = true,
            }
            n_pushed += usize::from(!refused);
        }
        match batches.finish() {
            Ok(last) => assert!(refused || n_rows + last.map_or(0, |batch| batch.num_rows()) == n_pushed),
            Err(_) => assert!(refused),
        }
    }
}

/// A column whose type, sign, length and decimals are what the four bytes say.
fn column(&[ty, sign, length, decimals]: &[u8; 4]) -> Option<ColumnDef> {
    let mut body = captured::COLUMN_CURRENT_USER.to_vec();
    let at = body.len() - 6;
    body[at - 4..at].copy_from_slice(&[length, 0, 0, 0]);
    (body[at], body[at + 1], body[at + 3]) = (ty, sign & 0x21, decimals);
    ColumnDef::parse(&body).ok()
}

/// A login: the first byte chooses account and transport.
pub fn login(bytes: &[u8]) {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    let transport = [Transport::Tcp, Transport::Unix, Transport::Tls][usize::from(choice) % 3];
    let mut channel = Channel::new(transport, MAX_PACKET);
    let credentials = credentials(choice);
    let options = LoginOptions { credentials, database: Some("shop".into()), ..Default::default() };
    feed(&mut channel, &mut Login::new(options, [7; 32]), bytes);
}

/// A change of user.
pub fn change_user(bytes: &[u8]) {
    in_session(bytes, |choice| ChangeUser::new(credentials(choice), None, Vec::new(), [7; 32]));
}

/// A query.
pub fn query(bytes: &[u8]) {
    let mut rows = Collect::new(MAX_RESULT);
    in_session(bytes, |_| Query::new("SELECT 1", &mut rows));
}

/// A prepare.
pub fn prepare(bytes: &[u8]) {
    in_session(bytes, |_| Prepare::new("SELECT ?"));
}

/// An execution.
pub fn execute(bytes: &[u8]) {
    let statement = Prepared {
        id: StmtId(1),
        n_params: 1,
        columns: Vec::new(),
        effect: inrush_core::session::Effect::Nothing,
        derived: Vec::new(),
    };
    let mut rows = Collect::new(MAX_RESULT);
    in_session(bytes, |_| {
        Execute::new(&statement, &[Value::Int(1)], &mut rows).expect("one value for one placeholder")
    });
}

/// A statement with a value, prepared and executed.
pub fn cached_execute(bytes: &[u8]) {
    let mut rows = Collect::new(MAX_RESULT);
    in_session(bytes, |_| CachedExecute::new("SELECT ?", &[Value::Int(1)], &mut rows));
}

/// A LOAD DATA LOCAL.
pub fn infile(bytes: &[u8]) {
    in_session(bytes, |choice| Infile::new("LOAD DATA", "n", b"1\n2\n").with_frames_of(usize::from(choice)));
}

/// A pipeline: the first byte chooses its steps.
pub fn pipeline(bytes: &[u8]) {
    in_session(bytes, |choice| {
        Pipeline::new(Mixed { choice, n_left: 12 }).with_window(Window { n_bytes: 60, n_commands: 4 })
    });
}

/// Steps of all kinds.
struct Mixed {
    choice: u8,
    n_left: u8,
}

impl Flight for Mixed {
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        if self.n_left == 0 {
            return next.end();
        }
        self.n_left -= 1;
        match self.choice.wrapping_add(self.n_left) % 9 {
            0 => next.query("SELECT 1"),
            1 => next.execute(&Statement::new("SELECT ?")?, [Value::Int(1)]),
            2 => next.prepare(&Statement::new("SELECT ? + 1")?),
            3 => next.ping(),
            4 => next.reset(),
            5 => next.close(StmtId(1)),
            6 => next.commit(),
            7 => next.query("BEGIN"),
            _ => next.wait().and(Err(Error::data("the source failed"))),
        }
    }

    fn reply(&mut self, _: u64, _: Result<Reply>) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, _: u64, row: Row<'_>) -> Result<()> {
        row.values().flatten().for_each(|value| drop(value.to_string()));
        Ok(())
    }
}

/// A transaction: the first byte chooses its beginning, its end, or what is owed after it.
pub fn transaction(bytes: &[u8]) {
    let choice = bytes.first().map_or(0, |choice| choice >> 1);
    let options = TransactionOptions::new().with_isolation(Isolation::Serializable);
    match choice % 4 {
        0 => in_session(bytes, |_| Begin::new(&options)),
        1 => in_session(bytes, |_| Begin::new(&options).in_one_flight(true)),
        2 => in_session(bytes, |_| Commit::default()),
        _ => in_session(bytes, |_| release(2)),
    }
}

/// A ping.
pub fn simple(bytes: &[u8]) {
    in_session(bytes, |_| plain::ping());
}

/// Exchanges of real servers to start from: a first byte that chooses nothing special, then each packet after its length.
pub fn seeds() -> Vec<Vec<u8>> {
    use captured::*;
    let column = COLUMN_CURRENT_USER;
    let end = b"\xfe\x00\x00\x02\x00\x00\x00";
    let prepared = b"\x00\x07\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00";
    let exchanges: &[&[&[u8]]] = &[
        &[MYSQL_GREETING, b"\x01\x04", OK],
        &[MYSQL_GREETING, SWITCH_TO_SHA256, OK],
        &[MARIADB_GREETING, MARIADB_LOGIN_OK],
        &[MARIADB_GREETING, SWITCH_TO_ED25519, MARIADB_LOGIN_OK],
        &[MARIADB_GREETING, SWITCH_TO_PARSEC, PARSEC_SALT, MARIADB_LOGIN_OK],
        &[MARIADB_GREETING, SWITCH_TO_CACHING_SHA2, b"\x01\x03", MARIADB_LOGIN_OK],
        &[TOO_MANY_CONNECTIONS],
        &[b"\x01", column, b"\x03abc", end],
        &[b"\x01", column, b"\x00\x00\x03abc", end],
        &[prepared, column, column],
        &[b"\xfbn", OK],
        &[OK],
        &[OK, OK, prepared, column, column, b"\x01", column, b"\x03abc", end],
    ];
    let framed = exchanges.iter().map(|packets| {
        let framed = packets.iter().flat_map(|packet| [&[packet.len() as u8], *packet].concat());
        [0].into_iter().chain(framed).collect()
    });
    framed.chain(STATEMENTS.iter().map(|sql| sql.as_bytes().to_vec())).collect()
}

const STATEMENTS: &[&str] = &[
    "INSERT IGNORE INTO `s`.`t` PARTITION (p) (a, `b``c`) VALUES (?, f(?, 'x')), (DEFAULT, ?) AS n ON DUPLICATE KEY UPDATE a = ?, b = n.b",
    "REPLACE /*! LOW_PRIORITY */ t SET a = :a, b = :b + 1 RETURNING * ; -- end",
    "UPDATE t AS x SET x.a = ?, b = ? WHERE id = ? ORDER BY id LIMIT 1",
    "DELETE FROM t WHERE a = (SELECT \"b\" FROM u WHERE c = ?)",
];

fn credentials(choice: u8) -> Credentials {
    let password = if choice & 4 == 0 { "secret" } else { "" };
    Credentials { user: "app".into(), password: password.into(), allow_clear: choice & 8 != 0, ..Default::default() }
}

/// Runs the conversation in a session of one of two kinds, which the first byte chooses.
fn in_session<C: Conversation>(bytes: &[u8], conversation: impl FnOnce(u8) -> C) {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    let old = if choice & 1 == 0 { 0 } else { 0x0180_0000 };
    let mut channel = Channel::new(Transport::Tcp, MAX_PACKET);
    let options = LoginOptions { local_files: true, ..Default::default() };
    let greeting = captured::greeting(captured::ALL_CAPABILITIES & !old);
    let packets = [&greeting[..], captured::OK].into_iter().flat_map(|body| [&[body.len() as u8], body].concat());
    feed(&mut channel, &mut Login::new(options, [0; 32]), &packets.collect::<Vec<_>>());
    assert!(!channel.session.is_dead());
    feed(&mut channel, &mut conversation(choice), bytes);
}

/// Feeds packets: a byte of length and a payload each, with the number that the conversation expects. A length of 255 sends
/// the rest as it is, headers included.
fn feed<C: Conversation>(channel: &mut Channel, conversation: &mut C, mut bytes: &[u8]) {
    let mut conversation = Limited { inner: conversation, n_calls: 0 };
    channel.begin().expect("an idle session");
    loop {
        match channel.advance(&mut conversation) {
            Ok(Step::More) => {}
            Ok(Step::StartTls) => {
                channel.session.set_transport(Transport::Tls);
                continue;
            }
            Ok(Step::Done(_)) => return,
            Err(error) => return assert!(channel.session.is_dead() || !error.is_fatal()),
        }
        if !channel.outbox.is_empty() {
            channel.outbox.sent(usize::MAX);
            continue;
        }
        let Some((&length, rest)) = bytes.split_first() else { return };
        if length == 255 {
            channel.inbox.extend(rest);
            bytes = &[];
        } else {
            let (body, rest) = rest.split_at(rest.len().min(length.into()));
            channel.inbox.extend(&[body.len() as u8, 0, 0, channel.outbox.next_number()]);
            channel.inbox.extend(body);
            bytes = rest;
        }
    }
}

/// Passes everything on, and stops a conversation that never ends.
struct Limited<'a, C> {
    inner: &'a mut C,
    n_calls: usize,
}

impl<C: Conversation> Conversation for Limited<'_, C> {
    type Output = C::Output;

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<C::Output>> {
        self.n_calls += 1;
        assert!(self.n_calls < 100_000, "the conversation does not come to an end");
        self.inner.send(session, out)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<C::Output>> {
        self.inner.receive(packet, session, out)
    }
}

const MAX_PACKET: usize = 1 << 20;
const MAX_RESULT: usize = 1 << 16;
