//! The probe before the first pipeline: a server that loses commands is found out and served one by one; what is found out is
//! remembered.

use crate::cases::{Case, Shell};
use crate::scripted::{OK, let_in, packet};
use crate::twins::with_twin;
use inrush::{Config, PipelineMode};
use inrush_testkit::patience::patience;
use inrush_testkit::servers;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// A listener that says OK to everything, and what it saw.
struct Played {
    config: Config,
    n_connections: Arc<AtomicUsize>,
    /// The most commands that came in one go.
    most_at_once: Arc<AtomicUsize>,
}

impl Played {
    /// Of the commands that arrive together it answers all, or the first and forgets the others.
    fn new(answers_all: bool) -> Self {
        // What is found out is remembered by address, and the port may be one that another test had. So each has a host of its own.
        static N_PLAYED: AtomicUsize = AtomicUsize::new(1);
        let host = format!("127.66.0.{}", N_PLAYED.fetch_add(1, Ordering::Relaxed));
        let listener = TcpListener::bind((host.as_str(), 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let config = Config::new().with_host(&host).with_port(port).with_user("ann");
        // A command that is lost is waited for so long. An answer may be late on a busy machine.
        let limit = if answers_all { patience() } else { Duration::from_secs(3) };
        let config = config.with_read_timeout(Some(limit));
        let (n_connections, most_at_once) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let played = Self { config, n_connections: n_connections.clone(), most_at_once: most_at_once.clone() };
        // Ends with the test's process: nobody connects to it any more.
        thread::spawn(move || {
            for peer in listener.incoming() {
                let most_at_once = most_at_once.clone();
                n_connections.fetch_add(1, Ordering::Relaxed);
                thread::spawn(move || serve(peer.unwrap(), answers_all, &most_at_once));
            }
        });
        played
    }

    fn n_connections(&self) -> usize {
        self.n_connections.load(Ordering::Relaxed)
    }

    fn most_at_once(&self) -> usize {
        self.most_at_once.load(Ordering::Relaxed)
    }
}

fn serve(mut peer: TcpStream, answers_all: bool, most_at_once: &AtomicUsize) {
    let_in(&mut peer, 0);
    let mut received = [0; 4096];
    // Pings only, and each flight of them is one small write: five bytes each.
    while let Ok(n @ 1..) = peer.read(&mut received) {
        most_at_once.fetch_max(n / 5, Ordering::Relaxed);
        for _ in 0..if answers_all { n / 5 } else { 1 } {
            if peer.write_all(&packet(1, &OK)).is_err() {
                return;
            }
        }
    }
}

/// In each shell, with a server of its own.
fn in_both(check: impl Fn(&Case)) {
    for shell in [Shell::Blocking, Shell::Tokio] {
        check(&Case { server: servers::one("mysql-9.7"), route: crate::cases::Route::Tcp, shell });
    }
}

#[test]
fn a_server_that_loses_commands_gets_them_one_by_one() {
    in_both(|case| {
        let played = Played::new(false);
        with_twin!(case, played.config.clone(), connection => {
            for _ in 0..2 {
                let mut pipeline = connection.pipeline();
                pipeline.ping().ping().ping();
                let replies = wait!(pipeline.run()).unwrap();
                assert_eq!(replies.iter().filter(|reply| reply.is_ok()).count(), 3);
            }
            // Asked once, on a connection of its own.
            assert_eq!((played.n_connections(), played.most_at_once()), (2, 2));
        });
        // Another connection to the same address knows it.
        with_twin!(case, played.config.clone(), connection => {
            let mut pings = 0;
            wait!(connection.pipeline_each(
                |next| { pings += 1; if pings < 10 { next.ping() } else { next.end() } },
                |_, reply| reply.map(drop),
            )).unwrap();
            assert_eq!((played.n_connections(), played.most_at_once()), (3, 2));
        });
    });
}

#[test]
fn a_server_that_answers_all_gets_them_in_one_flight() {
    in_both(|case| {
        let played = Played::new(true);
        with_twin!(case, played.config.clone(), connection => {
            for _ in 0..2 {
                let mut pipeline = connection.pipeline();
                pipeline.ping().ping().ping().ping().ping();
                assert_eq!(wait!(pipeline.run()).unwrap().len(), 5);
            }
            assert_eq!((played.n_connections(), played.most_at_once()), (2, 5));
        });
    });
}

#[test]
fn who_knows_better_is_believed() {
    in_both(|case| {
        let played = Played::new(false);
        with_twin!(case, played.config.clone().with_pipeline(PipelineMode::Off), connection => {
            let mut pipeline = connection.pipeline();
            pipeline.ping().ping().ping();
            assert_eq!(wait!(pipeline.run()).unwrap().len(), 3);
            assert_eq!((played.n_connections(), played.most_at_once()), (1, 1));
        });
        with_twin!(case, played.config.clone().with_pipeline(PipelineMode::On), connection => {
            let mut pipeline = connection.pipeline();
            pipeline.ping().ping().ping();
            let error = wait!(pipeline.run()).unwrap_err();
            assert!(error.is_fatal() && error.message().contains("read time-out"), "{error:?}");
            assert_eq!((played.n_connections(), played.most_at_once()), (2, 3));
        });
    });
}

/// One command needs no answer to the question.
#[test]
fn a_single_step_asks_nobody() {
    in_both(|case| {
        let played = Played::new(false);
        with_twin!(case, played.config.clone(), connection => {
            let mut pipeline = connection.pipeline();
            pipeline.ping();
            assert_eq!(wait!(pipeline.run()).unwrap().len(), 1);
            assert_eq!(played.n_connections(), 1);
        });
    });
}
