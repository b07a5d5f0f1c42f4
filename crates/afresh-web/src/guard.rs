//! Who may ask: a token, the right Host, no foreign Origin (B39).
//!
//! Another page in the same browser can send requests to this address, and a name that it controls can point to it; so
//! the Host must be ours, an Origin must be ours, and everything but the page's own files needs the token, in a header
//! that no form and no link can set.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::failure::WebFailure;
use crate::server::WebState;

/// Scripts and styles only from here; no frames, no forms, nothing from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What a browser has to show: 128 random bits, as hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

impl std::fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AccessToken(…)")
    }
}

impl AccessToken {
    /// The one in this file, which only its owner can read; makes it if there is none.
    pub fn keep(file: &Path) -> std::io::Result<Self> {
        match std::fs::read_to_string(file) {
            Ok(text) if is_well_formed(text.trim()) => Ok(Self(text.trim().to_owned())),
            Ok(_) => Self::renew(file),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::renew(file),
            Err(error) => Err(error),
        }
    }

    /// A new one, kept in this file.
    pub fn renew(file: &Path) -> std::io::Result<Self> {
        let token = Self::generate()?;
        let directory = file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(directory)?;
        // Created with its mode and moved into place: no moment at which others can read it.
        let fresh = file.with_extension(format!("{}.new", std::process::id()));
        let mut options = OpenOptions::new();
        let mut written = options.write(true).create_new(true).mode(0o600).open(&fresh)?;
        writeln!(written, "{}", token.0)?;
        std::fs::rename(&fresh, file)?;
        Ok(token)
    }

    fn generate() -> std::io::Result<Self> {
        let mut bytes = [0_u8; 16];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(format!("{:032x}", u128::from_be_bytes(bytes))))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes equally long for every wrong token of the same length.
    fn is(&self, given: &str) -> bool {
        let (own, given) = (self.0.as_bytes(), given.as_bytes());
        own.len() == given.len() && own.iter().zip(given).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
    }
}

fn is_well_formed(token: &str) -> bool {
    token.len() == 32 && token.bytes().all(|it| it.is_ascii_digit() || (b'a'..=b'f').contains(&it))
}

/// Checks a request before any route sees it, and adds the headers of every answer.
pub(crate) async fn check_request(
    State(state): State<Arc<WebState>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match refusal(&state, &request) {
        Some(refused) => refused.into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    response
}

fn refusal(state: &WebState, request: &Request) -> Option<WebFailure> {
    let headers = request.headers();
    if !text_of(headers, header::HOST).is_some_and(|host| state.hosts.iter().any(|own| own == host))
    {
        return Some(WebFailure::forbidden("this address is not served under that name"));
    }
    if let Some(origin) = text_of(headers, header::ORIGIN)
        && !origin.strip_prefix("http://").is_some_and(|it| state.hosts.iter().any(|own| own == it))
    {
        return Some(WebFailure::forbidden("requests of other pages are refused"));
    }
    // Another port of this machine is the same site, and another page all the same.
    if text_of(headers, "sec-fetch-site")
        .is_some_and(|site| !matches!(site, "same-origin" | "none"))
    {
        return Some(WebFailure::forbidden("requests of other pages are refused"));
    }
    // The page's own files hold nothing of a run.
    if !request.uri().path().starts_with("/api/") {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        return (!is_read).then(|| WebFailure::forbidden("the page's files are only read"));
    }
    let given = text_of(headers, header::AUTHORIZATION).and_then(|it| it.strip_prefix("Bearer "));
    if !given.is_some_and(|given| state.token.is(given)) {
        return Some(WebFailure::unauthorized());
    }
    None
}

fn text_of(headers: &HeaderMap, name: impl header::AsHeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B39: a token is right as a whole or wrong.
    #[test]
    fn a_token_is_right_as_a_whole() {
        let token = AccessToken::generate().expect("random bytes");
        let text = token.as_str().to_owned();
        assert_eq!(text.len(), 32);
        assert!(token.is(&text));
        assert!(!token.is("") && !token.is(&text[1..]) && !token.is(&format!("{text}0")));
        assert_ne!(AccessToken::generate().expect("random bytes"), token);
        assert!(!format!("{token:?}").contains(&text));
    }
}
