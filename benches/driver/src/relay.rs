//! `relay`: a way to the server that is longer than loopback. All bytes arrive as they were sent, later.

use crate::{Place, Result};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Prints the port it listens at, on loopback, and relays until standard input ends. Each direction takes half of `round_trip`.
pub(crate) fn run(place: &Place, round_trip: Duration) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?.port());
    let server = (place.host.clone(), place.port);
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            if let Ok(server) = TcpStream::connect(&server) {
                // A connection that fails ends; its client shows why.
                let _ = relay(&client, &server, round_trip / 2);
            }
        }
    });
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn relay(client: &TcpStream, server: &TcpStream, delay: Duration) -> Result<()> {
    for (from, to) in [(client, server), (server, client)] {
        let (from, to) = (from.try_clone()?, to.try_clone()?);
        to.set_nodelay(true)?;
        let (sender, receiver) = mpsc::sync_channel(QUEUE);
        thread::spawn(move || take(from, &sender, delay));
        thread::spawn(move || give(&receiver, to));
    }
    Ok(())
}

type Piece = (Instant, Vec<u8>);

fn take(mut from: TcpStream, sender: &mpsc::SyncSender<Piece>, delay: Duration) {
    let mut bytes = vec![0; 64 << 10];
    while let Ok(n @ 1..) = from.read(&mut bytes) {
        if sender.send((Instant::now() + delay, bytes[..n].to_vec())).is_err() {
            break;
        }
    }
}

fn give(receiver: &mpsc::Receiver<Piece>, mut to: TcpStream) {
    for (due, bytes) in receiver {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// Pieces on their way: enough that the relay is never what limits the rate.
const QUEUE: usize = 4096;
