use super::*;

fn fresh() -> (tempfile::TempDir, Home) {
    let above = tempfile::tempdir().unwrap();
    let home = Home::at(&above.path().join("server")).unwrap();
    (above, home)
}

#[test]
fn a_new_folder_is_ours_and_private() {
    let (_above, home) = fresh();
    home.claim(None).unwrap();
    assert!(home.is_ours());
    assert_eq!(home.folder().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    home.claim(None).unwrap();
}

#[test]
fn a_folder_above_may_be_named() {
    let above = tempfile::tempdir().unwrap();
    let above = above.path().canonicalize().unwrap();
    fs::create_dir(above.join("here")).unwrap();
    std::os::unix::fs::symlink(above.join("here"), above.join("link")).unwrap();
    for (named, want) in [
        ("here/../new", "new"),
        ("here/../new/deep", "new/deep"),
        ("absent/../new", "new"),
        ("link/../new", "new"),
        ("here/./new", "here/new"),
        ("link/new", "here/new"),
    ] {
        assert_eq!(Home::at(&above.join(named)).unwrap().folder(), above.join(want), "{named}");
    }
}

#[test]
fn an_empty_folder_becomes_ours() {
    let (_above, home) = fresh();
    fs::create_dir(home.folder()).unwrap();
    home.claim(None).unwrap();
    assert!(home.is_ours());
}

#[test]
fn a_foreign_folder_is_refused_untouched() {
    let (_above, home) = fresh();
    fs::create_dir(home.folder()).unwrap();
    fs::write(home.path("ibdata1"), "precious").unwrap();
    let error = home.claim(None).unwrap_err();
    assert_eq!(error.kind(), Kind::Config);
    assert_eq!(fs::read_dir(home.folder()).unwrap().count(), 1);
}

#[test]
fn a_file_is_no_folder() {
    let (_above, home) = fresh();
    fs::write(home.folder(), "").unwrap();
    assert!(home.claim(None).is_err());
}

#[test]
fn a_long_path_is_refused_before_anything_is_made() {
    let (above, _) = fresh();
    let home = Home::at(&above.path().join("x".repeat(100))).unwrap();
    assert!(home.claim(None).unwrap_err().to_string().contains("107"));
    assert!(!home.folder().exists());
}

#[test]
fn two_names_are_one_folder() {
    let (above, home) = fresh();
    home.claim(None).unwrap();
    std::os::unix::fs::symlink(above.path(), above.path().join("link")).unwrap();
    let other = Home::at(&above.path().join("link/server/")).unwrap();
    assert_eq!(home.folder(), other.folder());
    assert_eq!(
        Home::at(&above.path().join("link/new")).unwrap().folder(),
        Home::at(&above.path().join("new")).unwrap().folder()
    );
}

#[test]
fn the_password_stays_and_is_private() {
    let (_above, home) = fresh();
    home.claim(None).unwrap();
    let password = home.password().unwrap();
    assert!(is_password(&password));
    assert_eq!(home.password().unwrap(), password);
    assert_eq!(home.password_file().metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_broken_password_is_replaced() {
    let (_above, home) = fresh();
    home.claim(None).unwrap();
    for broken in ["", "short", "quote'quote'quote'quote'"] {
        fs::write(home.password_file(), broken).unwrap();
        assert!(is_password(&home.password().unwrap()), "{broken}");
    }
}

#[test]
fn a_lock_is_waited_for_and_not_for_ever() {
    let (_above, home) = fresh();
    home.claim(None).unwrap();
    let held = home.lock(Duration::ZERO).unwrap();
    let error = home.lock(Duration::from_millis(100)).unwrap_err();
    assert!(error.to_string().contains("another inrush"), "{error}");
    drop(held);
    home.lock(Duration::ZERO).unwrap();
}

#[test]
fn a_broken_state_is_no_state() {
    let (_above, home) = fresh();
    home.claim(None).unwrap();
    assert!(home.state().is_none());
    fs::write(home.path("state.json"), "{\"port\": 1").unwrap();
    assert!(home.state().is_none());
}
