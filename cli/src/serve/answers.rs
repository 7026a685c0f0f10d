//! Answers to requests: JSON, and refusals in words.

use super::keys::Key;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// A refusal, in words.
#[derive(Debug)]
pub struct Refusal(pub StatusCode, pub String);

/// An answer as JSON.
pub struct Json<T>(pub T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self.0).unwrap_or_default();
        ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], body).into_response()
    }
}

#[derive(Serialize)]
struct Words {
    words: String,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, Json(Words { words: self.1 })).into_response()
    }
}

/// A refusal of what was understood, but is not possible.
pub fn bad(words: impl Into<String>) -> Refusal {
    Refusal(StatusCode::UNPROCESSABLE_ENTITY, words.into())
}

/// The key of a request.
pub fn key_of(headers: &HeaderMap) -> Option<Key> {
    Key::parse(headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?)
}

/// Runs what takes long away from the threads that answer.
///
/// # Errors
/// The work has panicked.
pub async fn away<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| Refusal(StatusCode::INTERNAL_SERVER_ERROR, "a defect of the program; please report it".into()))
}
