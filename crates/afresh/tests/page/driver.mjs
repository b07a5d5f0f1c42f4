// Drives one Chromium for the stories in this directory: a command per line on standard input, as JSON, and an answer
// per line on standard output. What the page writes to its console as an error is kept and handed over when asked for.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [tools, viewport] = process.argv.slice(2);
const { chromium } = createRequire(`${tools}/`)("playwright-core");
const PATIENCE_MS = 60_000;

const browser = await chromium.launch({
  executablePath: `${tools}/chromium`,
  // Root has no sandbox of Chromium's.
  chromiumSandbox: process.getuid() !== 0,
  args: ["--force-color-profile=srgb", "--disable-dev-shm-usage"],
});
const context = await browser.newContext({ viewport: JSON.parse(viewport), reducedMotion: "reduce" });
context.setDefaultTimeout(PATIENCE_MS);
const page = await context.newPage();
const errors = [];
page.on("console", (message) => {
  if (message.type() === "error") errors.push(`${message.text()} (${message.location().url})`);
});
page.on("pageerror", (error) => errors.push(`uncaught: ${error}`));
page.on("dialog", (dialog) => { errors.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });

const commands = {
  open: ({ url }) => page.goto(url, { waitUntil: "commit" }),
  // Until this text can be seen in it.
  see: ({ selector, text }) => page.locator(selector).filter({ hasText: text, visible: true }).first().waitFor(),
  gone: ({ selector, text }) => page.locator(selector).filter({ hasText: text }).first().waitFor({ state: "detached" }),
  click: ({ selector, text }) => page.locator(selector).filter({ hasText: text, visible: true }).first().click(),
  fill: ({ selector, text }) => page.locator(selector).first().fill(text),
  press: ({ key }) => page.keyboard.press(key),
  evaluate: ({ script }) => page.evaluate(script),
  // Until the script returns something true.
  // The page's policy forbids `waitForFunction`, which evaluates text inside the page.
  until: async ({ script }) => {
    const end = Date.now() + PATIENCE_MS;
    while (!await page.evaluate(script)) {
      if (Date.now() > end) throw new Error("it never came true");
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  },
  dark: () => page.emulateMedia({ colorScheme: "dark" }),
  size: ({ width, height }) => page.setViewportSize({ width, height }),
  picture: ({ path, whole }) => page.screenshot({ path, fullPage: whole }).then(() => null),
  errors: () => errors.splice(0),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...rest } = JSON.parse(line);
  let answer;
  try {
    const value = await commands[command](rest);
    answer = { value: ["evaluate", "errors"].includes(command) ? value ?? null : null };
  } catch (error) {
    const shown = await page.locator("body").innerText({ timeout: 1000 }).catch(() => "");
    answer = { failure: `${error}\n--- errors:\n${errors.join("\n")}\n--- the page shows:\n${shown.slice(0, 4000)}` };
  }
  console.log(JSON.stringify(answer));
}
await browser.close();
