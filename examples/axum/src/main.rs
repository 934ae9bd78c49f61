//! Runs the shop: `DATABASE_URL=mysql://user@host/database cargo run`. `LISTEN` is the address, 127.0.0.1:3000 by default.

use shop::{App, router};
use std::error::Error;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// How long the end of the program waits for connections in use.
const LAST_REQUESTS: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let url = std::env::var("DATABASE_URL").map_err(|_| "set DATABASE_URL, such as mysql://user@host/database")?;
    let listen = std::env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:3000".to_owned());

    let app = App::new(url.as_str())?;
    app.create_tables().await?;
    let listener = TcpListener::bind(&listen).await?;
    tracing::info!("listening on {}", listener.local_addr()?);

    let mut terminate = signal(SignalKind::terminate())?;
    let stop = async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
    };
    // Returns when all requests are answered, so that nothing needs the pool any more.
    axum::serve(listener, router(app.clone())).with_graceful_shutdown(stop).await?;
    if !app.close(LAST_REQUESTS).await? {
        tracing::warn!("connections were still in use after {LAST_REQUESTS:?}");
    }
    Ok(())
}
