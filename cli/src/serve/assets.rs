//! The files of the page, embedded. A request names one of them exactly: there is no path to walk.

use axum::body::Body;
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, Response, StatusCode};
use include_dir::{Dir, include_dir};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::LazyLock;

static TABLE: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../web/table");
static VENDOR: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../web/vendor");

/// A file.
struct Asset {
    kind: &'static str,
    bytes: &'static [u8],
    compressed: Vec<u8>,
    /// A hash of the content, in quotes.
    tag: String,
}

static ASSETS: LazyLock<BTreeMap<String, Asset>> = LazyLock::new(|| {
    let mut assets = BTreeMap::new();
    let roots: [(&str, &'static [u8]); 4] = [
        ("", include_bytes!("../../../web/index.html")),
        ("base.css", include_bytes!("../../../web/base.css")),
        ("table.css", include_bytes!("../../../web/table.css")),
        ("icon.svg", include_bytes!("../../../web/icon.svg")),
    ];
    for (name, bytes) in roots {
        assets.insert(name.to_owned(), Asset::new(if name.is_empty() { "index.html" } else { name }, bytes));
    }
    for (folder, files) in [("table", &TABLE), ("vendor", &VENDOR)] {
        for file in files.files() {
            let name = format!("{folder}/{}", file.path().to_string_lossy());
            // Scripts and types of the build are no part of the page.
            if kind_of(&name).is_some() {
                let asset = Asset::new(&name, file.contents());
                assets.insert(name, asset);
            }
        }
    }
    assets
});

fn kind_of(name: &str) -> Option<&'static str> {
    if name.ends_with(".d.ts") {
        return None;
    }
    match name.rsplit('.').next()? {
        "html" => Some("text/html; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}

impl Asset {
    fn new(name: &str, bytes: &'static [u8]) -> Self {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        // Writing to memory cannot fail.
        let compressed = encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default();
        let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
        Self { kind: kind_of(name).unwrap_or("application/octet-stream"), bytes, compressed, tag: format!("\"{hash:016x}\"") }
    }
}

/// The answer for a path without its leading `/`; `None` if there is no such file.
pub fn answer(path: &str, headers: &HeaderMap) -> Option<Response<Body>> {
    let asset = ASSETS.get(path)?;
    let has = |name, wanted: &str| headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|text| text.contains(wanted));
    let response = Response::builder().header(CONTENT_TYPE, asset.kind).header(ETAG, &asset.tag).header(CACHE_CONTROL, "no-cache");
    if has(IF_NONE_MATCH, &asset.tag) {
        return response.status(StatusCode::NOT_MODIFIED).body(Body::empty()).ok();
    }
    if has(ACCEPT_ENCODING, "gzip") && !asset.compressed.is_empty() {
        return response.header(CONTENT_ENCODING, "gzip").body(Body::from(asset.compressed.as_slice())).ok();
    }
    response.body(Body::from(asset.bytes)).ok()
}

#[cfg(test)]
mod tests {
    use super::ASSETS;

    #[test]
    fn the_page_of_a_table_is_small() {
        let all: usize = ASSETS.iter().filter(|(name, _)| !name.starts_with("bench")).map(|(_, asset)| asset.compressed.len()).sum();
        assert!(all < 70 << 10, "{all} bytes");
        assert!(ASSETS.contains_key("") && ASSETS.contains_key("table/main.js"), "{:?}", ASSETS.keys());
    }
}
