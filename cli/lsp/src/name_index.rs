//! Index of names: the occurrences of names in each part, in text order, with their syntactic roles.
//!
//! Cache of [`collect_names`]. Key: the number of a part. Value: its names. A part never changes and its number is not reused, so an
//! entry is valid while the part exists. After [`NameIndex::mark_stale`] the next lookup drops the entries of removed parts. A miss costs
//! one walk over the item.

use fizzle_compiler::session::{Session, SourceStore};
use fizzle_grammar::ast::{Item, Name, Path};
use fizzle_grammar::visit::{self, DeclKind, NameRole, Visitor};
use smol_str::SmolStr;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An occurrence of a name in a part.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// Its first byte, relative to the part.
    pub start: u32,
    /// One past its last byte, quotes included.
    pub end: u32,
    /// The name without quotes.
    pub text: SmolStr,
    /// How the name is used.
    pub use_: NameUse,
}

/// How an occurrence uses its name.
#[derive(Clone, Debug)]
pub enum NameUse {
    /// A name that is not local. Parameters of the actions in `events` are also in scope.
    Role {
        /// The syntactic role.
        role: NameRole,
        /// The verbs of the enclosing event patterns, innermost first.
        events: Rc<[SmolStr]>,
    },
    /// A local name, bound by the occurrence with this index in the part. The binding occurrence has its own index.
    Local(usize),
    /// A parameter of the action that the part declares.
    Parameter {
        /// The declared action.
        action: SmolStr,
        /// Whether this occurrence declares the parameter.
        declares: bool,
    },
    /// The declaration of the phase or step with this path.
    Period(SmolStr),
    /// One part of a path.
    Path {
        /// All parts of the path up to this one.
        parts: Rc<[SmolStr]>,
        /// The number of parts of the whole path.
        whole: usize,
    },
}

impl Occurrence {
    /// Whether the occurrence declares or binds its name. `index` is its own index in the part.
    pub fn declares(&self, index: usize) -> bool {
        match &self.use_ {
            NameUse::Role { role, .. } => matches!(role, NameRole::Declares(_)),
            NameUse::Local(binding) => *binding == index,
            NameUse::Parameter { declares, .. } => *declares,
            NameUse::Period(_) => true,
            NameUse::Path { .. } => false,
        }
    }
}

/// The occurrences of a part, in text order.
pub type Names = Rc<Vec<Occurrence>>;

/// Cache of the names of each part; see the module documentation.
#[derive(Debug, Default)]
pub struct NameIndex {
    names_by_part: RefCell<BTreeMap<u32, Names>>,
    is_stale: RefCell<bool>,
}

impl NameIndex {
    /// Notes that the session changed: the next lookup drops the entries of removed parts.
    pub fn mark_stale(&self) {
        self.is_stale.replace(true);
    }

    /// The names of a part, cached.
    pub fn names_in_part(&self, store: &SourceStore, part: u32) -> Names {
        let mut cached = self.names_by_part.borrow_mut();
        if self.is_stale.replace(false) {
            cached.retain(|part, _| store.item_source(*part).is_some());
        }
        if let Some(names) = cached.get(&part) {
            return Rc::clone(names);
        }
        let item = store.item_source(part).and_then(|part| part.item.as_ref());
        let names = Rc::new(item.map(collect_names).unwrap_or_default());
        cached.insert(part, Rc::clone(&names));
        names
    }

    /// The name at a byte of a file: the part, its names, and the index of the name. A byte just after a name also counts as on it.
    pub fn name_at(&self, session: &Session, file: usize, byte: u32) -> Option<(u32, Names, usize)> {
        let (part, byte) = session.store().item_at(file, byte)?;
        let names = self.names_in_part(session.store(), part);
        let on = |name: &Occurrence| name.start <= byte && byte < name.end;
        let behind = |name: &Occurrence| name.end == byte;
        let found = names.iter().position(on).or_else(|| names.iter().position(behind))?;
        Some((part, names, found))
    }
}

/// Collects all names of an item, in text order.
pub fn collect_names(item: &Item) -> Vec<Occurrence> {
    let mut collector = NameCollector { no_events: Rc::from([]), ..NameCollector::default() };
    collector.scopes.push(Scope::default());
    visit::item(item, &mut collector);
    let mut found = collector.occurrences;
    // The visitor does not always follow the text order. After sorting, the indices of bindings are translated.
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|index| found.get(*index).map_or((0, 0), |name| (name.start, name.end)));
    let mut new_index = vec![0; found.len()];
    for (new, old) in order.iter().enumerate() {
        if let Some(place) = new_index.get_mut(*old) {
            *place = new;
        }
    }
    for name in &mut found {
        if let NameUse::Local(binding) = &mut name.use_ {
            *binding = new_index.get(*binding).copied().unwrap_or(*binding);
        }
    }
    order.into_iter().filter_map(|index| found.get(index).cloned()).collect()
}

#[derive(Default)]
struct Scope {
    /// Local names, each with the use that refers to its binding.
    bound: Vec<(SmolStr, NameUse)>,
    events: Vec<SmolStr>,
    /// The path of a phase or step. Such an entry is not a scope of names.
    period: Option<SmolStr>,
}

#[derive(Default)]
struct NameCollector {
    occurrences: Vec<Occurrence>,
    scopes: Vec<Scope>,
    declared_action: Option<SmolStr>,
    no_events: Rc<[SmolStr]>,
}

impl NameCollector {
    fn add(&mut self, name: &Name, use_: NameUse) {
        self.occurrences.push(Occurrence { start: name.span.start, end: name.span.end, text: name.text.clone(), use_ });
    }

    fn bind(&mut self, name: &Name, use_: NameUse) {
        if let Some(scope) = self.scopes.iter_mut().rev().find(|scope| scope.period.is_none()) {
            scope.bound.push((name.text.clone(), use_));
        }
    }

    fn local(&self, word: &str) -> Option<NameUse> {
        let bound = self.scopes.iter().rev().flat_map(|scope| scope.bound.iter().rev());
        bound.into_iter().find(|(name, _)| name == word).map(|(_, use_)| match use_ {
            NameUse::Parameter { action, .. } => NameUse::Parameter { action: action.clone(), declares: false },
            other => other.clone(),
        })
    }

    fn events(&self) -> Rc<[SmolStr]> {
        if self.scopes.iter().all(|scope| scope.events.is_empty()) {
            return Rc::clone(&self.no_events);
        }
        self.scopes.iter().rev().flat_map(|scope| scope.events.iter().rev().cloned()).collect()
    }
}

impl Visitor for NameCollector {
    fn name(&mut self, role: NameRole, name: &Name) {
        let at = self.occurrences.len();
        match role {
            NameRole::Binds => {
                self.add(name, NameUse::Local(at));
                self.bind(name, NameUse::Local(at));
            }
            NameRole::Parameter => {
                let use_ = match &self.declared_action {
                    Some(action) if self.scopes.len() == 2 => NameUse::Parameter { action: action.clone(), declares: true },
                    _ => NameUse::Local(at),
                };
                self.add(name, use_.clone());
                self.bind(name, use_);
            }
            NameRole::Word | NameRole::Called | NameRole::Quoted => {
                let use_ = self.local(&name.text).unwrap_or_else(|| NameUse::Role { role, events: self.events() });
                self.add(name, use_);
            }
            _ => {
                if let NameRole::Declares(DeclKind::Action) | NameRole::Replaces(DeclKind::Action) = role {
                    self.declared_action = Some(name.text.clone());
                } else if let NameRole::Declares(_) | NameRole::Replaces(_) = role {
                    self.declared_action = None;
                }
                self.add(name, NameUse::Role { role, events: Rc::clone(&self.no_events) });
            }
        }
    }

    fn path(&mut self, path: &Path) {
        let all: Vec<SmolStr> = path.parts.iter().map(|part| part.text.clone()).collect();
        for (index, part) in path.parts.iter().enumerate() {
            let parts: Rc<[SmolStr]> = all.iter().take(index + 1).cloned().collect();
            self.add(part, NameUse::Path { parts, whole: all.len() });
        }
    }

    fn period(&mut self, name: &Name) {
        let parent = self.scopes.iter().rev().find_map(|scope| scope.period.clone()).unwrap_or_else(|| SmolStr::new("turn"));
        let path = SmolStr::new(format!("{parent}.{}", name.text));
        self.add(name, NameUse::Period(path.clone()));
        self.scopes.push(Scope { period: Some(path), ..Scope::default() });
    }

    fn enter(&mut self) {
        self.scopes.push(Scope::default());
    }

    fn event(&mut self, verb: &Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.events.push(verb.text.clone());
        }
    }

    fn leave(&mut self) {
        self.scopes.pop();
    }
}
