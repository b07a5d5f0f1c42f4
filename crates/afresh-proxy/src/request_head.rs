//! Parses the head of a request to a proxy, and renders it for the host. Pure.
//!
//! The sender is not trusted: a head that is not understood to the last byte is rejected.

use std::fmt::Write as _;

use crate::allowlist::{self, ProxyTarget};

/// A longer head is rejected.
pub const MAX_HEAD_BYTES: usize = 32 * 1024;
const MAX_FIELDS: usize = 128;

/// A whole head, and its length in bytes; what follows is not parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHead {
    pub request: ProxyRequest,
    pub bytes: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProxyRequest {
    /// A tunnel: bytes both ways, whatever they are.
    Connect(ProxyTarget),
    /// A plain HTTP request.
    Plain(PlainRequest),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainRequest {
    pub(crate) target: ProxyTarget,
    method: String,
    /// With the query.
    path: String,
    fields: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeadError {
    #[error("the request's head is too long")]
    TooLong,
    #[error("invalid proxy request: {0}")]
    Wrong(&'static str),
}

impl ProxyRequest {
    pub fn target(&self) -> &ProxyTarget {
        match self {
            Self::Connect(target) => target,
            Self::Plain(plain) => &plain.target,
        }
    }
}

/// None while the head is incomplete.
pub fn parse_head(bytes: &[u8]) -> Result<Option<RequestHead>, HeadError> {
    let Some(end) = end_of_head(bytes) else {
        let too_long = bytes.len() >= MAX_HEAD_BYTES;
        return if too_long { Err(HeadError::TooLong) } else { Ok(None) };
    };
    if end > MAX_HEAD_BYTES {
        return Err(HeadError::TooLong);
    }
    let text =
        std::str::from_utf8(&bytes[..end]).map_err(|_| HeadError::Wrong("it is not text"))?;
    let mut lines = text.trim_end_matches("\r\n").split("\r\n");
    let first = lines.next().unwrap_or_default();
    let fields = parse_fields(lines)?;
    Ok(Some(RequestHead { request: parse_request(first, fields)?, bytes: end }))
}

/// The position after the empty line.
pub(crate) fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

fn parse_request(line: &str, fields: Vec<(String, String)>) -> Result<ProxyRequest, HeadError> {
    let wrong = HeadError::Wrong;
    let mut words = line.split(' ');
    let (Some(method), Some(host), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(wrong("malformed request line"));
    };
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Err(wrong("its HTTP version is not 1.x"));
    }
    if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-') {
        return Err(wrong("its method is not a token"));
    }
    if !host.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(wrong("its address contains invalid characters"));
    }
    if method == "CONNECT" {
        return host.parse().map(ProxyRequest::Connect).map_err(wrong);
    }
    let (target, path) = parse_absolute(host).map_err(wrong)?;
    Ok(ProxyRequest::Plain(PlainRequest { target, method: method.to_owned(), path, fields }))
}

/// `http://host:port/path`; encrypted connections use CONNECT.
fn parse_absolute(address: &str) -> Result<(ProxyTarget, String), &'static str> {
    let scheme = address.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://"));
    scheme.ok_or("its address does not begin with http://")?;
    let rest = &address[7..];
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (host, port) = allowlist::split_port(authority)?;
    let target = ProxyTarget { host: allowlist::parse_host_name(host)?, port: port.unwrap_or(80) };
    let path = path.split('#').next().unwrap_or_default();
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    Ok((target, path))
}

fn parse_fields<'a>(
    lines: impl Iterator<Item = &'a str>,
) -> Result<Vec<(String, String)>, HeadError> {
    let mut fields = Vec::new();
    for line in lines {
        let (name, value) =
            line.split_once(':').ok_or(HeadError::Wrong("a header line has no colon"))?;
        // Also rejects continuation lines.
        if name.is_empty() || !name.bytes().all(is_token_byte) {
            return Err(HeadError::Wrong("a header name is not a token"));
        }
        if value.chars().any(|one| one.is_control() && one != '\t') {
            return Err(HeadError::Wrong("a header contains control characters"));
        }
        if fields.len() == MAX_FIELDS {
            return Err(HeadError::TooLong);
        }
        fields.push((name.to_owned(), value.trim().to_owned()));
    }
    Ok(fields)
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Headers that are meant for the proxy alone, and those that are written again.
const DROPPED: &[&str] =
    &["host", "proxy-connection", "proxy-authorization", "proxy-authenticate", "keep-alive"];

impl PlainRequest {
    /// As the host itself expects it.
    pub(crate) fn for_host(&self) -> String {
        self.render(&self.path, None)
    }

    /// As another proxy expects it.
    pub(crate) fn for_proxy(&self, authorization: Option<&str>) -> String {
        self.render(&format!("http://{}{}", self.target, self.path), authorization)
    }

    /// One request per connection: the next one may be for another host.
    fn render(&self, address: &str, authorization: Option<&str>) -> String {
        let host = match self.target.port {
            80 => self.target.host.to_string(),
            _ => self.target.to_string(),
        };
        let mut text = format!("{} {address} HTTP/1.1\r\nHost: {host}\r\n", self.method);
        let upgrades = self.fields.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case("connection")
                && value.to_ascii_lowercase().contains("upgrade")
        });
        for (name, value) in &self.fields {
            let lower = name.to_ascii_lowercase();
            let dropped = DROPPED.contains(&lower.as_str()) || lower == "connection";
            if !dropped {
                let _ = write!(text, "{name}: {value}\r\n");
            }
        }
        let connection = if upgrades { "Upgrade" } else { "close" };
        let _ = write!(text, "Connection: {connection}\r\n");
        if let Some(authorization) = authorization {
            let _ = write!(text, "Proxy-Authorization: {authorization}\r\n");
        }
        text.push_str("\r\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn whole(text: &str) -> ProxyRequest {
        parse_head(text.as_bytes()).expect("understood").expect("whole").request
    }

    #[test]
    fn a_tunnel_is_requested_by_host_and_port() {
        let text = "CONNECT Api.Test:443 HTTP/1.1\r\nHost: x\r\n\r\n\x16\x03";
        let head = parse_head(text.as_bytes()).expect("understood").expect("whole");
        assert_eq!(head.request.target().to_string(), "api.test:443");
        assert_eq!(&text[head.bytes..], "\x16\x03");
        assert_eq!(parse_head(b"CONNECT api.test:443 HTTP/1.1\r\n"), Ok(None));
    }

    /// The host gets what was meant for it, under the name that was checked.
    #[test]
    fn a_plain_request_is_forwarded_without_proxy_headers() {
        let ProxyRequest::Plain(plain) = whole(
            "POST http://a.test:8080/x?y=1 HTTP/1.1\r\nHost: other.test\r\nProxy-Connection: keep-alive\r\n\
             Connection: keep-alive\r\nContent-Length: 2\r\nProxy-Authorization: Basic eA==\r\n\r\nhi",
        ) else {
            panic!("it is a plain one");
        };
        assert_eq!(
            plain.for_host(),
            "POST /x?y=1 HTTP/1.1\r\nHost: a.test:8080\r\nContent-Length: 2\r\nConnection: close\r\n\r\n"
        );
        let proxied = plain.for_proxy(Some("Basic eA=="));
        assert!(proxied.starts_with("POST http://a.test:8080/x?y=1 HTTP/1.1\r\n"), "{proxied}");
        assert!(proxied.ends_with("Proxy-Authorization: Basic eA==\r\n\r\n"), "{proxied}");
    }

    /// R15: everything that is not a request to a proxy is rejected.
    #[test]
    fn hostile_heads_are_rejected() {
        for text in [
            "GET / HTTP/1.1\r\n\r\n",
            "GET https://a.test/ HTTP/1.1\r\n\r\n",
            "GET http://me@a.test/ HTTP/1.1\r\n\r\n",
            "GET  http://a.test/ HTTP/1.1\r\n\r\n",
            "CONNECT a.test HTTP/1.1\r\n\r\n",
            "CONNECT a.test:443\nX: HTTP/1.1\r\n\r\n",
            "CONNECT a.test%0d%0a:443 HTTP/1.1\r\n\r\n",
            "CONNECT a.test:443 HTTP/2\r\n\r\n",
            "GET http://a.test/ HTTP/1.1\r\nX: a\rb\r\n\r\n",
            "GET http://a.test/ HTTP/1.1\r\n folded: x\r\n\r\n",
            "GET http://a.test/ HTTP/1.1\r\nnothing\r\n\r\n",
        ] {
            assert!(matches!(parse_head(text.as_bytes()), Err(HeadError::Wrong(_))), "{text:?}");
        }
        let long = format!("CONNECT {}.test:443 HTTP/1.1\r\n\r\n", "a".repeat(300));
        assert!(matches!(parse_head(long.as_bytes()), Err(HeadError::Wrong(_))));
        assert_eq!(parse_head(&vec![b'x'; MAX_HEAD_BYTES]), Err(HeadError::TooLong));
        let many = format!("GET http://a.test/ HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(200));
        assert_eq!(parse_head(many.as_bytes()), Err(HeadError::TooLong));
    }

    proptest! {
        /// R15: no bytes make it panic, and what it passes on has one head.
        #[test]
        fn any_bytes_are_rejected_or_parsed(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse_head(&bytes);
        }

        #[test]
        fn what_is_handed_on_has_one_head(path in "[ -~]{0,30}", value in "[ -~\r\n\t]{0,40}") {
            let text = format!("GET http://a.test/{path} HTTP/1.1\r\nX: {value}\r\n\r\n");
            if let Ok(Some(RequestHead { request: ProxyRequest::Plain(plain), .. })) = parse_head(text.as_bytes()) {
                let sent = plain.for_host();
                prop_assert_eq!(end_of_head(sent.as_bytes()), Some(sent.len()));
            }
        }
    }
}
