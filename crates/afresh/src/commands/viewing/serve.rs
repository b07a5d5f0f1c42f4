//! `afresh serve`: the runs of this repository in a browser.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread;

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_engine::RepoContext;
use afresh_web::{AccessToken, StopSwitch, WebServer, WebServerConfig};
use serde_json::json;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::commands::running::drive;
use crate::exit::Exit;
use crate::terminal::output::Output;

/// Taken if it is free and no other port is asked for, so that an open page finds the next server again.
const USUAL_PORT: u16 = 7_373;

/// Show the runs of this repository in a browser, on this machine
///
/// The address that is printed contains a token: without it the server answers nothing. The token stays the same, so
/// that an open page finds the next server; `--new-token` makes another one. The page shows what is recorded, also of a
/// run that another process drives, and passes on answers, comments, retries, skips and halts.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Listen on this port; by default 7373, or a free one if that is taken
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Listen on this address instead of 127.0.0.1; traffic to other machines is not encrypted
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// Another name under which this machine is reached, such as `build-host.lan`; can be repeated
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Make a new token: addresses that were printed before stop working
    #[arg(long)]
    new_token: bool,
}

pub(crate) fn serve(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    // A directory without a repository is said at once, not in the browser.
    let repository = context.repository()?;
    let token = find_token(args, &repository)?;
    let server = bind(args, context, &token)?;
    let url = server.url();
    if output.json {
        output.document(&json!({"url": url, "address": server.address().to_string()}));
    } else {
        output.note(
            "the runs of this repository, for everyone who has this address; Ctrl-C ends the server:",
        );
        output.data(&url);
        if !args.bind.is_loopback() {
            output.note("warning: other machines can reach it, and what is sent is not encrypted");
        }
    }
    let stop = Arc::new(StopSwitch::default());
    stop_at_signals(Arc::clone(&stop))
        .map_err(|error| AppError::bug("signals", error.to_string()))?;
    server.serve(&stop)?;
    Ok(Exit::Done)
}

fn find_token(args: &Args, repository: &RepoContext) -> Result<AccessToken, AppError> {
    let file = repository.layout.state.join("web-token");
    let token = if args.new_token { AccessToken::renew(&file) } else { AccessToken::keep(&file) };
    token.map_err(|error| {
        AppError::machine("token", format!("cannot keep the token in {}", file.display()))
            .cause(error.to_string())
    })
}

fn bind(args: &Args, context: &AppContext, token: &AccessToken) -> Result<WebServer, AppError> {
    let bind_to = |port| {
        WebServer::bind(WebServerConfig {
            context: context.clone(),
            address: SocketAddr::new(args.bind, port),
            token: token.clone(),
            hosts: args.hosts.clone(),
            reporters: Box::new(drive::open_file_reporters),
        })
    };
    match args.port {
        Some(port) => bind_to(port),
        None => bind_to(USUAL_PORT).or_else(|_| bind_to(0)),
    }
}

fn stop_at_signals(stop: Arc<StopSwitch>) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            stop.stop();
        }
    });
    Ok(())
}
