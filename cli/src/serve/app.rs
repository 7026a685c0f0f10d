//! The state that all requests of a server share: keys, limits, the catalog of games, tables, bots and open recorded games.

use super::address_counts::AddressCounts;
use super::answers::{Refusal, key_of};
use super::bots::BotPool;
use super::catalog::Catalog;
use super::keys::Key;
use super::limits::Limits;
use super::open_replays::OpenReplays;
use super::saved::Store;
use super::table_handle::{Access, TableHandle};
use super::workbench::folder::Bench;
use axum::http::{HeaderMap, StatusCode};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What all requests share.
pub struct App {
    /// The key of the host.
    pub host_key: Key,
    /// Further names of this host.
    pub hosts: Vec<String>,
    /// Whether others in the network can connect.
    pub lan: bool,
    /// Addresses at which others reach it.
    pub addresses: Vec<String>,
    /// The name of the pack.
    pub pack: String,
    /// The limits.
    pub limits: Limits,
    /// What can be played.
    pub catalog: Catalog,
    /// The folder of the workbench.
    pub bench: Option<Arc<Bench>>,
    /// The number of editors that are connected.
    pub editors: AtomicUsize,
    /// Where bots think.
    pub bots: BotPool,
    /// The files of the server.
    pub store: Store,
    /// Receives reports of failures.
    pub report: fn(&str),
    /// The tables by name.
    pub tables: Mutex<BTreeMap<String, Arc<TableHandle>>>,
    /// The sockets of each address.
    pub sockets: Arc<AddressCounts>,
    /// The connections of each address.
    pub connections: Arc<AddressCounts>,
    /// The recorded games that are open.
    pub replays: OpenReplays,
}

impl App {
    fn lock_tables(&self) -> MutexGuard<'_, BTreeMap<String, Arc<TableHandle>>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All tables, by name.
    pub fn all_tables(&self) -> Vec<Arc<TableHandle>> {
        self.lock_tables().values().cloned().collect()
    }

    /// The table of a name.
    pub fn find_table(&self, name: &str) -> Option<Arc<TableHandle>> {
        self.lock_tables().get(name).cloned()
    }

    /// Adds a table.
    ///
    /// # Errors
    /// In words: there are too many, or one of the same name.
    pub fn add_table(&self, table: &Arc<TableHandle>) -> Result<(), String> {
        let mut tables = self.lock_tables();
        if tables.len() >= self.limits.tables {
            return Err(format!("the server has {} tables, which is its limit", tables.len()));
        }
        if tables.contains_key(&table.name) {
            return Err(format!("there is a table {} already", table.name));
        }
        tables.insert(table.name.clone(), Arc::clone(table));
        Ok(())
    }

    /// Whether tables release the caches of their games while they wait.
    pub fn has_many_tables(&self) -> bool {
        self.lock_tables().len() > self.limits.warm_tables
    }

    /// Removes a table.
    pub fn forget(&self, name: &str) {
        self.lock_tables().remove(name);
    }

    /// What a key opens. The key of the host watches the table of a name.
    pub fn find_by_key(&self, table: &str, key: Key) -> Option<(Arc<TableHandle>, Access)> {
        if key == self.host_key {
            return Some((self.find_table(table)?, Access::Watch));
        }
        let tables = self.all_tables();
        tables.into_iter().find_map(|table| table.access(key).map(|access| (table, access)))
    }

    /// Refuses a request without the key of the host.
    ///
    /// # Errors
    /// The refusal.
    pub fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let words = "this needs the key of the host; open the link that the program has printed";
        let refused = || Refusal(StatusCode::UNAUTHORIZED, words.into());
        key_of(headers).filter(|key| *key == self.host_key).map(drop).ok_or_else(refused)
    }
}
