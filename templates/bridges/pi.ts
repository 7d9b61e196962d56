
const named = (scope) => import(`@${scope}/pi-coding-agent`).catch(() => ({}));

export default async function (pi) {
  let goesOn = false;
  const show = (ctx, text) => (ctx.hasUI ? ctx.ui.notify(text, "info") : console.error(text));
  const { VERSION = "" } = { ...(await named("mariozechner")), ...(await named("earendil-works")) };
  if (/^0\.([0-7]?\d|8[0-6])\./.test(VERSION)) { // no event comes before its agent rests: it cannot be held
    const old = `untilgreen: Pi ${VERSION} cannot be held, and no hook runs. It needs 0.87 or later. Fix: pi update`;
    return pi.on("session_start", (_event, ctx) => show(ctx, old));
  }
  const ask = (event, ctx, more) => call({
    hook_event_name: event, bridge: "pi", client_pid: `${process.pid}`, cwd: ctx.cwd,
    session_id: ctx.sessionManager.getSessionId(), transcript_path: ctx.sessionManager.getSessionFile(), ...more,
  }, (text) => show(ctx, text), ctx.signal);
  const tell = (ctx, content) => content && pi.sendMessage({ customType: "untilgreen", content, display: false },
    { deliverAs: ctx.isIdle() ? "nextTurn" : "steer" });
  pi.on("session_start", async ({ reason }, ctx) => {
    const known = reason === "startup" && ctx.sessionManager.getBranch().some(({ type }) => type === "message");
    if (reason === "reload") return; // of extensions: the session goes on
    tell(ctx, (await ask("SessionStart", ctx, { source: known ? "resume" : reason })).context);
  });
  pi.on("session_shutdown", async ({ reason }, ctx) => {
    endHooks();
    if (reason !== "reload") await ask("SessionEnd", ctx, { reason });
  });
  pi.on("input", async ({ text, source }, ctx) => { // as it was typed; a steering line, too
    if (source === "extension") return;
    if (ctx.isIdle()) goesOn = false;
    const { held, context } = await ask("UserPromptSubmit", ctx, { prompt: text });
    if (held) return show(ctx, held), { action: "handled" };
    tell(ctx, context);
  });
  pi.on("tool_call", ({ toolName, toolCallId, input }, ctx) => remember(toolCallId, ctx.cwd, toolName, input.path));
  pi.on("tool_result", async ({ toolName, toolCallId, input, content, isError }, ctx) => {
    const output = content.map((part) => part.text ?? "").join("\n");
    const tool_response = { output, is_error: isError, originalFile: taken(toolCallId) };
    const told = { tool_name: toolName, tool_use_id: toolCallId, tool_input: input, tool_response };
    const { context } = await ask("PostToolUse", ctx, told);
    if (context) return { content: [...content, { type: "text", text: context }] };
  });
  pi.on("agent_before_settle", async ({ entries, outcome, context }, ctx) => {
    const last = context.contextMessages.findLast(({ role }) => role === "assistant");
    if (outcome === "aborted" || ctx.hasPendingMessages()) return;
    if (outcome === "error") return void (await ask("StopFailure", ctx, { error: last?.errorMessage ?? "" }));
    // no signal is live here: Esc is seen as a key, as old and new terminals send it
    const escaped = (data) => void (/^\x1b(\[27(;\d+(:\d+)?)?u)?$/.test(data) && endHooks());
    const unheard = ctx.mode === "tui" ? ctx.ui.onTerminalInput(escaped) : () => {};
    const last_assistant_message = last?.content.map((part) => part.text ?? "").join("") ?? "";
    const { held } = await ask("Stop", ctx, { stop_hook_active: goesOn, last_assistant_message }).finally(unheard);
    if (!held || ctx.hasPendingMessages()) return; // its user said something meanwhile
    goesOn = true;
    const hold = { type: "custom_message", customType: "untilgreen", content: held, display: true };
    return { entries: [...entries, hold], continue: true };
  });
}
