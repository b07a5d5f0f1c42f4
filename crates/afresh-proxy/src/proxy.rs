//! Listeners, threads and connection limits: one proxy for each worker, one total limit for all.

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
/// Connections of all workers: each uses two file descriptors, and a process often has only 1,024.
const MAX_TOTAL: usize = 256;
/// Guaranteed to each worker, whatever the others use: no worker keeps another from its model.
const GUARANTEED_PER_PROXY: usize = 4;
/// How soon a proxy at its limit tries again.
const FULL_PAUSE: Duration = Duration::from_millis(20);
/// A connection's thread needs little; resolving names uses most of it.
const STACK_BYTES: usize = 512 * 1024;

/// The number of connections of all proxies.
#[derive(Debug, Clone, Default)]
pub struct ConnectionLimit(Arc<AtomicUsize>);

/// What decides about a proxy's connections.
#[derive(Debug)]
pub(crate) struct ProxyRules {
    pub(crate) hosts: HostAllowlist,
    pub(crate) upstream: UpstreamProxy,
    pub(crate) denials: DenialCounts,
}

/// One worker's proxy; shut down when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    rules: Arc<ProxyRules>,
    _closer: ShutdownTrigger,
}

/// A listener for programs.
#[derive(Debug)]
pub struct ProxyListener {
    pub listener: TcpListener,
    pub way: ListenerRoute,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenerRoute {
    /// Programs send the target with each request.
    Proxy,
    /// To this port of this machine.
    Local(u16),
}

impl Proxy {
    /// `find` waits for the listeners, in the proxy's own thread: some come from the worker's
    /// sandbox.
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
            // A worker whose proxy does not start has no network, and reports that itself.
            if let Ok(listeners) = find(&desk.shutdown) {
                desk.serve(&listeners);
            }
        })?;
        Ok(Self { rules, _closer: trigger })
    }

    /// The hosts that were denied so far.
    pub fn denied_hosts(&self) -> Vec<DeniedHost> {
        self.rules.denials.all()
    }
}

fn builder(name: &str) -> thread::Builder {
    thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES)
}

/// Accepts connections.
struct ProxyServer {
    rules: Arc<ProxyRules>,
    shutdown: ShutdownSignal,
    own: Arc<AtomicUsize>,
    all: Arc<AtomicUsize>,
}

/// The permission for one connection, released when it is dropped.
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
            // A connection that was closed again must not block `accept`.
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
                // Out of descriptors or threads: pending connections are accepted later.
                if self.accept_connection(listener, permit).is_err() && self.pause().is_none() {
                    return;
                }
            }
        }
    }

    /// Waits for a permit; none if the proxy was shut down meanwhile.
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

    /// None if the proxy was shut down meanwhile.
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
            let _permit = permit;
            match way {
                ListenerRoute::Proxy => serve_connection(stream, &rules, &shutdown),
                ListenerRoute::Local(port) => serve_local_port(&stream, port, &shutdown),
            }
        })?;
        Ok(())
    }
}
