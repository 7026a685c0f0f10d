//! The workbench: only the host on this machine enters, sources of one folder are read and written, a card is tried on a table.

use crate::client::{Client, Error, Message, api, folder, http, serve, serve_bench, wide};
use crate::program::serve::Server;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

const CARDS: &str = "card \"Lantern Fox\" {\n  creature  fire  cost 3  race \"Fire Bird\"  power 2000\n}\n";

/// A folder with a small pack, and a server for it.
async fn bench() -> (Server, std::path::PathBuf) {
    let pack = folder().join("lanterns");
    fs::create_dir_all(pack.join("more")).unwrap();
    fs::write(pack.join("pack.fz"), "pack lanterns { edition 2; extends duel_masters }\n").unwrap();
    fs::write(pack.join("cards.fz"), CARDS).unwrap();
    fs::write(pack.join("more/spells.fz"), "").unwrap();
    fs::write(pack.join("secret.txt"), "secret").unwrap();
    fs::write(pack.parent().unwrap().join("outside.fz"), "outside").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../outside.fz", pack.join("link.fz")).unwrap();
    (serve_bench(&pack, wide()).await, pack)
}

fn key(server: &Server) -> String {
    format!("Authorization: Bearer {}\r\n", server.host_key)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_host_enters() {
    let (server, _) = bench().await;
    for (method, path) in [
        ("GET", "/api/bench"),
        ("GET", "/api/bench/file/cards.fz"),
        ("PUT", "/api/bench/file/cards.fz"),
        ("POST", "/api/bench/reload"),
    ] {
        assert_eq!(http(&server, method, path, "", "").await.0, 401, "{method} {path}");
        let foreign = format!("{}Origin: http://evil.example\r\n", key(&server));
        if method != "GET" {
            assert_eq!(http(&server, method, path, &foreign, "").await.0, 403, "{method} {path}");
        }
    }
    let (status, info) = api(&server, "GET", "/api/bench", &Value::Null).await;
    assert_eq!((status, &info["name"]), (200, &json!("lanterns")));
    assert!(info["root"].as_str().unwrap().starts_with("file:///"), "{info}");
    // Without a folder there is no workbench.
    let other = serve(wide()).await;
    assert_eq!(api(&other, "GET", "/api/bench", &Value::Null).await.0, 404);
    assert!(matches!(editor(&other, None).await, Err(Error::Http(refused)) if refused.status() == 403));
}

#[tokio::test(flavor = "multi_thread")]
async fn sources_of_the_folder_are_read_and_nothing_else() {
    let (server, pack) = bench().await;
    let (_, info) = api(&server, "GET", "/api/bench", &Value::Null).await;
    let paths: Vec<&str> = info["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["cards.fz", "more/spells.fz", "pack.fz"]);
    let (status, found) = api(&server, "GET", "/api/bench/file/cards.fz", &Value::Null).await;
    assert_eq!((status, &found["text"]), (200, &json!(CARDS)));
    for path in [
        "secret.txt",
        "../outside.fz",
        "%2e%2e/outside.fz",
        "..%2foutside.fz",
        "more/../cards.fz",
        "/etc/passwd",
        "%2Fetc%2Fx.fz",
        "link.fz",
        "C:/x.fz",
        "more\\spells.fz",
        "cards.fz%00",
        "cards.fz/",
        "new.fz/",
        "more//spells.fz",
        ".secret.fz",
        "..fz",
        ".more/cards.fz",
        &format!("{}deep.fz", "a/".repeat(64)),
        "missing.fz",
    ] {
        let (status, found) = api(&server, "GET", &format!("/api/bench/file/{path}"), &Value::Null).await;
        assert!(status == 404 || status == 400, "{path}: {status} {found}");
        let (status, _, body) = http(&server, "PUT", &format!("/api/bench/file/{path}"), &key(&server), "x").await;
        assert!(path == "missing.fz" || status >= 400, "{path}: {status} {body}");
    }
    assert_eq!(fs::read_to_string(pack.parent().unwrap().join("outside.fz")).unwrap(), "outside");
    assert_eq!(fs::read_to_string(pack.join("secret.txt")).unwrap(), "secret");
    // As large as allowed, and larger.
    let large = "// \n".repeat(300_000);
    assert!(http(&server, "PUT", "/api/bench/file/large.fz", &key(&server), &large).await.0 >= 400);
    assert!(!pack.join("large.fz").exists());
    let hidden = http(&server, "PUT", "/api/bench/file/%e2%80%ae.fz", &key(&server), "x").await;
    assert!(hidden.0 == 422 && hidden.2.contains("hidden characters"), "{hidden:?}");
    assert!(!pack.join("new.fz").exists());
    assert!(http(&server, "PUT", "/api/bench/file/bytes.fz", &key(&server), [0xff, 0xfe]).await.0 >= 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_has_changed_on_disk_is_not_overwritten() {
    let (server, pack) = bench().await;
    let (_, found) = api(&server, "GET", "/api/bench/file/cards.fz", &Value::Null).await;
    let with = |hash: &str| format!("{}If-Match: {hash}\r\n", key(&server));
    let hash = found["hash"].as_str().unwrap().to_owned();
    let (status, _, body) = http(&server, "PUT", "/api/bench/file/cards.fz", &with(&hash), "// mine\n").await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(fs::read_to_string(pack.join("cards.fz")).unwrap(), "// mine\n");
    // The hash of before, no hash at all, and the file gone.
    for headers in [with(&hash), key(&server)] {
        let (status, _, body) = http(&server, "PUT", "/api/bench/file/cards.fz", &headers, "// other\n").await;
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, &body["text"]), (409, &json!("// mine\n")));
    }
    let now: Value = serde_json::from_str(&body).unwrap();
    fs::remove_file(pack.join("cards.fz")).unwrap();
    let (status, ..) = http(&server, "PUT", "/api/bench/file/cards.fz", &with(now["hash"].as_str().unwrap()), "// other\n").await;
    assert_eq!(status, 409);
    assert_eq!(http(&server, "PUT", "/api/bench/file/new/deep.fz", &key(&server), "// new\n").await.0, 200);
    assert_eq!(fs::read_to_string(pack.join("new/deep.fz")).unwrap(), "// new\n");
    // Nothing else is left in the folder.
    assert!(fs::read_dir(&pack).unwrap().all(|entry| !entry.unwrap().file_name().to_string_lossy().contains(".new")));
}

type Socket = tokio_tungstenite::WebSocketStream<TcpStream>;

async fn editor(server: &Server, first: Option<Value>) -> Result<Socket, Error> {
    let stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    let request = format!("ws://127.0.0.1:{}/ws/lsp", server.port).into_client_request()?;
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream).await?;
    if let Some(first) = first {
        socket.send(Message::Text(first.to_string().into())).await?;
    }
    Ok(socket)
}

async fn ask(socket: &mut Socket, id: u64, method: &str, params: Value) -> Value {
    let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    socket.send(Message::Text(request.to_string().into())).await.unwrap();
    loop {
        let message = timeout(Duration::from_secs(60), socket.next()).await.unwrap().unwrap().unwrap();
        let Message::Text(text) = message else { continue };
        let value: Value = serde_json::from_str(&text).unwrap();
        if value["id"] == id && value.get("method").is_none() {
            return value;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_language_server_needs_the_key() {
    let (server, _) = bench().await;
    for first in [
        json!({}),
        json!({"key": "0".repeat(32)}),
        json!([]),
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}),
    ] {
        let mut socket = editor(&server, Some(first)).await.unwrap();
        let next = timeout(Duration::from_secs(10), socket.next()).await.unwrap();
        assert!(matches!(next, None | Some(Ok(Message::Close(_)) | Err(_))), "{next:?}");
    }
    let key = || Some(json!({"key": server.host_key}));
    let mut socket = editor(&server, key()).await.unwrap();
    socket.send(Message::Text("no JSON".into())).await.unwrap();
    let answer = ask(&mut socket, 1, "initialize", json!({"capabilities": {}})).await;
    assert_eq!(answer["result"]["serverInfo"]["name"], "fizzle", "{answer}");
    // Others are refused while four are open, and let in again after one has gone.
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(editor(&server, key()).await.unwrap());
    }
    assert!(editor(&server, key()).await.is_err());
    drop(others);
    let mut again = None;
    for _ in 0..100 {
        again = editor(&server, key()).await.ok();
        if again.is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(again.is_some());
}

/// A card is tried as it is in the editor, not as it is on disk; the same table is played again with another text, and is in no list.
#[tokio::test(flavor = "multi_thread")]
async fn a_card_is_tried_and_played_again_with_another_text() {
    let (server, pack) = bench().await;
    let root = api(&server, "GET", "/api/bench", &Value::Null).await.1["root"].as_str().unwrap().to_owned();
    let mut socket = editor(&server, Some(json!({"key": server.host_key}))).await.unwrap();
    ask(&mut socket, 1, "initialize", json!({"capabilities": {}, "rootUri": root})).await;
    let uri = format!("{root}/cards.fz");
    let open = json!({"jsonrpc": "2.0", "method": "textDocument/didOpen",
        "params": {"textDocument": {"uri": uri, "languageId": "fizzle", "version": 1, "text": CARDS.replace("2000", "4000")}}});
    socket.send(Message::Text(open.to_string().into())).await.unwrap();
    let place = json!({"textDocument": {"uri": uri}, "position": {"line": 1, "character": 0}});
    let shown = ask(&mut socket, 2, "fizzle/preview", place.clone()).await;
    assert_eq!(shown["result"]["card"]["formats"][0]["en"]["faces"][0]["stat"], "4000", "{shown}");
    let tried = ask(&mut socket, 3, "fizzle/try", place.clone()).await;
    let made = &tried["result"]["table"];
    assert_eq!(tried["result"]["position"]["card"], "Lantern Fox", "{tried}");
    let mut client = Client::hello(&server, &made["links"][0]["key"], "seat").await;
    client.wait("welcome").await;
    let faces = client.wait("cards").await;
    assert_eq!(faces["cards"]["Lantern Fox"]["props"]["power"], 4000, "{faces}");
    let lobby = api(&server, "GET", "/api/lobby", &Value::Null).await.1;
    assert_eq!((&lobby["bench"], &lobby["tables"]), (&json!(true), &json!([])));
    // Another text, the same table.
    let change = json!({"jsonrpc": "2.0", "method": "textDocument/didChange",
        "params": {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": CARDS.replace("2000", "5000")}]}});
    socket.send(Message::Text(change.to_string().into())).await.unwrap();
    let mut again = place.clone();
    again["table"] = made["name"].clone();
    let tried = ask(&mut socket, 4, "fizzle/try", again).await;
    assert!(tried["result"].get("table").is_none(), "{tried}");
    let reloaded = client.wait("reloaded").await;
    assert_eq!(reloaded["repeated"], reloaded["of"]);
    let faces = client.wait("cards").await;
    assert_eq!(faces["cards"]["Lantern Fox"]["props"]["power"], 5000, "{faces}");
    assert!(fs::read_to_string(pack.join("cards.fz")).unwrap().contains("2000"), "nothing was written");
    // An error has a message; an unknown method is refused.
    let wrong = json!({"jsonrpc": "2.0", "method": "textDocument/didChange",
        "params": {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [{"text": "card \"x\" {"}]}});
    socket.send(Message::Text(wrong.to_string().into())).await.unwrap();
    let refused = ask(&mut socket, 5, "fizzle/try", place).await;
    assert_eq!(refused["error"]["message"], "the sources have errors", "{refused}");
    assert!(
        ask(&mut socket, 6, "fizzle/other", json!({})).await["error"]["message"].as_str().unwrap().contains("not understood")
    );
}

/// After the sources were written, new tables have the new rules, and a table of one person is played again.
#[tokio::test(flavor = "multi_thread")]
async fn a_reload_reaches_the_tables_of_one_person() {
    let (server, _) = bench().await;
    let alone = crate::client::table(&server, ["me", "greedy"], 5).await;
    let two = crate::client::table(&server, ["me", "invite"], 5).await;
    let mut client = Client::hello(&server, &alone["links"][0]["key"], "seat").await;
    client.wait("view").await;
    let title = async || api(&server, "GET", "/api/lobby", &Value::Null).await.1["formats"][0]["title"].clone();
    assert!(!title().await.as_str().unwrap().starts_with("Changed"));
    let (status, done) = api(&server, "POST", "/api/bench/reload", &json!({})).await;
    assert_eq!((status, &done["tables"]), (200, &json!(1)), "{done}");
    assert!(title().await.as_str().unwrap().starts_with("Changed"));
    let welcome = client.wait("welcome").await;
    assert!(welcome["table"]["title"].as_str().unwrap().starts_with("Changed"), "{welcome}");
    let reloaded = client.wait("reloaded").await;
    assert_eq!(reloaded["repeated"], reloaded["of"], "the rules are the same");
    assert_eq!(api(&server, "GET", "/api/lobby", &Value::Null).await.1["tables"].as_array().unwrap().len(), 2);
    drop(two);
}
