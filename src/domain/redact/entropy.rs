//! Long tokens that no person made up: random text by its measure, whatever its name.

use std::ops::Range;

/// Shorter tokens are words, names and numbers more often than keys, in bytes.
const SHORTEST: usize = 24;
/// Hexadecimal text of a key has at least so many digits: 128 bits.
const SHORTEST_HEX: usize = 32;
/// Random base 64 of 24 characters has 4 bits and more in nearly every case; names of that length stay under it.
const BITS: f64 = 3.8;
/// The same for hexadecimal text, of which at most 4 are possible.
const HEX_BITS: f64 = 3.0;

/// The tokens of `text` that look random.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '_' | '-');
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(from..)?;
            let start = from + rest.find(is_part)?;
            let token = text.get(start..)?;
            let length = token.find(|c| !is_part(c)).unwrap_or(token.len());
            from = start + length;
            if token.get(..length).is_some_and(is_random) {
                return Some(start..from);
            }
        }
    })
}

fn is_random(token: &str) -> bool {
    if token.len() < SHORTEST {
        return false;
    }
    let count = |wanted: fn(&u8) -> bool| token.bytes().filter(wanted).count();
    let (digits, upper, lower) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    if token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return token.len() >= SHORTEST_HEX && digits > 0 && bits(token) >= HEX_BITS;
    }
    digits >= 3 && upper >= 2 && lower >= 2 && bits(token) >= BITS
}

/// Shannon's measure in bits a character.
fn bits(token: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in token.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let all: u32 = counts.iter().sum();
    let shares = counts.iter().filter(|count| **count > 0).map(|&count| f64::from(count) / f64::from(all));
    -shares.map(|share| share * share.log2()).sum::<f64>()
}
