//! One line of the table of results, for people and as JSON.

use serde_json::{Value, json};
use std::fmt;

/// A result.
#[derive(Clone, Debug)]
pub struct ResultRow {
    /// What was measured.
    pub name: String,
    value: f64,
    unit: &'static str,
    /// A ratio that travels to other machines, and what it is.
    ratio: Option<(f64, &'static str)>,
}

impl ResultRow {
    /// A row.
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit, ratio: None }
    }

    /// The same with a ratio.
    pub fn against(self, ratio: f64, what: &'static str) -> Self {
        Self { ratio: Some((ratio, what)), ..self }
    }

    /// As one JSON object: `name`, `value`, `unit`, and where there is one `ratio` with what it is `of`.
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
