use rand::SeedableRng;
use rand::rngs::StdRng;
use rsa::PrivateKey;

use super::*;

pub(crate) const PUBLIC_PEM: &str = "-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCuJOMXXOMH+PBSlnQDXwIuSVEG
EAPtcAx7ftcZD33ZOf9UknwzfjvXya4yWfSG4i5ddHYmJaWZwKE/0/MEQf+gnrZf
Tv3Sqci8o9rmusjDupTJv/tJHrB6oU7pB7TZZuLnMO/9car0INCkFLalgQvZ9RMT
5R3ftFXWoOJupFvM5wIDAQAB
-----END PUBLIC KEY-----
";
const BARE_PEM: &str = "-----BEGIN RSA PUBLIC KEY-----
MIGJAoGBAK4k4xdc4wf48FKWdANfAi5JUQYQA+1wDHt+1xkPfdk5/1SSfDN+O9fJ
rjJZ9IbiLl10diYlpZnAoT/T8wRB/6Cetl9O/dKpyLyj2ua6yMO6lMm/+0kesHqh
TukHtNlm4ucw7/1xqvQg0KQUtqWBC9n1ExPlHd+0Vdag4m6kW8znAgMBAAE=
-----END RSA PUBLIC KEY-----
";
/// The private half, made for this test.
const PRIVATE_EXPONENT: &str = "60a03f115b8ced8387758bdddb710038c69d9a8b906252e5da304b11b0b2d7b182a75e9063d20b4a74b19f66a273a554\
                                acae4e50645b3ab0d3c822c698fa35e7f2e41c657d961df4cc9b8b2a674eb72155d3f151c4f09942dc0d21c0c9ee8e7e\
                                3e05b78d3cd466105f90d80fa6175ce2868b724e5bf85b8a33d82c1b69b8ff81";

fn random() -> StdRng {
    StdRng::from_seed([7; 32])
}

#[test]
fn both_forms_of_a_key_are_the_same_key() {
    let [a, b] = [PUBLIC_PEM, BARE_PEM].map(|pem| Key::from_pem(pem.as_bytes()).unwrap());
    assert_eq!((a.modulus, a.exponent), (b.modulus, b.exponent));
    let [a, b] = [PUBLIC_PEM, BARE_PEM].map(|pem| encrypt(b"secret\0", pem.as_bytes(), &mut random()).unwrap());
    assert_eq!(a, b);
}

#[test]
fn the_private_key_reads_it() {
    let sent = encrypt(b"secret\0", PUBLIC_PEM.as_bytes(), &mut random()).unwrap();
    assert_eq!(sent.len(), 128);
    let key = Key::from_pem(PUBLIC_PEM.as_bytes()).unwrap();
    let [modulus, exponent] = [&key.modulus, &key.exponent].map(|number| BoxedUint::from_be_slice_vartime(number));
    let private = BoxedUint::from_str_radix_vartime(PRIVATE_EXPONENT, 16).unwrap();
    let private = PrivateKey::from_components(modulus, exponent, private, Vec::new()).unwrap();
    assert_eq!(private.oaep_decrypt::<Sha1>(&sent).unwrap(), b"secret\0");
    let other = encrypt(b"secret\0", PUBLIC_PEM.as_bytes(), &mut StdRng::from_seed([8; 32])).unwrap();
    assert_ne!(sent, other);
}

#[test]
fn a_message_too_long_for_the_key() {
    assert!(encrypt(&[b'x'; 86], PUBLIC_PEM.as_bytes(), &mut random()).is_ok());
    assert!(encrypt(&[b'x'; 87], PUBLIC_PEM.as_bytes(), &mut random()).unwrap_err().is_fatal());
}

#[test]
fn a_damaged_key_is_an_error() {
    let (der, _) = from_base64(PUBLIC_PEM.as_bytes()).unwrap();
    for n in 0..der.len() {
        assert!(wrapped(&der[..n]).is_none(), "cut at {n}");
    }
    for pem in ["", "-----BEGIN PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----\n!!\n-----END PUBLIC KEY-----"] {
        assert!(encrypt(b"x", pem.as_bytes(), &mut random()).unwrap_err().is_fatal());
    }
}

/// Every byte of the key, changed: no panic, whatever the result.
#[test]
fn any_key_is_survived() {
    let (der, _) = from_base64(PUBLIC_PEM.as_bytes()).unwrap();
    for i in 0..der.len() {
        for value in [0x00, 0x01, 0x7F, 0x80, 0x82, 0xFF] {
            let mut damaged = der.clone();
            damaged[i] = value;
            let pem = format!("-----BEGIN PUBLIC KEY-----{}-----END PUBLIC KEY-----", STANDARD.encode(&damaged));
            if let Ok(sent) = encrypt(b"x", pem.as_bytes(), &mut random()) {
                assert!(sent.len() >= 128);
            }
        }
    }
}
