//! Binding, serving, stopping.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::logs::needs::{self, RunNeeds};
use afresh_app::logs::readers::AgentReaders;
use afresh_app::logs::watched_run::WatchedRun;
use afresh_app::session::runs::select;
use afresh_app::session::runs::{self, RunEntry};
use afresh_core::ids::RunId;
use afresh_engine::{RepoContext, Reporter};
use tokio::sync::Notify;

use crate::connections;
use crate::feed::RunFeed;
use crate::guard::AccessToken;
use crate::list_cache::{ListCache, SharedList};
use crate::routes;

/// More runs are watched at the same time only as long as a browser looks at them.
const MAX_KEPT_FEEDS: usize = 4;

/// Opens what records commands that are applied without a driver.
pub type ReporterFactory = dyn Fn(&RepoContext) -> Vec<Box<dyn Reporter>> + Send + Sync;

pub struct WebServerConfig {
    pub context: AppContext,
    pub address: SocketAddr,
    pub token: AccessToken,
    /// Names of this machine besides its address, without a port.
    pub hosts: Vec<String>,
    pub reporters: Box<ReporterFactory>,
}

impl std::fmt::Debug for WebServerConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebServerConfig").field("address", &self.address).finish_non_exhaustive()
    }
}

/// A server that is bound and does not serve yet.
#[derive(Debug)]
pub struct WebServer {
    listener: TcpListener,
    state: Arc<WebState>,
    address: SocketAddr,
}

/// Ends a server from another thread.
#[derive(Debug, Default)]
pub struct StopSwitch(Notify);

impl StopSwitch {
    /// Also before the server serves.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

/// What every request can use.
pub(crate) struct WebState {
    pub(crate) context: AppContext,
    pub(crate) token: AccessToken,
    /// The Host of a request is one of these.
    pub(crate) hosts: Vec<String>,
    pub(crate) reporters: Box<ReporterFactory>,
    feeds: Mutex<BTreeMap<RunId, Arc<RunFeed>>>,
    runs: ListCache<RunEntry>,
    needs: ListCache<RunNeeds>,
}

impl std::fmt::Debug for WebState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebState").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

impl WebServer {
    pub fn bind(config: WebServerConfig) -> Result<Self, AppError> {
        let WebServerConfig { context, address, token, hosts, reporters } = config;
        let failed = |error: std::io::Error| {
            AppError::machine("serve", format!("cannot listen on {address}"))
                .cause(error.to_string())
                .hint("`--port 0` takes a free port")
        };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let state = WebState {
            context,
            token,
            hosts: hosts_of(address, &hosts),
            reporters,
            feeds: Mutex::default(),
            runs: ListCache::default(),
            needs: ListCache::default(),
        };
        Ok(Self { listener, state: Arc::new(state), address })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to open in a browser: the token is behind the `#`, which no browser sends.
    pub fn url(&self) -> String {
        format!("http://{}/#token={}", self.address, self.state.token.as_str())
    }

    /// Serves until it is stopped.
    pub fn serve(self, stop: &Arc<StopSwitch>) -> Result<(), AppError> {
        let failed = |error: std::io::Error| AppError::machine("serve", error.to_string());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(8)
            .build()
            .map_err(failed)?;
        let stop = Arc::clone(stop);
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener).map_err(failed)?;
            let router = routes::router(self.state);
            // Streams never end by themselves, so nothing waits for them.
            tokio::select! {
                () = connections::serve(listener, router) => {}
                () = stop.0.notified() => {}
            }
            Ok(())
        })
    }
}

/// The names under which this address can be reached on this machine.
fn hosts_of(address: SocketAddr, named: &[String]) -> Vec<String> {
    let port = address.port();
    let mut hosts = vec![address.to_string()];
    hosts.extend(named.iter().map(|name| format!("{name}:{port}")));
    if address.ip().is_loopback() || address.ip().is_unspecified() {
        hosts.extend([format!("localhost:{port}"), format!("127.0.0.1:{port}")]);
    }
    hosts
}

impl WebState {
    pub(crate) fn repository(&self) -> Result<RepoContext, AppError> {
        self.context.repository()
    }

    /// Every run, newest first.
    pub(crate) fn runs(&self) -> Result<SharedList<RunEntry>, AppError> {
        self.runs.read(&self.repository()?, runs::list_runs)
    }

    /// What waits for a person, of every run.
    pub(crate) fn needs(&self) -> Result<SharedList<RunNeeds>, AppError> {
        self.needs.read(&self.repository()?, needs::list_needs)
    }

    /// The feed of a run, started when a browser first looks at it.
    pub(crate) fn feed(&self, run: &str) -> Result<Arc<RunFeed>, AppError> {
        let mut feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, feed)) = feeds.iter().find(|(id, _)| id.as_str() == run) {
            return Ok(Arc::clone(feed));
        }
        let repository = self.repository()?;
        let found = select::find_run(&repository, Some(run))?;
        let readers = AgentReaders::load(&found.run, &self.context);
        let id = found.run.id().clone();
        let feed = RunFeed::start(WatchedRun::new(repository, found, readers)?)?;
        if feeds.len() >= MAX_KEPT_FEEDS {
            // Those that no connection uses.
            feeds.retain(|_, feed| Arc::strong_count(feed) > 1);
        }
        feeds.insert(id, Arc::clone(&feed));
        Ok(feed)
    }
}
