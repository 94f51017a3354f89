//! Decodes character references (such as `&amp;`) in attribute values. Supports only the characters that have a special meaning in a URL, CSS
//! or JavaScript, because other characters do not affect the tokenizers.

/// Names of character references that must end with a semicolon, with their characters.
const NAMED: [(&str, char); 42] = [
    ("amp;", '&'),
    ("lt;", '<'),
    ("gt;", '>'),
    ("quot;", '"'),
    ("apos;", '\''),
    ("AMP;", '&'),
    ("LT;", '<'),
    ("GT;", '>'),
    ("QUOT;", '"'),
    ("Tab;", '\t'),
    ("NewLine;", '\n'),
    ("excl;", '!'),
    ("num;", '#'),
    ("dollar;", '$'),
    ("percnt;", '%'),
    ("lpar;", '('),
    ("rpar;", ')'),
    ("ast;", '*'),
    ("midast;", '*'),
    ("plus;", '+'),
    ("comma;", ','),
    ("period;", '.'),
    ("sol;", '/'),
    ("colon;", ':'),
    ("semi;", ';'),
    ("equals;", '='),
    ("quest;", '?'),
    ("commat;", '@'),
    ("lbrack;", '['),
    ("lsqb;", '['),
    ("rbrack;", ']'),
    ("rsqb;", ']'),
    ("bsol;", '\\'),
    ("lowbar;", '_'),
    ("grave;", '`'),
    ("DiacriticalGrave;", '`'),
    ("lbrace;", '{'),
    ("lcub;", '{'),
    ("rbrace;", '}'),
    ("rcub;", '}'),
    ("vert;", '|'),
    ("nbsp;", '\u{a0}'),
];

/// Names of character references that are also valid without a semicolon, with their characters.
const WITHOUT_SEMICOLON: [(&str, char); 9] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("AMP", '&'),
    ("LT", '<'),
    ("GT", '>'),
    ("QUOT", '"'),
    ("nbsp", '\u{a0}'),
];

/// Replaces the character references in a text, such as `&amp;`, by the characters that they denote.
pub(super) fn decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, behind)) = rest.split_first() {
        match if *byte == b'&' { reference(behind) } else { None } {
            Some((c, length)) => {
                out.extend(c.encode_utf8(&mut [0; 4]).bytes());
                rest = behind.get(length..).unwrap_or_default();
            }
            None => {
                out.push(*byte);
                rest = behind;
            }
        }
    }
    out
}

fn reference(text: &[u8]) -> Option<(char, usize)> {
    if text.first() != Some(&b'#') {
        let named = NAMED.iter().chain(&WITHOUT_SEMICOLON).find(|(name, _)| text.starts_with(name.as_bytes()));
        return named.map(|(name, c)| (*c, name.len()));
    }
    let (radix, start) = if matches!(text.get(1), Some(b'x' | b'X')) { (16, 2) } else { (10, 1) };
    let digits: Vec<u8> =
        text.iter().skip(start).copied().take_while(|digit| char::from(*digit).is_digit(radix)).collect();
    if digits.is_empty() {
        return None;
    }
    let number = u32::from_str_radix(std::str::from_utf8(&digits).ok()?, radix).unwrap_or(u32::MAX);
    let end = start + digits.len();
    let semicolon = usize::from(text.get(end) == Some(&b';'));
    Some((char::from_u32(number).filter(|c| *c != '\0').unwrap_or('\u{fffd}'), end + semicolon))
}
