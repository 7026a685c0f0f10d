//! What follows in a part of the search without any choice: pairs that can no longer be chosen, or must be.

use super::relaxation::{LimitDecision, Subproblem};
use super::{AssignmentProblem, PairSet};

/// The left nodes (pairs, where a set has one left node) of a set that are still possible, and those that are certain.
struct OpenUnits {
    /// The open pairs, by left node.
    pairs: Vec<u32>,
    /// For each of what is counted, where its pairs end, and whether it is certain.
    units: Vec<(usize, bool)>,
}

impl OpenUnits {
    fn open(&self) -> u32 {
        self.units.len() as u32
    }

    fn certain(&self) -> u32 {
        self.units.iter().filter(|(_, certain)| *certain).count() as u32
    }

    /// The pairs of each unit that is not certain.
    fn uncertain(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.units.iter().map(|(end, _)| *end));
        let units = starts.zip(&self.units).filter(|(_, (_, certain))| !certain);
        units.map(|(start, (end, _))| &self.pairs[start..*end])
    }
}

impl AssignmentProblem {
    /// Draws what follows; whether the part may still hold a declaration.
    pub(super) fn propagate(&self, part: &mut Subproblem, allowed: &PairSet, work: &mut u64) -> bool {
        loop {
            let mut changed = false;
            if !self.settle_musts(part, allowed, &mut changed, work) {
                return false;
            }
            for (number, limit) in self.limits.iter().enumerate() {
                *work += limit.pairs.len() as u64;
                let reach = self.reach(part, allowed, &limit.pairs, work);
                let (open, certain) = (reach.open(), reach.certain());
                if certain > limit.most || certain > 0 && part.modes[number] == LimitDecision::Zero {
                    return false;
                }
                if part.modes[number] == LimitDecision::Free && certain > 0 {
                    part.modes[number] = LimitDecision::Some;
                    changed = true;
                }
                if open < limit.least {
                    match part.modes[number] {
                        LimitDecision::Some => return false,
                        LimitDecision::Free => {
                            part.modes[number] = LimitDecision::Zero;
                            limit.pairs.iter().for_each(|pair| part.banned.insert(*pair));
                            changed = true;
                        }
                        LimitDecision::Zero => {}
                    }
                    continue;
                }
                if certain == limit.most && open > certain {
                    reach.uncertain().flatten().for_each(|pair| part.banned.insert(*pair));
                    changed = true;
                } else if part.modes[number] == LimitDecision::Some && open == limit.least && certain < open {
                    part.musts.extend(reach.uncertain().map(<[u32]>::to_vec));
                    changed = true;
                }
            }
            for (number, link) in self.links.iter().enumerate() {
                *work += (link.when.len() + link.then.len()) as u64;
                let when: Vec<u32> = self.still(part, allowed, &link.when);
                if when.is_empty() {
                    continue;
                }
                if !part.follows[number] && (when.iter().any(|pair| part.fixed.has(*pair)) || forced(part, allowed, &when, work))
                {
                    part.follows[number] = true;
                    changed = true;
                }
                if self.count_lefts(self.still(part, allowed, &link.then).into_iter()) < link.least {
                    if part.follows[number] {
                        return false;
                    }
                    when.iter().for_each(|pair| part.banned.insert(*pair));
                    changed = true;
                }
            }
            for (number, want) in self.wants.iter().enumerate() {
                *work += want.pairs.len() as u64;
                part.met[number] = part.met[number]
                    || want.pairs.iter().any(|pair| part.fixed.has(*pair))
                    || forced(part, allowed, &want.pairs, work);
            }
            if !changed {
                return true;
            }
        }
    }

    /// What must be and can be in one way only is fixed.
    fn settle_musts(&self, part: &mut Subproblem, allowed: &PairSet, changed: &mut bool, work: &mut u64) -> bool {
        let musts = std::mem::take(&mut part.musts);
        for must in musts {
            *work += must.len() as u64;
            if must.iter().any(|pair| part.fixed.has(*pair)) {
                continue;
            }
            let open = self.still(part, allowed, &must);
            match open.as_slice() {
                [] => return false,
                [pair] => {
                    part.fixed.insert(*pair);
                    *changed = true;
                }
                _ => part.musts.push(open),
            }
        }
        true
    }

    fn still(&self, part: &Subproblem, allowed: &PairSet, pairs: &[u32]) -> Vec<u32> {
        pairs.iter().copied().filter(|pair| allowed.has(*pair) && !part.banned.has(*pair)).collect()
    }

    fn reach(&self, part: &Subproblem, allowed: &PairSet, pairs: &[u32], work: &mut u64) -> OpenUnits {
        let mut open = self.still(part, allowed, pairs);
        let mut units = Vec::new();
        if self.has_one_left(pairs) {
            units.extend(open.iter().enumerate().map(|(n, pair)| (n + 1, part.fixed.has(*pair))));
            return OpenUnits { pairs: open, units };
        }
        open.sort_by_key(|pair| self.left(*pair));
        let mut end = 0;
        for own in open.chunk_by(|a, b| self.left(*a) == self.left(*b)) {
            let certain = own.iter().any(|pair| part.fixed.has(*pair)) || forced(part, allowed, own, work);
            end += own.len();
            units.push((end, certain));
        }
        OpenUnits { pairs: open, units }
    }
}

/// One of these pairs must be chosen: what must be chosen lies among them.
fn forced(part: &Subproblem, allowed: &PairSet, pairs: &[u32], work: &mut u64) -> bool {
    if part.musts.is_empty() {
        return false;
    }
    let among = PairSet::of(allowed.size(), pairs);
    *work += pairs.len() as u64;
    let outside = |pair: &u32| !among.has(*pair) && allowed.has(*pair) && !part.banned.has(*pair);
    part.musts.iter().any(|must| {
        let first = must.iter().position(outside);
        *work += first.unwrap_or(must.len()) as u64 + 1;
        first.is_none()
    })
}
