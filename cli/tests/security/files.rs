//! Which files commands read and write: no output overwrites an input, inputs are regular files inside of the pack, names are compared as
//! bytes, and what cannot be written is reported.

#![cfg(unix)]

use super::{TOY, command, contents, fizzle, new_folder, printed, refuse, succeed, toy_folder};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

fn make_pipe(path: &std::path::Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Every command that writes refuses to overwrite what it reads, by each name of the file: its own, a link, a hard link.
#[test]
fn inputs_are_not_overwritten() {
    let folder = toy_folder("inputs");
    fs::write(folder.join("more.fz"), "card \"More\" { piece }\n").unwrap();
    succeed("build . -o toy.fzb", &folder);
    succeed("sim . --format toy --games 1 --out one.json", &folder);
    symlink("more.fz", folder.join("link.txt")).unwrap();
    fs::hard_link(folder.join("more.fz"), folder.join("hard.txt")).unwrap();
    symlink("toy.fzb", folder.join("packed.txt")).unwrap();
    fs::hard_link(folder.join("one.json"), folder.join("two.json")).unwrap();
    let before = contents(&folder);
    let sim = "sim . --format toy --games 1";
    for line in [
        "sheet . -o more.fz".to_owned(),
        "sheet . -o ./more.fz".to_owned(),
        "sheet . -o link.txt".to_owned(),
        "sheet . -o hard.txt".to_owned(),
        "sheet toy.fzb -o toy.fzb".to_owned(),
        "sheet toy.fzb -o packed.txt".to_owned(),
        "build . -o link.txt".to_owned(),
        "build . -o more.fz".to_owned(),
        "build toy.fzb -o toy.fzb".to_owned(),
        format!("{sim} --out more.fz"),
        format!("{sim} --out hard.txt"),
        format!("{sim} --html link.txt"),
        format!("{sim} --resume hard.txt"),
        "sim toy.fzb --format toy --games 1 --out packed.txt".to_owned(),
        "play . --format toy --out more.fz".to_owned(),
        "play . --format toy --out hard.txt".to_owned(),
        "play toy.fzb --format toy --out packed.txt".to_owned(),
        "merge one.json --out one.json".to_owned(),
        "merge one.json --html two.json".to_owned(),
        // A new source would change the pack.
        "sheet . -o new.fz".to_owned(),
        format!("{sim} --out new.fz"),
        format!("{sim} --html new.FZ"),
        "play . --format toy --out new.fz".to_owned(),
    ] {
        let text = printed(&fizzle(&line, &folder));
        assert_eq!(fizzle(&line, &folder).status.code(), Some(2), "{line}: {text}");
        assert!(text.contains("is an input") || text.contains("has the name of a source file"), "{line}: {text}");
        assert_eq!(contents(&folder), before, "{line}");
    }
    // The check is before the game, whose record would be lost.
    assert!(!printed(&fizzle("play . --format toy --out more.fz", &folder)).contains("plays"), "a game began");
    // A run may resume the file that it wrote, and the formatter changes its inputs.
    succeed(&format!("{sim} --resume one.json"), &folder);
    succeed(&format!("{sim} --resume one.json --out other.json"), &folder);
    succeed("fmt .", &folder);
}

/// Pipes, devices and sockets are no inputs. No command waits for them.
#[test]
fn inputs_are_regular_files() {
    let folder = toy_folder("regular");
    make_pipe(&folder.join("pipe.fz"));
    for line in ["check .", "check pipe.fz", "test .", "fmt .", "sheet .", "play . --format toy", "deck check pipe.fz"] {
        refuse(line, &folder, 2, "`pipe.fz`: it is not a regular file");
    }
    fs::remove_file(folder.join("pipe.fz")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("socket.fz")).unwrap();
    refuse("check .", &folder, 2, "`socket.fz`: it is not a regular file");
    fs::remove_file(folder.join("socket.fz")).unwrap();
    symlink("/dev/zero", folder.join("zero.fz")).unwrap();
    refuse("check .", &folder, 1, "link that leads out of the pack");
    fs::remove_file(folder.join("zero.fz")).unwrap();
    for end in ["fzb", "fzt", "json"] {
        make_pipe(&folder.join(format!("pipe.{end}")));
    }
    refuse("check pipe.fzb", &folder, 2, "it is not a regular file");
    refuse("sim pipe.fzb --format toy --games 1", &folder, 2, "it is not a regular file");
    refuse("replay pipe.fzt", &folder, 2, "it is not a regular file");
    refuse("merge pipe.json", &folder, 2, "it is not a regular file");
    refuse("sim . --format toy --games 1 --resume pipe.json", &folder, 2, "it is not a regular file");
    // A manifest that is a pipe is none.
    let folder = new_folder("pipe-manifest");
    make_pipe(&folder.join("pack.fz"));
    fs::write(folder.join("cards.fz"), "card \"A\" { piece }\n").unwrap();
    let output = fizzle("check cards.fz", &folder);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    // The library reads packs in the same way.
    assert!(fizzle::Pack::read(&folder).is_err());
}

/// Names are compared as bytes: two names that look alike are two files, and the errors of both are reported.
#[test]
fn names_are_compared_as_bytes() {
    let folder = toy_folder("bytes");
    let names: [&[u8]; 3] = [b"a\xff.fz", b"a\xfe.fz", b"a\\b.fz"];
    for (number, name) in names.into_iter().enumerate() {
        fs::write(folder.join(OsStr::from_bytes(name)), format!("card \"{number}\" {{ wrong{number} }}\n")).unwrap();
    }
    fs::create_dir(folder.join("a")).unwrap();
    fs::write(folder.join("a/b.fz"), "card \"3\" { wrong3 }\n").unwrap();
    let text = refuse("check .", &folder, 1, "wrong0");
    for part in ["wrong1", "wrong2", "wrong3", "a\\xff.fz:1:", "a\\xfe.fz:1:", "a\\b.fz:1:", "a/b.fz:1:"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(fizzle::Pack::read(&folder).is_err());
    // A name that spells out what stands for such a byte is not taken for the other file.
    fs::write(folder.join("a\\xff.fz"), "card \"4\" { piece }\n").unwrap();
    refuse("check .", &folder, 1, "two files are shown as `a\\xff.fz`");
}

/// Links to files may not lead out of the pack: what they lead to is not read, shown or formatted.
#[test]
fn links_out_of_the_pack_are_refused() {
    let outside = new_folder("outside");
    let secret = outside.join("secret.fz");
    fs::write(&secret, "card   \"the password\"   { wrong }\n").unwrap();
    let folder = toy_folder("links");
    symlink(&secret, folder.join("cards.fz")).unwrap();
    for line in [
        "check .",
        "test .",
        "fmt .",
        "fmt --check .",
        "fmt cards.fz",
        "sheet .",
        "sim . --format toy --games 1",
        "build . -o a.fzb",
    ] {
        let text = refuse(line, &folder, 1, "`cards.fz`: it is a link that leads out of the pack");
        assert!(!text.contains("password"), "{line}: {text}");
    }
    assert!(fizzle::Pack::read(&folder).is_err_and(|error| error.to_string().contains("leads out of the pack")));
    assert_eq!(fs::read_to_string(&secret).unwrap(), "card   \"the password\"   { wrong }\n");
    // A link that leads nowhere is not left out silently.
    fs::remove_file(folder.join("cards.fz")).unwrap();
    symlink("nowhere.fz", folder.join("cards.fz")).unwrap();
    refuse("check .", &folder, 2, "cards.fz");
    // A link within the pack is read; the formatter changes the file once, and the link stays one.
    fs::remove_file(folder.join("cards.fz")).unwrap();
    fs::create_dir(folder.join("sets")).unwrap();
    fs::write(folder.join("sets/one.txt"), "card \"One\" { piece }   \n").unwrap();
    symlink("sets/one.txt", folder.join("cards.fz")).unwrap();
    succeed("check .", &folder);
    succeed("fmt .", &folder);
    assert_eq!(fs::read_to_string(folder.join("sets/one.txt")).unwrap(), "card \"One\" { piece }\n");
    assert!(folder.join("cards.fz").is_symlink());
}

/// A pack uses another one by path only within the folders of the command line, and those that an option allows. Links are resolved first.
#[test]
fn packs_by_path_stay_in_the_allowed_folders() {
    let folder = new_folder("used");
    for name in ["game", "other", "mine", "far"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    fs::write(folder.join("game/pack.fz"), TOY).unwrap();
    fs::write(folder.join("other/pack.fz"), "pack second { edition 2; extends toy }\ncard \"Ember\" { piece }\n").unwrap();
    fs::write(folder.join("far/pack.fz"), "pack far { edition 2; extends toy }\ncard \"the password\" { wrong }\n").unwrap();
    mine_in(&folder.join("mine/pack.fz"), "../other");
    let outside = "which is outside of the folders that the command names";
    refuse("check mine", &folder, 2, &format!("`mine/pack.fz` uses the pack `../game`, {outside}"));
    refuse("check mine --allow-path game", &folder, 2, "allow it with `--allow-path other`");
    succeed("check mine --allow-path game --allow-path other", &folder);
    succeed("check mine/pack.fz --allow-path .", &folder);
    // A link to a folder leads where it leads, however it is called.
    fs::create_dir(folder.join("near")).unwrap();
    fs::rename(folder.join("far"), folder.join("near/far")).unwrap();
    fs::create_dir(folder.join("work")).unwrap();
    for name in ["game", "other", "mine"] {
        fs::rename(folder.join(name), folder.join("work").join(name)).unwrap();
    }
    symlink(folder.join("near/far"), folder.join("work/link")).unwrap();
    mine_in(&folder.join("work/mine/pack.fz"), "../link");
    let text = refuse("check work", &folder, 2, outside);
    assert!(!text.contains("password"), "{text}");
    let text = refuse("check work --allow-path near", &folder, 1, "`wrong`");
    assert!(text.contains("the password"), "{text}");
    // So does a link to a file in a pack that is used.
    mine_in(&folder.join("work/mine/pack.fz"), "../other");
    symlink(folder.join("near/far/pack.fz"), folder.join("work/other/more.fz")).unwrap();
    refuse("check work", &folder, 1, "allow its folder with `--allow-path FOLDER`");
    // Absolute paths are no exception, and servers have no such option.
    mine_in(&folder.join("work/mine/pack.fz"), folder.join("near/far").to_str().unwrap());
    fs::remove_file(folder.join("work/other/more.fz")).unwrap();
    refuse("check work", &folder, 2, outside);
    refuse("serve work --allow-path near", &folder, 2, "a server and an editor follow no path out of their folders");
    refuse("lsp --allow-path near", &folder, 2, "a server and an editor follow no path out of their folders");
    refuse("serve work", &folder, 2, outside);
}

fn mine_in(file: &std::path::Path, uses: &str) {
    let text = format!("pack mine {{ edition 2; extends toy; uses \"../game\", \"{uses}\" }}\ncard \"Mine\" {{ piece }}\n");
    fs::write(file, text).unwrap();
}

/// A pack does not make the program read any number of packs.
#[test]
fn packs_by_path_are_limited() {
    let folder = toy_folder("used_often");
    for number in 0..300 {
        let place = folder.join(format!("p{number}"));
        fs::create_dir(&place).unwrap();
        let text = format!("pack p{number} {{ edition 2; extends toy; uses \"../p{}\" }}\n", number + 1);
        fs::write(place.join("pack.fz"), text).unwrap();
    }
    refuse("check p0 --allow-path .", &folder, 1, "more than 256 packs are used by their paths");
}

/// Folders of strangers above a file do not become its pack.
#[test]
fn packs_of_strangers_are_not_found() {
    let folder = new_folder("above");
    let mine = folder.join("shared/mine");
    fs::create_dir_all(&mine).unwrap();
    fs::write(folder.join("shared/pack.fz"), TOY).unwrap();
    fs::write(folder.join("shared/stranger.fz"), "card \"Stranger\" { wrong }\n").unwrap();
    fs::write(mine.join("cards.fz"), "card \"Mine\" { piece }\n").unwrap();
    let path = mine.join("cards.fz");
    let check = || command(&["check", path.to_str().unwrap()], &folder).output().unwrap();
    assert!(printed(&check()).contains("stranger.fz"), "the pack is found in a folder that only its owner can write to");
    fs::set_permissions(folder.join("shared"), fs::Permissions::from_mode(0o1777)).unwrap();
    let text = printed(&check());
    assert!(!text.contains("stranger.fz") && text.contains("everyone can write to its folder"), "{text}");
    // The search ends at such a folder.
    fs::rename(folder.join("shared/pack.fz"), folder.join("pack.fz")).unwrap();
    let text = printed(&check());
    assert!(!text.contains("stranger.fz"), "{text}");
}

/// A full disk is an error with a message and exit status 2, also for what is printed. A closed pipe is none.
#[test]
fn a_full_disk_is_reported() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let folder = toy_folder("full");
    let full = || Stdio::from(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    for line in [
        "check .",
        "test .",
        "sheet .",
        "sim . --format toy --games 1",
        "explain Stone .",
        "reference",
        "--help",
        "explain E0001",
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let output = command(&arguments, &folder).stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {}", printed(&output));
        assert!(
            line == "--help" || printed(&output).contains("cannot write to the standard output"),
            "{line}: {}",
            printed(&output)
        );
    }
    let output = command(&["check", "."], &folder).stderr(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "nothing was printed to the error output");
    fs::write(folder.join("wrong.fz"), "card \"A\" { wrong }\n").unwrap();
    let output = command(&["check", "."], &folder).stderr(full()).output().unwrap();
    assert_ne!(output.status.code(), Some(0));
    fs::remove_file(folder.join("wrong.fz")).unwrap();
    for line in [
        "sheet . -o /dev/full",
        "build . -o /dev/full",
        "sim . --format toy --games 1 --out /dev/full",
        "sim . --format toy --games 1 --html /dev/full",
    ] {
        refuse(line, &folder, 2, "cannot write `/dev/full`");
    }
    let mut child = command(&["play", ".", "--format", "toy", "--out", "/dev/full"], &folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdin.take().unwrap().write_all(b"quit\n"));
    assert_eq!(child.wait().unwrap().code(), Some(2));
    // The reader has closed the pipe before anything is printed.
    let mut child = command(&["reference"], &folder).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Links with the names that the program chooses itself are replaced, not followed. No temporary file is left, and none has a name that
/// can be guessed.
#[test]
fn outputs_stay_in_their_folder() {
    let outside = new_folder("outputs-outside");
    fs::write(outside.join("kept"), "kept").unwrap();
    let folder = toy_folder("outputs");
    for name in ["tables", "traces"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    for name in ["tables/decks.csv", "tables/cards.csv", "tables/lengths.csv", "traces/game-0.fzt"] {
        symlink(outside.join("kept"), folder.join(name)).unwrap();
    }
    succeed("sim . --format toy --games 1 --csv tables --traces traces --out a.json", &folder);
    assert_eq!(fs::read_to_string(outside.join("kept")).unwrap(), "kept");
    assert!(!folder.join("traces/game-0.fzt").is_symlink());
    succeed("replay traces/game-0.fzt .", &folder);
    let left: Vec<_> =
        contents(&folder).into_iter().map(|(path, _)| path).filter(|path| path.to_string_lossy().contains("tmp")).collect();
    let left: Vec<_> = left.iter().filter(|path| path.file_name().unwrap().to_string_lossy().ends_with(".tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
    // `new` creates its files and writes through no link. A link to an empty folder is such a folder.
    fs::create_dir(folder.join("empty")).unwrap();
    symlink(outside.join("kept"), folder.join("empty/pack.fz")).unwrap();
    refuse("new empty", &folder, 2, "already exists");
    assert_eq!(fs::read_to_string(outside.join("kept")).unwrap(), "kept");
}
