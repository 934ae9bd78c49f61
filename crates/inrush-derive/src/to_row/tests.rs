use super::*;
use syn::parse_quote;

#[track_caller]
fn check_refused(input: DeriveInput, want: &str) {
    assert_eq!(implement(&input).unwrap_err().to_string(), want);
}

/// The heads of both implementations, and the columns.
#[track_caller]
fn check_head(input: DeriveInput, want: &str, columns: &str) {
    let code = implement(&input)
        .unwrap()
        .to_string()
        .replace("inrush :: sans_io :: wire :: ", "")
        .replace("inrush :: sans_io :: convert :: ", "")
        .replace(' ', "");
    for of in ["ToRow", "Params"] {
        let head = want.replace("TRAIT", of).replace(' ', "");
        assert!(code.contains(&format!("{head}{{")), "{code} lacks {head}");
    }
    assert!(code.contains(&format!("=&[{}];", columns.replace(' ', ""))), "{code}");
}

#[test]
fn what_cannot_be_derived() {
    check_refused(
        parse_quote!(
            enum E {
                A,
            }
        ),
        "`ToRow` can be derived for structs only",
    );
    check_refused(
        parse_quote!(
            struct S;
        ),
        "`ToRow` needs fields for the columns",
    );
    check_refused(
        parse_quote!(
            struct S(#[inrush(rename = "a")] u8);
        ),
        "a field without a name has its column by position",
    );
    check_refused(
        parse_quote!(
            struct S {
                a: u8,
                #[inrush(rename = "A")]
                b: u8,
            }
        ),
        "two fields have the column `A`",
    );
    check_refused(
        parse_quote!(
            struct S {
                #[inrush(skipped)]
                a: u8,
            }
        ),
        crate::fields::OPTIONS,
    );
}

#[test]
fn columns_are_the_names_of_the_fields() {
    check_head(
        parse_quote!(
            struct S {
                #[inrush(rename = "the id")]
                id: u8,
                r#type: u8,
            }
        ),
        "impl ::TRAIT for S",
        r#""the id", "type""#,
    );
    check_head(
        parse_quote!(
            struct S(u8, u8);
        ),
        "impl ::TRAIT for S",
        "",
    );
}

#[test]
fn fields_of_a_parameters_type_must_be_values() {
    check_head(
        parse_quote!(
            struct S<'a, 'b, T: Copy, const N: usize>
            where
                T: Send,
            {
                a: &'a str,
                b: &'b [T],
                c: [u8; N],
            }
        ),
        "impl<'a, 'b, T: Copy, const N: usize> ::TRAIT for S<'a, 'b, T, N> where T: Send, &'b [T]: ::ToValue",
        r#""a", "b", "c""#,
    );
}
