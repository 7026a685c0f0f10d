//! Compares the solver with brute force over all declarations of random problems, and checks examples with known results.

use super::random_problems::{self, ProblemShape};
use super::{AssignmentProblem, BUDGET, Cardinality, Draft, Implication, Requirement, Verdict, Violation};
use crate::dice::Dice;

const SMALL: ProblemShape = ProblemShape { lefts: 5, rights: 4, caps: 3, gaps: 3, requirements: 6, costs: 3, is_full: false };

/// A problem for brute force: sets of pairs are bit masks.
struct BruteForce {
    lefts: Vec<(u32, u32)>,
    cardinalities: Vec<(u32, bool, u32, u32)>,
    implications: Vec<(u32, u32, u32)>,
    requirements: Vec<u32>,
    costs: Vec<u32>,
}

fn mask(pairs: &[u32]) -> u32 {
    pairs.iter().fold(0, |mask, pair| mask | 1 << pair)
}

impl BruteForce {
    fn new(problem: &AssignmentProblem) -> Self {
        let of = |left: usize| problem.pairs.iter().enumerate().filter(move |(_, pair)| pair.0 as usize == left);
        Self {
            lefts: (0..problem.capacities.len())
                .map(|left| (of(left).fold(0, |m, (n, _)| m | 1 << n), problem.capacities[left]))
                .collect(),
            cardinalities: problem
                .cardinalities
                .iter()
                .map(|limit| (mask(&limit.pairs), limit.zero_allowed, limit.min, limit.max))
                .collect(),
            implications: problem.implications.iter().map(|link| (mask(&link.when), mask(&link.then), link.min)).collect(),
            requirements: problem.requirements.iter().map(|want| mask(&want.pairs)).collect(),
            costs: problem.costs.iter().map(|cost| mask(&cost.pairs)).collect(),
        }
    }

    fn count_lefts(&self, set: u32) -> u32 {
        self.lefts.iter().filter(|(own, _)| own & set != 0).count() as u32
    }

    fn satisfies_all(&self, chosen: u32) -> bool {
        let count =
            |set: u32| if self.count_lefts(set) == 1 { (set & chosen).count_ones() } else { self.count_lefts(set & chosen) };
        self.lefts.iter().all(|(own, most)| (own & chosen).count_ones() <= *most)
            && self.cardinalities.iter().all(|(set, zero, least, most)| {
                let n = count(*set);
                *zero && n == 0 || *least <= n && n <= *most
            })
            && self.implications.iter().all(|(when, then, least)| when & chosen == 0 || self.count_lefts(then & chosen) >= *least)
    }

    fn count_met(&self, chosen: u32) -> u32 {
        self.requirements.iter().filter(|want| *want & chosen != 0).count() as u32
    }

    /// The mask of the costs that are paid.
    fn paid(&self, chosen: u32) -> u32 {
        self.costs.iter().enumerate().filter(|(_, cost)| *cost & chosen != 0).fold(0, |m, (n, _)| m | 1 << n)
    }

    /// The maximum of requirements that declarations meet that pay no other costs than `paid`.
    fn most(&self, kept: &[u32], paid: u32) -> u32 {
        kept.iter().filter(|other| self.paid(**other) & !paid == 0).map(|other| self.count_met(*other)).max().unwrap_or(0)
    }
}

fn compare_with_brute_force(problem: &AssignmentProblem, dice: &mut Dice) {
    let brute_force = BruteForce::new(problem);
    let kept: Vec<u32> = (0..1u32 << problem.pairs.len()).filter(|chosen| brute_force.satisfies_all(*chosen)).collect();
    // The definition of legality, as the rules state it.
    let most: Vec<u32> = (0..1 << problem.costs.len()).map(|paid| brute_force.most(&kept, paid)).collect();
    let is_legal = |chosen: u32| {
        brute_force.satisfies_all(chosen) && brute_force.count_met(chosen) >= most[brute_force.paid(chosen) as usize]
    };
    let legal: Vec<u32> = kept.iter().copied().filter(|chosen| is_legal(*chosen)).collect();
    for _ in 0..12 {
        let picks: Vec<u32> = match dice.below(3) {
            0 if !kept.is_empty() => items(kept[dice.below(kept.len() as u32) as usize]),
            1 if !legal.is_empty() => items(legal[dice.below(legal.len() as u32) as usize]),
            _ => (0..problem.pairs.len() as u32).filter(|_| dice.below(2) == 0).collect(),
        };
        let chosen = mask(&picks);
        match problem.check(&picks, BUDGET) {
            Verdict::Legal => assert!(is_legal(chosen), "{picks:?} is not legal: {problem:?}"),
            Verdict::Illegal { instead, .. } => {
                assert!(!is_legal(chosen), "{picks:?} is legal: {problem:?}");
                let paid = brute_force.paid(chosen);
                let within = kept.iter().filter(|other| brute_force.paid(**other) & !paid == 0);
                let best = within.filter(|other| brute_force.count_met(**other) == most[paid as usize]);
                let nearest = best.map(|other| (other ^ chosen).count_ones()).min();
                let found = instead.map(|picks| (mask(&picks) ^ chosen).count_ones());
                assert_eq!(found, nearest, "{picks:?}: {problem:?}");
            }
            Verdict::Undecided => assert!(problem.pairs.is_empty(), "the budget suffices for {problem:?}"),
        }
    }
    let proposed = problem.nearest_legal(&[], BUDGET).expect("the budget suffices");
    assert_eq!(proposed.is_some(), kept.iter().any(|chosen| brute_force.paid(*chosen) == 0), "{problem:?}");
    if let Some(picks) = proposed {
        assert!(is_legal(mask(&picks)), "{picks:?} was proposed for {problem:?}");
        for _ in 0..3 {
            let picks = random_draft(problem, dice);
            assert!(is_legal(mask(&picks)), "{picks:?} was drafted for {problem:?}");
        }
    }
}

fn items(mask: u32) -> Vec<u32> {
    (0..32).filter(|pair| mask >> pair & 1 != 0).collect()
}

fn random_draft(problem: &AssignmentProblem, dice: &mut Dice) -> Vec<u32> {
    let mut draft = Draft::new(problem, BUDGET);
    loop {
        let mut open = draft.options();
        if open.is_empty() {
            return draft.picks();
        }
        loop {
            assert!(!open.is_empty(), "no pick extends {:?} of {problem:?}", draft.picks());
            let pick = open.remove(dice.below(open.len() as u32) as usize);
            if draft.pick(pick).expect("the budget suffices") {
                break;
            }
        }
    }
}

/// The number of random problems: 2,000, or the value of `FIZZLE_BOARDS`.
#[expect(clippy::disallowed_methods, reason = "an environment variable sets how long the test runs")]
fn problem_count() -> u64 {
    std::env::var("FIZZLE_BOARDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000)
}

#[test]
fn verdicts_on_random_problems_equal_brute_force() {
    for seed in 0..problem_count() {
        let mut dice = Dice::new(seed);
        // Brute force needs few pairs.
        let problem = loop {
            let problem = random_problems::random_problem(&mut dice, SMALL);
            if problem.pairs.len() <= 16 {
                break problem;
            }
        };
        assert_eq!(AssignmentProblem::from_words(&problem.to_words()).as_ref(), Some(&problem));
        compare_with_brute_force(&problem, &mut dice);
    }
}

/// Right node X requires all three left nodes (three requirements), Y requires one of them. Each left node can go with both.
#[test]
fn declaration_must_meet_the_maximum_of_requirements() {
    let pairs: Vec<(u32, u32)> = (0..3).flat_map(|left| [(left, 0), (left, 1)]).collect();
    let mut problem = AssignmentProblem { capacities: vec![1; 3], right_count: 2, pairs, ..AssignmentProblem::default() };
    for left in 0..3 {
        problem.requirements.push(Requirement { pairs: vec![left * 2], ..Requirement::default() });
    }
    problem.requirements.push(Requirement { pairs: vec![1, 3, 5], ..Requirement::default() });
    let legal = |picks: &[u32]| problem.check(picks, BUDGET) == Verdict::Legal;
    assert!(legal(&[0, 2, 4]));
    assert!(legal(&[0, 2, 5]));
    assert!(!legal(&[0, 3, 5]));
    assert!(!legal(&[1, 3, 5]));
    assert!(!legal(&[0, 2]));
}

#[test]
fn check_reports_the_first_violation() {
    let mut problem = AssignmentProblem {
        capacities: vec![1; 3],
        right_count: 1,
        pairs: vec![(0, 0), (1, 0), (2, 0)],
        ..AssignmentProblem::default()
    };
    problem.cardinalities.push(Cardinality {
        pairs: vec![0, 1, 2],
        zero_allowed: true,
        min: 2,
        max: 2,
        ..Cardinality::default()
    });
    problem.implications.push(Implication { when: vec![0], then: vec![2], min: 1, ..Implication::default() });
    let why = |picks: &[u32]| match problem.check(picks, BUDGET) {
        Verdict::Illegal { why, .. } => Some(why),
        _ => None,
    };
    assert_eq!(why(&[1]), Some(Violation::Cardinality(0)));
    assert_eq!(why(&[0, 1]), Some(Violation::Implication(0)));
    assert_eq!(why(&[0, 2]), None);
    assert_eq!(why(&[0, 0]), Some(Violation::NoPair));
    assert_eq!(why(&[7]), Some(Violation::NoPair));
}

#[test]
fn check_of_a_hard_problem_exhausts_the_budget() {
    assert_eq!(random_problems::hard_problem().check(&[], 2_000_000), Verdict::Undecided);
}
