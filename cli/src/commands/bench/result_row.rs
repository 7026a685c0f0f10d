//! A row of the table of results, for people and as JSON.

use serde_json::{Value, json};
use std::fmt;

/// A row: a measurement with its value, unit and ratio.
#[derive(Clone, Debug)]
pub struct ResultRow {
    /// The name of the measurement; rows are selected by it.
    pub name: String,
    value: f64,
    unit: &'static str,
    /// A ratio that can be compared between machines, and its meaning.
    ratio: Option<(f64, &'static str)>,
}

impl ResultRow {
    /// A row without a ratio.
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit, ratio: None }
    }

    /// Adds a ratio. `what`: its meaning.
    pub fn with_ratio(self, ratio: f64, what: &'static str) -> Self {
        Self { ratio: Some((ratio, what)), ..self }
    }

    /// The row as a JSON object: `name`, `value`, `unit`, and if there is a ratio, `ratio` and `of`, its meaning.
    pub fn to_json(&self) -> Value {
        let mut row = json!({ "name": self.name, "value": self.value, "unit": self.unit });
        if let (Some((ratio, of)), Some(fields)) = (self.ratio, row.as_object_mut()) {
            fields.insert("ratio".into(), json!(ratio));
            fields.insert("of".into(), json!(of));
        }
        row
    }
}

impl fmt::Display for ResultRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.value < 100.0 { format!("{:.2}", self.value) } else { format!("{:.0}", self.value) };
        write!(f, "{:<52} {value:>12} {:<13}", self.name, self.unit)?;
        match self.ratio {
            Some((ratio, of)) => write!(f, " {ratio:.2} {of}"),
            None => Ok(()),
        }
    }
}
