//! The server of `fizzle serve`: tables in a browser. The only place with HTTP, sockets and an asynchronous runtime.
//!
//! | What | Where |
//! |---|---|
//! | Addresses, headers, who may ask for what | `http` |
//! | Embedded files of the page | `assets` |
//! | Formats and decks that tables can be made of | `catalogue` |
//! | One table: a task with a mailbox, its clients, its bots | `room` |
//! | All tables, and who may open which | `rooms` |
//! | The connection of one client | `socket` |
//! | Keys | `keys` |
//! | What bounds clients | `limits` |
//! | Tables on disk | `store` |

mod assets;
pub mod catalogue;
mod http;
mod keys;
pub mod limits;
mod room;
mod rooms;
mod socket;
mod store;

use crate::failure::CommandError;
use crate::output;
use catalogue::Catalogue;
use limits::Limits;
use rooms::Rooms;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

/// How the server is reached, and where it keeps tables.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The port; `None`: [`DEFAULT_PORT`], else a free one.
    pub port: Option<u16>,
    /// Whether other machines may connect.
    pub lan: bool,
    /// Names of this machine in links, in addition to its addresses.
    pub hosts: Vec<String>,
    /// The folder of running tables and traces.
    pub keep: PathBuf,
}

/// The port that links usually have.
pub const DEFAULT_PORT: u16 = 7878;

/// The stack size of a worker, in bytes. Rules of strangers may nest deeply.
const STACK: usize = 16 << 20;

/// Serves until Ctrl-C or SIGTERM.
pub fn run(options: &ServeOptions, catalogue: Catalogue) -> Result<(), CommandError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK).build();
    let runtime = runtime.map_err(|error| CommandError::Problem(format!("cannot start the server: {error}")))?;
    runtime.block_on(serve(options, catalogue))
}

async fn serve(options: &ServeOptions, catalogue: Catalogue) -> Result<(), CommandError> {
    let listener = listen(options).await?;
    let port = listener.local_addr().map_or(0, |address| address.port());
    let names = allowed_hosts(options, port);
    let rooms = Arc::new(Rooms::new(catalogue, Limits::default(), options.keep.clone())?);
    let restored = rooms.restore_saved();
    let key = rooms.host_key().to_owned();
    output::line(format!("http://127.0.0.1:{port}/#host={key}"));
    if options.lan {
        output::note("other machines of this network can connect; plain HTTP shows them and anybody between what is sent");
    }
    if restored > 0 {
        output::note(format!("{restored} running tables are offered again"));
    }
    let app = http::router(Arc::clone(&rooms), names);
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    let served = axum::serve(listener, service).with_graceful_shutdown(interrupted()).await;
    rooms.save_all().await;
    served.map_err(|error| CommandError::Problem(format!("the server ended: {error}")))
}

async fn interrupted() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        let terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
        if let Ok(mut terminate) = terminate {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    // Without a handler the system ends the process.
    if interrupt.await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Binds the port. Without `--port`, a free one if the usual one is taken.
async fn listen(options: &ServeOptions) -> Result<tokio::net::TcpListener, CommandError> {
    let address = if options.lan { IpAddr::V4(Ipv4Addr::UNSPECIFIED) } else { IpAddr::V4(Ipv4Addr::LOCALHOST) };
    let bind = |port: u16| tokio::net::TcpListener::bind(SocketAddr::new(address, port));
    let bound = match options.port {
        Some(port) => bind(port).await,
        None => match bind(DEFAULT_PORT).await {
            Ok(listener) => Ok(listener),
            Err(_) => bind(0).await,
        },
    };
    bound.map_err(|error| CommandError::Problem(format!("cannot listen: {error}")))
}

/// The values of `Host` that are answered: the addresses that were bound, and the given names. Others are names that a stranger has made lead here.
fn allowed_hosts(options: &ServeOptions, port: u16) -> Vec<String> {
    let mut names = vec!["localhost".to_owned(), Ipv4Addr::LOCALHOST.to_string(), format!("[{}]", Ipv6Addr::LOCALHOST)];
    if options.lan {
        names.extend(local_address().map(|address| address.to_string()));
    }
    names.extend(options.hosts.iter().map(|name| name.to_lowercase()));
    let with_port: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
    names.extend(with_port);
    names
}

/// The address of this machine in its network, by the route that a packet would take; none is sent.
pub fn local_address() -> Option<IpAddr> {
    let socket = std::net::UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|address| !address.is_unspecified())
}
