//! Python: uv, poetry, pdm, pipenv, or plain pip.

use super::{ProjectDir, ProjectStack, lint, owned, test};

const FILES: &[&str] = &[
    "pyproject.toml",
    "requirements.txt",
    "setup.py",
    "setup.cfg",
    "Pipfile",
    "tox.ini",
    "pytest.ini",
];
/// Files that name test and lint tools.
const TOOL_FILES: &[&str] =
    &["pyproject.toml", "requirements.txt", "requirements-dev.txt", "setup.cfg", "tox.ini"];

pub(super) fn stacks(place: &ProjectDir<'_>) -> Vec<ProjectStack> {
    python(place).into_iter().collect()
}

/// How packages are installed, and the python that has them.
struct PythonPackageManager {
    name: &'static str,
    setup: Option<String>,
    python: &'static str,
    keep: &'static [&'static str],
}

fn python(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(FILES)?;
    let manager = manager(place);
    let mut checks = Vec::new();
    let uses = |word: &str| TOOL_FILES.iter().any(|file| place.mentions(file, word));
    let pytest = uses("pytest") || place.has("pytest.ini") || place.has("conftest.py");
    if pytest {
        checks.push(test(format!("{} -m pytest -q", manager.python)));
    } else if let Some(found) = first_unittest(place) {
        let start = start_directory(place, &found);
        checks.push(test(format!("{} -m unittest discover -q{start}", manager.python)));
    }
    if uses("ruff") || place.first(&["ruff.toml", ".ruff.toml"]).is_some() {
        checks.push(lint(format!("{} -m ruff check .", manager.python)));
    }
    if uses("mypy") || place.has("mypy.ini") {
        checks.push(lint(format!("{} -m mypy .", manager.python)));
    }
    let keep = owned(manager.keep);
    let setup = manager.setup.into_iter().collect();
    Some(ProjectStack { name: manager.name, file: file.to_owned(), setup, checks, keep })
}

/// In `test…/`, else here.
fn first_unittest(place: &ProjectDir<'_>) -> Option<String> {
    let below = place.below("test").find(|path| is_unittest(path));
    below.or_else(|| place.below("").find(|path| is_unittest(path) && !path.contains('/')))
}

/// Discovery does not enter a directory that is no package: it would find no test, and pass (D8).
fn start_directory(place: &ProjectDir<'_>, found: &str) -> String {
    match found.rsplit_once('/') {
        Some((directory, _)) if !place.has(&format!("{directory}/__init__.py")) => {
            format!(" -s {directory}")
        }
        _ => String::new(),
    }
}

/// `test_x.py`, in `test…/` or here.
fn is_unittest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("test") && name.strip_suffix(".py").is_some()
}

fn manager(place: &ProjectDir<'_>) -> PythonPackageManager {
    let locked = |name, setup: &str, python, keep| PythonPackageManager {
        name,
        setup: Some(setup.to_owned()),
        python,
        keep,
    };
    if place.has_above("uv.lock") {
        return locked("Python (uv)", "uv sync --locked", "uv run python", &[".venv/"]);
    }
    if place.has_above("poetry.lock") {
        return locked(
            "Python (poetry)",
            "poetry install --no-interaction",
            "poetry run python",
            &[],
        );
    }
    if place.has_above("pdm.lock") {
        return locked("Python (pdm)", "pdm sync", "pdm run python", &[".venv/"]);
    }
    if place.has("Pipfile.lock") {
        return locked("Python (pipenv)", "pipenv sync --dev", "pipenv run python", &[]);
    }
    let mut wanted = String::new();
    for file in ["requirements.txt", "requirements-dev.txt"] {
        if place.has(file) {
            wanted = format!("{wanted} -r {file}");
        }
    }
    if wanted.is_empty() && (place.mentions("pyproject.toml", "[project]") || place.has("setup.py"))
    {
        " -e .".clone_into(&mut wanted);
    }
    if wanted.is_empty() {
        return PythonPackageManager { name: "Python", setup: None, python: "python3", keep: &[] };
    }
    let setup = format!("python3 -m venv .venv && .venv/bin/pip install -q{wanted}");
    PythonPackageManager {
        name: "Python (pip)",
        setup: Some(setup),
        python: ".venv/bin/python",
        keep: &[".venv/"],
    }
}
