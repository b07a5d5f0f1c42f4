//! Which test reports a command writes to files.
//!
//! The paths are relative to where the command starts, and may be globs. Whether the files exist, and whether this run
//! wrote them, is for the caller to find out.

use crate::command::{CalledTool, ReadCommand};

/// The most paths of one command.
const MAX_FILES: usize = 32;

/// Where `JUnit` XML of this command will be, if it writes any.
pub fn report_files(command: &str) -> Vec<String> {
    let command = ReadCommand::new(command);
    let mut files: Vec<String> = Vec::new();
    for call in &command.calls {
        // Where only the shell knows the directory, no path means anything.
        let Some(directory) = call.directory.as_deref() else { continue };
        for path in reported_paths(call) {
            let path = path.trim_start_matches("./");
            let is_safe = !path.starts_with(['/', '~', '-'])
                && !path.contains(['$', '`', '\\', '\0', '\n'])
                && !path.split('/').any(|part| part == ".." || part == ".git");
            let path =
                if directory.is_empty() { path.to_owned() } else { format!("{directory}/{path}") };
            if is_safe && !files.contains(&path) && files.len() < MAX_FILES {
                files.push(path);
            }
        }
    }
    files
}

fn reported_paths(call: &CalledTool) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let name = call.program.rsplit('/').next().unwrap_or(&call.program);
    match name {
        "mvn" | "mvnw" => paths.extend(
            ["target/surefire-reports/*.xml", "target/failsafe-reports/*.xml"]
                .map(str::to_owned)
                .into_iter()
                .chain(
                    ["**/target/surefire-reports/*.xml", "**/target/failsafe-reports/*.xml"]
                        .map(str::to_owned),
                ),
        ),
        "gradle" | "gradlew" => {
            paths.push("build/test-results/**/*.xml".to_owned());
            paths.push("**/build/test-results/**/*.xml".to_owned());
        }
        _ => {}
    }
    for (name, value) in &call.assignments {
        match name.as_str() {
            "JEST_JUNIT_OUTPUT_FILE"
            | "MOCHA_FILE"
            | "JUNIT_OUTPUT_FILE"
            | "PLAYWRIGHT_JUNIT_OUTPUT_NAME" => {
                paths.push(value.clone());
            }
            "JEST_JUNIT_OUTPUT_DIR" => paths.push(format!("{value}/junit.xml")),
            _ => {}
        }
    }
    let is_jest_junit = call.words.iter().any(|word| word.contains("jest-junit"));
    if is_jest_junit && paths.is_empty() {
        paths.push("junit.xml".to_owned());
    }
    // `--junitxml=out.xml`, `--outputFile.junit=out.xml`, `--test-reporter-destination out.xml`, `> out.xml`
    let words = call.words.iter().skip(1).chain(&call.outputs);
    let named = words.map(|word| word.rsplit_once('=').map_or(word.as_str(), |(_, value)| value));
    paths.extend(
        named
            .filter(|word| word.strip_suffix(".xml").is_some_and(|stem| !stem.is_empty()))
            .map(str::to_owned),
    );
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-02: what a runner is told to write is looked for, and nothing outside of the tree.
    #[test]
    fn reports_in_files_are_found_from_the_command() {
        for (command, files) in [
            ("pytest --junitxml=out/j.xml tests", vec!["out/j.xml"]),
            ("cd a && pytest --junit-xml ./j.xml", vec!["a/j.xml"]),
            ("vitest run --reporter=junit --outputFile=o.xml", vec!["o.xml"]),
            ("vitest run --reporter=junit --outputFile.junit=o.xml", vec!["o.xml"]),
            ("node --test --test-reporter=junit > r.xml", vec!["r.xml"]),
            ("node --test --test-reporter junit --test-reporter-destination=r.xml", vec!["r.xml"]),
            ("JEST_JUNIT_OUTPUT_FILE=a/b.xml jest --reporters=jest-junit", vec!["a/b.xml"]),
            ("jest --reporters=default --reporters=jest-junit", vec!["junit.xml"]),
            ("gotestsum --junitfile unit.xml ./...", vec!["unit.xml"]),
            (
                "./gradlew test",
                vec!["build/test-results/**/*.xml", "**/build/test-results/**/*.xml"],
            ),
            ("pytest", vec![]),
            ("pytest --junitxml=/tmp/x.xml", vec![]),
            ("pytest --junitxml=../x.xml", vec![]),
            ("pytest --junitxml=$OUT/x.xml", vec![]),
            ("cd \"$D\" && pytest --junitxml=x.xml", vec![]),
        ] {
            assert_eq!(report_files(command), files, "{command}");
        }
        assert!(report_files("mvn -q test").contains(&"target/surefire-reports/*.xml".to_owned()));
    }
}
