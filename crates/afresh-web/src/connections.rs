//! Connections: how many there are, and how long one may take to ask.
//!
//! Any program on this machine can connect without a token, so what it can hold is bounded: a connection that does not
//! send a whole request in time ends, and makes room for those that wait.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// An open page takes up to six; more than this wait until others end.
const MAX_CONNECTIONS: usize = 128;
/// For the head of a request, and between two requests of a connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_HEAD_BYTES: usize = 32 * 1024;
/// After an error that is not the connection's, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves connections; never returns.
pub(crate) async fn serve(listener: TcpListener, router: Router) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut protocol = http1::Builder::new();
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES);
    loop {
        let permit =
            Arc::clone(&room).acquire_owned().await.expect("the semaphore is never closed");
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = protocol.serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            // A browser that goes away is no error of ours.
            let _ = connection.await;
            drop(permit);
        });
    }
}
