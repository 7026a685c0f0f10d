//! Actions that the texts of objects need (`needs` of an announcement policy): the first thing that a text does, and the choices that pick the
//! object of such an action. Computed from the code as it was compiled, so that a card pool changes nothing.

use crate::ir::op::{Binary, EventProposal};
use crate::ir::{ActionId, ChoiceSiteId, FnId, Format, Function, Library, Op, Reg};
use std::collections::BTreeMap;

/// How deep the bodies of actions are followed.
const MAX_DEPTH: usize = 8;

/// A needed action that a function proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NeededAction {
    /// The action.
    pub action: ActionId,
    /// Its arguments.
    pub args: Vec<NeededArg>,
    /// The choice that picks one of the arguments.
    pub site: Option<ChoiceSiteId>,
    /// Whether the function does nothing else before, under no condition but the agreement of a player.
    pub leads: bool,
    /// Whether it depends on the agreement of a player.
    pub optional: bool,
    /// The mode that begins with it: the choice of modes that the function does first, and the number of the mode.
    pub mode: Option<(ChoiceSiteId, u16)>,
}

/// An argument of a needed action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NeededArg {
    /// The object that the choice picks.
    Candidate,
    /// A parameter of the function, by its register.
    Parameter(Reg),
    /// A constant.
    Constant(i64),
    /// The value of a register that the function computes before it does anything.
    Computed(Reg),
    /// One after the other, the objects of a list that the function computes before it does anything; or some of them, taken at random.
    Each(Reg),
    /// The opponent of the player of the text.
    Opponent,
    /// What another choice picks: known if there is one candidate.
    Picked(ChoiceSiteId),
    /// It is not known before the function runs.
    Unknown,
}

/// The needed actions of a format's texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct NeededActions {
    /// By the choice that picks their object.
    sites: BTreeMap<u32, Vec<NeededAction>>,
    /// By the function that begins with them.
    functions: BTreeMap<u32, Vec<NeededAction>>,
    /// By the choice of modes that a function begins with: those that each mode begins with.
    modes: BTreeMap<u32, Vec<NeededAction>>,
    /// The choice of modes that a function begins with.
    mode_sites: BTreeMap<u32, ChoiceSiteId>,
}

impl NeededActions {
    pub(crate) fn of(library: &Library, format: &Format) -> Self {
        let mut found = Self::default();
        if format.announce.needs.is_empty() {
            return found;
        }
        let of_action = needs_of_actions(library, format);
        for (number, function) in library.functions.numbered() {
            for need in needs_of(function, &of_action) {
                if let Some(site) = need.site {
                    found.sites.entry(site.0).or_default().push(need.clone());
                }
                if let Some((modes, _)) = need.mode {
                    found.mode_sites.insert(number as u32, modes);
                    found.modes.entry(modes.0).or_default().push(need);
                } else if need.leads {
                    found.functions.entry(number as u32).or_default().push(need);
                }
            }
        }
        found
    }

    /// Returns the needed actions whose object a choice picks.
    #[inline]
    pub(crate) fn of_site(&self, site: ChoiceSiteId) -> &[NeededAction] {
        self.sites.get(&site.0).map_or(&[], Vec::as_slice)
    }

    /// Returns the needed actions that a function begins with.
    #[inline]
    pub(crate) fn of_function(&self, function: FnId) -> &[NeededAction] {
        self.functions.get(&function.0).map_or(&[], Vec::as_slice)
    }

    /// Returns the choice of modes that a function begins with, if a mode begins with a needed action.
    #[inline]
    pub(crate) fn modes_of_function(&self, function: FnId) -> Option<ChoiceSiteId> {
        self.mode_sites.get(&function.0).copied()
    }

    /// Returns the needed actions that a mode begins with.
    pub(crate) fn of_mode(&self, modes: ChoiceSiteId, mode: u16) -> impl Iterator<Item = &NeededAction> {
        self.modes.get(&modes.0).into_iter().flatten().filter(move |need| need.mode == Some((modes, mode)))
    }
}

/// The needed actions that an event of each action begins with. Arguments are by the registers of the action's body.
fn needs_of_actions(library: &Library, format: &Format) -> Vec<Vec<NeededAction>> {
    let is_needed = |action: usize| {
        let mut ancestors = std::iter::successors(Some(action), |at| Some(format.actions.get(*at)?.parent?.index())).take(64);
        ancestors.any(|at| format.announce.needs.iter().any(|needed| needed.index() == at))
    };
    let itself = |action: usize| NeededAction {
        action: ActionId(action as u32),
        args: (0..format.actions.get(action).map_or(0, |it| it.params.len()))
            .map(|n| NeededArg::Parameter(n as Reg + 2))
            .collect(),
        site: None,
        leads: true,
        optional: false,
        mode: None,
    };
    let mut known: Vec<Vec<NeededAction>> =
        (0..format.actions.len()).map(|action| if is_needed(action) { vec![itself(action)] } else { Vec::new() }).collect();
    for _ in 0..MAX_DEPTH {
        let of_body = |(number, action): (usize, &crate::ir::Action)| {
            let body = action.body.and_then(|body| library.functions.get(body.index())).filter(|_| !is_needed(number));
            body.map_or_else(
                || known.get(number).cloned().unwrap_or_default(),
                |body| needs_of(body, &known).into_iter().filter(is_passed_on).map(with_unknown_values).collect(),
            )
        };
        let next: Vec<Vec<NeededAction>> = format.actions.iter().enumerate().map(of_body).collect();
        if next == known {
            break;
        }
        known = next;
    }
    known
}

/// Whether what an action needs is needed where it is proposed.
fn is_passed_on(need: &NeededAction) -> bool {
    need.leads && need.site.is_none() && !need.optional && need.mode.is_none()
}

/// Values that the body of an action computes are not known where the action is proposed.
fn with_unknown_values(mut need: NeededAction) -> NeededAction {
    for arg in need.args.iter_mut().filter(|arg| is_computed_later(arg)) {
        *arg = NeededArg::Unknown;
    }
    need
}

/// What a register of a function holds, as far as it is known before the function runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// A value that does not depend on a choice.
    Value(NeededArg),
    /// The objects that a choice picks, or one of them.
    Picked(ChoiceSiteId),
    /// A value that pure operations compute from parameters and constants.
    Computed(Reg),
    /// Objects of a list that is computed so, taken at random, or one of them.
    Random(Reg),
    /// The modes that a choice picks, or one of them.
    Modes(ChoiceSiteId),
    /// Whether a mode was picked.
    IsMode(ChoiceSiteId, u16),
}

/// Returns the needed actions that a function proposes, from those of each action.
fn needs_of(function: &Function, of_action: &[Vec<NeededAction>]) -> Vec<NeededAction> {
    let proposes =
        |op: &Op| matches!(op, Op::Propose { events, .. } if events.iter().any(|event| !needs_in(of_action, event).is_empty()));
    if !function.ops.iter().any(proposes) {
        return Vec::new();
    }
    let held = held_values(function);
    let held_in = |reg: &Reg| held.get(usize::from(*reg)).copied();
    let mut found: Vec<NeededAction> = Vec::new();
    let (mut leads, mut optional, mut answer) = (true, false, None);
    // The branches that were passed, and how many before each choice: what is done in a branch after it is not needed by the choice.
    let mut branches = 0;
    let mut chosen: Vec<(ChoiceSiteId, usize)> = Vec::new();
    // The blocks of simultaneous events that are open: what is done in one is done first if nothing was done before it.
    let mut open_blocks = 0;
    // The modes that the function chooses first; the mode whose block it is in, with its end, and whether nothing is done before in that block.
    let mut first_modes: Option<ChoiceSiteId> = None;
    let mut mode: Option<((ChoiceSiteId, u16), u32)> = None;
    for (at, op) in function.ops.iter().enumerate() {
        if mode.is_some_and(|(_, end)| at as u32 >= end) {
            (mode, leads) = (None, false);
        }
        match op {
            Op::Propose { events, .. } => {
                for event in events {
                    let arg = |(place, reg): (usize, &Reg)| match held_in(reg) {
                        Some(Held::Computed(reg) | Held::Random(reg)) if event.over.map(usize::from) == Some(place) => {
                            Held::Value(NeededArg::Each(reg))
                        }
                        Some(Held::Random(reg)) => Held::Value(NeededArg::Each(reg)),
                        Some(Held::Computed(reg)) => Held::Value(NeededArg::Computed(reg)),
                        Some(Held::Value(NeededArg::Parameter(_))) if event.over.map(usize::from) == Some(place) => {
                            Held::Value(NeededArg::Unknown)
                        }
                        Some(held) => held,
                        None => Held::Value(NeededArg::Unknown),
                    };
                    let args: Vec<Held> = event.args.iter().enumerate().map(arg).collect();
                    let of_mode = mode.filter(|_| leads).map(|(mode, _)| mode);
                    let needs = needs_in(of_action, event).iter();
                    let needs = needs.map(|need| NeededAction { leads, optional, mode: of_mode, ..with_arguments(need, &args) });
                    found.extend(needs.filter(|need| need.site.is_none_or(|site| chosen.contains(&(site, branches)))));
                }
                leads &= open_blocks > 0;
            }
            Op::BeginBatch => open_blocks += 1,
            Op::EndBatch { .. } => {
                open_blocks -= 1;
                leads &= open_blocks > 0;
            }
            Op::Ask { dst, .. } => {
                answer = Some(*dst);
                optional = true;
                continue;
            }
            Op::JumpUnless { cond, .. } if answer == Some(*cond) => branches += 1,
            Op::Choose { site, .. } => chosen.push((*site, branches)),
            Op::ChooseModes { site, .. } => {
                first_modes = if leads && !optional { Some(*site) } else { None };
                leads = false;
            }
            Op::JumpUnless { cond, to } => {
                branches += 1;
                leads = false;
                // A mode that was picked already, as another one of several, needs the same.
                if let Some(Held::IsMode(site, number)) = held_in(cond)
                    && first_modes == Some(site)
                    && !found.iter().any(|need| need.mode == Some((site, number)))
                {
                    (mode, leads) = (Some(((site, number), *to)), true);
                }
            }
            Op::Jump { .. } => {
                branches += 1;
                leads = false;
            }
            // A pick at random does nothing.
            Op::Random { .. } => {}
            op if op.is_statement() || matches!(op, Op::Return { .. }) => {
                leads = false;
                first_modes = None;
            }
            _ => {}
        }
        answer = None;
    }
    for need in found.iter_mut().filter(|need| need.mode.is_some()) {
        need.args.iter_mut().filter(|arg| is_computed_later(arg)).for_each(|arg| *arg = NeededArg::Unknown);
    }
    found
}

/// Whether an argument is computed in the function: in a block of a mode, that is after the mode was chosen.
fn is_computed_later(arg: &NeededArg) -> bool {
    matches!(arg, NeededArg::Computed(_) | NeededArg::Each(_))
}

fn needs_in<'n>(of_action: &'n [Vec<NeededAction>], event: &EventProposal) -> &'n [NeededAction] {
    of_action.get(event.action.index()).map_or(&[], Vec::as_slice)
}

/// Puts the arguments of an event into a need that is written with the parameters of its action.
fn with_arguments(need: &NeededAction, args: &[Held]) -> NeededAction {
    let mut site = None;
    let mut arg = |arg: &NeededArg| match *arg {
        NeededArg::Parameter(0) => NeededArg::Constant(0),
        NeededArg::Parameter(1) => NeededArg::Parameter(1),
        NeededArg::Parameter(reg) => match args.get(usize::from(reg) - 2) {
            Some(Held::Value(value)) => *value,
            Some(Held::Picked(by)) if site.is_none_or(|site| site == *by) => {
                site = Some(*by);
                NeededArg::Candidate
            }
            Some(Held::Picked(by)) => NeededArg::Picked(*by),
            _ => NeededArg::Unknown,
        },
        known => known,
    };
    let args = need.args.iter().map(&mut arg).collect();
    NeededAction { args, site, ..need.clone() }
}

/// Returns what each register of a function holds. A register that is written more than once is not known.
fn held_values(function: &Function) -> Vec<Held> {
    let mut writes = vec![0u32; function.registers.len()];
    let mut count_write = |reg: Reg| writes.get_mut(usize::from(reg)).into_iter().for_each(|count| *count += 1);
    for op in &function.ops {
        op.destination().into_iter().for_each(&mut count_write);
        op.for_each_set(&mut count_write);
    }
    let param = |reg: usize| match writes.get(reg) {
        Some(0) if reg < usize::from(function.params) => Held::Value(NeededArg::Parameter(reg as Reg)),
        _ => Held::Value(NeededArg::Unknown),
    };
    let mut held: Vec<Held> = (0..writes.len()).map(param).collect();
    for op in &function.ops {
        let of = |reg: &Reg| held.get(usize::from(*reg)).copied();
        let value = match op {
            Op::Const { value, .. } => Some(Held::Value(NeededArg::Constant(*value))),
            Op::Copy { src, .. } | Op::Cast { src, .. } => of(src),
            Op::ElementAt { list, .. } => {
                of(list).filter(|list| matches!(list, Held::Picked(_) | Held::Random(_) | Held::Modes(_)))
            }
            Op::Choose { site, .. } => Some(Held::Picked(*site)),
            Op::ChooseModes { site, .. } => Some(Held::Modes(*site)),
            Op::Opponent { player: 1, .. } => Some(Held::Value(NeededArg::Opponent)),
            Op::Random { list, .. } => match of(list) {
                Some(Held::Computed(list)) => Some(Held::Random(list)),
                _ => None,
            },
            Op::Binary { op: Binary::Equal, a, b, .. } => match (of(a), of(b)) {
                (Some(Held::Modes(site)), Some(Held::Value(NeededArg::Constant(mode)))) => {
                    u16::try_from(mode).ok().map(|mode| Held::IsMode(site, mode))
                }
                _ => None,
            },
            _ => None,
        };
        let mut is_known = !op.is_statement();
        op.for_each_read(|reg| {
            is_known &= of(&reg).is_some_and(|held| {
                matches!(held, Held::Computed(_)) || matches!(held, Held::Value(value) if value != NeededArg::Unknown)
            });
        });
        let value = value.or_else(|| op.destination().filter(|_| is_known).map(Held::Computed));
        let chosen = match op {
            Op::Choose { dst, .. } | Op::ChooseModes { dst, .. } | Op::Random { dst, .. } => Some(*dst),
            _ => None,
        };
        let dst = op.destination().or(chosen).map(usize::from);
        if let (Some(value), Some(dst)) =
            (value, dst.filter(|dst| writes.get(*dst) == Some(&1) && *dst >= usize::from(function.params)))
        {
            held.get_mut(dst).into_iter().for_each(|held| *held = value);
        }
    }
    held
}
