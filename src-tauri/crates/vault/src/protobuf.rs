//! Messages of protocol buffers of which nobody gives the schema: their fields, as far as they can be told apart without one.
//!
//! Used by `antigravity` and `cursor_cli`. Deliberately absent: groups, which end the reading, and what a number means.

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Field<'d> {
    Number(u64),
    /// A text, a message, or many numbers.
    Bytes(&'d [u8]),
    /// A number of four or eight bytes, of one kind or another.
    Fixed,
}

/// The fields of a message with their numbers, up to the first thing that is none.
pub(crate) struct Fields<'d>(pub(crate) &'d [u8]);

impl<'d> Iterator for Fields<'d> {
    type Item = (u64, Field<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        let tag = variable(&mut self.0)?;
        let length = match tag & 7 {
            0 => return Some((tag >> 3, Field::Number(variable(&mut self.0)?))),
            1 => 8,
            2 => usize::try_from(variable(&mut self.0)?).ok()?,
            5 => 4,
            _ => return None,
        };
        let (value, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some((tag >> 3, if tag & 7 == 2 { Field::Bytes(value) } else { Field::Fixed }))
    }
}

/// What the first field of this number holds, where it is a text or a message.
pub(crate) fn bytes(message: &[u8], number: u64) -> Option<&[u8]> {
    Fields(message).find_map(|field| match field {
        (found, Field::Bytes(bytes)) if found == number => Some(bytes),
        _ => None,
    })
}

/// The number in the first field of this number; 0 where there is none, as it is not written then.
pub(crate) fn number(message: &[u8], number: u64) -> u64 {
    let found = Fields(message).find_map(|field| match field {
        (found, Field::Number(value)) if found == number => Some(value),
        _ => None,
    });
    found.unwrap_or_default()
}

/// A number from the front.
fn variable(data: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = data.split_first()?;
        *data = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_told_apart_up_to_what_is_none() {
        let message = [0x08, 0xAC, 0x02, 0x12, 2, b'h', b'i', 0x1D, 1, 2, 3, 4, 0x4A, 2, 0x10, 7];
        let found: Vec<_> = Fields(&message).collect();
        let all = [
            (1, Field::Number(300)),
            (2, Field::Bytes(b"hi")),
            (3, Field::Fixed),
            (9, Field::Bytes(&[0x10, 7])),
        ];
        assert_eq!(found, all);
        assert_eq!(bytes(&message, 9).map(|inner| number(inner, 2)), Some(7));
        assert_eq!((bytes(&message, 1), number(&message, 2)), (None, 0));
        let cut = [&message[..5], &[0x12, 200, 1][..], &[0xFF; 11][..], &[0x0B][..]];
        assert_eq!(cut.map(|cut| Fields(cut).count()), [1, 0, 0, 0]);
    }
}
