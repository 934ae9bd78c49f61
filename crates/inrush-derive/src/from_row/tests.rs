use super::*;
use syn::parse_quote;

#[track_caller]
fn check_refused(input: DeriveInput, want: &str) {
    assert_eq!(implement(&input).unwrap_err().to_string(), want);
}

#[track_caller]
fn check_head(input: DeriveInput, want: &str) {
    let code = implement(&input).unwrap().to_string();
    let (head, _) = code.split_once('{').unwrap();
    let head = head
        .split_once("impl")
        .unwrap()
        .1
        .replace("inrush :: sans_io :: wire :: ", "")
        .replace("inrush :: sans_io :: convert :: ", "");
    assert_eq!(head.replace(' ', ""), want.replace(' ', ""));
}

#[test]
fn what_cannot_be_derived() {
    check_refused(
        parse_quote!(
            enum E {
                A,
            }
        ),
        "`FromRow` can be derived for structs only",
    );
    check_refused(parse_quote!(union U { a: u8 }), "`FromRow` can be derived for structs only");
    check_refused(
        parse_quote!(
            struct S;
        ),
        "`FromRow` needs fields for the columns",
    );
    check_refused(
        parse_quote!(
            struct S<'a, 'b> {
                a: &'a str,
                b: &'b str,
            }
        ),
        "a struct that borrows from one row has one lifetime at most",
    );
}

#[test]
fn attributes_that_say_nothing() {
    check_refused(
        parse_quote!(
            #[inrush(rename = "x")]
            struct S {
                a: u8,
            }
        ),
        "the only option of a struct is `rename_all = \"snake_case\"`",
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
    check_refused(
        parse_quote!(
            struct S {
                #[inrush(flatten, rename = "b")]
                a: u8,
            }
        ),
        "`rename` means nothing beside `flatten`",
    );
    check_refused(
        parse_quote!(
            struct S {
                #[inrush(json, json)]
                a: u8,
            }
        ),
        "`json` stands here twice",
    );
    check_refused(
        parse_quote!(
            struct S {
                #[inrush(prefix = "b_")]
                a: u8,
            }
        ),
        "`prefix` belongs to `flatten`",
    );
    check_refused(
        parse_quote!(
            struct S {
                #[inrush(json, with = "m")]
                a: u8,
            }
        ),
        "`json` means nothing beside `with`",
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
                #[inrush(rename = "a", rename = "b")]
                a: u8,
            }
        ),
        "`rename` stands here twice",
    );
    check_refused(
        parse_quote!(
            struct S {
                #[inrush(rename = 1)]
                a: u8,
            }
        ),
        "expected string literal",
    );
}

#[test]
fn two_fields_for_one_column() {
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
}

#[test]
fn the_row_is_borrowed_for_the_lifetime_of_the_struct() {
    check_head(
        parse_quote!(
            struct S {
                a: u8,
            }
        ),
        "<'__row> ::FromRow<'__row> for S",
    );
    check_head(
        parse_quote!(
            struct S<'r> {
                a: &'r str,
            }
        ),
        "<'r> ::FromRow<'r> for S<'r>",
    );
}

#[test]
fn fields_of_a_parameters_type_must_be_readable() {
    check_head(
        parse_quote!(
            struct S<'r, T: Copy, const N: usize>
            where
                T: Send,
            {
                a: &'r str,
                b: Vec<T>,
                c: [u8; N],
            }
        ),
        "<'r, T: Copy, const N: usize> ::FromRow<'r> for S<'r, T, N> where T: Send, Vec<T>: ::FromValue<'r>",
    );
    check_head(
        parse_quote!(
            struct S<T>(T);
        ),
        "<'__row, T> ::FromRow<'__row> for S<T> where T: ::FromValue<'__row>",
    );
}
