//! Manifests: the name of a package, what it depends on, and which members it declares. Only read, never executed.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `compiled` | Cargo, Go, Gradle, Maven, .NET, CMake |
//! | `interpreted` | Node.js, Python, PHP, Ruby |
//! | `members` | which directories a workspace's patterns match |

mod compiled;
mod interpreted;
pub(super) mod members;

use serde_json::Value;

use super::{paths, shown};

/// The most dependencies that are kept of one manifest.
const MAX_DEPENDENCIES: usize = 40;

/// What one manifest says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ManifestFacts {
    pub(super) name: Option<String>,
    /// Such as `Python >=3.11`.
    pub(super) requires: Vec<String>,
    pub(super) dependencies: Vec<String>,
    pub(super) development: Vec<String>,
    /// Files that start or export the package.
    pub(super) entry_points: Vec<String>,
    pub(super) members: Option<MemberPatterns>,
}

/// The members that a manifest declares, relative to its directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MemberPatterns {
    pub(super) kind: &'static str,
    pub(super) included: Vec<String>,
    pub(super) excluded: Vec<String>,
}

/// A file that makes its directory a package, wherever it is.
pub(super) fn is_package_manifest(path: &str) -> bool {
    let name = paths::file_name(path);
    let names = [
        "Cargo.toml",
        "package.json",
        "deno.json",
        "pyproject.toml",
        "setup.py",
        "go.mod",
        "build.gradle",
        "build.gradle.kts",
        "pom.xml",
        "composer.json",
        "mix.exs",
        "pubspec.yaml",
        "Package.swift",
        "build.sbt",
    ];
    names.contains(&name) || is_dotnet_project(name) || name.strip_suffix(".gemspec").is_some()
}

/// A file that only declares members, or only matters at the root.
fn is_workspace_file(path: &str) -> bool {
    let name = paths::file_name(path);
    let names = [
        "pnpm-workspace.yaml",
        "lerna.json",
        "nx.json",
        "turbo.json",
        "go.work",
        "settings.gradle",
        "settings.gradle.kts",
        "libs.versions.toml",
        "requirements.txt",
        "Gemfile",
        "CMakeLists.txt",
    ];
    names.contains(&name)
        || name.strip_suffix(".sln").is_some()
        || name.strip_suffix(".slnx").is_some()
}

pub(super) fn is_manifest(path: &str) -> bool {
    is_package_manifest(path) || is_workspace_file(path)
}

fn is_dotnet_project(name: &str) -> bool {
    [".csproj", ".fsproj", ".vbproj"].iter().any(|end| name.ends_with(end))
}

/// What a manifest says; nothing if it cannot be read.
pub(super) fn read_manifest(path: &str, text: &str) -> ManifestFacts {
    let name = paths::file_name(path);
    let mut facts = match name {
        "Cargo.toml" => compiled::read_cargo(text),
        "go.mod" => compiled::read_go_module(text),
        "go.work" => compiled::read_go_workspace(text),
        "pom.xml" => compiled::read_maven(text),
        "build.gradle" | "build.gradle.kts" => compiled::read_gradle(text),
        "settings.gradle" | "settings.gradle.kts" => compiled::read_gradle_settings(text),
        "CMakeLists.txt" => compiled::read_cmake(text),
        "package.json" => interpreted::read_package_json(text),
        "pnpm-workspace.yaml" => interpreted::read_pnpm_workspace(text),
        "lerna.json" => interpreted::read_lerna(text),
        "pyproject.toml" => interpreted::read_pyproject(text),
        "requirements.txt" => interpreted::read_requirements(text),
        "setup.py" => interpreted::read_setup_py(text),
        "composer.json" => interpreted::read_composer(text),
        "Gemfile" => interpreted::read_gemfile(text),
        _ if name.strip_suffix(".gemspec").is_some() => interpreted::read_gemspec(text),
        _ if is_dotnet_project(name) => compiled::read_dotnet_project(name, text),
        _ if name.strip_suffix(".sln").is_some() || name.strip_suffix(".slnx").is_some() => {
            compiled::read_solution(text)
        }
        _ => ManifestFacts::default(),
    };
    facts.dependencies = in_order(facts.dependencies);
    facts.development = in_order(facts.development);
    facts
}

/// Each name once, well-known ones first.
pub(super) fn in_order(mut names: Vec<String>) -> Vec<String> {
    let rank = |name: &String| {
        let known = WELL_KNOWN.iter().position(|known| *known == name.to_ascii_lowercase());
        known.is_none()
    };
    names.sort_by(|one, other| rank(one).cmp(&rank(other)).then_with(|| one.cmp(other)));
    names.dedup();
    names.truncate(MAX_DEPENDENCIES);
    names
}

/// Names that say most about how a program is written.
const WELL_KNOWN: &[&str] = &[
    "tokio",
    "async-std",
    "axum",
    "actix-web",
    "rocket",
    "warp",
    "hyper",
    "tonic",
    "serde",
    "clap",
    "sqlx",
    "diesel",
    "sea-orm",
    "anyhow",
    "thiserror",
    "eyre",
    "tracing",
    "log",
    "bevy",
    "leptos",
    "reqwest",
    "fastapi",
    "django",
    "flask",
    "starlette",
    "pydantic",
    "sqlalchemy",
    "loguru",
    "structlog",
    "celery",
    "numpy",
    "pandas",
    "torch",
    "click",
    "typer",
    "httpx",
    "requests",
    "aiohttp",
    "attrs",
    "react",
    "next",
    "vue",
    "svelte",
    "@angular/core",
    "express",
    "fastify",
    "koa",
    "@nestjs/core",
    "prisma",
    "@prisma/client",
    "typeorm",
    "drizzle-orm",
    "zod",
    "redux",
    "@tanstack/react-query",
    "tailwindcss",
    "vite",
    "electron",
    "graphql",
    "winston",
    "pino",
    "commander",
    "yargs",
    "gin-gonic/gin",
    "labstack/echo/v4",
    "go-chi/chi/v5",
    "gofiber/fiber/v2",
    "spf13/cobra",
    "gorm.io/gorm",
    "sirupsen/logrus",
    "go.uber.org/zap",
    "rs/zerolog",
    "google.golang.org/grpc",
    "jackc/pgx/v5",
    "pkg/errors",
    "spring-boot-starter",
    "spring-boot-starter-web",
    "spring-boot-starter-data-jpa",
    "hibernate-core",
    "lombok",
    "jackson-databind",
    "guava",
    "ktor-server-core",
    "slf4j-api",
    "quarkus-core",
    "kotlinx-coroutines-core",
    "rails",
    "sinatra",
    "sidekiq",
    "activerecord",
    "puma",
    "dry-validation",
    "laravel/framework",
    "symfony/framework-bundle",
    "symfony/console",
    "doctrine/orm",
    "monolog/monolog",
    "psr/log",
    "microsoft.entityframeworkcore",
    "serilog",
    "mediatr",
    "automapper",
    "newtonsoft.json",
    "fluentvalidation",
    "boost",
    "qt5",
    "qt6",
    "fmt",
    "spdlog",
    "openssl",
    "threads",
];

/// The names of the keys of a table.
fn keys(table: &Value) -> Vec<String> {
    let names = table.as_object().into_iter().flatten().map(|(name, _)| name);
    names.filter_map(|name| shown::name(name)).collect()
}

/// The texts of an array.
fn texts(array: &Value) -> Vec<String> {
    let items = array.as_array().into_iter().flatten().filter_map(Value::as_str);
    items.map(str::to_owned).collect()
}

fn named(name: &Value) -> Option<String> {
    name.as_str().and_then(shown::name)
}

/// `Python >=3.11`, if the version looks like one.
fn requirement(what: &str, version: &Value) -> Option<String> {
    let version = version.as_str().and_then(shown::version)?;
    Some(format!("{what} {version}"))
}

/// The first text between two marks.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}

/// What stands in the first quotation marks of a text.
fn quoted(text: &str) -> Option<&str> {
    let start = text.find(['"', '\''])?;
    let mark = text.as_bytes()[start] as char;
    text[start + 1..].split_once(mark).map(|(inside, _)| inside)
}
