//! Listeners, threads and bounds: one door for each worker, one crowd of connections for all.

use std::io;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::poll::PollFlags;

use crate::allowlist::HostAllowlist;
use crate::connection::{serve_connection, serve_local_port};
use crate::denials::{DenialCounts, DeniedHost};
use crate::shutdown::{ShutdownSignal, ShutdownTrigger, WaitOutcome, shutdown_pair};
use crate::upstream::UpstreamProxy;

/// Connections of one worker at once; the next one waits.
const MAX_PER_PROXY: usize = 48;
/// Of all workers: each takes two file handles, and a process has often no more than 1,024.
const MAX_TOTAL: usize = 256;
/// Of each worker, whatever the others have: nobody keeps somebody else from its model.
const GUARANTEED_PER_PROXY: usize = 4;
/// How soon a full house is looked at again.
const FULL_PAUSE: Duration = Duration::from_millis(20);
/// A connection's thread needs little, and looking up names is the most of it.
const STACK_BYTES: usize = 512 * 1024;

/// The connections of all doors.
#[derive(Debug, Clone, Default)]
pub struct ConnectionLimit(Arc<AtomicUsize>);

/// What a door's connections are judged by.
#[derive(Debug)]
pub(crate) struct ProxyRules {
    pub(crate) hosts: HostAllowlist,
    pub(crate) upstream: UpstreamProxy,
    pub(crate) denials: DenialCounts,
}

/// One worker's way to the hosts of its list; closed when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    rules: Arc<ProxyRules>,
    _closer: ShutdownTrigger,
}

/// Where programs come in.
#[derive(Debug)]
pub struct ProxyListener {
    pub listener: TcpListener,
    pub way: ListenerRoute,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenerRoute {
    /// They say where they want to go.
    Proxy,
    /// To this port of this machine.
    Local(u16),
}

impl Proxy {
    /// `find` waits for the entrances, in the door's own thread: some are made by the worker's room.
    pub fn start<F>(
        hosts: HostAllowlist,
        upstream: UpstreamProxy,
        limit: &ConnectionLimit,
        find: F,
    ) -> io::Result<Self>
    where
        F: FnOnce(&ShutdownSignal) -> io::Result<Vec<ProxyListener>> + Send + 'static,
    {
        let (trigger, shutdown) = shutdown_pair()?;
        let rules = Arc::new(ProxyRules { hosts, upstream, denials: DenialCounts::default() });
        let desk = ProxyServer {
            rules: Arc::clone(&rules),
            shutdown,
            own: Arc::new(AtomicUsize::new(0)),
            all: Arc::clone(&limit.0),
        };
        builder("door").spawn(move || {
            // A worker whose door does not open has no network, and says so itself.
            if let Ok(listeners) = find(&desk.shutdown) {
                desk.serve(&listeners);
            }
        })?;
        Ok(Self { rules, _closer: trigger })
    }

    /// Who was asked for and refused so far.
    pub fn denied_hosts(&self) -> Vec<DeniedHost> {
        self.rules.denials.all()
    }
}

fn builder(name: &str) -> thread::Builder {
    thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES)
}

/// Lets in whoever comes.
struct ProxyServer {
    rules: Arc<ProxyRules>,
    shutdown: ShutdownSignal,
    own: Arc<AtomicUsize>,
    all: Arc<AtomicUsize>,
}

/// A place among the connections, free again when it is dropped.
struct ConnectionPermit([Arc<AtomicUsize>; 2]);

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        for count in &self.0 {
            count.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl ProxyServer {
    fn serve(&self, listeners: &[ProxyListener]) {
        for listener in listeners {
            // Somebody who went away again must not keep us waiting.
            let _ = listener.listener.set_nonblocking(true);
        }
        let waited: Vec<(&dyn AsFd, PollFlags)> = listeners
            .iter()
            .map(|listener| (&listener.listener as &dyn AsFd, PollFlags::POLLIN))
            .collect();
        loop {
            let Ok(WaitOutcome::Ready(ready)) = self.shutdown.wait(&waited, None) else { return };
            let ready = ready.iter().zip(listeners).filter(|(flags, _)| !flags.is_empty());
            for (_, listener) in ready {
                let Some(permit) = self.acquire_permit() else { return };
                // No handles, no threads: whoever waits is let in later.
                if self.accept_connection(listener, permit).is_err() && self.pause().is_none() {
                    return;
                }
            }
        }
    }

    /// Waits for one; none where the door was closed meanwhile.
    fn acquire_permit(&self) -> Option<ConnectionPermit> {
        loop {
            let permit = ConnectionPermit([Arc::clone(&self.own), Arc::clone(&self.all)]);
            let [own, all] =
                [&self.own, &self.all].map(|count| count.fetch_add(1, Ordering::AcqRel));
            if own < MAX_PER_PROXY && (all < MAX_TOTAL || own < GUARANTEED_PER_PROXY) {
                return Some(permit);
            }
            drop(permit);
            self.pause()?;
        }
    }

    /// None where the door was closed meanwhile.
    fn pause(&self) -> Option<()> {
        let until = Instant::now() + FULL_PAUSE;
        matches!(self.shutdown.wait(&[], Some(until)), Ok(WaitOutcome::Late)).then_some(())
    }

    fn accept_connection(
        &self,
        listener: &ProxyListener,
        permit: ConnectionPermit,
    ) -> io::Result<()> {
        let (stream, _) = listener.listener.accept()?;
        let (rules, shutdown, way) = (Arc::clone(&self.rules), self.shutdown.clone(), listener.way);
        builder("connection").spawn(move || {
            let _seat = permit;
            match way {
                ListenerRoute::Proxy => serve_connection(stream, &rules, &shutdown),
                ListenerRoute::Local(port) => serve_local_port(&stream, port, &shutdown),
            }
        })?;
        Ok(())
    }
}
