//! Hands the versions of the crates that are measured on to the programs, out of the lock file.

fn main() {
    let lock = std::fs::read_to_string("Cargo.lock").expect("the lock file lies beside this one");
    for name in ["mysql", "mysql_async", "sqlx"] {
        let head = format!("name = \"{name}\"\nversion = \"");
        let version = lock.split(&head).nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("unknown");
        println!("cargo::rustc-env={}_VERSION={version}", name.to_uppercase());
    }
    println!("cargo::rerun-if-changed=Cargo.lock");
}
