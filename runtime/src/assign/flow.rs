//! Cheapest flow through a small network, by shortest augmenting paths: as long as a further unit pays.

/// An edge of the residual network; the one with the number ^ 1 leads back.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: usize,
    room: u32,
    gain: i64,
}

/// A network with a source (node 0) and a sink (node 1).
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    edges: Vec<Edge>,
    leaving: Vec<Vec<usize>>,
}

pub(super) const SOURCE: usize = 0;
pub(super) const SINK: usize = 1;

impl Network {
    pub(super) fn new(nodes: usize) -> Self {
        Self { edges: Vec::new(), leaving: vec![Vec::new(); nodes.max(2)] }
    }

    pub(super) fn node(&mut self) -> usize {
        self.leaving.push(Vec::new());
        self.leaving.len() - 1
    }

    /// Adds an edge; its number.
    pub(super) fn edge(&mut self, from: usize, to: usize, room: u32, gain: i64) -> usize {
        let number = self.edges.len();
        self.edges.push(Edge { to, room, gain });
        self.edges.push(Edge { to: from, room: 0, gain: -gain });
        self.leaving[from].push(number);
        self.leaving[to].push(number + 1);
        number
    }

    /// An edge whose first units gain more: falling gains, so the dear ones fill first.
    pub(super) fn stepped(&mut self, from: usize, to: usize, room: u32, steps: &[i64]) {
        let mut left = room;
        for gain in steps {
            if left == 0 {
                return;
            }
            self.edge(from, to, 1, *gain);
            left -= 1;
        }
        if left > 0 {
            self.edge(from, to, left, 0);
        }
    }

    /// Whether a unit flows through an edge.
    pub(super) fn used(&self, edge: usize) -> bool {
        self.edges[edge ^ 1].room > 0
    }

    /// The greatest gain of any flow. `work` counts edges looked at and stops the search at `budget`.
    pub(super) fn run(&mut self, work: &mut u64, budget: u64) -> Option<i64> {
        let nodes = self.leaving.len();
        let mut total = 0i64;
        let mut queue = std::collections::VecDeque::new();
        loop {
            let mut best = vec![i64::MIN; nodes];
            let mut by = vec![usize::MAX; nodes];
            let mut waiting = vec![false; nodes];
            best[SOURCE] = 0;
            queue.push_back(SOURCE);
            while let Some(at) = queue.pop_front() {
                waiting[at] = false;
                *work += self.leaving[at].len() as u64;
                for &number in &self.leaving[at] {
                    let edge = self.edges[number];
                    if edge.room > 0 && best[at] + edge.gain > best[edge.to] {
                        best[edge.to] = best[at] + edge.gain;
                        by[edge.to] = number;
                        if !waiting[edge.to] && edge.to != SINK {
                            waiting[edge.to] = true;
                            queue.push_back(edge.to);
                        }
                    }
                }
                if *work > budget {
                    return None;
                }
            }
            if best[SINK] <= 0 {
                return Some(total);
            }
            total += best[SINK];
            let mut at = SINK;
            while at != SOURCE {
                let number = by[at];
                self.edges[number].room -= 1;
                self.edges[number ^ 1].room += 1;
                at = self.edges[number ^ 1].to;
            }
        }
    }
}
