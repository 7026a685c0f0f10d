//! What answers of a kind were worth on the average, whoever gave them where: it guides playouts and answers not tried yet.

/// How many kinds are told apart; a power of two.
const SIZE: usize = 1 << 12;

/// How many answers of nothing in particular each kind begins with.
const BEGUN: f64 = 1.0;

/// Sums of what answers led to, by kind.
#[derive(Clone, Debug)]
pub(super) struct ActionValues {
    /// Sum and number.
    table: Vec<(f64, f64)>,
}

impl Default for ActionValues {
    fn default() -> Self {
        Self { table: vec![(0.0, 0.0); SIZE] }
    }
}

impl ActionValues {
    /// What answers of a kind were worth, from 0 to 1.
    pub fn worth(&self, kind: u64) -> f64 {
        let (sum, count) = self.table.get(place(kind)).copied().unwrap_or_default();
        (sum + 0.5 * BEGUN) / (count + BEGUN)
    }

    /// An answer of a kind led to something of that worth.
    pub fn learn(&mut self, kind: u64, worth: f64) {
        if let Some((sum, count)) = self.table.get_mut(place(kind)) {
            *sum += worth;
            *count += 1.0;
        }
    }

    /// What was learnt counts less from now on.
    pub fn decay(&mut self, kept: f64) {
        for (sum, count) in &mut self.table {
            *sum *= kept;
            *count *= kept;
        }
    }
}

fn place(kind: u64) -> usize {
    (kind as usize ^ (kind >> 32) as usize) & (SIZE - 1)
}
