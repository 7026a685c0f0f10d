//! Constraint propagation in a subproblem: excludes pairs that cannot be chosen, and fixes pairs that must be, up to a fixpoint.

use super::relaxation::{LimitDecision, Subproblem};
use super::{AssignmentProblem, PairSet};

/// The units that a cardinality counts (left nodes, or pairs if its set has one left node): those still possible, and those certain.
struct OpenUnits {
    /// The open pairs, by left node.
    pairs: Vec<u32>,
    /// For each unit, the end of its pairs in `pairs`, and whether the unit is certain.
    units: Vec<(usize, bool)>,
}

impl OpenUnits {
    fn count(&self) -> u32 {
        self.units.len() as u32
    }

    fn certain_count(&self) -> u32 {
        self.units.iter().filter(|(_, certain)| *certain).count() as u32
    }

    /// The pairs of each unit that is not certain.
    fn uncertain_units(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.units.iter().map(|(end, _)| *end));
        let units = starts.zip(&self.units).filter(|(_, (_, certain))| !certain);
        units.map(|(start, (end, _))| &self.pairs[start..*end])
    }
}

impl AssignmentProblem {
    /// Propagates all constraints. Returns `false` if the subproblem contains no declaration.
    pub(super) fn propagate(&self, part: &mut Subproblem, allowed: &PairSet, work: &mut u64) -> bool {
        loop {
            let mut changed = false;
            if !self.fix_single_choices(part, allowed, &mut changed, work) {
                return false;
            }
            for (number, limit) in self.cardinalities.iter().enumerate() {
                *work += limit.pairs.len() as u64;
                let reach = self.open_units(part, allowed, &limit.pairs, work);
                let (open, certain) = (reach.count(), reach.certain_count());
                if certain > limit.max || certain > 0 && part.limit_decisions[number] == LimitDecision::Zero {
                    return false;
                }
                if part.limit_decisions[number] == LimitDecision::Free && certain > 0 {
                    part.limit_decisions[number] = LimitDecision::Some;
                    changed = true;
                }
                if open < limit.min {
                    match part.limit_decisions[number] {
                        LimitDecision::Some => return false,
                        LimitDecision::Free => {
                            part.limit_decisions[number] = LimitDecision::Zero;
                            limit.pairs.iter().for_each(|pair| part.banned.insert(*pair));
                            changed = true;
                        }
                        LimitDecision::Zero => {}
                    }
                    continue;
                }
                if certain == limit.max && open > certain {
                    reach.uncertain_units().flatten().for_each(|pair| part.banned.insert(*pair));
                    changed = true;
                } else if part.limit_decisions[number] == LimitDecision::Some && open == limit.min && certain < open {
                    part.required_groups.extend(reach.uncertain_units().map(<[u32]>::to_vec));
                    changed = true;
                }
            }
            for (number, link) in self.implications.iter().enumerate() {
                *work += (link.when.len() + link.then.len()) as u64;
                let when: Vec<u32> = self.open_among(part, allowed, &link.when);
                if when.is_empty() {
                    continue;
                }
                if !part.implication_active[number]
                    && (when.iter().any(|pair| part.fixed.has(*pair)) || is_forced(part, allowed, &when, work))
                {
                    part.implication_active[number] = true;
                    changed = true;
                }
                if self.count_lefts(self.open_among(part, allowed, &link.then).into_iter()) < link.min {
                    if part.implication_active[number] {
                        return false;
                    }
                    when.iter().for_each(|pair| part.banned.insert(*pair));
                    changed = true;
                }
            }
            for (number, want) in self.requirements.iter().enumerate() {
                *work += want.pairs.len() as u64;
                part.requirement_met[number] = part.requirement_met[number]
                    || want.pairs.iter().any(|pair| part.fixed.has(*pair))
                    || is_forced(part, allowed, &want.pairs, work);
            }
            if !changed {
                return true;
            }
        }
    }

    /// Fixes the pair of each required group that has only one open pair. Returns `false` if a required group has none.
    fn fix_single_choices(&self, part: &mut Subproblem, allowed: &PairSet, changed: &mut bool, work: &mut u64) -> bool {
        let groups = std::mem::take(&mut part.required_groups);
        for group in groups {
            *work += group.len() as u64;
            if group.iter().any(|pair| part.fixed.has(*pair)) {
                continue;
            }
            let open = self.open_among(part, allowed, &group);
            match open.as_slice() {
                [] => return false,
                [pair] => {
                    part.fixed.insert(*pair);
                    *changed = true;
                }
                _ => part.required_groups.push(open),
            }
        }
        true
    }

    fn open_among(&self, part: &Subproblem, allowed: &PairSet, pairs: &[u32]) -> Vec<u32> {
        pairs.iter().copied().filter(|pair| allowed.has(*pair) && !part.banned.has(*pair)).collect()
    }

    fn open_units(&self, part: &Subproblem, allowed: &PairSet, pairs: &[u32], work: &mut u64) -> OpenUnits {
        let mut open = self.open_among(part, allowed, pairs);
        let mut units = Vec::new();
        if self.has_one_left(pairs) {
            units.extend(open.iter().enumerate().map(|(n, pair)| (n + 1, part.fixed.has(*pair))));
            return OpenUnits { pairs: open, units };
        }
        open.sort_by_key(|pair| self.left(*pair));
        let mut end = 0;
        for own in open.chunk_by(|a, b| self.left(*a) == self.left(*b)) {
            let certain = own.iter().any(|pair| part.fixed.has(*pair)) || is_forced(part, allowed, own, work);
            end += own.len();
            units.push((end, certain));
        }
        OpenUnits { pairs: open, units }
    }
}

/// Whether one of these pairs must be chosen, because all open pairs of a required group are among them.
fn is_forced(part: &Subproblem, allowed: &PairSet, pairs: &[u32], work: &mut u64) -> bool {
    if part.required_groups.is_empty() {
        return false;
    }
    let among = PairSet::of(allowed.size(), pairs);
    *work += pairs.len() as u64;
    let outside = |pair: &u32| !among.has(*pair) && allowed.has(*pair) && !part.banned.has(*pair);
    part.required_groups.iter().any(|group| {
        let first = group.iter().position(outside);
        *work += first.unwrap_or(group.len()) as u64 + 1;
        first.is_none()
    })
}
