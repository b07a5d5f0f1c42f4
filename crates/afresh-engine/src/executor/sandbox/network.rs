//! Network access of sandboxes: a worker's proxy to the hosts of its allowlist, and denied connections.
//!
//! A sandbox with its own network namespace hands its listeners to us, and its packet counters show connections that
//! tried to bypass the proxy. Otherwise the proxy listens on a port of this machine, and the kernel denies
//! connections that bypass it, which it reports only to the program.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use afresh_core::denial::{Denial, DeniedAction};
use afresh_proxy::{HostAllowlist, ListenerRoute, Proxy, ProxyListener, ShutdownSignal};
use afresh_sandbox::{
    ConnectionCounters, HandoffListener, ProxyPorts, SandboxLevel, SandboxNetwork,
};

use crate::execution_config::AgentNetwork;
use crate::executor::ExecutorContext;
use crate::executor::sandbox::SandboxSubject;

/// The customary port of a proxy. In its own network namespace, any port is free.
const PROXY_PORT: u16 = 3128;
/// How many denied hosts are reported one by one.
const MOST_TOLD: usize = 10;

/// The network of one job, for as long as it runs.
#[derive(Debug)]
pub(crate) struct NetworkAccess {
    network: SandboxNetwork,
    at: Option<PathBuf>,
    door: Option<Proxy>,
    tries: SocketCounter,
    /// How connections that bypass the proxy are reported.
    past: &'static str,
}

#[derive(Debug, Clone, Default)]
struct SocketCounter(Arc<Mutex<CounterState>>);

/// How we learn of connections that were dropped.
#[derive(Debug, Default)]
enum CounterState {
    #[default]
    Nobody,
    /// The sandbox has handed out its counters, or will have when we ask.
    Waiting(HandoffListener),
    Tries(ConnectionCounters),
}

impl ExecutorContext {
    /// `at` is a path that no other job uses.
    pub(crate) fn outlet(
        &self,
        who: &SandboxSubject<'_>,
        at: &Path,
    ) -> Result<NetworkAccess, String> {
        let own = matches!(self.config.sandbox.level, SandboxLevel::Bubblewrap { .. });
        let wait = || {
            HandoffListener::bind_at(at)
                .map_err(|error| format!("cannot wait at {}: {error}", at.display()))
        };
        let mut outlet = NetworkAccess {
            network: SandboxNetwork::On,
            at: None,
            door: None,
            tries: SocketCounter::default(),
            past: PAST_THE_DOOR,
        };
        match self.network_of(who) {
            AgentNetwork::Open => return Ok(outlet),
            AgentNetwork::Off => {
                outlet.network = SandboxNetwork::Off;
                outlet.past = no_network(who);
                if own {
                    outlet.tries = SocketCounter::new(CounterState::Waiting(wait()?));
                }
            }
            AgentNetwork::Listed(hosts) if own => {
                let ports = sandbox_proxy_ports(&hosts);
                outlet.door =
                    Some(self.proxy_in_sandbox(hosts, wait()?, &outlet.tries, ports.proxy)?);
                outlet.network = SandboxNetwork::Ports(ports);
            }
            AgentNetwork::Listed(hosts) => {
                let (door, ports) = self.proxy_on_machine(hosts)?;
                (outlet.door, outlet.network) = (Some(door), SandboxNetwork::Ports(ports));
            }
        }
        outlet.at = own.then(|| at.to_owned());
        Ok(outlet)
    }

    fn network_of(&self, who: &SandboxSubject<'_>) -> AgentNetwork {
        let sandbox = &self.config.sandbox;
        match who {
            SandboxSubject::Check if !sandbox.check_network => AgentNetwork::Off,
            // Set-up commands download dependencies.
            SandboxSubject::Check | SandboxSubject::SetUp => AgentNetwork::Open,
            SandboxSubject::Worker { agent, .. } => sandbox.network_of(&agent.name),
        }
    }

    /// The proxy's listeners are inside the sandbox.
    fn proxy_in_sandbox(
        &self,
        hosts: HostAllowlist,
        outside: HandoffListener,
        tries: &SocketCounter,
        proxy: u16,
    ) -> Result<Proxy, String> {
        let tries = tries.clone();
        let entrances = move |closing: &ShutdownSignal| loop {
            closing.readable(&outside, None)?;
            if let Some(handed) = outside.receive()? {
                tries.set(CounterState::Tries(handed.counters));
                let way = |port| {
                    if port == proxy { ListenerRoute::Proxy } else { ListenerRoute::Local(port) }
                };
                let entrance = |listener: TcpListener| {
                    let port = listener.local_addr()?.port();
                    Ok(ProxyListener { listener, way: way(port) })
                };
                return handed.listeners.into_iter().map(entrance).collect();
            }
        };
        self.open(hosts, entrances)
    }

    /// Every user of this machine could connect to it, but gains no access that way.
    fn proxy_on_machine(&self, hosts: HostAllowlist) -> Result<(Proxy, ProxyPorts), String> {
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|listener| Ok((listener.local_addr()?.port(), listener)));
        let (proxy, listener) = bound.map_err(|error| format!("there is no free port: {error}"))?;
        let local = hosts.local_ports();
        let entrance = ProxyListener { listener, way: ListenerRoute::Proxy };
        let door = self.open(hosts, move |_| Ok(vec![entrance]))?;
        Ok((door, ProxyPorts { proxy, local }))
    }

    fn open<F>(&self, hosts: HostAllowlist, entrances: F) -> Result<Proxy, String>
    where
        F: FnOnce(&ShutdownSignal) -> std::io::Result<Vec<ProxyListener>> + Send + 'static,
    {
        let upstream = self.config.sandbox.upstream.clone();
        Proxy::start(hosts, upstream, &self.connections, entrances)
            .map_err(|error| format!("cannot open a door to the network: {error}"))
    }
}

/// Services of this machine keep their own ports; the proxy gets a port that none of them uses.
fn sandbox_proxy_ports(hosts: &HostAllowlist) -> ProxyPorts {
    let local = hosts.local_ports();
    let proxy = (PROXY_PORT..=u16::MAX).find(|port| !local.contains(port)).unwrap_or(PROXY_PORT);
    ProxyPorts { proxy, local }
}

const OPENED_BY: &str = "AFRESH_SANDBOX_HOSTS opens it";
const PAST_THE_DOOR: &str = "calls past the proxy that HTTPS_PROXY names";

fn no_network(who: &SandboxSubject<'_>) -> &'static str {
    match who {
        SandboxSubject::Check => "a check has none; `--check-network` gives checks one",
        _ => "agents have none; leave out `--agent-network off`",
    }
}

impl NetworkAccess {
    pub(crate) fn network(&self) -> SandboxNetwork {
        self.network.clone()
    }

    /// The socket through which the sandbox hands out its listeners.
    pub(crate) fn outside(&self) -> Option<PathBuf> {
        self.at.clone()
    }

    /// Denials so far.
    pub(crate) fn refusals(&self) -> Vec<Denial> {
        let refused = self.door.as_ref().map(Proxy::denied_hosts).unwrap_or_default();
        let (told, rest) = refused.split_at(refused.len().min(MOST_TOLD));
        let mut refusals: Vec<Denial> = told
            .iter()
            .map(|refused| {
                let detail = format!("{} is not on the list ({OPENED_BY})", refused.host);
                Denial::new(DeniedAction::Network, &detail, refused.times)
            })
            .collect();
        if !rest.is_empty() {
            let times = rest.iter().map(|refused| refused.times).sum();
            refusals.push(Denial::new(
                DeniedAction::Network,
                "others that are not on the list",
                times,
            ));
        }
        let tries = self.tries.count();
        if tries > 0 {
            refusals.push(Denial::new(DeniedAction::Network, self.past, tries));
        }
        refusals
    }
}

impl SocketCounter {
    fn new(counting: CounterState) -> Self {
        Self(Arc::new(Mutex::new(counting)))
    }

    fn set(&self, counting: CounterState) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = counting;
    }

    fn count(&self) -> u64 {
        let mut counting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let CounterState::Waiting(outside) = &*counting
            && let Ok(Some(handed)) = outside.receive()
        {
            *counting = CounterState::Tries(handed.counters);
        }
        match &mut *counting {
            CounterState::Tries(tries) => tries.count(),
            CounterState::Nobody | CounterState::Waiting(_) => 0,
        }
    }
}
