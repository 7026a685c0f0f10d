//! Maximum-gain flow through a small network, by successive best augmenting paths (Bellman-Ford with a queue).
//!
//! Units are added while a path with positive gain exists; the amount of flow is not fixed. All units along paths of equal gain are
//! added between two runs of the path search.

/// An edge of the residual network. The edge with number `n ^ 1` is its reverse.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: usize,
    capacity: u32,
    gain: i64,
    /// The next edge that leaves the same node, or [`NO_EDGE`].
    next: usize,
}

/// The end of a list of edges.
const NO_EDGE: usize = usize::MAX;

/// A network with a source (node 0) and a sink (node 1).
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    edges: Vec<Edge>,
    /// For each node, the first edge of the list of edges that leave it.
    first_edges: Vec<usize>,
}

pub(super) const SOURCE: usize = 0;
pub(super) const SINK: usize = 1;

impl Network {
    pub(super) fn new(nodes: usize) -> Self {
        Self { edges: Vec::new(), first_edges: vec![NO_EDGE; nodes.max(2)] }
    }

    pub(super) fn add_node(&mut self) -> usize {
        self.first_edges.push(NO_EDGE);
        self.first_edges.len() - 1
    }

    /// Adds an edge and returns its number.
    pub(super) fn add_edge(&mut self, from: usize, to: usize, room: u32, gain: i64) -> usize {
        let number = self.edges.len();
        self.edges.push(Edge { to, capacity: room, gain, next: self.first_edges[from] });
        self.first_edges[from] = number;
        self.edges.push(Edge { to: from, capacity: 0, gain: -gain, next: self.first_edges[to] });
        self.first_edges[to] = number + 1;
        number
    }

    /// Adds parallel edges: one of capacity 1 for each gain in `steps`, and one without gain for the rest. Gains must not increase, so that
    /// the flow uses the edges in order.
    pub(super) fn add_stepped_edge(&mut self, from: usize, to: usize, room: u32, steps: &[i64]) {
        let mut left = room;
        for gain in steps {
            if left == 0 {
                return;
            }
            self.add_edge(from, to, 1, *gain);
            left -= 1;
        }
        if left > 0 {
            self.add_edge(from, to, left, 0);
        }
    }

    /// Whether flow goes through an edge.
    pub(super) fn is_used(&self, edge: usize) -> bool {
        self.edges[edge ^ 1].capacity > 0
    }

    /// The maximum gain of any flow. Counts visited edges in `work`; returns `None` if `work` exceeds `budget`.
    pub(super) fn maximise(&mut self, work: &mut u64, budget: u64) -> Option<i64> {
        let nodes = self.first_edges.len();
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
                let mut number = self.first_edges[at];
                while let Some(&edge) = self.edges.get(number) {
                    *work += 1;
                    number = edge.next;
                    if edge.capacity > 0 && best[at] + edge.gain > best[edge.to] {
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
            total += best[SINK] * self.augment(&best, work);
        }
    }

    /// Augments along paths of maximum gain until none is left. Returns the number of units.
    fn augment(&mut self, best: &[i64], work: &mut u64) -> i64 {
        // Nodes on the current path, and dead ends.
        let mut seen = vec![false; self.first_edges.len()];
        let mut next = self.first_edges.clone();
        let mut path: Vec<usize> = Vec::new();
        let (mut at, mut units) = (SOURCE, 0);
        seen[SOURCE] = true;
        loop {
            if at == SINK {
                for number in path.drain(..) {
                    let edge = &mut self.edges[number];
                    edge.capacity -= 1;
                    seen[edge.to] = false;
                    self.edges[number ^ 1].capacity += 1;
                }
                units += 1;
                at = SOURCE;
                continue;
            }
            let number = next[at];
            let Some(&edge) = self.edges.get(number) else {
                // A dead end stays marked.
                let Some(back) = path.pop() else { return units };
                at = self.edges[back ^ 1].to;
                next[at] = self.edges[back].next;
                continue;
            };
            *work += 1;
            if edge.capacity > 0 && !seen[edge.to] && best[at] + edge.gain == best[edge.to] {
                seen[edge.to] = true;
                path.push(number);
                at = edge.to;
            } else {
                next[at] = edge.next;
            }
        }
    }
}
