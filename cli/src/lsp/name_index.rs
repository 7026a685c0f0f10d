//! Where names stand: the names of each part in order, with what they can mean there, found once for each text of a part.

use fizzle_compiler::session::{Session, SourceStore};
use fizzle_grammar::ast::{Item, Name, Path};
use fizzle_grammar::visit::{self, DeclKind, NameRole, Visitor};
use smol_str::SmolStr;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A name in a part.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// Its first byte in the part.
    pub start: u32,
    /// One past its last byte, quotes included.
    pub end: u32,
    /// Without quotes.
    pub text: SmolStr,
    /// What it does.
    pub use_: NameUse,
}

/// What a name does where it stands.
#[derive(Clone, Debug)]
pub enum NameUse {
    /// It has a role, for the whole game; `events` are the verbs whose parameters have names here, innermost first.
    Role {
        /// Which.
        role: NameRole,
        /// The verbs.
        events: Rc<[SmolStr]>,
    },
    /// The local name that is bound by this occurrence of the part.
    Local(usize),
    /// A parameter of the action that is declared here.
    Parameter {
        /// The action.
        action: SmolStr,
        /// It is declared here.
        declares: bool,
    },
    /// A phase or step of this path is declared.
    Span(SmolStr),
    /// A part of a path.
    Path {
        /// All parts up to this one.
        parts: Rc<[SmolStr]>,
        /// How many parts the whole path has.
        whole: usize,
    },
}

impl Occurrence {
    /// Whether something is declared or bound here.
    pub fn declares(&self, index: usize) -> bool {
        match &self.use_ {
            NameUse::Role { role, .. } => matches!(role, NameRole::Declares(_)),
            NameUse::Local(binding) => *binding == index,
            NameUse::Parameter { declares, .. } => *declares,
            NameUse::Span(_) => true,
            NameUse::Path { .. } => false,
        }
    }
}

/// The names of a part.
pub type Names = Rc<Vec<Occurrence>>;

/// The names of all parts that were asked for.
#[derive(Debug, Default)]
pub struct Index {
    parts: RefCell<BTreeMap<u32, Names>>,
    stale: RefCell<bool>,
}

impl Index {
    /// The session has changed.
    pub fn forget(&self) {
        self.stale.replace(true);
    }

    /// The names of a part.
    pub fn part(&self, store: &SourceStore, part: u32) -> Names {
        let mut known = self.parts.borrow_mut();
        if self.stale.replace(false) {
            known.retain(|part, _| store.part(*part).is_some());
        }
        if let Some(names) = known.get(&part) {
            return Rc::clone(names);
        }
        let item = store.part(part).and_then(|part| part.item.as_ref());
        let names = Rc::new(item.map(names_of).unwrap_or_default());
        known.insert(part, Rc::clone(&names));
        names
    }

    /// The name at a byte of a file: the part, its names, and which of them. At the end of a name counts as on it.
    pub fn at(&self, session: &Session, file: usize, byte: u32) -> Option<(u32, Names, usize)> {
        let (part, byte) = session.store().part_at(file, byte)?;
        let names = self.part(session.store(), part);
        let on = |name: &Occurrence| name.start <= byte && byte < name.end;
        let behind = |name: &Occurrence| name.end == byte;
        let found = names.iter().position(on).or_else(|| names.iter().position(behind))?;
        Some((part, names, found))
    }
}

/// All names of an item.
pub fn names_of(item: &Item) -> Vec<Occurrence> {
    let mut collector = Collector { empty: Rc::from([]), ..Collector::default() };
    collector.scopes.push(Scope::default());
    visit::item(item, &mut collector);
    let mut found = collector.found;
    // In the order of the text; bindings are referred to by number.
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|index| found.get(*index).map_or((0, 0), |name| (name.start, name.end)));
    let mut place = vec![0; found.len()];
    for (new, old) in order.iter().enumerate() {
        if let Some(place) = place.get_mut(*old) {
            *place = new;
        }
    }
    for name in &mut found {
        if let NameUse::Local(binding) = &mut name.use_ {
            *binding = place.get(*binding).copied().unwrap_or(*binding);
        }
    }
    order.into_iter().filter_map(|index| found.get(index).cloned()).collect()
}

#[derive(Default)]
struct Scope {
    /// Local names with the occurrence that binds them.
    bound: Vec<(SmolStr, NameUse)>,
    events: Vec<SmolStr>,
    /// A phase or step, not a scope of names.
    span: Option<SmolStr>,
}

#[derive(Default)]
struct Collector {
    found: Vec<Occurrence>,
    scopes: Vec<Scope>,
    action: Option<SmolStr>,
    empty: Rc<[SmolStr]>,
}

impl Collector {
    fn add(&mut self, name: &Name, use_: NameUse) {
        self.found.push(Occurrence { start: name.span.start, end: name.span.end, text: name.text.clone(), use_ });
    }

    fn bind(&mut self, name: &Name, use_: NameUse) {
        if let Some(scope) = self.scopes.iter_mut().rev().find(|scope| scope.span.is_none()) {
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
            return Rc::clone(&self.empty);
        }
        self.scopes.iter().rev().flat_map(|scope| scope.events.iter().rev().cloned()).collect()
    }
}

impl Visitor for Collector {
    fn name(&mut self, role: NameRole, name: &Name) {
        let at = self.found.len();
        match role {
            NameRole::Binds => {
                self.add(name, NameUse::Local(at));
                self.bind(name, NameUse::Local(at));
            }
            NameRole::Parameter => {
                let use_ = match &self.action {
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
                    self.action = Some(name.text.clone());
                } else if let NameRole::Declares(_) | NameRole::Replaces(_) = role {
                    self.action = None;
                }
                self.add(name, NameUse::Role { role, events: Rc::clone(&self.empty) });
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

    fn span(&mut self, name: &Name) {
        let parent = self.scopes.iter().rev().find_map(|scope| scope.span.clone()).unwrap_or_else(|| SmolStr::new("turn"));
        let path = SmolStr::new(format!("{parent}.{}", name.text));
        self.add(name, NameUse::Span(path.clone()));
        self.scopes.push(Scope { span: Some(path), ..Scope::default() });
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
