//! The server of tables: HTTP for the page and the lobby, a WebSocket for each client of a table. The only place with axum and tokio.
//!
//! | What | Where |
//! |---|---|
//! | What all requests share; what every request must pass | [`app`], [`guard`] |
//! | What the clients of each address have open | [`address_counts`] |
//! | Answers, refusals, and keys | [`answers`], [`keys`] |
//! | The files of the page | [`assets`] |
//! | The requests of the lobby; formats, decks and programs | [`api`], [`catalog`] |
//! | A table: the task that plays it, and how the rest of the server knows it | [`tables`], [`table_handle`] |
//! | The connection of a client, and what waits for it | [`socket`], [`outbox`] |
//! | Bots | [`bots`] |
//! | What is written to the disk | [`saved`] |
//! | Recorded games that are read | [`replays`], [`open_replays`] |
//! | The workbench | [`workbench`] |
//! | All limits | [`limits`] |

mod address_counts;
mod answers;
pub mod api;
pub mod app;
mod assets;
mod bots;
pub mod catalog;
mod guard;
mod keys;
pub mod limits;
mod open_replays;
mod outbox;
mod replays;
pub mod saved;
mod socket;
pub mod table_handle;
pub mod tables;
mod workbench;

use app::App;
use axum::Router;
use axum::extract::connect_info::ConnectInfo;
use axum::extract::{DefaultBodyLimit, Request};
use axum::routing::{get, post};
use bots::BotPool;
use catalog::{Catalog, CompiledPack};
use fizzle::files::displayed_path;
use fizzle_table::table::Table;
use guard::Addresses;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use keys::Key;
use limits::Limits;
use open_replays::OpenReplays;
use saved::Store;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use table_handle::Mail;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use workbench::folder::Bench;
pub use workbench::folder::BenchOptions;

/// The first port that is tried if none is given.
pub const DEFAULT_PORT: u16 = 7878;
/// So many ports are tried.
const PORTS_TRIED: u16 = 32;
/// The most saved tables that cannot be read and are named.
const MAX_UNREADABLE_LISTED: usize = 20;

/// How a server is started.
pub struct Options {
    /// The port; `None`: [`DEFAULT_PORT`] or the next free one.
    pub port: Option<u16>,
    /// Whether others in the network can connect.
    pub lan: bool,
    /// Further names of this host, with a port if it is another one.
    pub hosts: Vec<String>,
    /// The folder of running tables and of traces.
    pub keep: PathBuf,
    /// The name of the pack, for the lobby.
    pub pack: String,
    /// The folder that can be edited in the workbench; `None`: there is no workbench.
    pub bench: Option<BenchOptions>,
    /// The limits.
    pub limits: Limits,
    /// Receives reports of failures, one line each.
    pub report: fn(&str),
}

/// A server that runs.
pub struct Server {
    /// What its requests share.
    pub app: Arc<App>,
    /// Its port.
    pub port: u16,
    /// The key of the host, as digits.
    pub host_key: String,
    /// Addresses at which others in the network reach it.
    pub addresses: Vec<String>,
    /// The number of tables that are offered again.
    pub restored: usize,
}

impl Server {
    /// Saves all tables whose last answers are not saved yet, in two seconds at most.
    pub async fn save_all(&self) {
        let saving = self.app.all_tables().into_iter().map(|table| async move {
            let (done, saved) = oneshot::channel();
            if table.mail.send(Mail::Save(done)).await.is_ok() {
                // It fails only if the table has ended.
                let _ = saved.await;
            }
        });
        let _ = tokio::time::timeout(Duration::from_secs(2), futures_util::future::join_all(saving)).await;
    }
}

async fn bind(options: &Options) -> io::Result<(Vec<TcpListener>, u16)> {
    let any: (IpAddr, IpAddr) = if options.lan {
        (Ipv4Addr::UNSPECIFIED.into(), Ipv6Addr::UNSPECIFIED.into())
    } else {
        (Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into())
    };
    let ports = match options.port {
        Some(port) => port..=port,
        None => DEFAULT_PORT..=DEFAULT_PORT + PORTS_TRIED,
    };
    let mut last = io::Error::from(ErrorKind::AddrInUse);
    for port in ports {
        match TcpListener::bind((any.0, port)).await {
            Ok(first) => {
                let port = first.local_addr()?.port();
                // The system may have no IPv6, or one socket serves both.
                let second = TcpListener::bind((any.1, port)).await.ok();
                return Ok((std::iter::once(first).chain(second).collect(), port));
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The address of this machine in its network. No packet is sent.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|address| !address.is_loopback() && !address.is_unspecified())
}

fn router(app: &Arc<App>) -> Router {
    let replay = post(replays::open).layer(DefaultBodyLimit::max(app.limits.trace_bytes));
    let source = get(workbench::read).put(workbench::write).layer(DefaultBodyLimit::max(app.limits.source_bytes));
    Router::new()
        .route("/ws", get(socket::open))
        .route("/api/lobby", get(api::lobby))
        .route("/api/deck", post(api::deck))
        .route("/api/table", post(api::table))
        .route("/api/invite", post(api::invite))
        .route("/api/trace/{name}", get(api::trace))
        .layer(DefaultBodyLimit::max(app.limits.body_bytes))
        .route("/api/replay", replay)
        .route("/api/replay/{id}", get(replays::info))
        .route("/api/replay/{id}/{step}", get(replays::position))
        .route("/ws/lsp", get(workbench::lsp_socket::open))
        .route("/api/bench", get(workbench::info))
        .route("/api/bench/file/{*path}", source)
        .route("/api/bench/reload", post(workbench::reload))
        .fallback(get(async |request: Request| assets::respond(request.uri().path(), request.headers())))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(app), guard::check))
        .with_state(Arc::clone(app))
}

async fn accept(app: Arc<App>, listener: TcpListener, router: Router, places: Arc<Semaphore>) {
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((stream, peer)) = listener.accept().await else {
            // Such as too many open files: it passes.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        // One client cannot take the places of all others. Its further connections are closed.
        let Some(counted) = app.connections.enter(peer.ip(), app.limits.connections_per_address) else { continue };
        let (router, hello) = (router.clone(), app.limits.hello);
        tokio::spawn(async move {
            // An error is the client's: it has gone, or has not sent HTTP.
            let _ = answer(stream, peer, router, hello).await;
            drop((place, counted));
        });
    }
}

async fn answer(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    hello: Duration,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let local = stream.local_addr()?;
    stream.set_nodelay(true)?;
    let router = router.layer(axum::Extension(ConnectInfo(Addresses { peer, local })));
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(hello)
        .max_headers(64)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    Ok(connection.with_upgrades().await?)
}

/// Opens the saved tables again whose format and rules are those of this server. Others stay as they are.
fn restore(app: &Arc<App>) -> usize {
    let files = app.store.table_files().unwrap_or_else(|error| {
        (app.report)(&format!("the folder of saved tables cannot be read: {error}"));
        Vec::new()
    });
    let (mut restored, mut unreadable) = (0, 0);
    let mut bytes_left = app.limits.saved_bytes;
    let count = files.len();
    for (number, path) in files.into_iter().enumerate() {
        let read = saved::read_file(&path);
        let size = read.as_ref().map_or(0, |bytes| bytes.len() as u64);
        let Some(left) = bytes_left.checked_sub(size) else {
            let (first, limit) = (displayed_path(&path), app.limits.saved_bytes);
            (app.report)(&format!(
                "{} saved tables are not read, from `{first}` on: all together have more than {limit} bytes",
                count - number
            ));
            break;
        };
        bytes_left = left;
        let parsed = read.as_deref().map_err(ToString::to_string).and_then(|bytes| {
            let parsed = saved::parse(bytes).ok_or("this version of the program did not write it, or it is damaged")?;
            if !saved::is_file_of(&path, &parsed.0.name) {
                return Err(format!("it is the table {}, whose file has another name", parsed.0.name));
            }
            Ok(parsed)
        });
        let (saved, rest) = match parsed {
            Ok(parsed) => parsed,
            Err(why) => {
                unreadable += 1;
                if unreadable <= MAX_UNREADABLE_LISTED {
                    (app.report)(&format!("the saved table `{}` cannot be read: {why}", displayed_path(&path)));
                }
                continue;
            }
        };
        if app.catalog.find(&saved.format).is_none() {
            continue;
        }
        let name = saved.name.clone();
        let opened = tables::set_up(app, &saved).and_then(|setup| {
            if setup.rules_hash() != saved.rules_hash {
                return Err("the rules have changed since".to_owned());
            }
            let table = catch_unwind(AssertUnwindSafe(|| Table::restore(setup, rest)));
            let table = table.map_err(|_| "a defect of the program".to_owned())?.map_err(|error| error.to_string())?;
            // The file may ask for more playouts than a table of this server has.
            table.bots().try_for_each(|bot| api::check_bot(app, Some(bot)).map(drop))?;
            api::open_table(app, saved, table, true).map(drop)
        });
        match opened {
            Ok(()) => restored += 1,
            Err(why) => (app.report)(&format!("the table {name} cannot be continued: {why}")),
        }
    }
    if unreadable > MAX_UNREADABLE_LISTED {
        (app.report)(&format!("{} more saved tables cannot be read", unreadable - MAX_UNREADABLE_LISTED));
    }
    restored
}

/// Starts a server.
///
/// # Errors
/// The port or the folder cannot be used, or the system has no random numbers.
pub async fn start(options: Options, pack: CompiledPack) -> io::Result<Server> {
    let store = Store::open(&options.keep)?;
    let host_key = Key::random().map_err(io::Error::other)?;
    let (listeners, port) = bind(&options).await?;
    let own = own_address().filter(|_| options.lan).map(|address| address.to_string());
    let addresses: Vec<String> = own.into_iter().chain(options.hosts.iter().cloned()).collect();
    let app = Arc::new(App {
        host_key,
        hosts: options.hosts,
        lan: options.lan,
        addresses: addresses.clone(),
        pack: options.pack,
        limits: options.limits,
        catalog: Catalog::new(pack),
        bench: options.bench.map(Bench::open).transpose()?.map(Arc::new),
        editors: AtomicUsize::new(0),
        bots: BotPool::start(),
        store,
        report: options.report,
        tables: Mutex::default(),
        sockets: Arc::default(),
        connections: Arc::default(),
        replays: OpenReplays::default(),
    });
    let restoring = Arc::clone(&app);
    let restored = tokio::task::spawn_blocking(move || restore(&restoring)).await.unwrap_or(0);
    let router = router(&app);
    let places = Arc::new(Semaphore::new(app.limits.sockets));
    for listener in listeners {
        tokio::spawn(accept(Arc::clone(&app), listener, router.clone(), Arc::clone(&places)));
    }
    Ok(Server { app, port, host_key: host_key.text(), addresses, restored })
}
