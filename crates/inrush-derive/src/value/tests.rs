use super::*;
use syn::parse_quote;

#[track_caller]
fn check_refused(input: DeriveInput, want: &str) {
    assert_eq!(to_value(&input).unwrap_err().to_string(), want);
    assert_eq!(from_value(&input).unwrap_err().to_string().replace("FromValue", "ToValue"), want);
}

#[track_caller]
fn check_names(case: &str, want: &[&str]) {
    let input: DeriveInput = parse_quote!(
        #[inrush(rename_all = #case)]
        enum Color {
            DarkRed,
            Blue,
            #[inrush(rename = "no color")]
            Other,
        }
    );
    let Ok(TypeShape::Names(names)) = shape(&input, "ToValue") else { panic!() };
    assert_eq!(names.iter().map(|(_, name)| name.value()).collect::<Vec<_>>(), want);
}

#[test]
fn names_of_variants() {
    check_names("lowercase", &["darkred", "blue", "no color"]);
    check_names("UPPERCASE", &["DARKRED", "BLUE", "no color"]);
    check_names("snake_case", &["dark_red", "blue", "no color"]);
    check_names("SCREAMING_SNAKE_CASE", &["DARK_RED", "BLUE", "no color"]);
    check_names("kebab-case", &["dark-red", "blue", "no color"]);
    check_names("camelCase", &["darkRed", "blue", "no color"]);
}
#[test]
fn an_enum_that_is_a_number() {
    let input: DeriveInput = parse_quote!(
        #[inrush(repr)]
        #[repr(i16)]
        enum Level {
            Low = -1,
            High = 300,
        }
    );
    let Ok(TypeShape::Numbers(variants, repr)) = shape(&input, "ToValue") else { panic!() };
    assert_eq!((variants.len(), repr.to_string().as_str()), (2, "i16"));
    check_refused(
        parse_quote!(
            #[inrush(repr)]
            enum Level {
                Low,
            }
        ),
        "`#[inrush(repr)]` needs the number: `#[repr(u8)]` on the enum",
    );
}
#[test]
fn what_cannot_be_derived() {
    let shapes = "`ToValue` can be derived for enums of names and for structs with one field";
    check_refused(
        parse_quote!(
            struct S(u8, u8);
        ),
        shapes,
    );
    check_refused(
        parse_quote!(
            struct S;
        ),
        shapes,
    );
    check_refused(
        parse_quote!(
            enum E {}
        ),
        shapes,
    );
    check_refused(
        parse_quote!(
            enum E {
                A(u8),
            }
        ),
        "`ToValue` of an enum needs variants without fields",
    );
    check_refused(
        parse_quote!(
            enum E {
                A,
                #[inrush(rename = "A")]
                B,
            }
        ),
        "two variants have the name `A`",
    );
    check_refused(
        parse_quote!(
            #[inrush(rename_all = "Title Case")]
            enum E {
                A,
            }
        ),
        crate::case::CASES,
    );
    check_refused(
        parse_quote!(
            struct S(#[inrush(rename = "a")] u8);
        ),
        "a struct around one value has no options",
    );
}
