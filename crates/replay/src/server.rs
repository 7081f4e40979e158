//! A PostgreSQL server in a temporary directory.

use crate::connection::Connection;
use crate::{Failure, check_interrupt};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The time limit for starting a server.
const START_LIMIT: Duration = Duration::from_secs(90);

/// Makes a cluster and starts the server. When its standard input is closed, which also happens when this process is killed, it stops the server and removes everything.
const SUPERVISOR: &str = r#"
if "$1/initdb" --auth=trust --username=postgres --no-sync --locale=C --encoding=UTF8 -D "$2/data" >"$2/log" 2>&1 </dev/null; then
    "$1/postgres" -D "$2/data" -c unix_socket_directories="$2" -c listen_addresses= -c fsync=off -c wal_level=logical \
        -c wal_retrieve_retry_interval=100ms -c max_connections=40 -c shared_buffers=16MB -c log_min_messages=error >"$2/log" 2>&1 </dev/null &
    server=$!
else
    touch "$2/failed"
fi
read -r _
# A server that has just been started does not listen to signals yet, so one may not be enough.
while [ -n "$server" ] && kill -QUIT $server 2>/dev/null; do sleep 0.1; done
rm -rf "$2"
"#;

/// A running server. It is stopped and removed when this is dropped.
#[derive(Debug)]
pub struct Server {
    supervisor: Child,
    directory: Option<TempDir>,
    path: PathBuf,
}

/// The user who runs the server: PostgreSQL refuses to run as root.
#[derive(Clone, Copy)]
struct User {
    uid: u32,
    gid: u32,
}

impl Server {
    /// Makes a database cluster and starts it.
    pub fn start(interrupt: &AtomicBool) -> Result<Self, Failure> {
        let programs = find_programs().ok_or(Failure::NotInstalled)?;
        let directory = TempDir::with_prefix("steadfast-postgres-")?;
        let path = directory.path().to_owned();
        let user = user_for(&path)?;
        if let Some(user) = user {
            chown(&path, Some(user.uid), Some(user.gid))?;
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700))?;
        let mut supervisor = command("sh", &path, user);
        supervisor.args(["-c", SUPERVISOR, "supervisor"]).arg(&programs).arg(&path);
        // A Ctrl-C at the terminal must not reach the server; it is stopped when we are done.
        let supervisor =
            supervisor.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn()?;
        let server = Self { supervisor, directory: Some(directory), path };
        server.wait_until_ready(interrupt)?;
        Ok(server)
    }

    /// The socket of the server.
    pub fn socket(&self) -> PathBuf {
        self.path.join(".s.PGSQL.5432")
    }

    /// The directory of the socket, for connection strings.
    pub fn directory(&self) -> &Path {
        &self.path
    }

    /// Opens a session.
    pub fn connect(&self) -> Result<Connection, Failure> {
        Connection::open(&self.socket())
    }

    fn wait_until_ready(&self, interrupt: &AtomicBool) -> Result<(), Failure> {
        let until = Instant::now() + START_LIMIT;
        loop {
            check_interrupt(interrupt)?;
            match self.connect() {
                Ok(_) => return Ok(()),
                Err(_) if self.path.join("failed").exists() => return Err(self.refusal("initdb failed")),
                Err(error) if Instant::now() > until => {
                    return Err(self.refusal(&format!("the server does not start: {error}")));
                }
                Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }

    /// An error with the last lines of the log.
    fn refusal(&self, what: &str) -> Failure {
        let log = fs::read_to_string(self.path.join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        Failure::Server(format!("{what}; {}", lines[lines.len().saturating_sub(5)..].join("; ")))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut input) = self.supervisor.stdin.take() {
            let _ = input.write_all(b"\n");
        }
        let _ = self.supervisor.wait();
        // The supervisor has removed most of the directory; this removes the rest.
        drop(self.directory.take());
    }
}

/// A command that runs in the directory, as the server's user.
fn command(program: impl AsRef<std::ffi::OsStr>, directory: &Path, user: Option<User>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory).env("LC_ALL", "C").env_remove("PGDATA").env_remove("PGPORT");
    if let Some(User { uid, gid }) = user {
        command.uid(uid).gid(gid);
    }
    command
}

/// The user who must run the server; none if we are not root. Directories that root makes belong to root.
fn user_for(directory: &Path) -> Result<Option<User>, Failure> {
    if fs::metadata(directory)?.uid() != 0 {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let find = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut numbers = line.split(':').skip(2).map(str::parse);
        Some(User { uid: numbers.next()?.ok()?, gid: numbers.next()?.ok()? })
    };
    let found = find("postgres").or_else(|| find("nobody"));
    found.map(Some).ok_or_else(|| {
        Failure::Server("PostgreSQL does not run as root, and there is no user `postgres` or `nobody`".to_owned())
    })
}

/// The directory of PostgreSQL's programs: from `PATH`, or the newest of Debian's.
pub fn find_programs() -> Option<PathBuf> {
    let complete = |directory: &PathBuf| directory.join("initdb").is_file() && directory.join("postgres").is_file();
    let path = std::env::var_os("PATH").unwrap_or_default();
    if let Some(found) = std::env::split_paths(&path).find(complete) {
        return Some(found);
    }
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let mut versions: Vec<PathBuf> = versions.collect();
    let number =
        |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u32>().ok());
    versions.sort_by_key(number);
    versions.into_iter().rev().map(|version| version.join("bin")).find(complete)
}
