//! Connects to an allowed host: directly, or through the user's own proxy.
//!
//! A name is resolved once, and the address that was checked is the one that is connected to.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use crate::address;
use crate::allowlist::{AllowlistMatch, HostAllowlist, HostName, ProxyTarget};
use crate::request_head::{MAX_HEAD_BYTES, end_of_head};
use crate::shutdown::ShutdownSignal;
use crate::upstream::UpstreamServer;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_ADDRESSES: usize = 6;
/// For the response of the user's proxy, which connects first.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);

/// A connection, and what has already been read from it.
#[derive(Debug)]
pub(crate) struct DialedStream {
    pub(crate) stream: TcpStream,
    pub(crate) early: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum DialError {
    /// The name resolves to an address that is not allowed.
    #[error(
        "{0} resolves to an address of this machine or its network, which is not on the allowlist"
    )]
    LeadsHome(ProxyTarget),
    #[error("{0} cannot be reached: {1}")]
    Unreachable(ProxyTarget, io::Error),
    #[error("the proxy {0} answered: {1}")]
    Proxy(ProxyTarget, String),
}

impl From<TcpStream> for DialedStream {
    fn from(stream: TcpStream) -> Self {
        Self { stream, early: Vec::new() }
    }
}

pub(crate) fn direct(
    hosts: &HostAllowlist,
    target: &ProxyTarget,
    listed: AllowlistMatch,
) -> Result<DialedStream, DialError> {
    let unreachable = |error| DialError::Unreachable(target.clone(), error);
    let found = addresses(target).map_err(unreachable)?;
    let any = !found.is_empty();
    let allowed: Vec<SocketAddr> = found
        .into_iter()
        .filter(|found| address::is_allowed(hosts, target, listed, found.ip()))
        .collect();
    if allowed.is_empty() && any {
        return Err(DialError::LeadsHome(target.clone()));
    }
    connect(&allowed).map(DialedStream::from).map_err(unreachable)
}

/// To this machine, at an allowed port.
pub(crate) fn local(port: u16) -> io::Result<TcpStream> {
    let either = [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
    connect(&either.map(|address| SocketAddr::new(address, port)))
}

/// To the user's own proxy, wherever it is.
pub(crate) fn to_proxy(server: &UpstreamServer) -> Result<TcpStream, DialError> {
    addresses(&server.at)
        .and_then(|found| connect(&found))
        .map_err(|error| DialError::Unreachable(server.at.clone(), error))
}

/// Through the user's proxy, which resolves the name itself.
pub(crate) fn tunnel(
    server: &UpstreamServer,
    target: &ProxyTarget,
    shutdown: &ShutdownSignal,
) -> Result<DialedStream, DialError> {
    let mut stream = to_proxy(server)?;
    let unreachable = |error| DialError::Unreachable(server.at.clone(), error);
    let mut ask = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n");
    if let Some(authorization) = &server.authorization {
        let _ = write!(ask, "Proxy-Authorization: {authorization}\r\n");
    }
    ask.push_str("\r\n");
    stream.write_all(ask.as_bytes()).map_err(unreachable)?;
    let (head, early) = answer(&mut stream, shutdown).map_err(unreachable)?;
    let first = head.lines().next().unwrap_or_default();
    if first.split(' ').nth(1).is_some_and(|status| status.starts_with('2')) {
        return Ok(DialedStream { stream, early });
    }
    let shown: String = first.chars().filter(|one| !one.is_control()).take(100).collect();
    Err(DialError::Proxy(server.at.clone(), shown))
}

fn answer(stream: &mut TcpStream, shutdown: &ShutdownSignal) -> io::Result<(String, Vec<u8>)> {
    let until = Some(Instant::now() + RESPONSE_TIMEOUT);
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        if let Some(end) = end_of_head(&bytes) {
            let early = bytes.split_off(end);
            return Ok((String::from_utf8_lossy(&bytes).into_owned(), early));
        }
        shutdown.readable(stream, until)?;
        let read = stream.read(&mut part)?;
        if read == 0 || bytes.len() > MAX_HEAD_BYTES {
            return Err(io::Error::other("its response is not valid HTTP"));
        }
        bytes.extend_from_slice(&part[..read]);
    }
}

fn addresses(target: &ProxyTarget) -> io::Result<Vec<SocketAddr>> {
    match &target.host {
        HostName::Address(address) => Ok(vec![SocketAddr::new(*address, target.port)]),
        HostName::Dns(name) => Ok((name.as_str(), target.port).to_socket_addrs()?.collect()),
    }
}

fn connect(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut last = io::Error::other("its name has no address");
    for address in addresses.iter().take(MAX_ADDRESSES) {
        match TcpStream::connect_timeout(address, CONNECT_TIMEOUT) {
            Ok(stream) => {
                // Detects connections whose other side is gone.
                rustix::net::sockopt::set_socket_keepalive(&stream, true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}
