//! Checks that every request must pass: an allowed `Host` header and the origin. Adds the security headers that every answer has.

use super::answers::Refusal;
use super::app::App;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The addresses of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// Of the client.
    pub peer: SocketAddr,
    /// Of the server, as the client has reached it.
    pub local: SocketAddr,
}

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-src 'self'; frame-ancestors 'self'; require-trusted-types-for 'script'; trusted-types lit-html fizzle-docs";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Whether a request names this host. Another name that leads here may belong to a stranger's page (DNS rebinding).
fn is_own_host(app: &App, host: &str, local: SocketAddr) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') && !name.is_empty() => (name, Some(port)),
        _ => (host, None),
    };
    if app.hosts.iter().any(|given| given.eq_ignore_ascii_case(host)) {
        return true;
    }
    let own_port = match port {
        Some(port) => port.parse() == Ok(local.port()),
        None => local.port() == 80,
    };
    let is_loopback = local.ip().to_canonical().is_loopback();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
    let own_name = (is_loopback && name.eq_ignore_ascii_case("localhost"))
        || address.is_some_and(|address| address == local.ip().to_canonical())
        || app.hosts.iter().any(|given| given.eq_ignore_ascii_case(name));
    own_port && own_name
}

/// Whether the origins of a request, if it has any, are all this host.
fn is_own_origin(headers: &HeaderMap, host: &str) -> bool {
    headers.get_all(header::ORIGIN).iter().all(|origin| {
        let origin = origin.to_str().unwrap_or_default();
        let name = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        name.is_some_and(|name| name.eq_ignore_ascii_case(host))
    })
}

/// Reads the body of a request that changes something, which only the host makes: without the key nothing of it is read, and it has a limited time.
async fn read_body(app: &App, request: Request) -> Result<Request, Refusal> {
    app.check_host(request.headers())?;
    let (parts, body) = request.into_parts();
    let most = app.limits.trace_bytes.max(app.limits.source_bytes).max(app.limits.body_bytes);
    let body = match tokio::time::timeout(app.limits.body, to_bytes(body, most)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return Err(Refusal(StatusCode::PAYLOAD_TOO_LARGE, "the body cannot be read, or is too large".into())),
        Err(_) => return Err(Refusal(StatusCode::REQUEST_TIMEOUT, "the body did not come in time".into())),
    };
    Ok(Request::from_parts(parts, Body::from(body)))
}

/// Refuses what is for another host or comes from another origin; adds the headers of safety.
pub async fn check(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let local = request.extensions().get::<ConnectInfo<Addresses>>().map(|info| info.0.local);
    let headers = request.headers();
    let hosts: Vec<_> = headers.get_all(header::HOST).iter().collect();
    let host = match hosts.as_slice() {
        [only] => only.to_str().unwrap_or_default(),
        _ => "",
    };
    let is_page = matches!(*request.method(), Method::GET | Method::HEAD) && !request.uri().path().starts_with("/ws");
    let mut answer = if local.is_none_or(|local| !is_own_host(&app, host, local)) {
        (StatusCode::MISDIRECTED_REQUEST, "this is not a name of this server; see `fizzle serve --host`").into_response()
    } else if !is_page && !is_own_origin(headers, host) {
        (StatusCode::FORBIDDEN, "requests of other pages are refused").into_response()
    } else if is_page || request.uri().path().starts_with("/ws") {
        next.run(request).await
    } else {
        match read_body(&app, request).await {
            Ok(request) => next.run(request).await,
            // The rest of the body may still come, or never.
            Err(refusal) => ([(header::CONNECTION, "close")], refusal).into_response(),
        }
    };
    for (name, value) in HEADERS {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_origin_must_be_this_host() {
        let mut headers = HeaderMap::new();
        assert!(is_own_origin(&headers, "localhost:7878"));
        headers.append(header::ORIGIN, HeaderValue::from_static("http://localhost:7878"));
        assert!(is_own_origin(&headers, "localhost:7878"));
        headers.append(header::ORIGIN, HeaderValue::from_static("http://example.org"));
        assert!(!is_own_origin(&headers, "localhost:7878"));
    }
}
