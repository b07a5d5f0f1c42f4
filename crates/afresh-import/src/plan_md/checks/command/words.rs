//! Words that distinguish commands from prose.

/// Programs whose names are not English words.
pub(super) const PROGRAMS: &str = "ansible awk aws az bash bats bazel black bun bundle bunx cargo cat cd chmod clang cmake cmp \
composer cp ctest curl deno diff docker docker-compose dotnet echo egrep eslint exit export false fgrep flake8 flutter \
forge gcc gcloud gh git gofmt golangci-lint gradle grep gunzip gzip hadolint helm httpie java javac jest jq just kubectl \
ls markdownlint mix mkdir mkdocs mocha mvn mypy mysql next nix node nox npm npx nvm openssl perl php phpunit pip pip3 \
playwright pnpm poetry prettier printf prisma psql pwd pylint pyright pytest python python3 rake redis-cli rg rm rspec \
rubocop ruby ruff rustc rustfmt sed sh shellcheck shasum sha256sum sqlite3 ssh stat swift swiftlint tar tee terraform tox \
tree tsc tsx turbo unzip uv uvx vite vitest vue-tsc wc webpack wget xargs xcodebuild xmllint yamllint yarn yq zsh zig \
[ [[ ! : { if for while until case set source . true nyc biome oxlint wrangler vercel netlify supabase firebase expo \
eas fastlane pod maestro detox cypress storybook nx lerna changeset commitlint stylelint htmlhint lighthouse k6 ab wrk \
dart elixir erl ghc cabal stack lein sbt scala kotlinc gradlew mvnw tail head";

/// Programs whose names are English words.
pub(super) const WORDS: &str = "make test find go file which time sort kill touch task meson ninja env command type timeout \
date sleep read watch expect open look run node check invoke hugo";

/// Subcommands that make one of those a command.
pub(super) const SECOND_WORDS: &str = "all build check clean ci cover coverage dev fmt format generate install lint list mod proto \
release run setup start test tests typecheck validate verify vet e2e unit integration docs doc";

/// Words that describe a result.
pub(super) const VERDICTS: &str = "the is are was were be been should must will can returns return passes pass passing succeeds \
succeed successfully exits shows show displays display contains contain exists exist works work outputs prints matches \
appears appear renders compiles produces without that when and or with then verify verifies confirm confirms ensure \
ensures manually visually has have does green fails fail";

/// Programs that print something: whether the output is right is not in their exit code.
pub(super) const LOOKING: &str = "grep egrep fgrep rg ls cat find git curl wget wc head tail jq yq sed awk diff stat echo tree file";

/// Subcommands of programs that do not end by themselves.
pub(super) const SERVING: &str = "dev serve start watch up preview";

/// Whether the word is in the list.
pub(super) fn listed(words: &str, word: &str) -> bool {
    words.split(' ').any(|listed| listed == word)
}
