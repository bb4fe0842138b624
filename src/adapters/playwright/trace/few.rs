//! Lists of which only so many items are kept: a line may hold millions.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The first `N` items of a list. What is no list counts as an empty one.
#[derive(Debug)]
pub(super) struct Few<T, const N: usize = 1_000>(pub(super) Vec<T>);

impl<T, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, const N: usize> Deserialize<'de> for Few<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Items(PhantomData))
    }
}

struct Items<T, const N: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const N: usize> Visitor<'de> for Items<T, N> {
    type Value = Few<T, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or nothing")
    }

    fn visit_unit<E>(self) -> Result<Few<T, N>, E> {
        Ok(Few::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Few<T, N>, A::Error> {
        let mut kept = Vec::new();
        while kept.len() < N {
            match items.next_element()? {
                Some(item) => kept.push(item),
                None => return Ok(Few(kept)),
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Few(kept))
    }
}

#[cfg(test)]
mod tests {
    use super::Few;

    #[test]
    fn a_long_list_is_cut_and_nothing_is_an_empty_one() {
        let check = |json: &str, kept: &[u8]| {
            assert_eq!(serde_json::from_str::<Few<u8, 3>>(json).expect("readable").0, kept, "{json}");
        };
        check("[1,2]", &[1, 2]);
        check("[1,2,3,[4],{}]", &[1, 2, 3]);
        check("null", &[]);
    }
}
