//! Commands of one byte, some of them followed by a text.

/// COM_QUIT. The server closes the connection.
pub fn quit(out: &mut Vec<u8>) {
    out.push(0x01);
}

/// COM_QUERY: `03` and the statement, in the connection's character set.
pub fn query(out: &mut Vec<u8>, sql: &[u8]) {
    out.push(0x03);
    out.extend_from_slice(sql);
}

/// COM_INIT_DB: `02` and the name of the new default schema.
pub fn init_db(out: &mut Vec<u8>, schema: &[u8]) {
    out.push(0x02);
    out.extend_from_slice(schema);
}

/// COM_PING.
pub fn ping(out: &mut Vec<u8>) {
    out.push(0x0E);
}

/// COM_RESET_CONNECTION: as after login; prepared statements, temporary tables and the open transaction are gone.
pub fn reset_connection(out: &mut Vec<u8>) {
    out.push(0x1F);
}
