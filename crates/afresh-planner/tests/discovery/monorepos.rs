//! Repositories with several packages, of every kind.

use afresh_planner::discovery::ProjectFacts;

use crate::facts;

/// The workspaces, and one line for each package: its directory, stacks, declaration, and test commands.
fn packages(files: &[(&str, &str)]) -> String {
    let ProjectFacts { workspaces, packages, .. } = facts(files);
    let workspaces = workspaces.iter().map(|it| format!("{} {} {}", it.kind, it.file, it.members));
    let packages = packages.iter().map(|package| {
        let tests = package.commands.test.iter().map(|it| it.command.as_str());
        format!(
            "{} [{}] {} {}",
            package.directory,
            package.stacks.join(", "),
            package.member_of.as_deref().unwrap_or("-"),
            tests.collect::<Vec<_>>().join(" ; ")
        )
    });
    workspaces.chain(packages).collect::<Vec<_>>().join("\n")
}

const MEMBER: &str = r#"{"scripts":{"test":"vitest run"},"devDependencies":{"vitest":"1"}}"#;

/// PL-03: members are found by what declares them; tools that are started at the root have their commands only there.
#[test]
fn members_of_every_kind_of_workspace_are_found() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        (
            "cargo",
            &[
                (
                    "Cargo.toml",
                    "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"crates/old\"]\n",
                ),
                ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n"),
                ("crates/a/src/lib.rs", "x"),
                ("crates/old/Cargo.toml", "[package]\nname = \"old\"\n"),
                ("crates/old/src/lib.rs", "x"),
            ],
        ),
        (
            "npm",
            &[
                (
                    "package.json",
                    r#"{"workspaces":["packages/*","!packages/skip"],"scripts":{"test":"npm test -ws"}}"#,
                ),
                ("package-lock.json", "{}"),
                ("packages/a/package.json", MEMBER),
                ("packages/a/index.js", "x"),
            ],
        ),
        (
            "yarn, as an object",
            &[
                ("package.json", r#"{"workspaces":{"packages":["libs/{x,y}"]}}"#),
                ("yarn.lock", ""),
                ("libs/x/package.json", MEMBER),
                ("libs/x/index.js", "x"),
            ],
        ),
        (
            "pnpm with turbo",
            &[
                ("package.json", r#"{"scripts":{"test":"turbo test"}}"#),
                (
                    "pnpm-workspace.yaml",
                    "packages:\n  - 'apps/**' # all\n  - \"!apps/skip\"\ncatalog:\n  x: 1\n",
                ),
                ("pnpm-lock.yaml", ""),
                ("turbo.json", "{}"),
                ("apps/deep/er/web/package.json", MEMBER),
                ("apps/deep/er/web/index.ts", "x"),
            ],
        ),
        (
            "lerna",
            &[
                ("package.json", "{}"),
                ("lerna.json", r#"{"packages":["modules/*"]}"#),
                ("modules/a/package.json", MEMBER),
                ("modules/a/a.js", "x"),
            ],
        ),
        (
            "nx",
            &[
                ("package.json", "{}"),
                ("nx.json", "{}"),
                ("apps/shop/project.json", "{}"),
                ("apps/shop/src/main.ts", "x"),
            ],
        ),
        (
            "go.work",
            &[
                ("go.work", "go 1.24\n\nuse (\n\t./api // the server\n\t./cli\n)\n"),
                ("api/go.mod", "module x/api\n"),
                ("api/main.go", "x"),
                ("cli/go.mod", "module x/cli\n"),
                ("cli/main.go", "x"),
            ],
        ),
        (
            "gradle",
            &[
                (
                    "settings.gradle.kts",
                    "rootProject.name = \"shop\"\ninclude(\n    \":app\",\n    \":libs:core\",\n)\n",
                ),
                ("gradlew", ""),
                ("app/build.gradle.kts", ""),
                ("app/src/main/kotlin/A.kt", "x"),
                ("libs/core/build.gradle.kts", ""),
                ("libs/core/src/main/kotlin/B.kt", "x"),
            ],
        ),
        (
            "maven",
            &[
                (
                    "pom.xml",
                    "<project><artifactId>p</artifactId><modules><module>core</module></modules></project>",
                ),
                ("core/pom.xml", "<project><artifactId>core</artifactId></project>"),
                ("core/src/main/java/A.java", "x"),
            ],
        ),
        (
            "a solution",
            &[
                (
                    "Shop.sln",
                    "Project(\"{FAE}\") = \"Shop\", \"src\\Shop\\Shop.csproj\", \"{1}\"\n",
                ),
                ("src/Shop/Shop.csproj", "<Project/>"),
                ("src/Shop/Program.cs", "x"),
            ],
        ),
        (
            "uv",
            &[
                (
                    "pyproject.toml",
                    "[project]\nname='root'\n[tool.uv.workspace]\nmembers = ['packages/*']\n[dependency-groups]\ndev=['pytest']\n",
                ),
                ("uv.lock", ""),
                (
                    "packages/a/pyproject.toml",
                    "[project]\nname='a'\n[dependency-groups]\ndev=['pytest']\n",
                ),
                ("packages/a/src/a/x.py", "x"),
            ],
        ),
        (
            "poetry",
            &[
                (
                    "pyproject.toml",
                    "[tool.poetry]\nname='root'\n[tool.poetry.dependencies]\npython='^3.11'\nshared = {path = 'libs/shared', develop = true}\n",
                ),
                ("poetry.lock", ""),
                ("libs/shared/pyproject.toml", "[tool.poetry]\nname='shared'\n"),
                ("libs/shared/shared/x.py", "x"),
            ],
        ),
        (
            "plain directories",
            &[
                ("README.md", ""),
                ("server/go.mod", "module x\n"),
                ("server/main.go", "x"),
                ("web/package.json", MEMBER),
                ("web/src/index.ts", "x"),
                ("web/examples/a/package.json", MEMBER),
                ("web/examples/a/index.ts", "x"),
            ],
        ),
    ];
    let described = cases.iter().map(|(name, files)| format!("{name}\n{}", packages(files)));
    insta::assert_snapshot!(described.collect::<Vec<_>>().join("\n\n"));
}

/// The document stays short, however many packages there are.
#[test]
fn many_packages_make_no_long_document() {
    let mut files =
        vec![("Cargo.toml".to_owned(), "[workspace]\nmembers = [\"crates/*\"]\n".to_owned())];
    for number in 0..300 {
        files.push((
            format!("crates/c{number}/Cargo.toml"),
            format!("[package]\nname = \"c{number}\"\n"),
        ));
        files.push((format!("crates/c{number}/src/lib.rs"), "pub fn run_it() {}\n".to_owned()));
    }
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let found = facts(&borrowed);
    assert_eq!(found.packages.len() as u64 + found.packages_left_out, 301);
    let text = crate::document(&borrowed);
    assert!(text.contains("and 289 more"), "{text}");
    assert!(text.len() < 4_000, "{} bytes", text.len());
}

/// PL-03: of two declarations the one in the nearer directory counts, whatever their files are called.
#[test]
fn the_nearest_workspace_declares_a_member() {
    let found = packages(&[
        ("package.json", "{}"),
        ("pnpm-workspace.yaml", "packages:\n  - '**'\n"),
        ("sdk/package.json", r#"{"workspaces":["js"]}"#),
        ("sdk/js/package.json", MEMBER),
        ("sdk/js/index.js", "x"),
    ]);
    assert!(found.contains("sdk/js [Node.js (npm)] sdk/package.json"), "{found}");
}

/// PL-03: a directory with another kind of manifest is no member, and keeps its commands.
#[test]
fn a_workspace_has_members_of_its_own_kind() {
    let found = packages(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n"),
        ("crates/a/src/lib.rs", "x"),
        ("crates/web/package.json", MEMBER),
        ("crates/web/index.js", "x"),
    ]);
    assert!(found.contains("Cargo workspace Cargo.toml 1\n"), "{found}");
    assert!(
        found.lines().any(|line| line.starts_with("crates/web") && line.contains(" - ")),
        "{found}"
    );
}
