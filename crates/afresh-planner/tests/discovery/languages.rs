//! A small project of every language, and the document about it.

use afresh_planner::discovery::render_markdown;

use crate::{document, facts};

/// PL-03: stack, layout, naming, imports, errors, logging, tests and tools of a Rust crate.
#[test]
fn a_rust_crate_is_described() {
    let text = document(&[
        (
            "Cargo.toml",
            "[package]\nname = \"shop\"\nedition = \"2024\"\nrust-version = \"1.85\"\n[dependencies]\nthiserror = \"2\"\ntracing = \"0.1\"\naxum = \"0.8\"\n[dev-dependencies]\ninsta = \"1\"\n[lints.clippy]\npedantic = \"warn\"\n",
        ),
        ("Cargo.lock", ""),
        ("rustfmt.toml", ""),
        ("src/main.rs", "mod services;\nfn main() {}\n"),
        ("src/error_kinds.rs", "#[derive(Debug, thiserror::Error)]\npub enum ShopError {}\n"),
        (
            "src/services/order_book.rs",
            "use crate::error_kinds::ShopError;\npub struct OrderBook;\npub fn place_order() -> Result<(), ShopError> { tracing::info!(\"x\"); Ok(()) }\n#[cfg(test)]\nmod tests { #[test] fn works() {} }\n",
        ),
        (
            "src/services/price_list.rs",
            "use crate::error_kinds::ShopError;\npub fn list_prices() {}\n",
        ),
        ("src/services/tax_rate.rs", "use crate::error_kinds::ShopError;\npub fn find_rate() {}\n"),
        ("tests/common/mod.rs", "pub fn start_server() {}\n"),
        (
            "tests/placing_orders.rs",
            "#[test]\nfn an_order_is_placed() { insta::assert_snapshot!(\"\"); }\n",
        ),
    ]);
    insta::assert_snapshot!(text);
}

/// PL-03: a service with loguru, protocols and fixtures.
#[test]
fn a_python_project_is_described() {
    let text = document(&[
        (
            "pyproject.toml",
            "[project]\nname = \"svc\"\nrequires-python = \">=3.11\"\ndependencies = [\"fastapi>=0.1\", \"pydantic\", \"loguru\"]\n[dependency-groups]\ndev = [\"pytest\", \"ruff\"]\n[tool.ruff]\nline-length = 100\n[tool.mypy]\nstrict = true\n",
        ),
        ("uv.lock", ""),
        (".pre-commit-config.yaml", ""),
        (
            ".github/workflows/ci.yml",
            "jobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n      - run: uv sync --locked\n      - run: |\n          uv run pytest --cov\n          uv run ruff check\n      - run: uv publish --token ${{ secrets.T }}\n",
        ),
        ("src/svc/__init__.py", ""),
        (
            "src/svc/main.py",
            "from loguru import logger\nfrom svc.services.user_service import get_user\ndef main_loop():\n    logger.info('x')\n",
        ),
        (
            "src/svc/interfaces/user_store.py",
            "from typing import Protocol\nclass UserStore(Protocol):\n    def load_user(self): ...\n",
        ),
        (
            "src/svc/services/user_service.py",
            "from svc.interfaces.user_store import UserStore\nclass UserMissing(Exception):\n    pass\ndef get_user():\n    raise UserMissing\n",
        ),
        (
            "src/svc/services/mail_service.py",
            "from svc.interfaces.user_store import UserStore\ndef send_mail():\n    pass\n",
        ),
        (
            "src/svc/services/bill_service.py",
            "from svc.interfaces.user_store import UserStore\ndef send_bill():\n    pass\n",
        ),
        ("tests/conftest.py", "import pytest\n@pytest.fixture\ndef store(): ...\n"),
        ("tests/test_user_service.py", "import pytest\ndef test_a_user(): ...\n"),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn a_typescript_project_is_described() {
    let text = document(&[
        (
            "package.json",
            r#"{"name":"@acme/web","type":"module","engines":{"node":">=20"},"scripts":{"test":"vitest run","build":"vite build","lint":"eslint .","typecheck":"tsc --noEmit"},"dependencies":{"react":"19","zod":"3","pino":"9"},"devDependencies":{"vitest":"3","eslint":"9"}}"#,
        ),
        ("pnpm-lock.yaml", ""),
        ("tsconfig.json", "{}"),
        ("eslint.config.js", "export default []\n"),
        (".prettierrc", "{}"),
        ("src/index.ts", "import { startApp } from './app-shell.js'\nstartApp()\n"),
        (
            "src/app-shell.ts",
            "import type { Config } from './app-config.js'\nimport pino from 'pino'\nexport function startApp() {}\nexport class AppError extends Error {}\n",
        ),
        ("src/app-config.ts", "export interface Config {}\nexport const readConfig = () => ({})\n"),
        (
            "src/user-list.ts",
            "import type { Config } from './app-config.js'\nexport const listUsers = async () => []\n",
        ),
        (
            "src/user-page.ts",
            "import type { Config } from './app-config.js'\nexport const showPage = async () => []\n",
        ),
        ("src/user-list.test.ts", "import { test } from 'vitest'\n"),
        ("src/schema.gen.ts", "export {}\n"),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn a_go_module_is_described() {
    let text = document(&[
        (
            "go.mod",
            "module example.com/acme/tool\n\ngo 1.24\n\nrequire (\n\tgithub.com/spf13/cobra v1.9.0\n\tgithub.com/x/indirect v1 // indirect\n)\n",
        ),
        ("go.sum", ""),
        (".golangci.yml", ""),
        (
            "cmd/tool/main.go",
            "package main\n\nimport (\n\t\"log/slog\"\n\n\t\"example.com/acme/tool/internal/store\"\n)\n",
        ),
        (
            "internal/store/store.go",
            "package store\n\nimport (\n\t\"errors\"\n)\n\nvar ErrMissing = errors.New(\"missing\")\n",
        ),
        (
            "internal/api/api.go",
            "package api\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/acme/tool/internal/store\"\n)\n\nfunc f() error { return fmt.Errorf(\"x: %w\", store.ErrMissing) }\n",
        ),
        (
            "internal/jobs/jobs.go",
            "package jobs\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/acme/tool/internal/store\"\n)\n",
        ),
        ("internal/store/store_test.go", "package store\n\nfunc TestX(t *testing.T) {}\n"),
        ("internal/store/testdata/a.txt", "x"),
        ("internal/pb/x.pb.go", "package pb\n"),
    ]);
    insta::assert_snapshot!(text);
}

/// A package named `samples` is no example, and one named `external` is not vendored.
#[test]
fn a_maven_project_is_described() {
    let text = document(&[
        (
            "pom.xml",
            "<project><parent><artifactId>spring-boot-starter-parent</artifactId></parent><artifactId>clinic</artifactId><properties><java.version>21</java.version></properties><dependencies><dependency><artifactId>spring-boot-starter-web</artifactId></dependency><dependency><artifactId>junit-jupiter</artifactId><scope>test</scope></dependency></dependencies></project>",
        ),
        ("mvnw", ""),
        (
            "src/main/java/org/samples/clinic/ClinicApplication.java",
            "package org.samples.clinic;\npublic class ClinicApplication {\n    public static void main(String[] args) {}\n}\n",
        ),
        (
            "src/main/java/org/samples/clinic/external/OwnerService.java",
            "import org.slf4j.Logger;\nimport java.util.List;\npublic class OwnerService {\n    public Owner findOwner(int id) { throw new IllegalStateException(); }\n}\n",
        ),
        (
            "src/main/java/org/samples/clinic/model/OwnerRecord.java",
            "public record OwnerRecord() {}\n",
        ),
        (
            "src/test/java/org/samples/clinic/OwnerServiceTests.java",
            "import org.junit.jupiter.api.Test;\n",
        ),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn a_cmake_project_is_described() {
    let text = document(&[
        (
            "CMakeLists.txt",
            "project(engine)\nset(CMAKE_CXX_STANDARD 20)\nfind_package(fmt REQUIRED)\nenable_testing()\n",
        ),
        (".clang-format", ""),
        ("include/engine/frame_buffer.hpp", "#pragma once\nclass FrameBuffer {};\n"),
        (
            "src/frame_buffer.cpp",
            "#include \"engine/frame_buffer.hpp\"\n#include <vector>\nint fill_buffer(int x) {\n  throw std::runtime_error(\"x\");\n}\n",
        ),
        ("src/main.cpp", "#include \"engine/frame_buffer.hpp\"\nint main() { std::cerr << 1; }\n"),
        ("src/draw_list.cpp", "#include \"engine/frame_buffer.hpp\"\nvoid draw_list(int x) {\n}\n"),
        ("third_party/zlib/zlib.c", "int x;\n"),
        ("tests/test_buffer.cpp", "#include <gtest/gtest.h>\n"),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn a_rails_application_is_described() {
    let text = document(&[
        (
            "Gemfile",
            "ruby \"3.4.1\"\ngem \"rails\", \"~> 8\"\ngem \"sidekiq\"\ngroup :test do\n  gem \"rspec-rails\"\nend\n",
        ),
        ("Gemfile.lock", ""),
        (".rubocop.yml", ""),
        ("config/routes.rb", "Rails.application.routes.draw do\nend\n"),
        (
            "app/models/line_item.rb",
            "# frozen_string_literal: true\n\nclass LineItem < ApplicationRecord\n  def total_price; end\nend\n",
        ),
        (
            "app/services/place_order.rb",
            "# frozen_string_literal: true\n\nclass PlaceOrder\n  class PaymentError < StandardError; end\n  def call\n    Rails.logger.info('x')\n  end\nend\n",
        ),
        (
            "app/controllers/orders_controller.rb",
            "# frozen_string_literal: true\n\nclass OrdersController\n  def show_all; end\nend\n",
        ),
        ("spec/rails_helper.rb", ""),
        (
            "spec/models/line_item_spec.rb",
            "require 'rails_helper'\nRSpec.describe LineItem do\nend\n",
        ),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn a_composer_package_is_described() {
    let text = document(&[
        (
            "composer.json",
            r#"{"name":"acme/mailer","require":{"php":"^8.2","ext-json":"*","psr/log":"^3"},"require-dev":{"phpunit/phpunit":"^11"},"scripts":{"test":"phpunit"}}"#,
        ),
        ("phpstan.neon", ""),
        (
            "src/Mailer.php",
            "<?php\n\ndeclare(strict_types=1);\n\nnamespace Acme;\n\nuse Psr\\Log\\LoggerInterface;\n\nfinal class Mailer\n{\n    public function sendMail(): void {}\n}\n",
        ),
        (
            "src/Exception/SendFailed.php",
            "<?php\n\ndeclare(strict_types=1);\n\nnamespace Acme\\Exception;\n\nfinal class SendFailed extends \\RuntimeException {}\n",
        ),
        ("tests/MailerTest.php", "<?php\nuse PHPUnit\\Framework\\TestCase;\n"),
        ("tests/Fixtures/a.json", "{}"),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn a_dotnet_project_is_described() {
    let text = document(&[
        (
            "Api/Api.csproj",
            "<Project><PropertyGroup><TargetFramework>net9.0</TargetFramework></PropertyGroup><ItemGroup><PackageReference Include=\"Serilog\" Version=\"4\" /></ItemGroup></Project>",
        ),
        ("Api/Program.cs", "using Serilog;\n\nvar app = 1;\n"),
        (
            "Api/Services/OrderService.cs",
            "using Serilog;\n\nnamespace Api.Services;\n\npublic class OrderService\n{\n    public int CountOrders() => throw new OrderMissingException();\n}\npublic class OrderMissingException : Exception {}\n",
        ),
        (
            "Api.Tests/Api.Tests.csproj",
            "<Project><ItemGroup><PackageReference Include=\"xunit\" Version=\"2\" /></ItemGroup></Project>",
        ),
        ("Api.Tests/OrderServiceTests.cs", "using Xunit;\n"),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn a_kotlin_project_with_a_version_catalog_is_described() {
    let text = document(&[
        (
            "build.gradle.kts",
            "plugins { id(\"io.gitlab.arturbosch.detekt\") }\nkotlin {\n    jvmToolchain(21)\n}\ndependencies {\n    implementation(libs.ktor.server.core)\n    implementation(\"org.slf4j:slf4j-api:2.0\")\n    testImplementation(kotlin(\"test\"))\n}\n",
        ),
        ("gradlew", ""),
        (
            "src/main/kotlin/com/acme/Main.kt",
            "package com.acme\n\nimport org.slf4j.LoggerFactory\n\nfun startServer() {}\nfun stopServer() {}\nfun readConfig() { require(true) }\n",
        ),
        ("src/test/kotlin/com/acme/MainTest.kt", "import kotlin.test.Test\n"),
    ]);
    insta::assert_snapshot!(text);
}

/// A Makefile is the only sign of how a C program is built and tested.
#[test]
fn a_c_program_with_a_makefile_is_described() {
    let text = document(&[
        ("Makefile", "all: prog\n\ncc x.c\ntest: prog\n\t./run\n"),
        (
            "src/event_loop.c",
            "#include \"event_loop.h\"\n#include <errno.h>\n\nint run_loop(int fd) {\n    if (fd < 0) goto cleanup;\n    fprintf(stderr, \"x\");\ncleanup:\n    return -1;\n}\n\nstatic void free_loop(void) {\n}\nvoid stop_loop(void) {\n}\n",
        ),
        ("src/event_loop.h", "struct event_loop;\n"),
        ("src/dict.c", "#include \"event_loop.h\"\n"),
        ("src/list.c", "#include \"event_loop.h\"\n"),
        ("deps/lua/lua.c", "x"),
        ("tests/unit/a.sh", "x"),
    ]);
    insta::assert_snapshot!(text);
}

/// PL-03: a repository without any code says that there are no patterns to follow.
#[test]
fn a_new_project_has_no_patterns_to_follow() {
    insta::assert_snapshot!(document(&[]), @r"
    # New project

    The repository is empty. There are no patterns to follow: no stack, layout, naming, tests or commands. The plan chooses them, and its first task creates them.
    ");
    let files = [("README.md", "# Idea\n"), (".gitignore", "x\n"), ("docs/page.html", "")];
    let text = render_markdown(&facts(&files).in_directory("/home/ann/idea"));
    insta::assert_snapshot!(text, @r"
    # New project

    - Directory: `/home/ann/idea`

    The repository has 3 files, and no source code. There are no patterns to follow: no stack, layout, naming, tests or commands. The plan chooses them, and its first task creates them.
    ");
}

/// A Python file alone is a project, though there is no manifest.
#[test]
fn code_without_a_manifest_is_an_existing_project() {
    let text = document(&[("tool.py", "def run_tool():\n    pass\n")]);
    assert!(text.starts_with("# Existing project"), "{text}");
    assert!(text.contains("No test command was found"), "{text}");
}

/// PL-03: addresses, paths and parts of the same build are no dependencies.
#[test]
fn dependencies_are_packages_of_others() {
    let requirements = "flask>=2\nhttps://x.org/a.whl\ngit+https://x.org/b.git#egg=bee\n./local\nlibs/c.whl\n\
                        pip @ https://x.org/pip.zip\nrequests[socks]==2.1 ; python_version > '3'\n";
    let gradle = "dependencies {\n  implementation(project(\":core\"))\n  implementation(\"org.a:b:1\")\n  \
                  implementation(libs.ktor.core) { exclude(group = \"x\") }\n  \
                  androidTestImplementation(\"org.j:junit:4\")\n  debugImplementation 'org.d:leak:2'\n}\n";
    let gems = "gem 'rails'\ngem 'rspec', group: :test\n";
    let cases = [
        ("requirements.txt", "main.py", requirements, "bee flask pip requests"),
        ("build.gradle.kts", "src/main/kotlin/A.kt", gradle, "b ktor-core leak"),
        ("Gemfile", "app.rb", gems, "rails"),
    ];
    for (manifest, source, text, expected) in cases {
        let found = facts(&[(manifest, text), (source, "x")]);
        let mut names = found.packages[0].dependencies.clone();
        names.sort();
        assert_eq!(names.join(" "), expected, "{manifest}");
    }
}

/// PL-03: a style needs more than a name or two.
#[test]
fn one_name_is_no_style() {
    let found = facts(&[
        ("pyproject.toml", "[project]\nname = \"x\"\n"),
        ("src/my_tool.py", "class OneThing: pass\n"),
    ]);
    assert_eq!(found.patterns.naming, []);
}

/// PL-03: commands of every CI file are shown, each with its file.
#[test]
fn every_ci_file_is_shown() {
    let many: Vec<String> =
        (0..20).map(|number| format!("      - run: cargo test -p p{number}")).collect();
    let many = many.join(
        "
",
    );
    let text = document(&[
        ("Cargo.toml", "[package]\nname = \"x\"\n"),
        ("src/lib.rs", "x"),
        (".github/workflows/a.yml", &many),
        (".github/workflows/b.yml", "      - run: cargo clippy --all\n"),
    ]);
    assert!(text.contains("CI runs (`.github/workflows/a.yml`): `cargo test -p p0`, "), "{text}");
    assert!(text.contains("CI runs (`.github/workflows/b.yml`): `cargo clippy --all`."), "{text}");
}
