//! A causally consistent store of two PostgreSQL servers.
//!
//! Every site writes to its own outbox table, which logical replication copies to the other site; a trigger there applies each row to the
//! store. Applying every row gives causal memory: the sites may disagree for ever. Applying only rows that are newer, by timestamp and site, gives causal
//! convergence. The store decides which site sees what by switching subscriptions off and on.

use crate::connection::Connection;
use crate::server::Server;
use crate::variables::quoted;
use crate::{Failure, check_interrupt};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The time limit of a delivery.
const LIMIT: Duration = Duration::from_secs(60);

/// The promise of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Causal memory.
    Memory,
    /// Causal convergence.
    Convergence,
}

/// One of the two sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// The site whose writes are always delivered.
    A,
    /// The site whose writes can be held back.
    B,
}

impl Site {
    const fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }

    const fn index(self) -> usize {
        match self {
            Self::A => 0,
            Self::B => 1,
        }
    }

    const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// A read or a write of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreAccess {
    /// Reads a variable.
    Read(String),
    /// Writes a variable.
    Write(String, i64),
}

/// The store.
#[derive(Debug)]
pub struct Store {
    // Connections come first, so that they are closed before the servers are stopped.
    connections: [Connection; 2],
    servers: [Server; 2],
    /// The timestamp of the next transaction.
    clock: u64,
    /// Whether the writes of B are held back.
    held: bool,
}

impl Store {
    /// Starts two servers with these variables and values.
    pub fn start(mode: Mode, variables: &[(String, i64)], interrupt: &AtomicBool) -> Result<Self, Failure> {
        let servers = [Server::start(interrupt)?, Server::start(interrupt)?];
        let connections = [servers[0].connect()?, servers[1].connect()?];
        let mut store = Self { connections, servers, clock: 1, held: false };
        for site in [Site::A, Site::B] {
            store.prepare(site, mode, variables)?;
        }
        for site in [Site::A, Site::B] {
            store.subscribe(site)?;
        }
        Ok(store)
    }

    fn on(&mut self, site: Site) -> &mut Connection {
        &mut self.connections[site.index()]
    }

    fn prepare(&mut self, site: Site, mode: Mode, variables: &[(String, i64)]) -> Result<(), Failure> {
        let newer = match mode {
            Mode::Memory => "",
            Mode::Convergence => " AND (ts, site) < (NEW.ts, NEW.site)",
        };
        let on = self.on(site);
        on.run("CREATE TABLE public.store (name text PRIMARY KEY, value bigint, ts bigint, site text)")?;
        for (name, value) in variables {
            on.run(&format!("INSERT INTO public.store VALUES ({}, {value}, 0, '')", quoted(Some(name))))?;
        }
        // The process that applies rows has an empty search path, so all names are qualified.
        on.run(&format!(
            "CREATE FUNCTION public.apply() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             UPDATE public.store SET value = NEW.value, ts = NEW.ts, site = NEW.site WHERE name = NEW.name{newer}; RETURN NEW; END $$"
        ))?;
        for outbox in ["a", "b"] {
            on.run(&format!(
                "CREATE TABLE public.outbox_{outbox} (id bigint PRIMARY KEY, name text, value bigint, ts bigint, site text)"
            ))?;
            on.run(&format!(
                "CREATE TRIGGER apply_{outbox} AFTER INSERT ON public.outbox_{outbox} FOR EACH ROW EXECUTE FUNCTION public.apply()"
            ))?;
            on.run(&format!("ALTER TABLE public.outbox_{outbox} ENABLE ALWAYS TRIGGER apply_{outbox}"))?;
        }
        let name = site.name();
        on.run(&format!("CREATE PUBLICATION from_{name} FOR TABLE public.outbox_{name}"))?;
        Ok(())
    }

    /// Subscribes a site to the other one.
    fn subscribe(&mut self, site: Site) -> Result<(), Failure> {
        let other = site.other();
        let directory = self.servers[other.index()].directory().display().to_string();
        let name = other.name();
        let from = format!("host={directory} port=5432 user=postgres dbname=postgres");
        let statement = format!(
            "CREATE SUBSCRIPTION from_{name} CONNECTION {} PUBLICATION from_{name} WITH (copy_data = false)",
            quoted(Some(&from))
        );
        self.on(site).run(&statement).map(drop)
    }

    /// From now on, A does not see what B writes.
    pub fn hold(&mut self) -> Result<(), Failure> {
        self.held = true;
        self.on(Site::A).run("ALTER SUBSCRIPTION from_b DISABLE")?;
        // The worker process ends a little later.
        let until = Instant::now() + LIMIT;
        loop {
            let alive = self
                .on(Site::A)
                .run("SELECT 1 FROM pg_stat_subscription WHERE subname = 'from_b' AND pid IS NOT NULL")?;
            if alive.rows.is_empty() {
                return Ok(());
            }
            if Instant::now() > until {
                return Err(Failure::Server("the subscription does not end".to_owned()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Delivers everything to A again.
    pub fn release(&mut self, interrupt: &AtomicBool) -> Result<(), Failure> {
        if std::mem::replace(&mut self.held, false) {
            self.on(Site::A).run("ALTER SUBSCRIPTION from_b ENABLE")?;
        }
        self.deliver(interrupt)
    }

    /// Runs a transaction at a site, and delivers what is not held back. Returns the values that were read.
    pub fn transaction(
        &mut self,
        site: Site,
        accesses: &[StoreAccess],
        interrupt: &AtomicBool,
    ) -> Result<Vec<i64>, Failure> {
        self.clock += 1;
        let clock = self.clock;
        let name = site.name();
        let mut values = Vec::new();
        self.on(site).run("BEGIN ISOLATION LEVEL REPEATABLE READ")?;
        for (number, access) in accesses.iter().enumerate() {
            match access {
                StoreAccess::Read(variable) => {
                    let query = format!("SELECT value FROM public.store WHERE name = {}", quoted(Some(variable)));
                    let reply = self.on(site).run(&query)?;
                    let value = reply.rows.first().and_then(|row| row.first().cloned().flatten());
                    values.push(value.and_then(|value| value.parse().ok()).unwrap_or_default());
                }
                StoreAccess::Write(variable, value) => {
                    let id = clock * 1_000 + number as u64;
                    let variable = quoted(Some(variable));
                    let insert = format!(
                        "INSERT INTO public.outbox_{name} VALUES ({id}, {variable}, {value}, {clock}, '{name}')"
                    );
                    self.on(site).run(&insert)?;
                }
            }
        }
        self.on(site).run("COMMIT")?;
        self.deliver(interrupt)?;
        Ok(values)
    }

    /// Waits until everything that is not held back has arrived.
    fn deliver(&mut self, interrupt: &AtomicBool) -> Result<(), Failure> {
        self.arrived(Site::A, Site::B, interrupt)?;
        if self.held { Ok(()) } else { self.arrived(Site::B, Site::A, interrupt) }
    }

    fn arrived(&mut self, from: Site, to: Site, interrupt: &AtomicBool) -> Result<(), Failure> {
        let count = format!("SELECT count(*) FROM public.outbox_{}", from.name());
        let sent = self.on(from).run(&count)?.rows;
        let until = Instant::now() + LIMIT;
        while self.on(to).run(&count)?.rows != sent {
            check_interrupt(interrupt)?;
            if Instant::now() > until {
                return Err(Failure::Server("nothing is replicated".to_owned()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// The variables at a site, in the order of their names.
    pub fn values(&mut self, site: Site) -> Result<Vec<(String, i64)>, Failure> {
        let reply = self.on(site).run("SELECT name, value FROM public.store ORDER BY name")?;
        let row = |row: Vec<Option<String>>| {
            let mut columns = row.into_iter().flatten();
            Some((columns.next()?, columns.next()?.parse().ok()?))
        };
        Ok(reply.rows.into_iter().filter_map(row).collect())
    }
}
