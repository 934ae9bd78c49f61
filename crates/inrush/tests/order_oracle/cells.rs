//! Cells to sort: edge cases and random ones, the same in every run.

use inrush_testkit::dice::Dice;

pub(super) fn texts(cells: &[&str]) -> Vec<Vec<u8>> {
    cells.iter().map(|cell| cell.as_bytes().to_vec()).collect()
}

/// `edges`, and `n` random ones in between.
pub(super) fn random(name: &str, edges: &[&str], n: usize, mut draw: impl FnMut(&mut Dice) -> String) -> Vec<Vec<u8>> {
    let mut dice = Dice::of(name);
    let mut cells: Vec<Vec<u8>> = (0..n).map(|_| draw(&mut dice).into_bytes()).collect();
    for edge in texts(edges) {
        let at = dice.below(cells.len() as u64 + 1) as usize;
        cells.insert(at, edge);
    }
    cells
}

/// A number of up to so many digits, small ones as often as large ones.
pub(super) fn digits(dice: &mut Dice, most: u64) -> String {
    let n = dice.between(1, most);
    (0..n).map(|_| char::from(b'0' + dice.below(10) as u8)).collect()
}

pub(super) fn sign(dice: &mut Dice) -> &'static str {
    if dice.percent(50) { "-" } else { "" }
}

/// Short texts of few characters, so that many begin alike: blanks, what is below and above them, both cases, accents, other scripts.
pub(super) fn dense(n: usize, alphabet: &str) -> Vec<Vec<u8>> {
    let alphabet: Vec<char> = alphabet.chars().collect();
    random(alphabet.iter().collect::<String>().as_str(), &["", " ", "a", "a ", "a\t", "a !"], n, |dice| {
        (0..dice.below(6)).map(|_| alphabet[dice.below(alphabet.len() as u64) as usize]).collect()
    })
}

/// What key columns hold: names, words, addresses and codes of many spellings.
pub(super) fn mixed(n: usize) -> Vec<Vec<u8>> {
    random("mixed texts", &[], n, |dice| {
        let mut pick = |list: &[&str]| list[dice.below(list.len() as u64) as usize].to_owned();
        let (first, last, word, host) = (pick(NAMES), pick(SURNAMES), pick(WORDS), pick(HOSTS));
        let text = match dice.below(6) {
            0 => format!("{last}, {first}"),
            1 => format!("{first} {last}"),
            2 => format!("{}.{}{}@{host}", first.to_lowercase(), last.to_lowercase(), dice.below(100)),
            3 => format!("{word}-{:05}", dice.below(100_000)),
            4 => format!(
                "{}{}{}/{}",
                word.chars().take(1).collect::<String>().to_uppercase(),
                dice.below(1000),
                ["A", "b", "X-"][dice.below(3) as usize],
                dice.below(30)
            ),
            _ => format!("{word} {}", WORDS[dice.below(WORDS.len() as u64) as usize]),
        };
        match dice.below(6) {
            0 => text.to_uppercase(),
            1 => text.to_lowercase(),
            _ => text,
        }
    })
}

const NAMES: &[&str] = &[
    "Ana",
    "André",
    "Ángel",
    "Anna",
    "Äneas",
    "Bob",
    "Björn",
    "Chloé",
    "Dörte",
    "Emma",
    "Émile",
    "Françoise",
    "Günther",
    "Ines",
    "Íñigo",
    "Jürgen",
    "José",
    "Łukasz",
    "Mária",
    "Noël",
    "Ólafur",
    "Ørjan",
    "Peter",
    "René",
    "Søren",
    "Šárka",
    "Zoë",
    "Žaneta",
    "Ægir",
];
const SURNAMES: &[&str] = &[
    "Müller",
    "Mueller",
    "Muller",
    "Meier",
    "Meyer",
    "O'Neil",
    "O'Neill",
    "ONeal",
    "Smith",
    "Smith-Jones",
    "Smyth",
    "Strauß",
    "Strauss",
    "Nuñez",
    "Nunez",
    "García",
    "Garcia",
    "Ångström",
    "Angstrom",
    "Çelik",
    "Celik",
    "d'Arc",
    "de la Cruz",
    "Van Dyk",
    "van Dyke",
    "Ó Briain",
];
const WORDS: &[&str] = &[
    "apple",
    "Apfel",
    "banana",
    "café",
    "cafe",
    "naïve",
    "naive",
    "resume",
    "résumé",
    "role",
    "rôle",
    "roles",
    "zebra",
    "Zoo",
    "élan",
    "elan",
    "über",
    "uber",
    "under_score",
    "underscore",
    "under-score",
    "co-op",
    "coop",
    "x",
    "X",
    "order",
    "ORDER",
    "item",
    "sku",
];
const HOSTS: &[&str] =
    &["example.com", "example.org", "mail.example.net", "EXAMPLE.com", "ex-ample.com", "müller.example"];
