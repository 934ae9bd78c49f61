//! Packets as real servers sent them, and a greeting to order.

/// MySQL 9.7.4: the greeting.
pub const MYSQL_GREETING: &[u8] =
    b"\n9.7.4-2\x001\x01\x00\x00:K\x18Dqk7U\x00\xff\xff\xff\x02\x00\xff\xdf\x15\x00\x00\x00\x00\
    \x00\x00\x00\x00\x00\x00yU#^\x06H'y0\\}\x0f\x00caching_sha2_password\x00";

/// MariaDB 11.8.9: the greeting.
pub const MARIADB_GREETING: &[u8] =
    b"\n11.8.9-MariaDB-4 from Debian\x00\x89\x01\x00\x00u|1|>\\8B\x00\xfe\xff-\x02\x00\xff\x81\
    \x15\x00\x00\x00\x00\x00\x00=\x00\x00\x00\"\"\"$-UF@L?60\x00mysql_native_password\x00";

/// MariaDB 11.8.9: switch to client_ed25519; the nonce has 32 bytes and no closing NUL.
pub const SWITCH_TO_ED25519: &[u8] =
    b"\xfeclient_ed25519\x00#2\x18Au\xce9\x9a\x90\xd8\xe0<?\xba\xfai\xd51\x17x\xb9`4:|\xb0\n\
    \xeb\xb5\xc6\x96\xf6";

/// MariaDB 11.8.9: switch to parsec.
pub const SWITCH_TO_PARSEC: &[u8] =
    b"\xfeparsec\x00\x06),\xa0\xed\xe5\xdd\xb5\xfd\xfe6\xeb\xf0}\xdc\xaa\x1d\xa8\xa9\x16WJ\xc6\
    \"\x13\x93\xfd\x82\xed\xcf\x0e\x81";

/// MariaDB 11.8.9: the salt of parsec, with the prefix of MDEV-37554.
pub const PARSEC_SALT: &[u8] = b"\x01P\x00\xc0\xcbr^+\xb4vh\xc4(\x9b\xfa\xe0\xafh\x83-\xcf";

/// MariaDB 11.8.9: switch to caching_sha2_password.
pub const SWITCH_TO_CACHING_SHA2: &[u8] = b"\xfecaching_sha2_password\x00d46t)G*D@8EU+'/a\\@9h\x00";

/// MySQL 9.7.4: switch to sha256_password.
pub const SWITCH_TO_SHA256: &[u8] = b"\xfesha256_password\x00k+MSkdNa7*-nXbMPaaR=\x00";

/// MySQL 9.7.4: the RSA key of 2048 bits, with the prefix of further data.
pub const RSA_KEY: &[u8] = b"\x01-----BEGIN PUBLIC KEY-----\n\
    MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA1cfJbBbFyr9L7LjzSUHW\n\
    cZeNCODITNv+bb+K0rREeZe8jFsEDPD12Ee0E1rRE7pPByU9g+9/9lxWP6/EchvP\n\
    MF7H73+MnOU2UvxXXz5f1Qek1dtmoh/Sx7biR/qfFwUZAiLcBWO+wii0PTSLdUb3\n\
    z7GwECvaQfg5mcW8LDyPG99CuxGDnjrKu0Jj7R95Xneq5lHMEQj62dXaa5FDcU7Z\n\
    jszdkLAj4depYc0ylDgarNwzsRSWTMjTrJrezoYTj5Zr33HBF2wW6XKY3sxVDDyz\n\
    mrwXziR+q0PRReQ/fVDdD7Yhn1J+4ikWyvfZoWfrcM889mRBvwQNE1a7VkX59HM+\n\
    9wIDAQAB\n-----END PUBLIC KEY-----\n";

/// MySQL 9.7.4: OK after a login.
pub const OK: &[u8] = b"\x00\x00\x00\x02\x00\x00\x00";

/// MariaDB 11.8.9: OK after a login, with session state.
pub const MARIADB_LOGIN_OK: &[u8] = b"\x00\x00\x00\x02@\x00\x00A\x01975C35EB7E4D4BC428446092BF2D08DC752EBEE3CF2C4E3E1F02B6C195958E7A\
    \x95\x00\x0e\nautocommit\x02ON\x00\x11\ttime_zone\x06SYSTEM\x00\x1d\x14character_set_client\x07utf8mb4\
    \x00!\x18character_set_connection\x07utf8mb4\x00\x1e\x15character_set_results\x07utf8mb4\x00\x0e\x0credirect_url\x00";

/// MySQL 9.7.4: the column of `select current_user()`.
pub const COLUMN_CURRENT_USER: &[u8] =
    b"\x03def\x00\x00\x00\x0ecurrent_user()\x00\x0c-\x00\x80\x04\x00\x00\xfd\x00\x00\x1f\x00\x00";

/// A wrong password.
pub const ACCESS_DENIED: &[u8] = b"\xff\x15\x04#28000Access denied for user 'inrush'@'localhost' (using password: YES)";

/// A server that is full: before the greeting, and so without an SQLSTATE.
pub const TOO_MANY_CONNECTIONS: &[u8] = b"\xff\x10\x04Too many connections";

/// Capabilities of a server that offers all but TLS.
pub const ALL_CAPABILITIES: u32 = 0xFFFF_F7FF;

/// CLIENT_SSL.
pub const TLS_CAPABILITY: u32 = 0x0800;

/// A greeting with these capabilities.
pub fn greeting(capabilities: u32) -> Vec<u8> {
    let [a, b, c, d] = capabilities.to_le_bytes();
    let mut body = b"\n9.7.4\x00\x07\x00\x00\x00abcdefgh\x00".to_vec();
    body.extend_from_slice(&[a, b, 45, 2, 0, c, d, 21]);
    body.extend_from_slice(&[0; 10]);
    body.extend_from_slice(b"ijklmnopqrst\x00mysql_native_password\x00");
    body
}
