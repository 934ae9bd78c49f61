//! Packets of more than 16 MiB, which travel in several frames, both ways; small socket buffers.

use crate::cases::{Route, everywhere, in_cases};
use inrush::sans_io::value::Value;
use inrush_testkit::servers;

#[test]
fn packets_of_several_frames_travel_both_ways() {
    // With nothing left over for a second frame, with one byte, and with a third.
    const SIZES: [usize; 3] = [0xFF_FFFF, 0x100_0000, 2 * 0xFF_FFFF + 5];
    // These take packets of 40 MiB and more (`scripts/lib/instances.sh`).
    let servers = servers::all().into_iter().filter(|server| !server.local_infile).collect();
    in_cases(servers, &[Route::Tls, Route::Unix], |case| {
        let mut connection = case.open();
        // TLS costs an unoptimised build much time, and knows nothing of frames.
        let sizes = if case.route == Route::Tls { &SIZES[1..2] } else { &SIZES[..] };
        for &size in sizes {
            // COM_QUERY's byte, this text, and the literal fill `size` bytes exactly.
            let head = "SELECT LENGTH('";
            let literal = size - 1 - head.len() - "')".len();
            let sql = format!("{head}{}')", "x".repeat(literal));
            assert_eq!(connection.ask(&sql), literal.to_string());
            let result = &connection.query(&format!("SELECT REPEAT('y', {size})")).unwrap()[0];
            let row = result.rows().next().unwrap();
            let value = row.get::<&[u8]>(0).unwrap();
            assert!(value == vec![b'y'; size]);
        }
        let blob = vec![0xA5; 20_000_000];
        let statement = connection.prepare("SELECT ?, LENGTH(?)").unwrap();
        let result = &connection.query_result_sets(&statement, &[Value::Bytes(&blob), Value::Bytes(&blob)]).unwrap()[0];
        let row = result.rows().next().unwrap();
        assert!(row.get::<&[u8]>(0).unwrap() == blob);
        assert_eq!(row.get::<usize>(1).unwrap(), blob.len());
    });
}

#[test]
fn a_packet_beyond_our_limit_is_refused() {
    everywhere(|case| {
        let mut connection = case.open_with(&case.config().with_max_packet(100_000));
        assert_eq!(connection.ask("SELECT REPEAT('x', 99000)").len(), 99_000);
        let error = connection.query("SELECT REPEAT('x', 101000)").unwrap_err();
        assert!(error.is_fatal() && error.message().contains("more than 100000 bytes"), "{error:?}");
        assert!(connection.ping().unwrap_err().is_fatal());
    });
}

#[test]
fn smallest_socket_buffers_stop_nothing() {
    everywhere(|case| {
        let schema = case.server.schema("buffers");
        let config = case.config().with_socket_buffers(Some(2048)).with_database(schema.name());
        let mut connection = case.open_with(&config);
        connection.execute("CREATE TABLE t (a LONGTEXT)").unwrap();
        let text = "z".repeat(400_000);
        connection.execute(&format!("INSERT INTO t VALUES ('{text}')")).unwrap();
        let result = &connection.query("SELECT a, a FROM t").unwrap()[0];
        let row = result.rows().next().unwrap();
        assert!(row.get::<&str>(0).unwrap() == text && row.get::<&str>(1).unwrap() == text);
    });
}
