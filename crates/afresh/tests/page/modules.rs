//! The types of the page's modules: TypeScript reads their comments, and the types of answers come from the `OpenAPI`
//! document that the server hands out.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::browser::page_tools;
use crate::server::PageServer;
use crate::support::repo;

const TYPE_CHECK: &str = r#"{
  "compilerOptions": {
    "noEmit": true, "allowJs": true, "checkJs": true, "strict": true, "noUnusedLocals": true, "noImplicitReturns": true,
    "target": "es2024", "module": "es2022", "moduleResolution": "bundler", "types": [],
    "lib": ["es2024", "dom", "dom.iterable", "dom.asynciterable"]
  },
  "files": ["app.js"]
}"#;

/// HU-06: what the modules read of an answer is in the server's document, with that type.
#[test]
fn the_modules_fit_the_document() {
    let Some(tools) = page_tools() else { return };
    let repo = repo();
    let server = PageServer::start(&repo);
    let document = server.get("/api/openapi.json").expect(200);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../afresh-web/page");
    let page = repo.path().join("page");
    copy_directory(&source, &page);
    fs::write(page.join("openapi.json"), &document.body).expect("written");
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(tools.join("node_modules/.bin").join(program));
        let output = command.args(args).current_dir(&page).output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    };
    run("openapi-typescript", &["openapi.json", "-o", "schemas.d.ts"]);
    fs::write(page.join("tsconfig.json"), TYPE_CHECK).expect("written");
    run("tsc", &["--project", "tsconfig.json"]);
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a directory").map(|entry| entry.expect("an entry")) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_directory(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}
