use super::*;

fn greeting(capabilities: u32, further: u32, tail: &[u8]) -> Vec<u8> {
    let mut body = b"\x0a9.7.4\0\x07\0\0\0abcdefgh\0".to_vec();
    body.extend_from_slice(&capabilities.to_le_bytes()[..2]);
    body.push(45);
    body.extend_from_slice(&2u16.to_le_bytes());
    body.extend_from_slice(&capabilities.to_le_bytes()[2..]);
    body.push(21);
    body.extend_from_slice(&[0; 6]);
    body.extend_from_slice(&further.to_le_bytes());
    body.extend_from_slice(tail);
    body
}

#[test]
fn of_mysql() {
    let body = greeting(0xFFFF_FFFF, 0, b"ijklmnopqrst\0caching_sha2_password\0");
    let greeting = Greeting::parse(&body).unwrap();
    assert_eq!(greeting.version, b"9.7.4");
    assert_eq!((greeting.connection_id, &*greeting.nonce), (7, &b"abcdefghijklmnopqrst\0"[..]));
    assert_eq!(greeting.plugin, b"caching_sha2_password");
    assert_eq!(greeting.mariadb_capabilities, MariaDbCapabilities::empty());
    assert_eq!(greeting.status, Status::SERVER_STATUS_AUTOCOMMIT);
}

#[test]
fn of_mariadb_with_further_capabilities() {
    let body = greeting(0xFFFF_FFFE, 0x2D, b"ijklmnopqrst\0mysql_native_password\0");
    let greeting = Greeting::parse(&body).unwrap();
    assert!(greeting.mariadb_capabilities.contains(MariaDbCapabilities::MARIADB_CLIENT_STMT_BULK_OPERATIONS));
    // The same bytes from a server that calls itself MySQL are filler.
    let body = self::greeting(0xFFFF_FFFF, 0x2D, b"ijklmnopqrst\0mysql_native_password\0");
    assert!(Greeting::parse(&body).unwrap().mariadb_capabilities.is_empty());
}

#[test]
fn of_a_server_without_plugins() {
    let body = greeting(0x0000_8201, 0, b"ijklmnopqrst\0");
    assert_eq!(Greeting::parse(&body).unwrap().plugin, b"mysql_native_password");
}

#[test]
fn without_the_last_nul() {
    let body = greeting(0xFFFF_FFFF, 0, b"ijklmnopqrst\0caching_sha2_password");
    assert_eq!(Greeting::parse(&body).unwrap().plugin, b"caching_sha2_password");
}

#[test]
fn cut_before_the_plugin_it_is_malformed() {
    let body = greeting(0xFFFF_FFFF, 0, b"ijklmnopqrst\0");
    for n in 0..body.len() {
        assert!(Greeting::parse(&body[..n]).is_err(), "{n}");
    }
    assert!(Greeting::parse(&[&[9], &body[1..]].concat()).is_err(), "another protocol version");
}
