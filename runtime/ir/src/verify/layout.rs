//! Verifies layouts: their numbers are in range, their values have the types that are shown, and all conditions are pure.

use super::{Verifier, VerifyError};
use crate::layout::{FaceValue, Layout, LayoutFace, LayoutRow, MAX_LAYOUT_ENTRIES, MAX_LAYOUT_NAMES, MAX_PLACES, RowStyle};
use crate::{FnId, TraitSetId, Type, Variable, ZoneKindId};

impl Verifier<'_> {
    pub(super) fn layout(&self, layout: &Layout) -> Result<(), VerifyError> {
        self.at_most("rows", layout.rows.len(), MAX_LAYOUT_ENTRIES)?;
        for (number, row) in layout.rows.iter().enumerate() {
            self.layout_row(row).map_err(|e| e.within(&format!("row {number}")))?;
        }
        let players = &self.library.player_variables;
        self.names_of("plate", &layout.show)?;
        for number in layout.show.iter().chain(&layout.large) {
            self.index("player variable", usize::from(*number), players.len())?;
            self.typed(players, *number, &[Type::Number, Type::Bool])?;
        }
        self.names_of("hidden zones", &layout.hidden)?;
        self.zones(&layout.hidden)?;
        for links in layout.links() {
            self.names_of("statuses", links)?;
            for status in links {
                self.index("status", usize::from(*status), self.library.statuses.len())?;
                self.typed(&self.library.statuses, *status, &[Type::Object, Type::Player, Type::Thing])?;
            }
        }
        self.names_of("arrows", &layout.arrows_between)?;
        for status in layout.arrows_between.iter().flat_map(|(from, to)| [from, to]) {
            self.index("status", usize::from(*status), self.library.statuses.len())?;
            self.typed(&self.library.statuses, *status, &[Type::Object, Type::Thing])?;
        }
        self.conditions(&layout.forward)?;
        self.at_most("faces", layout.faces.len(), MAX_LAYOUT_ENTRIES)?;
        for (number, face) in layout.faces.iter().enumerate() {
            self.layout_face(face).map_err(|e| e.within(&format!("face {number}")))?;
        }
        self.names_of("hues", &layout.hues)?;
        if layout.hues.iter().any(|hue| hue.degrees > 359) {
            return Err(VerifyError::new("hue", "it is not 0 to 359 degrees"));
        }
        Ok(())
    }

    fn layout_row(&self, row: &LayoutRow) -> Result<(), VerifyError> {
        self.names_of("contents", &row.contents)?;
        for content in &row.contents {
            self.names_of("zones", &content.zones)?;
            self.zones(&content.zones)?;
            content.condition.map_or(Ok(()), |condition| self.condition(condition))?;
        }
        match row.places {
            Some((count, status)) => {
                self.index("status", usize::from(status), self.library.statuses.len())?;
                self.typed(&self.library.statuses, status, &[Type::Number])?;
                if self.library.statuses.get(usize::from(status)).is_some_and(|status| status.keys.is_some()) {
                    return Err(VerifyError::new("places", "a status with keys is no number of a place"));
                }
                if (1..=MAX_PLACES).contains(&count) && row.style == RowStyle::Places {
                    Ok(())
                } else {
                    Err(VerifyError::new("places", format!("{count} places, or of a row without places")))
                }
            }
            None if row.style == RowStyle::Places => Err(VerifyError::new("places", "their number is missing")),
            None => Ok(()),
        }
    }

    fn layout_face(&self, face: &LayoutFace) -> Result<(), VerifyError> {
        let library = self.library;
        self.condition(face.filter)?;
        for sets in [&face.hue, &face.line] {
            self.names_of("trait sets", sets)?;
            sets.iter().try_for_each(|set: &TraitSetId| self.index("trait set", set.index(), library.traits.len()))?;
        }
        if let Some(corner) = face.corner {
            self.index("property", usize::from(corner), library.properties.len())?;
            self.typed(&library.properties, corner, &[Type::Number, Type::Price])?;
        }
        self.names_of("numbers", &face.stats)?;
        for stat in &face.stats {
            for property in std::iter::once(stat.first).chain(stat.second) {
                self.index("property", usize::from(property), library.properties.len())?;
                self.typed(&library.properties, property, &[Type::Number])?;
            }
            stat.condition.map_or(Ok(()), |condition| self.condition(condition))?;
        }
        self.conditions(&face.turned)?;
        self.conditions(&face.dim)?;
        for (values, ty) in [(&face.counts, Type::Number), (&face.marks, Type::Bool)] {
            self.names_of("values", values)?;
            for value in values {
                let (table, number) = match *value {
                    FaceValue::Property(number) => (&library.properties, number),
                    FaceValue::Status(number) => (&library.statuses, number),
                };
                self.index("value", usize::from(number), table.len())?;
                self.typed(table, number, &[ty])?;
            }
        }
        Ok(())
    }

    fn names_of<T>(&self, what: &str, list: &[T]) -> Result<(), VerifyError> {
        self.at_most(what, list.len(), MAX_LAYOUT_NAMES)
    }

    fn zones(&self, zones: &[ZoneKindId]) -> Result<(), VerifyError> {
        zones.iter().try_for_each(|zone| self.index("zone", zone.index(), self.library.zones.len()))
    }

    fn typed(&self, table: &[Variable], number: u16, types: &[Type]) -> Result<(), VerifyError> {
        match table.get(usize::from(number)) {
            Some(variable) if !types.contains(&variable.ty) => {
                Err(VerifyError::new(&format!("`{}`", variable.name), "a value of this type is not shown"))
            }
            _ => Ok(()),
        }
    }

    fn conditions(&self, conditions: &[FnId]) -> Result<(), VerifyError> {
        self.names_of("conditions", conditions)?;
        conditions.iter().try_for_each(|condition| self.condition(*condition))
    }

    /// Checks a condition on an object: a pure function of three single values with a single value.
    pub(super) fn condition(&self, id: FnId) -> Result<(), VerifyError> {
        self.as_shown(|| self.pure(id, 2))?;
        let Some(function) = self.library.functions.get(id.index()) else { return Ok(()) };
        let params = function.registers.iter().take(usize::from(function.params));
        if function.result != Some(Type::Bool) || function.params != 3 || params.into_iter().any(|ty| ty.is_list()) {
            return Err(VerifyError::new(&format!("function {}", id.0), "it is no condition on an object"));
        }
        Ok(())
    }
}
