//! Checks that the table of modules at the top of each `lib.rs` and `main.rs` is complete.

use std::fs;
use std::path::Path;

/// The modules that a source file declares and that its own doc table does not name.
fn missing_modules(source: &str) -> Vec<&str> {
    let docs: String = source.lines().filter(|line| line.starts_with("//!")).collect();
    let declared = source.lines().filter_map(|line| {
        let line = line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub ")).unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    let is_named = |module: &str| {
        docs.contains(&format!("`{module}`"))
            || docs.contains(&format!("::{module}`"))
            || docs.contains(&format!("mod@{module}"))
    };
    declared.filter(|module| !is_named(module)).collect()
}

#[test]
fn every_crate_lists_its_modules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut holes = Vec::new();
    let crates = fs::read_dir(root.join("crates")).expect("crates").flatten();
    for directory in crates.map(|entry| entry.path()).chain([root.join("xtask")]) {
        for name in ["src/lib.rs", "src/main.rs"] {
            let file = directory.join(name);
            let Ok(source) = fs::read_to_string(&file) else { continue };
            let missing = missing_modules(&source);
            if !missing.is_empty() {
                holes.push(format!("{}: {missing:?}", file.display()));
            }
        }
    }
    assert!(holes.is_empty(), "modules that no table names:\n{}", holes.join("\n"));
}
