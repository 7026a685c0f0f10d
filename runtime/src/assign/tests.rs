//! The solver against trying all declarations, on random boards and on those that were thought through by hand.

use super::random_problems::{self, ProblemShape};
use super::{AssignmentProblem, BUDGET, Cardinality, Draft, Implication, Requirement, Verdict, Violation};
use crate::bot::Dice;

const SMALL: ProblemShape = ProblemShape { lefts: 5, rights: 4, caps: 3, gaps: 3, wants: 6, costs: 3, full: false };

/// A board for trying everything: sets of pairs are masks.
struct Trial {
    lefts: Vec<(u32, u32)>,
    limits: Vec<(u32, bool, u32, u32)>,
    links: Vec<(u32, u32, u32)>,
    wants: Vec<u32>,
    costs: Vec<u32>,
}

fn mask(pairs: &[u32]) -> u32 {
    pairs.iter().fold(0, |mask, pair| mask | 1 << pair)
}

impl Trial {
    fn new(board: &AssignmentProblem) -> Self {
        let of = |left: usize| board.pairs.iter().enumerate().filter(move |(_, pair)| pair.0 as usize == left);
        Self {
            lefts: (0..board.most.len()).map(|left| (of(left).fold(0, |m, (n, _)| m | 1 << n), board.most[left])).collect(),
            limits: board.limits.iter().map(|limit| (mask(&limit.pairs), limit.zero, limit.least, limit.most)).collect(),
            links: board.links.iter().map(|link| (mask(&link.when), mask(&link.then), link.least)).collect(),
            wants: board.wants.iter().map(|want| mask(&want.pairs)).collect(),
            costs: board.costs.iter().map(|cost| mask(&cost.pairs)).collect(),
        }
    }

    fn nodes(&self, set: u32) -> u32 {
        self.lefts.iter().filter(|(own, _)| own & set != 0).count() as u32
    }

    fn keeps(&self, chosen: u32) -> bool {
        let count = |set: u32| if self.nodes(set) == 1 { (set & chosen).count_ones() } else { self.nodes(set & chosen) };
        self.lefts.iter().all(|(own, most)| (own & chosen).count_ones() <= *most)
            && self.limits.iter().all(|(set, zero, least, most)| {
                let n = count(*set);
                *zero && n == 0 || *least <= n && n <= *most
            })
            && self.links.iter().all(|(when, then, least)| when & chosen == 0 || self.nodes(then & chosen) >= *least)
    }

    fn met(&self, chosen: u32) -> u32 {
        self.wants.iter().filter(|want| *want & chosen != 0).count() as u32
    }

    /// Which costs are paid.
    fn paid(&self, chosen: u32) -> u32 {
        self.costs.iter().enumerate().filter(|(_, cost)| *cost & chosen != 0).fold(0, |m, (n, _)| m | 1 << n)
    }

    /// The most requirements that declarations meet which pay no other costs.
    fn most(&self, kept: &[u32], paid: u32) -> u32 {
        kept.iter().filter(|other| self.paid(**other) & !paid == 0).map(|other| self.met(*other)).max().unwrap_or(0)
    }
}

fn compare(board: &AssignmentProblem, dice: &mut Dice) {
    let trial = Trial::new(board);
    let kept: Vec<u32> = (0..1u32 << board.pairs.len()).filter(|chosen| trial.keeps(*chosen)).collect();
    // The definition, word for word.
    let most: Vec<u32> = (0..1 << board.costs.len()).map(|paid| trial.most(&kept, paid)).collect();
    let is_legal = |chosen: u32| trial.keeps(chosen) && trial.met(chosen) >= most[trial.paid(chosen) as usize];
    let legal: Vec<u32> = kept.iter().copied().filter(|chosen| is_legal(*chosen)).collect();
    for _ in 0..12 {
        let picks: Vec<u32> = match dice.below(3) {
            0 if !kept.is_empty() => items(kept[dice.below(kept.len() as u32) as usize]),
            1 if !legal.is_empty() => items(legal[dice.below(legal.len() as u32) as usize]),
            _ => (0..board.pairs.len() as u32).filter(|_| dice.below(2) == 0).collect(),
        };
        let chosen = mask(&picks);
        match board.check(&picks, BUDGET) {
            Verdict::Legal => assert!(is_legal(chosen), "{picks:?} is not legal: {board:?}"),
            Verdict::Illegal { instead, .. } => {
                assert!(!is_legal(chosen), "{picks:?} is legal: {board:?}");
                let paid = trial.paid(chosen);
                let within = kept.iter().filter(|other| trial.paid(**other) & !paid == 0);
                let best = within.filter(|other| trial.met(**other) == most[paid as usize]);
                let nearest = best.map(|other| (other ^ chosen).count_ones()).min();
                let found = instead.map(|picks| (mask(&picks) ^ chosen).count_ones());
                assert_eq!(found, nearest, "{picks:?}: {board:?}");
            }
            Verdict::Undecided => assert!(board.pairs.is_empty(), "the budget suffices for {board:?}"),
        }
    }
    let proposed = board.nearest_legal(&[], BUDGET).expect("the budget suffices");
    assert_eq!(proposed.is_some(), kept.iter().any(|chosen| trial.paid(*chosen) == 0), "{board:?}");
    if let Some(picks) = proposed {
        assert!(is_legal(mask(&picks)), "{picks:?} was proposed for {board:?}");
        for _ in 0..3 {
            let picks = drafted(board, dice);
            assert!(is_legal(mask(&picks)), "{picks:?} was drafted for {board:?}");
        }
    }
}

fn items(mask: u32) -> Vec<u32> {
    (0..32).filter(|pair| mask >> pair & 1 != 0).collect()
}

fn drafted(board: &AssignmentProblem, dice: &mut Dice) -> Vec<u32> {
    let mut draft = Draft::new(board, BUDGET);
    loop {
        let mut open = draft.next();
        if open.is_empty() {
            return draft.picks();
        }
        loop {
            assert!(!open.is_empty(), "no pick extends {:?} of {board:?}", draft.picks());
            let pick = open.remove(dice.below(open.len() as u32) as usize);
            if draft.pick(pick).expect("the budget suffices") {
                break;
            }
        }
    }
}

/// How many boards: the long form is asked for by `FIZZLE_BOARDS`.
#[expect(clippy::disallowed_methods, reason = "a test may be told how long to run")]
fn boards() -> u64 {
    std::env::var("FIZZLE_BOARDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000)
}

#[test]
fn random_boards_are_judged_as_by_trying_everything() {
    for seed in 0..boards() {
        let mut dice = Dice::new(seed);
        // All of its declarations can be tried.
        let board = loop {
            let board = random_problems::board(&mut dice, SMALL);
            if board.pairs.len() <= 16 {
                break board;
            }
        };
        assert_eq!(AssignmentProblem::from_words(&board.words()).as_ref(), Some(&board));
        compare(&board, &mut dice);
    }
}

/// X: all that can go with it do. Y: one must. Three can go with both.
#[test]
fn all_of_them_and_one_of_them() {
    let pairs: Vec<(u32, u32)> = (0..3).flat_map(|left| [(left, 0), (left, 1)]).collect();
    let mut board = AssignmentProblem { most: vec![1; 3], rights: 2, pairs, ..AssignmentProblem::default() };
    for left in 0..3 {
        board.wants.push(Requirement { pairs: vec![left * 2], ..Requirement::default() });
    }
    board.wants.push(Requirement { pairs: vec![1, 3, 5], ..Requirement::default() });
    let legal = |picks: &[u32]| board.check(picks, BUDGET) == Verdict::Legal;
    assert!(legal(&[0, 2, 4]));
    assert!(legal(&[0, 2, 5]));
    assert!(!legal(&[0, 3, 5]));
    assert!(!legal(&[1, 3, 5]));
    assert!(!legal(&[0, 2]));
}

#[test]
fn the_first_broken_restriction_is_named() {
    let mut board =
        AssignmentProblem { most: vec![1; 3], rights: 1, pairs: vec![(0, 0), (1, 0), (2, 0)], ..AssignmentProblem::default() };
    board.limits.push(Cardinality { pairs: vec![0, 1, 2], zero: true, least: 2, most: 2, ..Cardinality::default() });
    board.links.push(Implication { when: vec![0], then: vec![2], least: 1, ..Implication::default() });
    let why = |picks: &[u32]| match board.check(picks, BUDGET) {
        Verdict::Illegal { why, .. } => Some(why),
        _ => None,
    };
    assert_eq!(why(&[1]), Some(Violation::Limit(0)));
    assert_eq!(why(&[0, 1]), Some(Violation::Link(0)));
    assert_eq!(why(&[0, 2]), None);
    assert_eq!(why(&[0, 0]), Some(Violation::NoPair));
    assert_eq!(why(&[7]), Some(Violation::NoPair));
}

#[test]
fn a_board_that_is_too_hard_has_no_answer() {
    assert_eq!(random_problems::hard().check(&[], 2_000_000), Verdict::Undecided);
}
