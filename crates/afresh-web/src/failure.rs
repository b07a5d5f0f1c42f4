//! Errors as JSON with a status, in the shape that `--json` prints.

use afresh_app::error::{AppError, ErrorClass};
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Why a request failed.
#[derive(Debug)]
pub struct WebFailure {
    status: StatusCode,
    kind: String,
    message: String,
    help: Option<String>,
}

impl WebFailure {
    pub(crate) fn forbidden(message: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub(crate) fn unauthorized() -> Self {
        let help = "open the address that `afresh serve` printed, with everything after the #";
        Self {
            help: Some(help.to_owned()),
            ..Self::new(StatusCode::UNAUTHORIZED, "unauthorized", "the token is missing or wrong")
        }
    }

    pub(crate) fn not_found(message: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", message)
    }

    pub(crate) fn internal(message: &str) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "bug", message)
    }

    fn new(status: StatusCode, kind: &str, message: &str) -> Self {
        Self { status, kind: kind.to_owned(), message: message.to_owned(), help: None }
    }
}

impl From<AppError> for WebFailure {
    fn from(error: AppError) -> Self {
        let status = match error.class {
            ErrorClass::Usage => StatusCode::BAD_REQUEST,
            ErrorClass::Incomplete => StatusCode::CONFLICT,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self {
            status,
            kind: error.kind.to_owned(),
            message: error.message.clone(),
            help: error.hint.clone(),
        }
    }
}

impl IntoResponse for WebFailure {
    fn into_response(self) -> Response {
        let Self { status, kind, message, help } = self;
        let body = json!({"error": {"kind": kind, "message": message, "help": help}});
        (status, Json(body)).into_response()
    }
}
