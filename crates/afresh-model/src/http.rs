//! The parts of HTTP/1.1 that these programs need: requests with a length or in chunks, persistent
//! connections, replies as one document or as a stream of events.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// More than any program sends.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;
const MAX_HEADERS: usize = 200;

#[derive(Debug)]
pub(crate) struct HttpRequest {
    pub(crate) method: String,
    /// The path with its query.
    pub(crate) path: String,
    pub(crate) upgrades: bool,
    pub(crate) body: Vec<u8>,
}

pub(crate) struct HttpConnection {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
    /// The last request asked to close the connection, as those of proxies do.
    is_last: bool,
}

impl HttpConnection {
    pub(crate) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let reader = BufReader::new(stream.try_clone()?);
        Ok(Self { reader, writer: stream, is_last: false })
    }

    /// The next request; none if there will be no more.
    pub(crate) fn next(&mut self) -> io::Result<Option<HttpRequest>> {
        let mut first = String::new();
        if self.is_last || self.reader.read_line(&mut first)? == 0 {
            return Ok(None);
        }
        let mut words = first.split_whitespace();
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (method, path) = (method.to_owned(), path.to_owned());
        let (mut length, mut chunked, mut upgrades, mut waits) = (0, false, false, false);
        for _ in 0..MAX_HEADERS {
            let mut line = String::new();
            self.reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            match (name.to_ascii_lowercase().as_str(), value.trim()) {
                ("content-length", value) => length = value.parse().unwrap_or(0),
                ("transfer-encoding", value) => chunked = value.eq_ignore_ascii_case("chunked"),
                ("upgrade", _) => upgrades = true,
                ("connection", value) => self.is_last = value.eq_ignore_ascii_case("close"),
                ("expect", value) => waits = value.eq_ignore_ascii_case("100-continue"),
                _ => {}
            }
        }
        if waits {
            self.writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let body = if chunked { self.chunks()? } else { self.exactly(length)? };
        Ok(Some(HttpRequest { method, path, upgrades, body }))
    }

    fn exactly(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if length > MAX_BODY_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the request is too long"));
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body)?;
        Ok(body)
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut size = String::new();
            self.reader.read_line(&mut size)?;
            let size = size.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            if body.len() + size > MAX_BODY_BYTES {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the request is too long"));
            }
            body.extend(self.exactly(size)?);
            self.reader.read_line(&mut String::new())?;
            if size == 0 {
                return Ok(body);
            }
        }
    }

    /// One document.
    pub(crate) fn document(
        &mut self,
        status: u16,
        retry_after: Option<u32>,
        body: &[u8],
    ) -> io::Result<()> {
        let wait = retry_after.map(|seconds| format!("retry-after: {seconds}\r\n"));
        let head = format!(
            "HTTP/1.1 {status} {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{}{}\r\n",
            reason(status),
            body.len(),
            wait.unwrap_or_default(),
            self.last_words(),
        );
        self.writer.write_all(head.as_bytes())?;
        self.writer.write_all(body)
    }

    /// A stream of events; `whole` is false if it breaks off.
    pub(crate) fn events(&mut self, events: &[String], whole: bool) -> io::Result<()> {
        write!(
            self.writer,
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n{}\r\n",
            self.last_words(),
        )?;
        for event in events {
            write!(self.writer, "{:x}\r\n{event}\r\n", event.len())?;
        }
        if whole {
            self.writer.write_all(b"0\r\n\r\n")?;
        }
        self.writer.flush()
    }

    /// The header that announces the end of the connection.
    fn last_words(&self) -> &'static str {
        if self.is_last { "connection: close\r\n" } else { "" }
    }

    pub(crate) fn close(&self) {
        // It may be closed already.
        let _ = self.writer.shutdown(std::net::Shutdown::Both);
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        426 => "Upgrade Required",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Error",
    }
}
