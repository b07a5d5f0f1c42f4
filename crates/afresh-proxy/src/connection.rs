//! One connection of a program, from its first byte to its last.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use crate::allowlist::{Listed, Target};
use crate::dial::{self, DialError, Dialled};
use crate::proxy::Rules;
use crate::relay::relay;
use crate::request_head::{self, BadHead, Head, Plain, Request};
use crate::shutdown::Closing;
use crate::upstream::Use;

/// For a whole head: programs send it at once.
const HEAD_PATIENCE: Duration = Duration::from_secs(30);
const WRITE_PATIENCE: Duration = Duration::from_secs(10);
/// What is still taken from somebody who was refused, so that the answer arrives.
const LAST_BYTES: usize = 256 * 1024;
const LAST_PATIENCE: Duration = Duration::from_secs(2);

const HINT: &str = "whoever started the run can open it: AFRESH_SANDBOX_HOSTS=";

/// Why a request came to nothing.
enum Refusal {
    Head(BadHead),
    NotListed(Target),
    Dial(DialError),
    /// The program went away, was too slow, or the door was closed.
    Gone(io::Error),
}

impl From<DialError> for Refusal {
    fn from(error: DialError) -> Self {
        Self::Dial(error)
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Gone(error)
    }
}

/// A request to the proxy.
pub(crate) fn visit(mut stream: TcpStream, rules: &Rules, closing: &Closing) {
    let carried = stream
        .set_write_timeout(Some(WRITE_PATIENCE))
        .map_err(Refusal::from)
        .and_then(|()| carry(&mut stream, rules, closing));
    if let Err(refusal) = carried {
        refuse(stream, &refusal, rules, closing);
    }
}

/// A connection that is for one port of this machine, whatever it carries.
pub(crate) fn visit_local(stream: &TcpStream, port: u16, closing: &Closing) {
    // A program that finds nobody there sees its connection end, as it would without us.
    if let Ok(other) = dial::local(port) {
        let _ = relay(stream, &other, closing);
    }
}

fn carry(stream: &mut TcpStream, rules: &Rules, closing: &Closing) -> Result<(), Refusal> {
    let (head, early) = read_head(stream, closing)?;
    let target = head.request.target();
    let listed = rules.hosts.listed(target).ok_or_else(|| Refusal::NotListed(target.clone()))?;
    let mut other = match &head.request {
        Request::Connect(target) => {
            let other = tunnel(target, listed, rules, closing)?;
            stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
            other
        }
        Request::Plain(plain) => plain_request(plain, listed, rules)?,
    };
    other.stream.write_all(&early)?;
    stream.write_all(&other.early)?;
    // From here on nothing can be said any more, whatever happens.
    let _ = relay(stream, &other.stream, closing);
    Ok(())
}

fn tunnel(
    target: &Target,
    listed: Listed,
    rules: &Rules,
    closing: &Closing,
) -> Result<Dialled, DialError> {
    match rules.upstream.for_target(target, Use::Tunnel) {
        Some(server) => dial::tunnel(server, target, closing),
        None => dial::direct(&rules.hosts, target, listed),
    }
}

fn plain_request(plain: &Plain, listed: Listed, rules: &Rules) -> Result<Dialled, Refusal> {
    let (mut other, head) = match rules.upstream.for_target(&plain.target, Use::Plain) {
        Some(server) => {
            let head = plain.for_proxy(server.authorization.as_deref());
            (Dialled::from(dial::to_proxy(server)?), head)
        }
        None => (dial::direct(&rules.hosts, &plain.target, listed)?, plain.for_host()),
    };
    other.stream.set_write_timeout(Some(WRITE_PATIENCE))?;
    other.stream.write_all(head.as_bytes())?;
    Ok(other)
}

/// The head, and what came after it in the same breath.
fn read_head(stream: &mut TcpStream, closing: &Closing) -> Result<(Head, Vec<u8>), Refusal> {
    let until = Some(Instant::now() + HEAD_PATIENCE);
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        closing.readable(stream, until)?;
        let read = stream.read(&mut part)?;
        if read == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        bytes.extend_from_slice(&part[..read]);
        if let Some(head) = request_head::parse(&bytes).map_err(Refusal::Head)? {
            let early = bytes.split_off(head.bytes);
            return Ok((head, early));
        }
    }
}

/// Counts it and says why, in one line that people can act on.
fn refuse(mut stream: TcpStream, refusal: &Refusal, rules: &Rules, closing: &Closing) {
    let (status, why) = match refusal {
        Refusal::Gone(error) if error.kind() == io::ErrorKind::TimedOut => {
            ("408 Request Timeout", "the request's head did not come".to_owned())
        }
        Refusal::Gone(_) => return,
        Refusal::Head(error) => {
            rules.tally.add("what was no request");
            ("400 Bad Request", error.to_string())
        }
        Refusal::NotListed(target) => {
            rules.tally.add(&target.to_string());
            ("403 Forbidden", format!("{target} is not on the list of this worker; {HINT}{target}"))
        }
        Refusal::Dial(error) => {
            if let DialError::LeadsHome(target) = error {
                rules.tally.add(&target.to_string());
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
        linger(&mut stream, closing);
    }
}

/// Closing a connection with unread bytes would take back the answer.
fn linger(stream: &mut TcpStream, closing: &Closing) {
    let until = Some(Instant::now() + LAST_PATIENCE);
    let mut part = [0; 4096];
    let mut taken = 0;
    while taken < LAST_BYTES && closing.readable(stream, until).is_ok() {
        match stream.read(&mut part) {
            Ok(read) if read > 0 => taken += read,
            _ => return,
        }
    }
}
