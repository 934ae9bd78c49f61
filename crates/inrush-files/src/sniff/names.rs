//! Whether texts over texts look like names of columns.
//!
//! Each field has points. A common word for a name has 4, and so has an identifier such as `order_no` over values that are not
//! identifiers. A field of another kind than all values below it has more points the more values there are. Names have more than two
//! points for each field.

use super::shape::is_null_text;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Whether the fields at these places of the first record look like names, by the records below.
pub(super) fn are_names(first: &[&[u8]], places: &[usize], rows: &[Vec<&[u8]>]) -> bool {
    if places.is_empty() {
        return false;
    }
    let are_numbered = |row: &[&[u8]]| is_numbered(&places.iter().map(|i| row[*i]).collect::<Vec<_>>());
    if are_numbered(first) && !rows.iter().any(|row| are_numbered(row)) {
        return true;
    }
    let points = places.iter().map(|i| {
        let values: Vec<&[u8]> =
            rows.iter().map(|row| row[*i]).filter(|value| !value.is_empty() && !is_null_text(value)).collect();
        points(first[*i], &values)
    });
    points.sum::<f64>() > 2.0 * places.len() as f64
}

fn points(field: &[u8], values: &[&[u8]]) -> f64 {
    let Ok(field) = str::from_utf8(field) else { return 0.0 };
    if values.contains(&field.as_bytes()) {
        return 0.0;
    }
    let has_usual = values.iter().any(|value| str::from_utf8(value).is_ok_and(is_usual));
    let is_like = |value: &&[u8]| str::from_utf8(value).is_ok_and(is_identifier);
    if (is_usual(field) && !has_usual) || (is_identifier(field) && !values.iter().any(is_like)) {
        return NAME;
    }
    difference(field, values)
}

/// `a,b,c` or the same word with numbers that count up: `c1,c2`, `V1,V2`, `x_0,x_1`.
fn is_numbered(fields: &[&[u8]]) -> bool {
    let is_letter = |(i, field): (usize, &&[u8])| matches!(field, [letter] if letter.is_ascii_alphabetic() && usize::from(letter.to_ascii_lowercase() - b'a') == i);
    if fields.len() < 2 {
        return false;
    }
    if fields.iter().enumerate().all(is_letter) {
        return true;
    }
    let parts = |field: &&[u8]| {
        let digits = field.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (word, number) = field.split_at(field.len() - digits);
        let number: u32 = str::from_utf8(number).ok()?.parse().ok()?;
        (!word.is_empty()).then(|| (word.to_vec(), number))
    };
    let parts: Option<Vec<_>> = fields.iter().map(parts).collect();
    parts.is_some_and(|parts| {
        parts[0].1 <= 1 && parts.windows(2).all(|pair| pair[0].0 == pair[1].0 && pair[0].1 + 1 == pair[1].1)
    })
}

/// Small letters and digits between underscores, or `customerId`.
fn is_identifier(field: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins = field.starts_with(|c: char| c.is_ascii_lowercase());
    let has_hump =
        || field.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    begins && field.chars().all(is_letter) && (has_hump() || (field.contains('_') && !field.ends_with('_')))
}

/// Whether all words of a field are common in names of columns.
fn is_usual(field: &str) -> bool {
    if field.len() > 40 {
        return false;
    }
    let words = words(field);
    let is_number = |word: &String| word.chars().all(|c| c.is_ascii_digit());
    words.iter().any(|word| !is_number(word))
        && words.iter().enumerate().all(|(i, word)| (i > 0 && is_number(word)) || USUAL.contains(&word[..]))
}

/// `Order ID`, `orderId`, `order_id` and `order.id` are two words each.
fn words(field: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in field.chars() {
        let is_word = c.is_alphanumeric();
        if !is_word || (was_lower && c.is_uppercase()) {
            words.push(String::new());
        }
        was_lower = c.is_lowercase();
        if is_word && let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Points for a property that all values have and the field lacks.
fn difference(field: &str, values: &[&[u8]]) -> f64 {
    let n = values.len();
    let field = field.as_bytes();
    let all = |is: &dyn Fn(&[u8]) -> bool| values.iter().all(|value| is(value)) && !is(field);
    let first_is = |is: fn(&u8) -> bool| move |value: &[u8]| value.first().is_some_and(is);
    let is_different = n > 1
        && (all(&|value| value.iter().any(u8::is_ascii_digit))
            || all(&|value| value.len() == values[0].len())
            || b"@./:-_ ".iter().any(|sign| all(&|value| value.contains(sign)))
            || all(&first_is(u8::is_ascii_uppercase))
            || all(&first_is(u8::is_ascii_lowercase))
            || all(&|value| !value.iter().any(u8::is_ascii_lowercase))
            || are_few(values));
    if is_different { ((n + 1) as f64).log2() - DOUBT } else { 0.0 }
}

/// Whether nearly all values occur several times: a field that is none of them is of another kind.
fn are_few(values: &[&[u8]]) -> bool {
    let mut times = BTreeMap::<&[u8], usize>::new();
    for value in values {
        *times.entry(value).or_default() += 1;
    }
    let once = times.values().filter(|n| **n == 1).count();
    values.len() >= 10 && once * 10 <= values.len()
}

/// The points of a name.
const NAME: f64 = 4.0;

/// A difference is by chance once in so many powers of two.
const DOUBT: f64 = 3.0;

static USUAL: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| WORDS.split_whitespace().collect());

/// Words of names of columns, not of values.
const WORDS: &str = "\
    abbr abbreviation abstract account action activity actor address adresse age agency agent airline airport alias altitude amount \
    answer anzahl apellido area article artist asset author autor available average avg balance bank betrag bezeichnung bic birth \
    birthdate birthday bezirk block body book born box branch brand budget building business calle campaign cantidad capital car carrier \
    case categoria categorie category cell changed channel character charge chain chr city ciudad class client closed clé cod code codigo \
    cognome color colour column comment comments commune company compound condition consumer contact content continent contract cost \
    count country county course created credit ctry cur currency customer data dataset date dates datetime datum day days deleted delivery \
    department departure dept depth desc descr description dest destination detail details device diagnosis dir direction director discount \
    dim display disposition distance district div division dob doc document domain done driver drug duration edition education ein einheit \
    email employee employer enabled end ended endpoint entity error event events example expiry extension extra fax fecha feature field fields \
    file filename filter first firstname firma flag flags flight float floor format forename freq frequency from full fullname function gene \
    gender genre geschlecht given government group guid handle hash height hex hint home host hostname hour hours iata icao icon id identifier \
    idx image img inches index indicator industry info initials input int interval invoice ip isbn iso iso2 iso3 issn issue item items job \
    journal jour key kategorie keyword keywords kind kommentar kunde label lang language last lastname lat latitude length level libelle line \
    link list lng load locale location log login logradouro lon long longitude lot mail maker manager manufacturer map market mass match \
    material maximum mean measure media median medium member memo menge merchant message meta method metric mime min minimum minute \
    mobile mode model modified module mois month months mother motto nachname nom nombre name names nationality nazwa node nome note notes \
    number num nummer nr no object occupation offer office old open operation operator opt option options order ordre org organisation \
    organization origin original ort other output owner package paid parameter parent part participant party path patient payment \
    percent percentage period permission person phone photo pic picture place plan platform plz points population port pos position post \
    postal postcode prefecture prefix preis prenom previous price prijs prix prezzo priority private prob probability process producer product \
    profession profile program project property province provider public publication published publisher purchase qty quantity quarter query \
    question quote race rank rate rating ratio raw reason record ref reference region registered registration related relation release remark \
    remarks report request res resource response result role room route row rows ruta salary sale sales sample scale school score screen \
    second seconds section sector segment seller seq sequence series serial server service session set sex shape ship shipping shop short \
    signature site size sku slug snippet sort source species speed sprache stadt staat stage standard start started state station stats status \
    step stop storage store strasse straße str street string student style sub subcategory subject subtitle subtype suffix sum summary supplier \
    surname symbol synonym system table tag tags target task tax team tel telefon telefono telephone temp temperature term test text \
    textcode thread ticket tier time timestamp timezone tipo titel title titre titulo to token topic total town track train transaction \
    translation trial ts tx type typ tz uid unit units unique until updated uri url usage use user username uuid val valid value values var \
    variable variant variety vat vehicle vendor version via video view ville volume vorname ward week weekday weight werk wert width woche \
    word words work year years zahl zeit zip zipcode zone";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(first: &str, rows: &[&str], want: bool) {
        let fields = |line: &'static str| line.split(',').map(str::as_bytes).collect::<Vec<_>>();
        let leak = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
        let rows: Vec<Vec<&[u8]>> = rows.iter().map(|row| fields(leak(row))).collect();
        let first = fields(leak(first));
        let places: Vec<usize> = (0..first.len()).collect();
        assert_eq!(are_names(&first, &places, &rows), want, "{first:?}");
    }

    #[test]
    fn usual_words() {
        check("name,city", &["Ann,Berlin"], true);
        check("First Name,Postal Code", &["Ann,B-1"], true);
        check("orderId,shipDate2", &["x,y"], true);
        check("Ann,Berlin", &["Bob,Paris"], false);
        check("New York City,Main Street", &["Paris,Rue X"], false);
        // Names of columns as values.
        check("color,red", &["size,L", "weight,heavy"], false);
        check("name", &["age", "city"], false);
    }

    #[test]
    fn identifiers_and_numbers() {
        check("cust_no,ref_k", &["A,B"], true);
        check("cust_no,ref_k", &["A_a,b_b"], false);
        check("c1,c2,c3", &["x,y,z"], true);
        check("V0,V1", &["x,y"], true);
        check("A1,A2", &["B1,B2"], false);
        check("a,b", &["x,y"], true);
        check("x,y", &["a,b"], false);
    }

    #[test]
    fn another_kind_than_the_values() {
        let rows: Vec<String> = (0..40).map(|i| format!("A{i:03},{}", ["left", "right"][i % 2])).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        check("Blatt,Seite", &rows, true);
        check("Blatt,Seite", &rows[..5], false);
        check("A999,left", &rows, false);
    }
}
