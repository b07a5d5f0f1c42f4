//! A proxy as in offices: it connects every request to one server on this machine.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

pub(crate) struct OfficeProxy {
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl OfficeProxy {
    pub(crate) fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let asked = Arc::default();
        let noted = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let noted = Arc::clone(&noted);
                thread::spawn(move || serve(stream, server, &noted));
            }
        });
        Self { port, asked }
    }

    /// The first lines of all requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.asked.lock().expect("nobody panics with it").clone()
    }
}

fn serve(stream: TcpStream, server: SocketAddr, noted: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    noted.lock().expect("nobody panics with it").push(first.trim().to_owned());
    let mut onward = TcpStream::connect(server)?;
    if first.starts_with("CONNECT ") {
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line)?;
        }
        (&stream).write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    } else {
        // `GET http://host/path` in the form that the host expects.
        let (method, rest) = first.split_once(" http://").unwrap_or(("", ""));
        let path = rest.find('/').map_or("/", |at| &rest[at..]);
        onward.write_all(format!("{method} {path}").as_bytes())?;
    }
    let (mut back, mut answers) = (stream, onward.try_clone()?);
    let answering = thread::spawn(move || {
        let _ = io::copy(&mut answers, &mut back);
        let _ = back.shutdown(Shutdown::Write);
    });
    let early = reader.buffer().to_vec();
    onward.write_all(&early)?;
    let mut rest = reader.into_inner();
    copy(&mut rest, &mut onward);
    let _ = answering.join();
    Ok(())
}

fn copy(from: &mut TcpStream, to: &mut TcpStream) {
    let mut part = [0; 4096];
    while let Ok(read) = from.read(&mut part) {
        if read == 0 || to.write_all(&part[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
