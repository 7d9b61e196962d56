const parents = new Map(), begun = new Set(), fresh = new Set(); // sessions
const newest = new Map(), holds = new Map(), stops = new Map(), errors = new Map(); // by session: prompt, hold, ...
const headless = process.argv[2] === "run"; // it leaves at the first rest, but waits for `dispose`
export const Untilgreen = async ({ client, directory }) => {
  const say = (message) => headless ? console.error(message)
    : client.tui.showToast({ body: { message, variant: "info", duration: 15_000 } }).catch(() => {});
  const ours = { bridge: "opencode", client_pid: `${process.pid}`, cwd: directory };
  const ask = (event, id, more) => call({ hook_event_name: event, session_id: id, ...ours, ...more }, say);
  const safe = (act) => async (...all) => { try { await act(...all); } catch (error) { say(`untilgreen: ${error}`); } };
  const top = async (id) => { // the user's session for which a sub-agent works
    if (!parents.has(id)) parents.set(id, (await client.session.get({ path: { id } })).data?.parentID);
    return parents.get(id) ? top(parents.get(id)) : id;
  };
  const stop = safe(async (id) => {
    for (let error; !error && (await top(id)) === id; ) {
      const mine = {}, { data } = await client.session.messages({ path: { id } }), { info, parts } = data.at(-1);
      const seen = errors.get(id) ?? info.error, ended = info.finish && info.finish !== "error"; // later it has it
      const fault = ended && seen?.name === "ContextOverflowError" ? info.error : seen; // it was compacted, and went on
      newest.set(id, mine);
      if (info.role !== "assistant" || fault?.name === "MessageAbortedError") return;
      if (fault) return ask("StopFailure", id, { error: fault.data?.message ?? fault.name });
      const said = parts.filter(({ type }) => type === "text").map(({ text }) => text).join("\n");
      const told = { stop_hook_active: holds.has(id), last_assistant_message: said, permission_mode: info.mode };
      const { held: text } = await ask("Stop", id, told);
      if (!text || newest.get(id) !== mine) return; // its user said something meanwhile
      holds.set(id, text);
      const { agent, model } = data.findLast((one) => one.info.role === "user").info, held = [{ type: "text", text }];
      ({ error } = await client.session.prompt({ path: { id }, body: { agent, model, parts: held } }));
    }
  });
  return {
    event: async ({ event: { type, properties: { info, error, sessionID: id } } }) => {
      if (type === "session.created") fresh.add(info.id); else if (type === "session.error") errors.set(id, error);
      if (type === "session.idle" && !stops.has(id)) stops.set(id, stop(id).finally(() => stops.delete(id)));
    },
    "chat.message": safe(async ({ sessionID: id }, { parts }) => {
      const part = parts.find(({ type, synthetic }) => type === "text" && !synthetic);
      if (!part || part.text === holds.get(id) || (await top(id)) !== id) return;
      newest.set(id, {}), holds.delete(id), errors.delete(id);
      endHooks(({ session_id, hook_event_name }) => session_id === id && hook_event_name === "Stop");
      const told = { source: fresh.has(id) ? "startup" : "resume" };
      const texts = begun.has(id) ? [] : [(await ask("SessionStart", id, told)).context];
      const { held, context } = await ask("UserPromptSubmit", begun.add(id) && id, { prompt: part.text });
      if (held) part.text = `${held}\n\nTell the user this, and do nothing else.`;
      const text = [...texts, context].filter(Boolean).join("\n\n");
      if (text) parts.push({ ...part, id: `${part.id}u`, text, synthetic: true });
    }),
    "shell.env": safe(async ({ sessionID: id }, { env }) => { if (id) env.OPENCODE_SESSION_ID = await top(id); }),
    "tool.execute.before": async ({ tool, callID }, { args }) => remember(callID, directory, tool, args?.filePath),
    "tool.execute.after": safe(async ({ tool, sessionID, callID, args }, done) => {
      const told = { tool_name: tool, tool_use_id: callID, tool_input: args, agent_id: sessionID };
      const tool_response = { output: done.output, exit_code: done.metadata?.exit, originalFile: taken(callID) };
      const { context } = await ask("PostToolUse", await top(sessionID), { ...told, tool_response });
      if (context) done.output += `\n\n${context}`;
    }),
    dispose: safe(async () => {
      while (headless && stops.size) await Promise.all(stops.values());
      endHooks(), await Promise.all([...begun].map((id) => ask("SessionEnd", id, { reason: "quit" })));
    }),
  };
};
