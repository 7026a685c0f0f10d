//! Whole games over sockets equal those without; tables are offered again after a restart.

use crate::client::{Client, FORMAT, api, folder, http, serve, serve_in, table, wide};
use crate::common::{Player, deliver, game_count, step};
use crate::program::serve::Server;
use crate::program::serve::limits::Limits;
use crate::program::serve::tables::set_up;
use fizzle_table::protocol::{Lang, ServerMessage};
use fizzle_table::table::{ClientId, Table};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Plays a seat until the match is over, or for so many answers. Returns the time of each answer.
async fn play(server: &Server, key: &Value, player: &mut Player, most: usize) -> Vec<Duration> {
    let mut client = Client::hello(server, key, "seat").await;
    let (mut last, mut times, mut sent) = (u64::MAX, Vec::new(), None);
    while !player.is_over && times.len() < most {
        let frame = client.next().await.expect("the table continues");
        let message: ServerMessage = serde_json::from_value(frame.clone()).unwrap();
        player.take(&message);
        player.frames.clear();
        let is_refused = frame["t"] == "refused";
        if let Some(at) = sent.take_if(|_| matches!(frame["t"].as_str(), Some("step" | "refused"))) {
            let at: Instant = at;
            times.push(at.elapsed());
        }
        let pending = player.ask["id"].as_u64().filter(|ask| is_refused || *ask != last);
        if let Some(ask) = pending
            && let Some(answer) = player.answer()
        {
            last = ask;
            sent = Some(Instant::now());
            client.send(serde_json::to_value(answer).unwrap()).await;
        }
    }
    times
}

/// The trace of the same game without sockets.
fn trace_without_sockets(server: &Server, name: &str, seed: u64) -> Vec<u8> {
    let saved = server.app.find_table(name).unwrap().saved().clone();
    let mut table = Table::new(set_up(&server.app, &saved).unwrap()).unwrap();
    let mut players = vec![Player::new(0, seed), Player::new(1, seed)];
    for seat in 0..2 {
        table.join(ClientId(seat), Some(seat as usize), "Aki", Lang::En, "token", 0);
    }
    deliver(&mut table, &mut players);
    while !table.is_over() {
        assert!(step(&mut table, &mut players), "a decision is pending");
        players.iter_mut().for_each(|player| player.frames.clear());
    }
    table.trace().unwrap()
}

/// The long form, `FIZZLE_GAMES=200`, has so many.
#[tokio::test(flavor = "multi_thread")]
async fn games_at_once_equal_those_without_sockets() {
    let games = game_count(20);
    let server = serve(Limits { mailbox: 64, ..wide() }).await;
    let mut made = Vec::new();
    for seed in 0..games {
        made.push((seed, table(&server, ["me", "external"], seed).await));
    }
    let one = |(seed, made): (u64, Value)| {
        let server = &server;
        async move {
            let mut players = [Player::new(0, seed), Player::new(1, seed)];
            let [first, second] = &mut players;
            let links = &made["links"];
            tokio::join!(play(server, &links[0]["key"], first, usize::MAX), play(server, &links[1]["key"], second, usize::MAX));
            (seed, made["name"].as_str().unwrap().to_owned())
        }
    };
    let played = futures_util::future::join_all(made.into_iter().map(one)).await;
    let path = format!("Authorization: Bearer {}\r\n", server.host_key);
    for (seed, name) in played {
        let expected = trace_without_sockets(&server, &name, seed);
        let handle = server.app.find_table(&name).unwrap();
        let (send, receive) = tokio::sync::oneshot::channel();
        handle.mail.send(crate::program::serve::table_handle::Mail::Trace(send)).await.unwrap();
        assert_eq!(receive.await.unwrap(), Some(expected), "game {seed}");
        assert_eq!(http(&server, "GET", &format!("/api/trace/{name}"), &path, "").await.0, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn game_with_rejoining_in_between_ends() {
    let server = serve(wide()).await;
    let made = table(&server, ["me", "greedy"], 5).await;
    let mut player = Player::new(0, 5);
    while !player.is_over {
        // A new connection takes the seat, with any pending decision.
        play(&server, &made["links"][0]["key"], &mut player, 3).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_game_is_read_from_its_trace() {
    let server = serve(wide()).await;
    let made = table(&server, ["me", "greedy"], 8).await;
    let mut player = Player::new(0, 8);
    play(&server, &made["links"][0]["key"], &mut player, usize::MAX).await;
    let key = format!("Authorization: Bearer {}\r\n", server.host_key);
    let handle = server.app.find_table(made["name"].as_str().unwrap()).unwrap();
    let (send, receive) = tokio::sync::oneshot::channel();
    handle.mail.send(crate::program::serve::table_handle::Mail::Trace(send)).await.unwrap();
    let trace = receive.await.unwrap().unwrap();
    let (status, _, opened) = http(&server, "POST", "/api/replay?lang=en", &key, &trace).await;
    assert_eq!(status, 200, "{opened:.300}");
    let opened: Value = serde_json::from_str(&opened).unwrap();
    let (id, steps) = (opened["id"].as_str().unwrap(), opened["steps"].as_array().unwrap().len());
    assert!(steps > 10 && opened["layout"]["seat"].is_array() && !opened["outcome"].as_str().unwrap().is_empty());
    for step in [0, steps / 2, steps] {
        let (status, position) = api(&server, "GET", &format!("/api/replay/{id}/{step}?viewer=0&lang=ja"), &Value::Null).await;
        assert_eq!((status, &position["n"]), (200, &json!(step)));
        assert!(position["view"]["objects"].is_object());
    }
    let (_, end) = api(&server, "GET", &format!("/api/replay/{id}/{steps}?viewer=0"), &Value::Null).await;
    assert_eq!(end["view"], player.view, "the last position is what the player saw last");
    // What is not a trace, not open, or not allowed.
    let none: &[u8] = b"";
    for (method, path, headers, body, expected) in [
        ("POST", "/api/replay", key.as_str(), &b"{"[..], 400),
        ("POST", "/api/replay?viewer=x", key.as_str(), &trace, 400),
        ("POST", "/api/replay", "", &trace, 401),
        ("GET", "/api/replay/0123", key.as_str(), none, 404),
        ("GET", &format!("/api/replay/{id}/{}", steps + 1), key.as_str(), none, 404),
        ("GET", &format!("/api/replay/{id}/0?viewer=7"), key.as_str(), none, 404),
        ("GET", &format!("/api/replay/{id}/0"), "", none, 401),
    ] {
        assert_eq!(http(&server, method, path, headers, body).await.0, expected, "{method} {path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn running_tables_are_offered_again_and_finished_ones_leave_their_traces() {
    let keep = folder();
    let (name, key, watch, view) = {
        // Nothing is saved by time: what is saved at the end of the program must do.
        let server = serve_in(keep.clone(), Limits { save_pause: Duration::from_secs(3600), ..wide() }).await;
        let made = table(&server, ["me", "greedy"], 3).await;
        let mut player = Player::new(0, 3);
        play(&server, &made["links"][0]["key"], &mut player, 6).await;
        let mut watcher = Client::hello(&server, &made["watch"], "watch").await;
        watcher.wait("view").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        watcher.send(json!({"t": "again"})).await;
        let view = watcher.wait("view").await["view"].clone();
        server.save_all().await;
        (made["name"].as_str().unwrap().to_owned(), made["links"][0]["key"].clone(), made["watch"].clone(), view)
    };
    // The first server still runs, as one that was killed has left its files; the copy stands for them.
    let copy = folder();
    std::fs::create_dir_all(&copy).unwrap();
    let file = format!("{name}.table");
    std::fs::copy(keep.join(&file), copy.join(&file)).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(keep.join(&file)).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::metadata(&keep).unwrap().permissions().mode() & 0o777, 0o700);
    }
    // A file that asks for more playouts than a table has is not continued.
    let edited = folder();
    std::fs::create_dir_all(&edited).unwrap();
    let text = String::from_utf8(std::fs::read(keep.join(&file)).unwrap()).unwrap();
    assert!(text.contains("\"greedy\""));
    std::fs::write(edited.join(&file), text.replace("\"greedy\"", "\"mcts:100000\"")).unwrap();
    assert_eq!(serve_in(edited, wide()).await.restored, 0);
    // Nor is one whose file has the name of another table, which it would replace, or that is larger than all tables may be.
    let renamed = folder();
    std::fs::create_dir_all(&renamed).unwrap();
    std::fs::write(renamed.join("aaaa-0000.table"), &text).unwrap();
    assert_eq!(serve_in(renamed.clone(), wide()).await.restored, 0);
    assert!(!renamed.join(&file).exists());
    assert_eq!(serve_in(copy.clone(), Limits { saved_bytes: text.len() as u64 - 1, ..wide() }).await.restored, 0);
    // The folder of a server that runs is not used by another one.
    let copy = folder();
    std::fs::create_dir_all(&copy).unwrap();
    std::fs::write(copy.join(&file), &text).unwrap();
    // A table of bots continues once a player is there.
    let bots = folder();
    std::fs::create_dir_all(&bots).unwrap();
    let (line, rest) = text.split_once('\n').unwrap();
    let mut line: Value = serde_json::from_str(line).unwrap();
    line["seats"][0]["who"] = json!("bot");
    line["seats"][0]["bot"] = json!("greedy");
    std::fs::write(bots.join(&file), format!("{line}\n{rest}")).unwrap();
    let server = serve_in(bots.clone(), wide()).await;
    assert_eq!(server.restored, 1);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let answers = |text: &str| text.matches("\"picks\"").count();
    let saved = std::fs::read_to_string(bots.join(&file)).unwrap();
    assert_eq!(answers(&saved), answers(&text), "bots wait for the first client");
    let mut watcher = Client::hello(&server, &watch, "watch").await;
    watcher.wait("over").await;
    let server = serve_in(copy.clone(), Limits { saved_bytes: text.len() as u64, ..wide() }).await;
    assert_eq!(server.restored, 1);
    let (_, lobby) = api(&server, "GET", "/api/lobby", &Value::Null).await;
    assert_eq!((&lobby["tables"][0]["name"], &lobby["tables"][0]["format"]), (&json!(name), &json!(FORMAT)));
    let mut watcher = Client::hello(&server, &watch, "watch").await;
    let again = watcher.wait("view").await["view"].clone();
    assert_eq!(again["zones"], view["zones"], "the position is the same");
    let mut player = Player::new(0, 3);
    play(&server, &key, &mut player, usize::MAX).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!copy.join(&file).exists(), "it is removed when the match ends");
    assert!(copy.join("traces").join(format!("{name}.1.fzt")).exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn pasted_lists_are_checked() {
    let server = serve(wide()).await;
    let list = |text: &str| json!({"format": FORMAT, "text": text});
    let (status, found) = api(&server, "POST", "/api/deck", &list("3x Sudden Rain\n2 Sudden Rian\nmain\n1 Hill Scout")).await;
    assert_eq!(status, 200);
    assert_eq!(found["cards"][0], json!({"section": "main", "count": 3, "name": "Sudden Rain"}));
    assert_eq!(found["problems"][0]["line"], 2);
    assert!(found["problems"][0]["words"].as_str().unwrap().contains("Sudden Rain"), "{found}");
    let (_, found) = api(&server, "POST", "/api/deck", &list("deck \"Mine\" {\n main {\n  3 \"Sudden Rain\"\n }\n}")).await;
    assert_eq!(found["cards"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["problems"][0]["line"], 0, "too few cards: {found}");
    // What other programs export is read by the reader of the command line.
    let (_, found) = api(&server, "POST", "/api/deck", &list("Deck\n3 sudden rain (ABC) 12\nHill Scout x2")).await;
    assert_eq!(found["cards"][1], json!({"section": "main", "count": 2, "name": "Hill Scout"}), "{found}");
    let (_, found) = api(&server, "POST", "/api/deck", &list("ydke://o6lXBQ==!!!")).await;
    assert!(found["problems"][0]["words"].as_str().unwrap().contains("passcodes"), "{found}");
}
