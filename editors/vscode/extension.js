// The client: starts `fizzle lsp` and leaves everything else to it.
"use strict";

const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const settings = workspace.getConfiguration("fizzle");
  const command = settings.get("path") || "fizzle";
  const initializationOptions = { allow: settings.get("allow"), deny: settings.get("deny") };
  const server = { command, args: ["lsp"] };
  client = new LanguageClient(
    "fizzle",
    "Fizzle",
    { run: server, debug: server },
    {
      documentSelector: [{ language: "fizzle", scheme: "file" }, { language: "fizzle", scheme: "untitled" }],
      initializationOptions,
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const choice = await window.showErrorMessage(
      `The program \`${command}\` cannot be started: ${error.message}`,
      "Open settings",
    );
    if (choice) {
      commands.executeCommand("workbench.action.openSettings", "fizzle.path");
    }
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running) {
    await running.stop();
  }
}

async function activate(context) {
  context.subscriptions.push(
    commands.registerCommand("fizzle.restart", async () => {
      await stop();
      await start();
    }),
    workspace.onDidChangeConfiguration(async (event) => {
      if (["path", "allow", "deny"].some((name) => event.affectsConfiguration(`fizzle.${name}`))) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
