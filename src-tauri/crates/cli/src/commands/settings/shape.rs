//! What a setting may be, as its type says: the settings are read from something that holds nothing and remembers what it
//! was asked for. So a setting that is new in the type is known here at once.

use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserialize, Deserializer, Error, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use siltstone_engine::settings::Settings;

/// What a value may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// `true` or `false`.
    Switch,
    /// A whole number.
    Whole { most: u64 },
    /// Any other number.
    Fraction,
    /// A text.
    Text,
    /// One of these.
    Choice(&'static [&'static str]),
    /// Several.
    List(Box<Shape>),
    /// It may also be nothing.
    Maybe(Box<Shape>),
    /// Settings of its own.
    Group(&'static [&'static str]),
    /// A table, or something else that no single word says.
    Table,
}

/// All settings by their names, such as `summary.strict`, in the order of the type.
pub fn all() -> Vec<(String, Shape)> {
    let mut found = Vec::new();
    beneath(&[], &mut found);
    found
}

fn beneath(path: &[&'static str], found: &mut Vec<(String, Shape)>) {
    match of(path) {
        Shape::Group(fields) => {
            for field in fields {
                beneath(&[path, &[*field]].concat(), found);
            }
        }
        shape => found.push((path.join("."), shape)),
    }
}

fn of(path: &[&'static str]) -> Shape {
    match Settings::deserialize(Asked { path }) {
        Err(Seen(shape)) => shape,
        Ok(_) => Shape::Table,
    }
}

/// The value at a path, of which is only known what is wanted of it.
#[derive(Clone, Copy)]
struct Asked<'p> {
    path: &'p [&'static str],
}

/// What was wanted; reading ends with it.
#[derive(Debug)]
struct Seen(Shape);

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for Seen {}

impl Error for Seen {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(Shape::Table)
    }
}

impl<'de> IntoDeserializer<'de, Seen> for Asked<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! wanted {
    ($($method:ident: $shape:expr;)*) => {
        $(fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Seen> { Err(Seen($shape)) })*
    };
}

impl<'de> Deserializer<'de> for Asked<'_> {
    type Error = Seen;

    wanted! {
        deserialize_any: Shape::Table;
        deserialize_bool: Shape::Switch;
        deserialize_u8: Shape::Whole { most: u8::MAX.into() };
        deserialize_u16: Shape::Whole { most: u16::MAX.into() };
        deserialize_u32: Shape::Whole { most: u32::MAX.into() };
        deserialize_u64: Shape::Whole { most: u64::MAX };
        deserialize_f32: Shape::Fraction;
        deserialize_f64: Shape::Fraction;
        deserialize_str: Shape::Text;
        deserialize_string: Shape::Text;
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Seen> {
        Err(Seen(Shape::Choice(variants)))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Seen> {
        match self.path.split_first() {
            Some((first, path)) => {
                visitor.visit_map(MapDeserializer::new(std::iter::once((*first, Asked { path }))))
            }
            None => Err(Seen(Shape::Group(fields))),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Seen> {
        visitor.visit_some(self).map_err(|Seen(shape)| Seen(Shape::Maybe(Box::new(shape))))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Seen> {
        let one = SeqDeserializer::new(std::iter::once(self));
        visitor.visit_seq(one).map_err(|Seen(shape)| Seen(Shape::List(Box::new(shape))))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Seen> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u128 char bytes byte_buf unit unit_struct tuple tuple_struct map identifier ignored_any
    }
}
