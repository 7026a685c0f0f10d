//! The files of the page: embedded in the program, found by name, compressed once. No request leads to a path on the disk.

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use include_dir::{Dir, include_dir};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::sync::{LazyLock, OnceLock};

static TABLE: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../web/table");
static BENCH: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../web/bench");
/// Files of the folder `web` itself. Its other folders hold tests and what is used to build `vendor`.
static FILES: [(&str, &[u8]); 8] = [
    ("index.html", include_bytes!("../../../web/index.html")),
    ("bench.html", include_bytes!("../../../web/bench.html")),
    ("bench.css", include_bytes!("../../../web/bench.css")),
    ("base.css", include_bytes!("../../../web/base.css")),
    ("table.css", include_bytes!("../../../web/table.css")),
    ("icon.svg", include_bytes!("../../../web/icon.svg")),
    ("vendor/codemirror.js", include_bytes!("../../../web/vendor/codemirror.js")),
    ("vendor/lit-html.js", include_bytes!("../../../web/vendor/lit-html.js")),
];

/// A file.
struct Asset {
    kind: &'static str,
    bytes: &'static [u8],
    tag: String,
    compressed: OnceLock<Vec<u8>>,
}

static ASSETS: LazyLock<BTreeMap<String, Asset>> = LazyLock::new(|| {
    let mut all = BTreeMap::new();
    // The tag is new with each start of the program, which is enough: the files do not change while it runs.
    let state = RandomState::new();
    let mut add = |name: String, bytes: &'static [u8]| {
        let tag = format!("\"{:016x}\"", state.hash_one(bytes));
        let kind = match name.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            Some("json") => "application/json",
            Some(_) | None => "application/octet-stream",
        };
        all.insert(name, Asset { kind, bytes, tag, compressed: OnceLock::new() });
    };
    FILES.iter().for_each(|(name, bytes)| add((*name).to_owned(), bytes));
    for (folder, files) in [("table", &TABLE), ("bench", &BENCH)] {
        for file in files.files() {
            add(format!("{folder}/{}", file.path().to_string_lossy().replace('\\', "/")), file.contents());
        }
    }
    all
});

fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail; an empty file would be sent as it is.
    encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default()
}

/// The file of a path.
pub fn respond(path: &str, headers: &HeaderMap) -> Response {
    let name = match path.trim_start_matches('/') {
        "" => "index.html",
        "bench" => "bench.html",
        name => name,
    };
    let Some(asset) = ASSETS.get(name) else { return (StatusCode::NOT_FOUND, "there is no such page").into_response() };
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let answer = Response::builder()
        .header(header::CACHE_CONTROL, "no-cache")
        .header(header::ETAG, &asset.tag)
        .header(header::VARY, "accept-encoding");
    let is_known = text(header::IF_NONE_MATCH).split(',').any(|tag| tag.trim().trim_start_matches("W/") == asset.tag);
    let answer = if is_known {
        answer.status(StatusCode::NOT_MODIFIED).body(Body::empty())
    } else {
        let answer = answer.header(header::CONTENT_TYPE, asset.kind);
        let accepted =
            text(header::ACCEPT_ENCODING).split(',').any(|name| name.split(';').next().is_some_and(|n| n.trim() == "gzip"));
        let compressed = accepted.then(|| asset.compressed.get_or_init(|| compress(asset.bytes)));
        match compressed.filter(|bytes| !bytes.is_empty()) {
            Some(bytes) => answer.header(header::CONTENT_ENCODING, "gzip").body(Body::from(bytes.as_slice())),
            None => answer.body(Body::from(asset.bytes)),
        }
    };
    answer.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}
