//! A client of PostgreSQL: the simple query protocol over a Unix socket. <https://www.postgresql.org/docs/15/protocol.html>

use crate::Failure;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// The time limit of a query that waits for no lock.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// The maximum length of a message.
const MOST_BYTES: usize = 64 << 20;

/// An error that the server reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    /// The kind of error, as five characters: 40001 is a serialization failure, 40P01 a deadlock.
    pub code: String,
    /// The message.
    pub message: String,
}

impl SqlError {
    /// Whether the server gave up a transaction because of what other transactions do: a serialization failure or a deadlock.
    pub fn is_conflict(&self) -> bool {
        matches!(self.code.as_str(), "40001" | "40P01")
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (SQLSTATE {})", self.message, self.code)
    }
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Reply {
    /// The rows; `None` is NULL.
    pub rows: Vec<Vec<Option<String>>>,
    /// What was done, such as `UPDATE 1`.
    pub tag: String,
}

/// A session with a server.
#[derive(Debug)]
pub struct Connection {
    stream: UnixStream,
    /// The bytes that have arrived and are not decoded yet.
    buffer: Vec<u8>,
    /// The answer so far.
    reply: Reply,
    error: Option<SqlError>,
    /// The server process of this session.
    pid: u32,
}

impl Connection {
    /// Connects to the server behind a socket as its superuser.
    pub fn open(socket: &Path) -> Result<Self, Failure> {
        let stream = UnixStream::connect(socket)?;
        let mut connection = Self { stream, buffer: Vec::new(), reply: Reply::default(), error: None, pid: 0 };
        let mut startup = 196_608_u32.to_be_bytes().to_vec();
        startup.extend(b"user\0postgres\0database\0postgres\0application_name\0steadfast\0\0");
        connection.send_raw(&startup)?;
        match connection.wait(TIME_LIMIT)? {
            Some(Ok(_)) => Ok(connection),
            Some(Err(error)) => Err(Failure::Server(error.to_string())),
            None => Err(Failure::Server("the server does not answer".to_owned())),
        }
    }

    /// The server process of this session.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Sends a query without waiting for the answer.
    pub fn send(&mut self, query: &str) -> Result<(), Failure> {
        let query = query.replace('\0', "");
        let mut message = b"Q".to_vec();
        message.extend((query.len() as u32 + 5).to_be_bytes());
        message.extend(query.as_bytes());
        message.push(0);
        Ok(self.stream.write_all(&message)?)
    }

    /// Waits for the answer, up to a limit.
    pub fn wait(&mut self, limit: Duration) -> Result<Option<Result<Reply, SqlError>>, Failure> {
        let until = Instant::now() + limit;
        loop {
            while let Some((kind, body)) = self.message() {
                if self.take(kind, &body) {
                    let reply = std::mem::take(&mut self.reply);
                    return Ok(Some(self.error.take().map_or(Ok(reply), Err)));
                }
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.receive(left)?;
        }
    }

    /// Sends a query and waits for its answer.
    pub fn query(&mut self, query: &str) -> Result<Result<Reply, SqlError>, Failure> {
        self.send(query)?;
        self.wait(TIME_LIMIT)?.ok_or_else(|| Failure::Server(format!("the server does not answer: {query}")))
    }

    /// The same for a query that must succeed.
    pub fn run(&mut self, query: &str) -> Result<Reply, Failure> {
        self.query(query)?.map_err(|error| Failure::Setup(query.to_owned(), error))
    }

    fn send_raw(&mut self, body: &[u8]) -> Result<(), Failure> {
        let mut message = (body.len() as u32 + 4).to_be_bytes().to_vec();
        message.extend(body);
        Ok(self.stream.write_all(&message)?)
    }

    fn receive(&mut self, limit: Duration) -> Result<(), Failure> {
        self.stream.set_read_timeout(Some(limit.max(Duration::from_millis(1))))?;
        let mut bytes = [0; 8192];
        match self.stream.read(&mut bytes) {
            Ok(0) => Err(Failure::Server("the server closed the connection".to_owned())),
            Ok(length) => {
                self.buffer.extend(&bytes[..length]);
                Ok(())
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) =>
            {
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The next complete message.
    fn message(&mut self) -> Option<(u8, Vec<u8>)> {
        let header = self.buffer.get(..5)?;
        let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]) as usize;
        let length = length.clamp(4, MOST_BYTES);
        if self.buffer.len() < length + 1 {
            return None;
        }
        let kind = self.buffer[0];
        let body = self.buffer[5..=length].to_vec();
        self.buffer.drain(..=length);
        Some((kind, body))
    }

    /// Processes a message. Returns whether the server is ready for the next query.
    fn take(&mut self, kind: u8, body: &[u8]) -> bool {
        match kind {
            b'D' => self.reply.rows.push(row(body)),
            b'C' => self.reply.tag = text(body),
            b'E' => self.error = Some(error(body)),
            b'K' => self.pid = number(body, 0).unwrap_or(0),
            b'Z' => return true,
            // Only trust authentication is supported: a server that asks for a password is not ours.
            b'R' if number(body, 0) != Some(0) => {
                self.error =
                    Some(SqlError { code: "28000".to_owned(), message: "the server wants a password".to_owned() });
                return true;
            }
            _ => {}
        }
        false
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // The server would also notice that the socket is closed; this ends the session properly.
        let _ = self.stream.write_all(&[b'X', 0, 0, 0, 4]);
    }
}

fn number(body: &[u8], at: usize) -> Option<u32> {
    let bytes = body.get(at..at + 4)?;
    Some(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

fn text(body: &[u8]) -> String {
    let end = body.iter().position(|&byte| byte == 0).unwrap_or(body.len());
    String::from_utf8_lossy(&body[..end]).into_owned()
}

fn row(body: &[u8]) -> Vec<Option<String>> {
    let mut columns = Vec::new();
    let mut at = 2;
    while let Some(length) = number(body, at) {
        at += 4;
        if length == u32::MAX {
            columns.push(None);
            continue;
        }
        let end = (at + length as usize).min(body.len());
        columns.push(Some(String::from_utf8_lossy(&body[at..end]).into_owned()));
        at = end;
    }
    columns
}

fn error(body: &[u8]) -> SqlError {
    let mut found = SqlError { code: String::new(), message: String::new() };
    for field in body.split(|&byte| byte == 0) {
        match field.split_first() {
            Some((b'C', rest)) => found.code = String::from_utf8_lossy(rest).into_owned(),
            Some((b'M', rest)) => found.message = String::from_utf8_lossy(rest).into_owned(),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_taken_apart() {
        assert_eq!(row(&[0, 2, 0, 0, 0, 1, b'7', 255, 255, 255, 255]), [Some("7".to_owned()), None]);
        let found = error(b"SERROR\0C40001\0Mcould not serialize\0\0");
        assert_eq!(found.to_string(), "could not serialize (SQLSTATE 40001)");
        // A message that is cut off is not an error.
        assert_eq!(row(&[0, 1, 0, 0, 0, 9, b'x']), [Some("x".to_owned())]);
    }
}
