#!/usr/bin/env node
// Runs this version of untilgreen, a Python program, by uv, by pipx, or by a Python 3.11 that makes an environment.
"use strict";
const { spawn, spawnSync } = require("node:child_process");
const { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { homedir } = require("node:os");
const { join } = require("node:path");
const { version } = require("./package.json");

const PACKAGE = `untilgreen==${version}`;
const NEWER = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))";
const MAIN = "import sys; from untilgreen.entry import untilgreen; sys.exit(untilgreen())";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

function works(program, ...words) {
  return spawnSync(program, words, { stdio: "ignore" }).status === 0;
}

function fail(reason, fix) {
  console.error(`untilgreen failed: ${reason}. Fix: ${fix}`);
  process.exit(1);
}

// An environment of this version in the user's cache, made beside its place: a run that is killed leaves no half of one.
function environment(python) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "untilgreen");
  const folder = join(cache, version);
  if (existsSync(folder)) return folder;
  const made = `${folder}.${process.pid}`;
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, "CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55\n");
  const said = { stdio: ["ignore", 2, 2] };
  const done = [[python, "-m", "venv", made], [join(made, "bin/python"), "-m", "pip", "install", "--quiet", PACKAGE]];
  if (!done.every(([program, ...words]) => spawnSync(program, words, said).status === 0)) {
    rmSync(made, { recursive: true, force: true });
    fail(`${python} could not install ${PACKAGE}`, "install uv (https://docs.astral.sh/uv)");
  }
  if (!existsSync(folder)) renameSync(made, folder); // else another run was quicker
  return folder;
}

function command() {
  if (works("uv", "--version")) return ["uv", "tool", "run", "--from", PACKAGE, "untilgreen"];
  if (works("pipx", "--version")) return ["pipx", "run", "--spec", PACKAGE, "untilgreen"];
  const python = ["python3", "python3.13", "python3.12", "python3.11"].find((name) => works(name, "-c", NEWER));
  if (!python) fail("it needs uv, pipx or Python 3.11", "install uv (https://docs.astral.sh/uv)");
  return [join(environment(python), "bin/python"), "-I", "-c", MAIN];
}

const [program, ...words] = command();
for (const name of SIGNALS) process.on(name, () => child.kill(name)); // before the child can be seen by others
const child = spawn(program, [...words, ...process.argv.slice(2)], { stdio: "inherit" });
child.on("error", (error) => fail(`${program}: ${error.message}`, "install uv (https://docs.astral.sh/uv)"));
child.on("exit", (code, signal) => {
  for (const name of SIGNALS) process.removeAllListeners(name);
  if (signal) process.kill(process.pid, signal);
  else process.exit(code);
});
