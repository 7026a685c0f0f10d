//! Conversion between the URIs of the editor and the paths that the compiler uses.

use lsp_types::Uri;
use std::path::Path;
use std::str::FromStr;

/// The path of a URI. For a `file:` URI it is the absolute path with `/` as separator, else the URI itself.
pub fn path_of(uri: &Uri) -> String {
    let text = uri.as_str();
    let Some(rest) = text.strip_prefix("file://") else { return text.to_owned() };
    let rest = rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or(rest);
    let decoded = decode(rest);
    // `/C:/games` denotes `C:/games`.
    let drive = decoded.as_bytes();
    if drive.len() > 2 && drive.first() == Some(&b'/') && drive.get(2) == Some(&b':') {
        return decoded.get(1..).unwrap_or("").to_owned();
    }
    decoded
}

/// The URI of a path of the compiler; `None` if it is neither an absolute path nor a URI.
pub fn uri_of(path: &str) -> Option<Uri> {
    if Path::new(path).is_absolute() {
        let slash = if path.starts_with('/') { "" } else { "/" };
        return Uri::from_str(&format!("file://{slash}{}", encode(path))).ok();
    }
    Uri::from_str(path).ok()
}

/// A path of the file system in the form that the compiler uses, with `/` as separator.
pub fn normalized_path(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let hex = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        if byte == b'%' {
            let mut ahead = rest.clone();
            if let (Some(high), Some(low)) = (hex(ahead.next()), hex(ahead.next())) {
                bytes.push((high * 16 + low) as u8);
                rest = ahead;
                continue;
            }
        }
        bytes.push(byte);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn encode(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b':' => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_round_trip_through_uris() {
        for path in ["/home/me/my games/カード.fz", "/a/100%/b+c.fz", "untitled:Untitled-1"] {
            let uri = uri_of(path).expect("a URI");
            assert_eq!(path_of(&uri), path);
        }
        assert_eq!(path_of(&Uri::from_str("file:///c%3A/x.fz").expect("a URI")), "c:/x.fz");
    }
}
