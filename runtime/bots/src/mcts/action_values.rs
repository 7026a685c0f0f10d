//! Running average reward per action key, over all players and positions (move-average sampling, MAST).
//!
//! It guides playouts and the order of untried answers. The table has a fixed size; keys that collide share an entry.

/// The number of entries; a power of two.
const TABLE_SIZE: usize = 1 << 12;

/// The weight of the prior of each entry, in answers with reward 0.5.
const PRIOR_COUNT: f64 = 1.0;

/// Sums and numbers of rewards, by action key.
#[derive(Clone, Debug)]
pub(super) struct ActionValues {
    /// Sum and number of rewards, both decayed.
    table: Vec<(f64, f64)>,
}

impl Default for ActionValues {
    fn default() -> Self {
        Self { table: vec![(0.0, 0.0); TABLE_SIZE] }
    }
}

impl ActionValues {
    /// The average reward of an action key, from 0 to 1.
    pub fn value(&self, kind: u64) -> f64 {
        let (sum, count) = self.table.get(table_index(kind)).copied().unwrap_or_default();
        (sum + 0.5 * PRIOR_COUNT) / (count + PRIOR_COUNT)
    }

    /// Records the reward of one answer.
    pub fn learn(&mut self, kind: u64, reward: f64) {
        if let Some((sum, count)) = self.table.get_mut(table_index(kind)) {
            *sum += reward;
            *count += 1.0;
        }
    }

    /// Multiplies the weight of all rewards recorded so far.
    pub fn decay(&mut self, kept: f64) {
        for (sum, count) in &mut self.table {
            *sum *= kept;
            *count *= kept;
        }
    }
}

fn table_index(kind: u64) -> usize {
    (kind as usize ^ (kind >> 32) as usize) & (TABLE_SIZE - 1)
}
