//! Cheapest flow through a small network, along the paths that gain most: as long as a further unit pays.

/// An edge of the residual network; the one with the number ^ 1 leads back.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: usize,
    room: u32,
    gain: i64,
    /// The next edge that leaves the same node.
    next: usize,
}

/// No edge.
const NONE: usize = usize::MAX;

/// A network with a source (node 0) and a sink (node 1).
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    edges: Vec<Edge>,
    /// For each node, an edge that leaves it.
    leaving: Vec<usize>,
}

pub(super) const SOURCE: usize = 0;
pub(super) const SINK: usize = 1;

impl Network {
    pub(super) fn new(nodes: usize) -> Self {
        Self { edges: Vec::new(), leaving: vec![NONE; nodes.max(2)] }
    }

    pub(super) fn node(&mut self) -> usize {
        self.leaving.push(NONE);
        self.leaving.len() - 1
    }

    /// Adds an edge; its number.
    pub(super) fn edge(&mut self, from: usize, to: usize, room: u32, gain: i64) -> usize {
        let number = self.edges.len();
        self.edges.push(Edge { to, room, gain, next: self.leaving[from] });
        self.leaving[from] = number;
        self.edges.push(Edge { to: from, room: 0, gain: -gain, next: self.leaving[to] });
        self.leaving[to] = number + 1;
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
        let mut best = vec![i64::MIN; nodes];
        let mut waiting = vec![false; nodes];
        loop {
            best.fill(i64::MIN);
            best[SOURCE] = 0;
            queue.push_back(SOURCE);
            while let Some(at) = queue.pop_front() {
                waiting[at] = false;
                let mut number = self.leaving[at];
                while let Some(&edge) = self.edges.get(number) {
                    *work += 1;
                    number = edge.next;
                    if edge.room > 0 && best[at] + edge.gain > best[edge.to] {
                        best[edge.to] = best[at] + edge.gain;
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
            total += best[SINK] * self.fill(&best, work);
        }
    }

    /// Sends units along paths that all gain the most, until none is found; how many.
    fn fill(&mut self, best: &[i64], work: &mut u64) -> i64 {
        // Nodes on the path, and those that lead nowhere.
        let mut seen = vec![false; self.leaving.len()];
        let mut next = self.leaving.clone();
        let mut path: Vec<usize> = Vec::new();
        let (mut at, mut units) = (SOURCE, 0);
        seen[SOURCE] = true;
        loop {
            if at == SINK {
                for number in path.drain(..) {
                    let edge = &mut self.edges[number];
                    edge.room -= 1;
                    seen[edge.to] = false;
                    self.edges[number ^ 1].room += 1;
                }
                units += 1;
                at = SOURCE;
                continue;
            }
            let number = next[at];
            let Some(&edge) = self.edges.get(number) else {
                // A dead end stays seen.
                let Some(back) = path.pop() else { return units };
                at = self.edges[back ^ 1].to;
                next[at] = self.edges[back].next;
                continue;
            };
            *work += 1;
            if edge.room > 0 && !seen[edge.to] && best[at] + edge.gain == best[edge.to] {
                seen[edge.to] = true;
                path.push(number);
                at = edge.to;
            } else {
                next[at] = edge.next;
            }
        }
    }
}
