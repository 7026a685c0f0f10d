//! Collects references to table entries: a serializer visits all numbers of a value and recognises them by the names of their
//! types. No field can be forgotten.

use crate::{AbilityBundleId, AbilityId, ChoiceSiteId, DefId, FnId, ModificationId};
use serde::Serialize;
use serde::ser::{self, Serializer};
use std::fmt;

/// A reference to an entry of one of the tables that grow with the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableRef {
    /// A function of the library.
    Function(u32),
    /// A choice site.
    Site(u32),
    /// An ability.
    Ability(u32),
    /// A modification.
    Modification(u32),
    /// A card or token.
    Definition(u32),
    /// An ability bundle of a format.
    Bundle(u32),
}

impl TableRef {
    /// The kind of reference for a type name; `None` if the type refers to no such table.
    fn of_type(name: &str) -> Option<fn(u32) -> Self> {
        Some(match name {
            FnId::NAME => Self::Function,
            ChoiceSiteId::NAME => Self::Site,
            AbilityId::NAME => Self::Ability,
            ModificationId::NAME => Self::Modification,
            DefId::NAME => Self::Definition,
            AbilityBundleId::NAME => Self::Bundle,
            _ => return None,
        })
    }
}

/// Collects all references of a value, in the order of serialisation.
pub fn collect_refs<T: Serialize + ?Sized>(value: &T, found: &mut Vec<TableRef>) {
    let mut walk = RefCollector { found, kind: None };
    // This serializer returns no errors.
    let _ = value.serialize(&mut walk);
}

struct RefCollector<'a> {
    found: &'a mut Vec<TableRef>,
    /// The kind of the next number.
    kind: Option<fn(u32) -> TableRef>,
}

type Done = Result<(), fmt::Error>;

macro_rules! ignored {
    ($($name:ident: $ty:ty),* $(,)?) => {$(
        fn $name(self, _: $ty) -> Done {
            Ok(())
        }
    )*};
}

impl Serializer for &mut RefCollector<'_> {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    ignored! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_u8: u8,
        serialize_u16: u16, serialize_u64: u64, serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_str: &str,
        serialize_bytes: &[u8], serialize_unit_struct: &'static str,
    }

    fn serialize_u32(self, number: u32) -> Done {
        if let Some(item) = self.kind.take() {
            self.found.push(item(number));
        }
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Done {
        self.kind = TableRef::of_type(name);
        value.serialize(self)
    }

    fn serialize_none(self) -> Done {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Done {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Done {
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, _: &'static str, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, fmt::Error> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, fmt::Error> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, fmt::Error> {
        Ok(self)
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<Self, fmt::Error> {
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, fmt::Error> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, fmt::Error> {
        Ok(self)
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<Self, fmt::Error> {
        Ok(self)
    }
}

macro_rules! elements {
    ($($of:ident $name:ident),* $(,)?) => {$(
        impl ser::$of for &mut RefCollector<'_> {
            type Ok = ();
            type Error = fmt::Error;

            fn $name<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
                value.serialize(&mut **self)
            }

            fn end(self) -> Done {
                Ok(())
            }
        }
    )*};
}

macro_rules! fields {
    ($($of:ident),* $(,)?) => {$(
        impl ser::$of for &mut RefCollector<'_> {
            type Ok = ();
            type Error = fmt::Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Done {
                value.serialize(&mut **self)
            }

            fn end(self) -> Done {
                Ok(())
            }
        }
    )*};
}

elements! {
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field,
}

fields! { SerializeStruct, SerializeStructVariant }

impl ser::SerializeMap for &mut RefCollector<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        value.serialize(&mut **self)
    }

    fn end(self) -> Done {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Change, Op};

    #[test]
    fn references_are_found_by_type() {
        let ops = vec![
            Op::Const { dst: 7, value: 9 },
            Op::IsCard { dst: 1, of: 0, card: DefId(5) },
            Op::Filter { dst: 1, list: 2, filter: FnId(3), captures: vec![0, 1] },
            Op::Choose { dst: 2, site: ChoiceSiteId(4) },
        ];
        let mut found = Vec::new();
        collect_refs(&ops, &mut found);
        assert_eq!(found, [TableRef::Definition(5), TableRef::Function(3), TableRef::Site(4)]);
        found.clear();
        collect_refs(
            &(
                Change::GainBundleByValue { bundles: vec![AbilityBundleId(1), AbilityBundleId(2)], which: FnId(8) },
                Some(crate::AbilityId(6)),
            ),
            &mut found,
        );
        assert_eq!(found, [TableRef::Bundle(1), TableRef::Bundle(2), TableRef::Function(8), TableRef::Ability(6)]);
    }
}
