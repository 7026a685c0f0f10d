//! Faulty and malicious clients.

use crate::client::{Client, Message, api, folder, http, serve, table, wide};
use crate::program::serve::Server;
use crate::program::serve::limits::Limits;
use crate::program::serve::saved::{SavedTable, Store};
use crate::program::serve::table_handle::Mail;
use futures_util::SinkExt;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

#[tokio::test(flavor = "multi_thread")]
async fn other_hosts_origins_and_keys_are_refused() {
    let server = serve(Limits::default()).await;
    for host in ["evil.example", "evil.example:80", &format!("evil.example:{}", server.port), "127.0.0.1:1", "127.0.0.1", ""] {
        let (status, head, _) = http(&server, "GET", "/", &format!("Host: {host}\r\n"), "").await;
        assert_eq!(status, 421, "{host}: {head}");
    }
    let (status, head, body) = http(&server, "GET", "/", &format!("Host: localhost:{}\r\n", server.port), "").await;
    assert!(status == 200 && body.contains("<html"), "{head}");
    for header in
        ["content-security-policy: default-src 'none'", "x-content-type-options: nosniff", "referrer-policy: no-referrer"]
    {
        assert!(head.contains(header), "{header}: {head}");
    }
    for headers in ["", "Authorization: Bearer 00000000000000000000000000000000\r\n", "Authorization: Bearer \r\n"] {
        assert_eq!(http(&server, "GET", "/api/lobby", headers, "").await.0, 401, "{headers}");
    }
    let key = format!("Authorization: Bearer {}\r\n", server.host_key);
    let foreign = format!("{key}Origin: http://evil.example\r\n");
    assert_eq!(http(&server, "POST", "/api/table", &foreign, "{}").await.0, 403);
    assert_eq!(http(&server, "GET", "/api/lobby", &key, "").await.0, 200);
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert!(Client::connect(&server, Some(origin)).await.is_err(), "{origin}");
    }
    assert!(Client::connect(&server, Some(&format!("http://127.0.0.1:{}", server.port))).await.is_ok());
    for path in ["/../Cargo.toml", "/table/../index.html", "/test/page.test.mjs", "/api", "/%2e%2e/x"] {
        assert_eq!(http(&server, "GET", path, "", "").await.0, 404, "{path}");
    }
}

/// What the server answers to a request whose body never comes, until it closes the connection.
async fn answer_without_body(server: &Server, line: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    let request = format!("{line} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{headers}\r\n", server.port);
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let closed = timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes)).await;
    assert!(closed.is_ok(), "{line} {headers}: the connection stays open");
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn body_that_never_comes_is_not_awaited() {
    let server = serve(Limits { body: Duration::from_millis(200), hello: Duration::from_millis(400), ..Limits::default() }).await;
    let key = format!("Authorization: Bearer {}\r\n", server.host_key);
    for line in
        ["POST /api/table", "POST /api/deck", "POST /api/replay", "POST /api/invite", "PUT /api/bench/file/a.fz", "POST /x"]
    {
        for length in ["Content-Length: 100\r\n", "Transfer-Encoding: chunked\r\n"] {
            let answer = answer_without_body(&server, line, length).await;
            assert!(answer.starts_with("HTTP/1.1 401 "), "{line}: {answer}");
            let answer = answer_without_body(&server, line, &format!("{key}{length}")).await;
            assert!(answer.starts_with("HTTP/1.1 408 "), "{line}: {answer}");
        }
    }
    for line in ["GET /", "GET /api/lobby", "GET /ws", "HEAD /"] {
        let answer = answer_without_body(&server, line, "Content-Length: 100\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 "), "{line}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn first_message_opens_or_closes() {
    let server = serve(Limits { hello: Duration::from_millis(200), ..Limits::default() }).await;
    let mut silent = Client::connect(&server, None).await.unwrap();
    assert_eq!(silent.wait("error").await["code"], "key", "no `hello` in time");
    assert!(silent.is_closed().await);
    let wrong = json!({"t": "hello", "v": [1], "key": "0".repeat(32), "as": "seat"});
    for (first, code) in [
        (wrong.clone(), "key"),
        (json!({"t": "hello", "v": [7], "key": "0".repeat(32), "as": "seat"}), "version"),
        (json!({"t": "ping", "at": 1}), "unknown"),
        (json!([1, 2]), "unknown"),
    ] {
        let mut client = Client::connect(&server, None).await.unwrap();
        client.send(first.clone()).await;
        assert_eq!(client.wait("error").await["code"], code, "{first}");
        assert!(client.is_closed().await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_messages_are_refused_and_the_table_continues() {
    let server =
        serve(Limits { message_reserve: 10.0, messages_per_second: 100.0, refused_messages: 5, ..Limits::default() }).await;
    let made = table(&server, ["me", "greedy"], 1).await;
    let key = &made["links"][0]["key"];
    let mut client = Client::hello(&server, key, "seat").await;
    client.wait("view").await;
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    for text in ["{", "", "null", r#"{"t":"nothing"}"#, &deep] {
        client.socket.send(Message::Text(text.into())).await.unwrap();
        assert_eq!(client.wait("error").await["code"], "unknown", "{text:.20}");
    }
    client.send(json!({"t": "ping", "at": 7})).await;
    assert_eq!(client.wait("pong").await["at"], 7);
    client.socket.send(Message::Binary(vec![1, 2, 3].into())).await.unwrap();
    assert_eq!(client.wait("error").await["code"], "unknown");
    assert!(client.is_closed().await, "six refused messages are too many");
    let mut client = Client::hello(&server, key, "seat").await;
    client.wait("view").await;
    let begun = Instant::now();
    for at in 0..60 {
        client.send(json!({"t": "ping", "at": at})).await;
    }
    for at in 0..60 {
        assert_eq!(client.wait("pong").await["at"], at);
    }
    assert!(begun.elapsed() >= Duration::from_millis(400), "10 at once, the others a hundred a second");
    let mut client = Client::hello(&server, key, "seat").await;
    client.wait("view").await;
    client.send(json!({"t": "chat", "text": "x".repeat(501)})).await;
    assert_eq!(client.wait("error").await["code"], "size");
    client.send(json!({"t": "chat", "text": "x".repeat(70_000)})).await;
    assert_eq!(client.wait("error").await["code"], "size");
    assert!(client.is_closed().await, "the frame is too large");
    Client::hello(&server, key, "seat").await.wait("view").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn client_that_does_not_read_is_cut_off() {
    let server = serve(Limits { waiting_bytes: 16 << 10, ..wide() }).await;
    let made = table(&server, ["me", "invite"], 1).await;
    let mut deaf = Client::hello(&server, &made["links"][0]["key"], "seat").await;
    deaf.wait("view").await;
    // Nothing of it is read; the buffers of the system hold some megabytes.
    let mut closed = false;
    for _ in 0..200_000 {
        if deaf.socket.send(Message::Text(r#"{"t":"again"}"#.into())).await.is_err() {
            closed = true;
            break;
        }
    }
    assert!(closed);
    Client::hello(&server, &made["links"][1]["key"], "seat").await.wait("view").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invite_is_used_up_and_its_token_takes_the_seat_again() {
    let server = serve(wide()).await;
    let made = table(&server, ["me", "invite"], 1).await;
    let link = &made["links"][1]["key"];
    let mut first = Client::hello(&server, link, "seat").await;
    let token = first.wait("welcome").await["token"].clone();
    assert_eq!(Client::hello(&server, link, "seat").await.wait("error").await["code"], "key");
    let mut again = Client::hello(&server, &token, "seat").await;
    assert_eq!(again.wait("welcome").await["seat"], 1);
    assert_eq!(first.wait("error").await["code"], "taken");
    assert!(first.is_closed().await);
    let (status, invite) = api(&server, "POST", "/api/invite", &json!({"table": made["name"], "seat": 1})).await;
    assert_eq!(status, 200);
    assert_eq!(Client::hello(&server, &token, "seat").await.wait("error").await["code"], "key");
    Client::hello(&server, &invite["key"], "seat").await.wait("view").await;
    // Who watches cannot sit down, and sees the table.
    assert_eq!(Client::hello(&server, &made["watch"], "seat").await.wait("error").await["code"], "key");
    assert_eq!(Client::hello(&server, &made["watch"], "watch").await.wait("welcome").await["seat"], Value::Null);
    let path = format!("/api/trace/{}", made["name"].as_str().unwrap());
    assert_eq!(api(&server, "GET", &path, &Value::Null).await.0, 409, "the trace of a running game holds its seed");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_trace_of_a_game_waits_for_the_end_of_its_match() {
    let server = serve(wide()).await;
    let seats = ["me", "invite"].map(|who| json!({ "who": who }));
    let request = json!({"format": "sprint", "seats": seats, "seed": 1, "best_of": 3});
    let (status, made) = api(&server, "POST", "/api/table", &request).await;
    assert_eq!(status, 200, "{made}");
    let mut players = Vec::new();
    for seat in 0..2 {
        let mut client = Client::hello(&server, &made["links"][seat]["key"], "seat").await;
        let token = client.wait("welcome").await["token"].as_str().unwrap().to_owned();
        client.wait("view").await;
        players.push((client, token));
    }
    players[0].0.send(json!({"t": "concede"})).await;
    assert_eq!(players[1].0.wait("over").await["match"]["wins"], json!([0, 1]));
    let path = format!("/api/trace/{}", made["name"].as_str().unwrap());
    for key in [&players[1].1, &server.host_key] {
        let key = format!("Authorization: Bearer {key}\r\n");
        assert_eq!(http(&server, "GET", &path, &key, "").await.0, 409, "it has decks and a seed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn defect_ends_its_table_only() {
    let server = serve(wide()).await;
    let (one, other) = (table(&server, ["me", "greedy"], 1).await, table(&server, ["me", "greedy"], 1).await);
    let mut client = Client::hello(&server, &one["links"][0]["key"], "seat").await;
    client.wait("view").await;
    let handle = server.app.find_table(one["name"].as_str().unwrap()).unwrap();
    handle.mail.send(Mail::Panic).await.unwrap();
    assert_eq!(client.wait("error").await["code"], "defect");
    assert!(client.is_closed().await);
    let path = format!("/api/trace/{}", one["name"].as_str().unwrap());
    let key = format!("Authorization: Bearer {}\r\n", server.host_key);
    let (status, _, trace) = http(&server, "GET", &path, &key, "").await;
    assert!(status == 200 && trace.contains("fizzle_trace"), "{status}: the trace is kept");
    Client::hello(&server, &other["links"][0]["key"], "seat").await.wait("view").await;
}

fn any_message() -> impl Strategy<Value = Value> {
    let number = prop_oneof![0u64..4, Just(u64::MAX)];
    prop_oneof![
        (number.clone(), prop::collection::vec(0u32..9, 0..4))
            .prop_map(|(ask, picks)| json!({"t": "answer", "ask": ask, "picks": picks})),
        (number.clone(), any::<i64>()).prop_map(|(ask, number)| json!({"t": "answer", "ask": ask, "number": number})),
        (number.clone(), prop::collection::vec(any::<i64>(), 0..4))
            .prop_map(|(ask, shares)| json!({"t": "answer", "ask": ask, "shares": shares})),
        any::<u32>().prop_map(|on| json!({"t": "why", "on": on})),
        prop::sample::select(vec!["added", "mine", "end", "could"]).prop_map(|until| json!({"t": "yield", "until": until})),
        any::<bool>().prop_map(|agree| json!({"t": "undo_vote", "agree": agree})),
        prop::sample::select(vec!["wait", "bot", "end"]).prop_map(|choice| json!({"t": "absent", "choice": choice})),
        prop::sample::select(vec!["hold", "undo", "again", "ready", "chat", "hello"]).prop_map(|kind| json!({"t": kind})),
        prop::sample::select(vec!["en", "ja"]).prop_map(|lang| json!({"t": "lang", "lang": lang})),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn messages_in_any_order_do_not_end_a_table(messages in prop::collection::vec(any_message(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let server = serve(Limits { refused_messages: 1000, ..wide() }).await;
            let made = table(&server, ["me", "invite"], 1).await;
            let mut client = Client::hello(&server, &made["links"][0]["key"], "seat").await;
            for message in messages {
                client.send(message).await;
            }
            client.send(json!({"t": "ping", "at": 99})).await;
            client.wait("pong").await;
            Client::hello(&server, &made["links"][1]["key"], "seat").await.wait("view").await;
        });
    }
}

/// Links in the folder of the server are replaced or refused, and what could not be read again is not written.
#[cfg(unix)]
#[test]
fn files_of_the_server_stay_in_its_folder() {
    use std::fs;
    use std::os::unix::fs::symlink;
    let (keep, outside) = (folder(), folder());
    let store = Store::open(&keep).unwrap();
    fs::create_dir(&outside).unwrap();
    let kept = outside.join("kept");
    fs::write(&kept, "kept").unwrap();
    for name in ["t.table", "t.tmp", "traces/t.1.fzt", "traces/t.1.tmp"] {
        symlink(&kept, keep.join(name)).unwrap();
    }
    assert_eq!(store.read_trace("t"), None, "a link is not followed");
    let saved = json!({
        "fizzle_table": 1, "name": "t", "format": "sprint", "rules_hash": "", "seats": [], "watch": "", "sandbox": false, "best_of": 1,
        "seed": "1", "timing_seed": "1",
    });
    let saved: SavedTable = serde_json::from_value(saved).unwrap();
    store.save(&saved, b"table").unwrap();
    store.write_trace("t", 1, b"trace").unwrap();
    assert_eq!(store.read_trace("t").unwrap(), b"trace");
    assert!(fs::read(keep.join("t.table")).unwrap().ends_with(b"\ntable"));
    assert_eq!(fs::read_to_string(&kept).unwrap(), "kept");
    // What is too large to be read leaves the old file as it is.
    assert!(store.write_trace("t", 1, &vec![0; (8 << 20) + 1]).unwrap_err().to_string().contains("8388608 can be read again"));
    assert!(store.save(&saved, &vec![0; 64 << 20]).unwrap_err().to_string().contains("67108864 can be read again"));
    assert_eq!(store.read_trace("t").unwrap(), b"trace");
    // So is a link in the place of the folder.
    fs::rename(keep.join("traces"), keep.join("old")).unwrap();
    symlink(&outside, keep.join("traces")).unwrap();
    assert!(store.write_trace("kept", 1, b"trace").unwrap_err().to_string().contains("it is a link"));
    fs::write(outside.join("t.1.fzt"), "secret").unwrap();
    assert_eq!(store.read_trace("t"), None);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 2);
}
