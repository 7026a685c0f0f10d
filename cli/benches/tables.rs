//! Benchmark of many tables of one server at the same time: the time from an answer to its result, and the memory of the server.
//!
//! Starts `fizzle serve`. Each table has one person who answers for both seats at random, at the pace of people, and a watcher; the games are
//! those of all shipped formats in turn. A match that is over is followed by another table. Prints a line each minute, and one for the whole run.
//! The clients are in this process, on the same machine.
//!
//! `FIZZLE_TABLES` (50), `FIZZLE_SECONDS` (20), `FIZZLE_PAUSE_MS` between two answers of a table (2000).

#![cfg(feature = "serve")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::disallowed_methods, clippy::disallowed_types)]
#![allow(missing_docs, dead_code)]

#[path = "../../table/tests/common/mod.rs"]
mod common;

use common::Player;
use fizzle_table::protocol::ServerMessage;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

const FORMATS: [&str; 4] = ["magic", "duel_masters", "yugioh", "duel_magic"];

/// The largest time of an answer that is aimed at.
const GOAL: Duration = Duration::from_millis(40);

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The program, with its address and the key of its host.
struct Program {
    child: Child,
    port: u16,
    key: String,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start() -> Program {
    let keep = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tables");
    let _ = std::fs::remove_dir_all(&keep);
    let mut command = Command::new(env!("CARGO_BIN_EXE_fizzle"));
    command.args(["serve", "--keep"]).arg(&keep).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (address, key) = line.trim().split_once("/#host=").unwrap_or_else(|| panic!("{line}"));
    let port = address.rsplit(':').next().unwrap().parse().unwrap();
    Program { child, port, key: key.to_owned() }
}

/// Opens a table. Returns the keys of the person and of the watcher.
async fn open(port: u16, host_key: &str, seed: u64) -> (Value, Value) {
    let format = FORMATS[seed as usize % FORMATS.len()];
    let body = json!({"format": format, "seats": [{"who": "hot"}, {"who": "hot"}], "seed": seed}).to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let head = format!(
        "POST /api/table HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {host_key}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let made: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap_or_else(|_| panic!("{answer}"));
    (made["links"][0]["key"].clone(), made["watch"].clone())
}

async fn connect(port: u16, key: &Value, role: &str) -> WebSocketStream<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let (mut socket, _) = tokio_tungstenite::client_async(format!("ws://127.0.0.1:{port}/ws"), stream).await.unwrap();
    let hello = json!({"t": "hello", "v": [1], "key": key, "as": role, "name": "Aki"});
    socket.send(Message::Text(hello.to_string().into())).await.unwrap();
    socket
}

async fn read(socket: &mut WebSocketStream<TcpStream>) -> Option<Value> {
    loop {
        match socket.next().await?.ok()? {
            Message::Text(text) => return serde_json::from_str(&text).ok(),
            Message::Close(_) => return None,
            _ => {}
        }
    }
}

/// Plays one match, and adds the time of each answer.
async fn play(port: u16, host_key: &str, seed: u64, until: Instant, times: &Mutex<Vec<Duration>>) {
    let (key, watch) = open(port, host_key, seed).await;
    let mut socket = connect(port, &key, "seat").await;
    let mut watcher = connect(port, &watch, "watch").await;
    let watching = tokio::spawn(async move { while read(&mut watcher).await.is_some() {} });
    let pause = Duration::from_millis(number("FIZZLE_PAUSE_MS", 2000));
    let mut player = Player::new(0, seed);
    let (mut last, mut sent) = (u64::MAX, None);
    while !player.is_over && Instant::now() < until {
        let Some(frame) = read(&mut socket).await else { break };
        let kind = frame["t"].as_str().unwrap_or_default().to_owned();
        player.take(&serde_json::from_value::<ServerMessage>(frame).unwrap());
        player.frames.clear();
        if matches!(kind.as_str(), "step" | "view" | "refused") {
            times.lock().unwrap().extend(sent.take().map(|at: Instant| at.elapsed()));
        }
        let pending = player.ask["id"].as_u64().filter(|ask| kind == "refused" || *ask != last);
        if let Some(ask) = pending
            && let Some(answer) = player.answer()
        {
            last = ask;
            tokio::time::sleep(pause).await;
            sent = Some(Instant::now());
            let answer = serde_json::to_string(&answer).unwrap();
            if socket.send(Message::Text(answer.into())).await.is_err() {
                break;
            }
        }
    }
    watching.abort();
}

/// The resident memory of a process in KiB.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Times of answers in words.
fn summary(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: f64| times.get(((times.len().max(1) - 1) as f64 * share) as usize).copied().unwrap_or_default();
    let late = times.iter().filter(|time| **time > GOAL).count() as f64 * 100.0 / times.len().max(1) as f64;
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    format!(
        "{} answers, median {:.1} ms, 99 % {:.1} ms, most {:.0} ms, {late:.2} % above 40 ms",
        times.len(),
        ms(at(0.5)),
        ms(at(0.99)),
        ms(at(1.0))
    )
}

#[tokio::main]
async fn main() {
    let (tables, seconds) = (number("FIZZLE_TABLES", 50), number("FIZZLE_SECONDS", 20));
    let program = start();
    let (port, process) = (program.port, program.child.id());
    let begin = Instant::now();
    let until = begin + Duration::from_secs(seconds);
    let times = Arc::new(Mutex::new(Vec::new()));
    let players = (0..tables).map(|number| {
        let (times, key) = (Arc::clone(&times), program.key.clone());
        tokio::spawn(async move {
            // People do not all come in the same moment.
            tokio::time::sleep(Duration::from_millis(number * 20)).await;
            let mut seed = number;
            while Instant::now() < until {
                play(port, &key, seed, until, &times).await;
                seed += tables;
            }
            (seed - number) / tables
        })
    });
    let players: Vec<_> = players.collect();
    let (mut all, mut most) = (Vec::new(), 0);
    while Instant::now() < until {
        tokio::time::sleep(Duration::from_secs(60).min(until.saturating_duration_since(Instant::now()))).await;
        let new = std::mem::take(&mut *times.lock().unwrap());
        let each = memory(process) / tables.max(1);
        most = most.max(each);
        println!("{:>5} s: {}, {each} KiB of the server a table", begin.elapsed().as_secs(), summary(new.clone()));
        all.extend(new);
    }
    let mut matches = 0;
    for player in players {
        matches += player.await.unwrap();
    }
    println!("{tables} tables, {seconds} s, {matches} matches: {}, at most {most} KiB of the server a table", summary(all));
}
