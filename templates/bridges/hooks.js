// The bridge to untilgreen: `untilgreen init` wrote this file, `untilgreen uninstall` takes it away. It calls the hooks
// in SETTINGS with what happens in a session and does what they answer. Whatever fails in it, the agent goes on.
import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";

const SETTINGS = {};
const running = new Map(), faults = new Set();
const endHooks = (fits = () => true) => running.forEach((payload, end) => fits(payload) && end());

/** One hook: its exit code and what it printed, or the fault that kept it from an answer; nothing if it was ended. */
const run = ({ command, args = [], timeout }, payload, signal) => new Promise((done) => {
  const found = { name: basename(command), code: null, out: "", err: "", fault: "" };
  const group = Boolean(process.stdin.isRaw); // else Ctrl-C is to reach the hook, too
  const child = spawn(command, args, { cwd: payload.cwd, detached: group, stdio: "pipe" });
  const kill = (word) => { try { process.kill(group ? -child.pid : child.pid, word); } catch { /* it is gone */ } };
  const finish = (code, fault = "") => {
    clearTimeout(timer), running.delete(end), signal?.removeEventListener("abort", end);
    done({ ...found, code, fault });
  };
  const end = (fault) => {
    kill("SIGTERM"), setTimeout(kill, 1500, "SIGKILL").unref();
    finish(null, typeof fault === "string" ? fault : "");
  };
  const timer = setTimeout(end, timeout * 1000, `no answer in ${timeout} s`);
  running.set(end, payload), signal?.addEventListener("abort", end);
  child.on("error", (error) => finish(null, error.message)).on("close", (code, word) =>
    finish(code, code === 0 || code === 2 ? "" : `it ended with ${word ?? code}`));
  child.stdout.on("data", (data) => (found.out += data)), child.stderr.on("data", (data) => (found.err += data));
  child.stdin.on("error", () => {}).end(JSON.stringify(payload));
});

/** The hooks of an event: what they hold with, and what they tell the agent; `say` shows a text to the user. */
const call = async (payload, say, signal) => {
  const fits = ({ matcher }) => !matcher || RegExp(`^(?:${matcher})$`).test(payload.tool_name);
  const hooks = (SETTINGS.hooks?.[payload.hook_event_name] ?? []).filter(fits).flatMap((group) => group.hooks);
  const answers = await Promise.all(hooks.map((hook) => run(hook, payload, signal))), held = [], context = [];
  for (const { name, code, out, err, fault } of answers) {
    const told = fault && `${name} failed: ${fault}. Fix: untilgreen doctor`;
    if (told && !faults.has(told)) say(told), faults.add(told);
    if (code === 2) held.push(err);
    const answer = out.startsWith("{") && !fault ? JSON.parse(out) : {};
    if (answer.systemMessage) say(answer.systemMessage);
    if (answer.hookSpecificOutput?.additionalContext) context.push(answer.hookSpecificOutput.additionalContext);
  }
  return { held: held.join("\n\n"), context: context.join("\n\n") };
};

const before = new Map(); // texts of files, by the call of a tool that writes them; null: there was none
const remember = (call, folder, tool, path) => {
  if (tool !== "edit" && tool !== "write") return;
  try { if (statSync(resolve(folder, path)).isFile()) before.set(call, readFileSync(resolve(folder, path), "utf8")); }
  catch (error) { if (error.code === "ENOENT") before.set(call, null); }
};
const taken = (call, text = before.get(call)) => (before.delete(call), text);
