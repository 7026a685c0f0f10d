//! `fizzle merge`: merges the shards of a simulation into one result. Refuses shards of different runs, and duplicate, unfinished or missing
//! shards.

use crate::commands::sim::outputs::OutputOptions;
use crate::commands::sim::result::{SimResult, read};
use crate::failure::{CommandError, ExitStatus};
use crate::output::{MessageFormat, shell_quoted};
use std::collections::BTreeSet;

/// Merges the results of shards.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Result files of `sim --output`, one per shard
    #[arg(required = true, value_name = "PART")]
    parts: Vec<String>,
    /// The format of the result
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
    #[command(flatten)]
    outputs: OutputOptions,
}

/// The most missing shards that are listed.
const MAX_SHARDS_LISTED: usize = 10;

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    let mut parts: Vec<(String, SimResult)> = Vec::new();
    for path in &args.parts {
        parts.extend(read(path)?.into_iter().map(|tally| (path.clone(), tally)));
    }
    args.outputs.check_outputs()?;
    let merged = merge(&parts).map_err(CommandError::Problem)?;
    args.outputs.write_and_show(&merged, args.message_format)?;
    Ok(ExitStatus::Success)
}

/// Merges the results. An error explains why they do not belong together.
fn merge(parts: &[(String, SimResult)]) -> Result<SimResult, String> {
    let Some((first_path, first)) = parts.first() else { return Err("no result to merge".into()) };
    let (_, count) = first.shard_parts().ok_or_else(|| format!("`{first_path}` has no valid shard number"))?;
    let mut merged = first.clone();
    let mut seen = BTreeSet::new();
    for (number, (path, part)) in parts.iter().enumerate() {
        if let Some(what) = part.find_difference(first) {
            return Err(format!("`{path}` does not belong to the same run as `{first_path}`: different {what}"));
        }
        let (shard, of) = part.shard_parts().ok_or_else(|| format!("`{path}` has no valid shard number"))?;
        if of != count {
            return Err(format!("`{path}` is shard {shard} of {of}, but `{first_path}` is one of {count} shards"));
        }
        if part.finished.is_some() {
            let (played, wanted, unit) = (part.units(), part.wanted(), part.unit());
            return Err(format!(
                "`{path}` is not finished ({played} of {wanted} {unit}): repeat its command with `--resume {}`",
                shell_quoted(path)
            ));
        }
        if !seen.insert(shard) {
            return Err(format!("shard {shard} of {count} is given twice, again in `{path}`"));
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
        return Err(format!("missing shards: {} of {count}", missing.join(", ")));
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
        assert!(merge(&[part("1/2", "a"), part("2/2", "b")]).expect_err("mixed").contains("different rules"));
        assert!(merge(&[part("1/2", "a"), part("1/2", "a")]).expect_err("twice").contains("twice"));
        assert!(merge(&[part("1/3", "a"), part("2/3", "a")]).expect_err("missing").contains("missing shards: 3 of 3"));
        assert!(merge(&[part("1/2", "a"), part("2/3", "a")]).is_err());
        let mut other = part("2/2", "a");
        other.1.seed = 7;
        assert!(merge(&[part("1/2", "a"), other]).expect_err("mixed").contains("different seed"));
        let mut other = part("2/2", "a");
        other.1.decks_hash = "b".into();
        assert!(merge(&[part("1/2", "a"), other]).expect_err("mixed").contains("different decks"));
        let mut other = part("2/2", "a");
        other.1.finished = Some(vec![[0, 1]]);
        assert!(merge(&[part("1/2", "a"), other]).expect_err("open").contains("not finished"));
        let many = u64::MAX.to_string();
        assert!(merge(&[part(&format!("1/{many}"), "a")]).expect_err("missing").contains("11, …"));
    }
}
