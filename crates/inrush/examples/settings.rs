//! Where to connect to: a URL, a builder, or the string of keys and values that .NET and JDBC people have at hand.

#![allow(clippy::print_stdout)] // It is made to be looked at.

use inrush::blocking::Connection;
use inrush::{Compression, Config, Result};

fn main() -> Result<()> {
    let pasted =
        "Server=db.example.org;Port=3307;Database=shop;User Id=app;Password='se;cret';Pipeline=true;CommandTimeout=120";
    let config: Config = pasted.parse()?;
    // No secret is ever shown.
    println!("{config:?}");

    let url = std::env::var("INRUSH_URL").unwrap_or_else(|_| "mysql://root@localhost/test".to_owned());
    let config = Config::from_url(&url)?.with_compression(Compression::ZLIB);
    let mut connection = Connection::connect(&config)?;
    println!("{}, {:?}", connection.server_version(), connection.session().compression());
    let (text,): (String,) = connection.query_one("SELECT REPEAT('inrush ', 1000)", ())?;
    println!("{} bytes", text.len());
    Ok(())
}
