//! Serves one connection of a program.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use crate::allowlist::{AllowlistMatch, ProxyTarget};
use crate::dial::{self, DialError, DialedStream};
use crate::proxy::ProxyRules;
use crate::relay::relay;
use crate::request_head::{self, HeadError, PlainRequest, ProxyRequest, RequestHead};
use crate::shutdown::ShutdownSignal;
use crate::upstream::RequestPurpose;

/// The time limit for a whole head: programs send it at once.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// How much is still read from a denied connection, so that the response arrives.
const LAST_BYTES: usize = 256 * 1024;
const FINAL_TIMEOUT: Duration = Duration::from_secs(2);

const HINT: &str = "the user who started the run can allow it: AFRESH_SANDBOX_HOSTS=";

/// Why a request failed.
enum RequestDenial {
    Head(HeadError),
    NotListed(ProxyTarget),
    Dial(DialError),
    /// The program disconnected, was too slow, or the proxy was shut down.
    Gone(io::Error),
}

impl From<DialError> for RequestDenial {
    fn from(error: DialError) -> Self {
        Self::Dial(error)
    }
}

impl From<io::Error> for RequestDenial {
    fn from(error: io::Error) -> Self {
        Self::Gone(error)
    }
}

/// Serves a request to the proxy.
pub(crate) fn serve_connection(
    mut stream: TcpStream,
    rules: &ProxyRules,
    shutdown: &ShutdownSignal,
) {
    let carried = stream
        .set_write_timeout(Some(WRITE_TIMEOUT))
        .map_err(RequestDenial::from)
        .and_then(|()| forward_request(&mut stream, rules, shutdown));
    if let Err(denial) = carried {
        send_denial(stream, &denial, rules, shutdown);
    }
}

/// Serves a connection to one port of this machine, whatever it carries.
pub(crate) fn serve_local_port(stream: &TcpStream, port: u16, shutdown: &ShutdownSignal) {
    // If there is no service, the program sees its connection close, as it would without us.
    if let Ok(other) = dial::local(port) {
        let _ = relay(stream, &other, shutdown);
    }
}

fn forward_request(
    stream: &mut TcpStream,
    rules: &ProxyRules,
    shutdown: &ShutdownSignal,
) -> Result<(), RequestDenial> {
    let (head, early) = read_head(stream, shutdown)?;
    let target = head.request.target();
    let listed =
        rules.hosts.listed(target).ok_or_else(|| RequestDenial::NotListed(target.clone()))?;
    let mut other = match &head.request {
        ProxyRequest::Connect(target) => {
            let other = tunnel(target, listed, rules, shutdown)?;
            stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
            other
        }
        ProxyRequest::Plain(plain) => plain_request(plain, listed, rules)?,
    };
    other.stream.write_all(&early)?;
    stream.write_all(&other.early)?;
    // From here on no error response can be sent.
    let _ = relay(stream, &other.stream, shutdown);
    Ok(())
}

fn tunnel(
    target: &ProxyTarget,
    listed: AllowlistMatch,
    rules: &ProxyRules,
    shutdown: &ShutdownSignal,
) -> Result<DialedStream, DialError> {
    match rules.upstream.for_target(target, RequestPurpose::Tunnel) {
        Some(server) => dial::tunnel(server, target, shutdown),
        None => dial::direct(&rules.hosts, target, listed),
    }
}

fn plain_request(
    plain: &PlainRequest,
    listed: AllowlistMatch,
    rules: &ProxyRules,
) -> Result<DialedStream, RequestDenial> {
    let (mut other, head) = match rules.upstream.for_target(&plain.target, RequestPurpose::Plain) {
        Some(server) => {
            let head = plain.for_proxy(server.authorization.as_deref());
            (DialedStream::from(dial::to_proxy(server)?), head)
        }
        None => (dial::direct(&rules.hosts, &plain.target, listed)?, plain.for_host()),
    };
    other.stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
    other.stream.write_all(head.as_bytes())?;
    Ok(other)
}

/// The head, and what arrived after it in the same read.
fn read_head(
    stream: &mut TcpStream,
    shutdown: &ShutdownSignal,
) -> Result<(RequestHead, Vec<u8>), RequestDenial> {
    let until = Some(Instant::now() + HEAD_TIMEOUT);
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        shutdown.readable(stream, until)?;
        let read = stream.read(&mut part)?;
        if read == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        bytes.extend_from_slice(&part[..read]);
        if let Some(head) = request_head::parse_head(&bytes).map_err(RequestDenial::Head)? {
            let early = bytes.split_off(head.bytes);
            return Ok((head, early));
        }
    }
}

/// Counts the denial and explains it in one line that the user can act on.
fn send_denial(
    mut stream: TcpStream,
    denial: &RequestDenial,
    rules: &ProxyRules,
    shutdown: &ShutdownSignal,
) {
    let (status, why) = match denial {
        RequestDenial::Gone(error) if error.kind() == io::ErrorKind::TimedOut => {
            ("408 Request Timeout", "the request's head did not arrive in time".to_owned())
        }
        RequestDenial::Gone(_) => return,
        RequestDenial::Head(error) => {
            rules.denials.add("an invalid request");
            ("400 Bad Request", error.to_string())
        }
        RequestDenial::NotListed(target) => {
            rules.denials.add(&target.to_string());
            ("403 Forbidden", format!("{target} is not on this worker's allowlist; {HINT}{target}"))
        }
        RequestDenial::Dial(error) => {
            if let DialError::LeadsHome(target) = error {
                rules.denials.add(&target.to_string());
            }
            ("502 Bad Gateway", error.to_string())
        }
    };
    let body = format!("afresh: {why}\n");
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    );
    if stream.write_all(answer.as_bytes()).is_ok() {
        let _ = stream.shutdown(Shutdown::Write);
        drain_before_close(&mut stream, shutdown);
    }
}

/// Closing a connection with unread bytes would discard the response.
fn drain_before_close(stream: &mut TcpStream, shutdown: &ShutdownSignal) {
    let until = Some(Instant::now() + FINAL_TIMEOUT);
    let mut part = [0; 4096];
    let mut taken = 0;
    while taken < LAST_BYTES && shutdown.readable(stream, until).is_ok() {
        match stream.read(&mut part) {
            Ok(read) if read > 0 => taken += read,
            _ => return,
        }
    }
}
