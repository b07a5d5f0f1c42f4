//! What a sandbox with its own network hands over before any program runs in it: listeners on its
//! loopback, and the kernel's counters of its network.
//!
//! They are passed through a socket to the driver, which then serves the listeners and reads the
//! counters. So no process of ours stays in the sandbox, and even after its end the driver can read
//! how often a program tried to use a network that does not exist.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Seek};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};

use crate::bubblewrap::HANDOFF_SOCKET;
use crate::spec::{SandboxNetwork, SandboxSpec};

/// Counters of a sandbox's network, for IPv4 and IPv6.
const COUNTERS: [&str; 2] = ["/proc/self/net/snmp", "/proc/self/net/snmp6"];
/// The maximum number of local ports that are open at once.
const MAX_LOCAL_PORTS: usize = 16;
/// Those, the proxy's listener, and the counters.
const MAX_DESCRIPTORS: usize = MAX_LOCAL_PORTS + 1 + COUNTERS.len();

/// Waits for what a sandbox hands over.
#[derive(Debug)]
pub struct HandoffListener {
    listener: UnixListener,
    path: PathBuf,
}

/// What a sandbox handed over.
#[derive(Debug)]
pub struct HandedOver {
    /// Each on the requested port; a port that could not be bound is missing.
    pub listeners: Vec<TcpListener>,
    pub counters: ConnectionCounters,
}

/// Counts attempts to use a network that does not exist, for as long as it is held.
#[derive(Debug)]
pub struct ConnectionCounters(Vec<File>);

impl HandoffListener {
    /// Binds a path that no other process uses; an older socket there is replaced.
    pub fn bind_at(path: &Path) -> io::Result<Self> {
        let _ = std::fs::remove_file(path);
        let listener = bind(path)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, path: path.to_owned() })
    }

    /// None if nothing has arrived yet. It does not block, but it can be polled.
    pub fn receive(&self) -> io::Result<Option<HandedOver>> {
        loop {
            match self.listener.accept() {
                // The first connection by our own user: programs of the sandbox run only after
                // that.
                Ok((stream, _)) if is_ours(&stream) => return receive(&stream).map(Some),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }
}

impl AsFd for HandoffListener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

impl Drop for HandoffListener {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The path of a socket has at most 108 bytes, and real paths are often longer.
fn bind(path: &Path) -> io::Result<UnixListener> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    if cfg!(target_os = "linux") {
        use std::os::fd::AsRawFd;
        let directory = File::open(parent)?;
        let short = Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()).join(name);
        return UnixListener::bind(short);
    }
    UnixListener::bind(path)
}

/// Other users of the machine may find the socket as well.
#[cfg(target_os = "linux")]
fn is_ours(stream: &UnixStream) -> bool {
    let own = nix::unistd::geteuid().as_raw();
    rustix::net::sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid.as_raw() == own)
}

#[cfg(not(target_os = "linux"))]
fn is_ours(_stream: &UnixStream) -> bool {
    false
}

fn receive(stream: &UnixStream) -> io::Result<HandedOver> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut counters = [0];
    stream.set_nonblocking(false)?;
    let mut data = [IoSliceMut::new(&mut counters)];
    recvmsg(stream, &mut data, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let mut handed: Vec<OwnedFd> = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            handed.extend(descriptors);
        }
    }
    let listeners = handed.split_off(handed.len().min(usize::from(counters[0])));
    Ok(HandedOver {
        listeners: listeners.into_iter().map(TcpListener::from).collect(),
        counters: ConnectionCounters(handed.into_iter().map(File::from).collect()),
    })
}

impl ConnectionCounters {
    /// Connections without a route, and questions to a name server on the loopback that does not
    /// exist.
    pub fn count(&mut self) -> u64 {
        let mut sum = 0u64;
        for file in &mut self.0 {
            let mut text = String::new();
            if file.rewind().is_ok() && file.read_to_string(&mut text).is_ok() {
                sum = sum.saturating_add(parse_counters(&text));
            }
        }
        sum
    }
}

/// A line of names and a line of numbers, or a name and a number on each line.
fn parse_counters(text: &str) -> u64 {
    const IN_COLUMNS: &[(&str, &str)] = &[("Ip:", "OutNoRoutes"), ("Udp:", "NoPorts")];
    const IN_LINES: &[&str] = &["Ip6OutNoRoutes", "Udp6NoPorts"];
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    let columns = lines.windows(2).flat_map(|pair| {
        let (names, numbers) = (&pair[0], &pair[1]);
        let (first, same) = (names.first().copied(), names.first() == numbers.first());
        names.iter().zip(numbers).filter_map(move |(name, number)| {
            let wanted = first.is_some_and(|first| IN_COLUMNS.contains(&(first, *name)));
            (same && wanted).then_some(*number)
        })
    });
    let alone = lines.iter().filter_map(|line| match line.as_slice() {
        [name, number] if IN_LINES.contains(name) => Some(*number),
        _ => None,
    });
    columns.chain(alone).filter_map(|number| number.parse::<u64>().ok()).sum()
}

/// The side inside of the sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HandoffPlan {
    ports: Vec<u16>,
}

impl HandoffPlan {
    /// None if no handoff is wanted.
    pub(crate) fn from_spec(spec: &SandboxSpec) -> Option<Self> {
        spec.handoff.as_ref()?;
        let ports = match &spec.network {
            SandboxNetwork::Ports(ports) => {
                let local = ports.local.iter().take(MAX_LOCAL_PORTS);
                std::iter::once(&ports.proxy).chain(local).copied().collect()
            }
            SandboxNetwork::Off | SandboxNetwork::On => Vec::new(),
        };
        Some(Self { ports })
    }

    /// Does not wait: the driver receives it when it has time, and the listeners queue early
    /// connections.
    pub(crate) fn hand_out(&self) -> io::Result<()> {
        let files: Vec<File> = COUNTERS.iter().filter_map(|path| File::open(path).ok()).collect();
        // Ports below 1024 cannot be bound; their service is not reachable then.
        let listeners: Vec<TcpListener> = self
            .ports
            .iter()
            .filter_map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).ok())
            .collect();
        let handed: Vec<BorrowedFd<'_>> =
            files.iter().map(AsFd::as_fd).chain(listeners.iter().map(AsFd::as_fd)).collect();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(&handed));
        let counters = [u8::try_from(files.len()).unwrap_or_default()];
        let stream = UnixStream::connect(HANDOFF_SOCKET)?;
        sendmsg(&stream, &[IoSlice::new(&counters)], &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_in_both_forms() {
        let old = "Ip: Forwarding OutNoRoutes X\nIp: 2 4 9\nUdp: InDatagrams NoPorts\nUdp: 7 1\n\
                   UdpLite: InDatagrams NoPorts\nUdpLite: 7 50\n";
        assert_eq!(parse_counters(old), 5);
        assert_eq!(parse_counters("Ip6OutNoRoutes \t3\nUdp6NoPorts 1\nUdpLite6NoPorts 9\n"), 4);
        assert_eq!(parse_counters("nonsense"), 0);
    }
}
