//! `fizzle merge`: the shards of a simulation as one result. Mixed rules, duplicate or missing shards are refused.

use crate::commands::sim::result::Tally;
use crate::failure::{Failure, Status};
use crate::out::MessageFormat;
use std::collections::BTreeSet;

/// Merges the results of shards.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What `sim --out` has written, one file per shard
    #[arg(required = true, value_name = "PART")]
    parts: Vec<String>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
    /// Write the result to this file as well
    #[arg(long, value_name = "FILE")]
    out: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    let mut parts: Vec<(String, Tally)> = Vec::new();
    for path in &args.parts {
        let text = crate::paths::read(std::path::Path::new(path))?;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let tally = serde_json::from_str(line)
                .map_err(|_| Failure::Problem(format!("`{path}` is not the result of a simulation")))?;
            parts.push((path.clone(), tally));
        }
    }
    let merged = merge(&parts).map_err(Failure::Problem)?;
    crate::commands::sim::result::show(&merged, args.message_format)?;
    if let Some(path) = &args.out {
        crate::commands::sim::result::write(path, &merged)?;
    }
    Ok(Status::Well)
}

/// Merges, or says why it cannot be done.
fn merge(parts: &[(String, Tally)]) -> Result<Tally, String> {
    let Some((first_path, first)) = parts.first() else { return Err("there is no result to merge".into()) };
    let (_, count) = first.shard_parts().ok_or_else(|| format!("`{first_path}` names no shard"))?;
    let mut merged = first.clone();
    let mut seen = BTreeSet::new();
    for (number, (path, part)) in parts.iter().enumerate() {
        let same = [
            ("rules", part.rules_hash == first.rules_hash),
            ("seed", part.seed == first.seed),
            ("format", part.format == first.format),
            ("decks", part.decks == first.decks),
            ("bots", part.bots == first.bots),
            ("number of games in all", part.total == first.total),
            ("length of a match", part.best_of == first.best_of),
        ];
        if let Some((what, _)) = same.iter().find(|(_, same)| !same) {
            return Err(format!("`{path}` has other {what} than `{first_path}`"));
        }
        let (shard, of) = part.shard_parts().ok_or_else(|| format!("`{path}` names no shard"))?;
        if of != count {
            return Err(format!("`{path}` is shard {shard} of {of}, `{first_path}` is one of {count}"));
        }
        if !seen.insert(shard) {
            return Err(format!("shard {shard} of {count} is there twice, again in `{path}`"));
        }
        if number > 0 {
            merged.add(part);
        }
    }
    let missing: Vec<String> = (1..=count).filter(|shard| !seen.contains(shard)).map(|shard| shard.to_string()).collect();
    if !missing.is_empty() {
        return Err(format!("shards are missing: {} of {count}", missing.join(", ")));
    }
    merged.shard = "1/1".into();
    merged.pace();
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(shard: &str, rules: &str) -> (String, Tally) {
        let tally =
            Tally { games: 2, wins: vec![1, 1], shard: shard.into(), rules_hash: rules.into(), total: 4, ..Tally::default() };
        (shard.to_owned(), tally)
    }

    #[test]
    fn complete_shards_merge() {
        let merged = merge(&[part("2/2", "a"), part("1/2", "a")]).expect("complete");
        assert_eq!((merged.games, merged.wins, merged.shard.as_str()), (4, vec![2, 2], "1/1"));
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        assert!(merge(&[part("1/2", "a"), part("2/2", "b")]).expect_err("mixed").contains("other rules"));
        assert!(merge(&[part("1/2", "a"), part("1/2", "a")]).expect_err("twice").contains("twice"));
        assert!(merge(&[part("1/3", "a"), part("2/3", "a")]).expect_err("missing").contains("missing: 3 of 3"));
        assert!(merge(&[part("1/2", "a"), part("2/3", "a")]).is_err());
    }
}
