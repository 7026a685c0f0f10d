//! Syntax tree of parameters and their types.

use crate::span::Name;

/// A type: `number`, `list of object`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeRef {
    /// `list of` was written.
    pub list: bool,
    /// `word of` was written: one word of a trait set.
    pub word: bool,
    /// The type of the value, or of the elements.
    pub name: Name,
    /// `one of a, b`: the words, in the place of a name.
    pub one_of: Vec<Name>,
    /// The type was written. An unwritten one has an empty span.
    pub written: bool,
}

/// `name: TYPE`, or `name` for an object
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: TypeRef,
    /// `in ZONE`: the zone that the object is taken from.
    pub zone: Option<Name>,
}
