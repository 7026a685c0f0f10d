//! Merges the results of shards. Refuses shards of different runs, and duplicate, unfinished or missing shards.

use super::result::SimResult;
use std::collections::BTreeSet;

/// The most missing shards that are listed.
const MAX_SHARDS_LISTED: usize = 10;

/// Why results are not the shards of one run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There is no result.
    #[error("no result to merge")]
    Nothing,
    /// A result without `I/N`.
    #[error("`{0}` has no valid shard number")]
    NoShard(String),
    /// A result of another run.
    #[error("`{path}` does not belong to the same run as `{first}`: different {what}")]
    OtherRun {
        /// Its file.
        path: String,
        /// The file of the first result.
        first: String,
        /// What differs.
        what: &'static str,
    },
    /// A shard of another number of shards.
    #[error("`{path}` is shard {shard} of {of}, but `{first}` is one of {count} shards")]
    OtherCount {
        /// Its file.
        path: String,
        /// Its number.
        shard: u64,
        /// The number of its shards.
        of: u64,
        /// The file of the first result.
        first: String,
        /// The number of shards of the first result.
        count: u64,
    },
    /// A shard whose games are not all played.
    #[error("`{path}` is not finished ({played} of {wanted} {unit})")]
    Unfinished {
        /// Its file.
        path: String,
        /// The games or matches that were played.
        played: u64,
        /// The games or matches of the shard.
        wanted: u64,
        /// The noun for both.
        unit: &'static str,
    },
    /// A shard that is given twice.
    #[error("shard {shard} of {count} is given twice, again in `{path}`")]
    Twice {
        /// Its number.
        shard: u64,
        /// The number of shards.
        count: u64,
        /// The second file.
        path: String,
    },
    /// Shards that are not given.
    #[error("missing shards: {missing} of {count}")]
    Missing {
        /// The first of them.
        missing: String,
        /// The number of shards.
        count: u64,
    },
}

/// Merges the results of shards, each with the name of its file.
///
/// # Errors
/// Why they do not belong together.
pub fn merge(parts: &[(String, SimResult)]) -> Result<SimResult, MergeError> {
    let Some((first, first_result)) = parts.first() else { return Err(MergeError::Nothing) };
    let (_, count) = first_result.shard_parts().ok_or_else(|| MergeError::NoShard(first.clone()))?;
    let mut merged = first_result.clone();
    let mut seen = BTreeSet::new();
    for (number, (path, part)) in parts.iter().enumerate() {
        if let Some(what) = part.find_difference(first_result) {
            return Err(MergeError::OtherRun { path: path.clone(), first: first.clone(), what });
        }
        let (shard, of) = part.shard_parts().ok_or_else(|| MergeError::NoShard(path.clone()))?;
        if of != count {
            return Err(MergeError::OtherCount { path: path.clone(), shard, of, first: first.clone(), count });
        }
        if part.finished.is_some() {
            let (played, wanted, unit) = (part.units(), part.wanted(), part.unit());
            return Err(MergeError::Unfinished { path: path.clone(), played, wanted, unit });
        }
        if !seen.insert(shard) {
            return Err(MergeError::Twice { shard, count, path: path.clone() });
        }
        if number > 0 {
            merged.add(part);
        }
    }
    let mut missing: Vec<String> =
        (1..=count).filter(|shard| !seen.contains(shard)).take(MAX_SHARDS_LISTED + 1).map(|shard| shard.to_string()).collect();
    if missing.len() > MAX_SHARDS_LISTED {
        missing.truncate(MAX_SHARDS_LISTED);
        missing.push("…".to_owned());
    }
    if !missing.is_empty() {
        return Err(MergeError::Missing { missing: missing.join(", "), count });
    }
    merged.shard = "1/1".into();
    merged.complete();
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(shard: &str, rules: &str) -> (String, SimResult) {
        let tally = SimResult {
            games: 2,
            wins: vec![1, 1],
            shard: shard.into(),
            rules_hash: rules.into(),
            total: 4,
            ..SimResult::default()
        };
        (shard.to_owned(), tally)
    }

    #[test]
    fn complete_shards_are_merged() {
        let merged = merge(&[part("2/2", "a"), part("1/2", "a")]).expect("complete");
        assert_eq!((merged.games, merged.wins, merged.shard.as_str()), (4, vec![2, 2], "1/1"));
    }

    #[test]
    fn inconsistent_shards_are_refused() {
        assert!(merge(&[part("1/2", "a"), part("2/2", "b")]).expect_err("mixed").to_string().contains("different rules"));
        assert!(merge(&[part("1/2", "a"), part("1/2", "a")]).expect_err("twice").to_string().contains("twice"));
        assert!(
            merge(&[part("1/3", "a"), part("2/3", "a")]).expect_err("missing").to_string().contains("missing shards: 3 of 3")
        );
        assert!(merge(&[part("1/2", "a"), part("2/3", "a")]).is_err());
        let mut other = part("2/2", "a");
        other.1.seed = 7;
        assert!(merge(&[part("1/2", "a"), other]).expect_err("mixed").to_string().contains("different seed"));
        let mut other = part("2/2", "a");
        other.1.decks_hash = "b".into();
        assert!(merge(&[part("1/2", "a"), other]).expect_err("mixed").to_string().contains("different decks"));
        let mut other = part("2/2", "a");
        other.1.finished = Some(vec![[0, 1]]);
        assert!(merge(&[part("1/2", "a"), other]).expect_err("open").to_string().contains("not finished"));
        let many = u64::MAX.to_string();
        assert!(merge(&[part(&format!("1/{many}"), "a")]).expect_err("missing").to_string().contains("11, …"));
    }
}
