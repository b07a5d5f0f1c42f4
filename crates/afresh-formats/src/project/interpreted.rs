//! Ruby, PHP, Elixir, Dart.

use crate::project::{ProjectDir, ProjectStack, lint, non_empty, owned, test};

pub(crate) fn stacks(place: &ProjectDir<'_>) -> Vec<ProjectStack> {
    [ruby(place), php(place), elixir(place), dart(place)].into_iter().flatten().collect()
}

fn ruby(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&["Gemfile"])?;
    let specs = place.below("spec").any(|path| path.ends_with("_spec.rb"));
    let command = match () {
        () if place.has(".rspec") || specs => "bundle exec rspec",
        () if place.has("bin/rails") => "bin/rails test",
        () if place.mentions("Rakefile", "test") => "bundle exec rake test",
        () => "",
    };
    let mut checks: Vec<_> = non_empty(command).map(test).into_iter().collect();
    if place.has(".rubocop.yml") {
        checks.push(lint("bundle exec rubocop"));
    }
    let setup = owned(&["bundle install --quiet"]);
    Some(ProjectStack {
        name: "Ruby (bundler)",
        file: file.to_owned(),
        setup,
        checks,
        keep: vec![],
    })
}

fn php(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&["composer.json"])?;
    let json: serde_json::Value = serde_json::from_str(place.text(file)).unwrap_or_default();
    let command = if json["scripts"]["test"].is_null() {
        let phpunit = place.first(&["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]);
        phpunit.map_or("", |_| "vendor/bin/phpunit")
    } else {
        "composer test"
    };
    let checks = non_empty(command).map(test).into_iter().collect();
    let setup = owned(&["composer install --no-interaction --quiet"]);
    Some(ProjectStack {
        name: "PHP (composer)",
        file: file.to_owned(),
        setup,
        checks,
        keep: owned(&["vendor/"]),
    })
}

fn elixir(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&["mix.exs"])?;
    let checks = vec![test("mix test"), lint("mix format --check-formatted")];
    let keep = owned(&["deps/", "_build/"]);
    Some(ProjectStack {
        name: "Elixir (mix)",
        file: file.to_owned(),
        setup: owned(&["mix deps.get"]),
        checks,
        keep,
    })
}

fn dart(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&["pubspec.yaml"])?;
    let flutter = place.mentions(file, "sdk: flutter");
    let program = if flutter { "flutter" } else { "dart" };
    let checks = vec![test(format!("{program} test")), lint(format!("{program} analyze"))];
    let setup = vec![format!("{program} pub get")];
    let name = if flutter { "Flutter" } else { "Dart" };
    Some(ProjectStack { name, file: file.to_owned(), setup, checks, keep: owned(&[".dart_tool/"]) })
}
