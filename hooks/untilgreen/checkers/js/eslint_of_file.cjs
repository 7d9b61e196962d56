// eslint that stays: `node eslint_of_file.cjs CLI`, the script of its command line. It is asked by lines of JSON: `words` of which the last is the file, and `stdin`. It answers what a new process would print: what was read and looked for on the disk is
// looked at again before each call, but for the file's own text, which eslint gives to TypeScript. Where something is another now, TypeScript's programs are forgotten if nobody else read it; else this process ends. It says why where it
// cannot know what is read: other threads, processes, native code. Learned from eslint 8.57, 9.39, 10.15 and typescript-eslint 8.74.
const fs = require('node:fs'), inspector = require('node:inspector'), { syncBuiltinESMExports } = require('node:module');
const { resolve } = require('node:path'), { createInterface } = require('node:readline'), { fileURLToPath } = require('node:url');

const cli = process.argv[2], disk = { ...fs }, known = new Map(), began = Date.now();
let inside = false, why = '';
const facts = {
  is: (path) => `${disk.statSync(path, { throwIfNoEntry: false })?.isDirectory()}`,
  lists: (path) => disk.readdirSync(path).join('/'),
  reads: (path) => ((one) => `${one.ctimeNs} ${one.size} ${one.ino}`)(disk.statSync(path, { bigint: true })),
};
const fact = ({ kind, path }) => { try { return facts[kind](path); } catch (error) { return error.code; } };
const note = (kind, given, types) => {
  const path = resolve(given instanceof URL ? fileURLToPath(given) : `${given}`), key = [kind, path, types].join('\0');
  if (!known.has(key)) known.set(key, { kind, path, types, was: fact({ kind, path }) });
};
const watched = {
  is: ['statSync', 'lstatSync', 'existsSync', 'accessSync', 'realpathSync'],
  lists: ['readdirSync', 'opendirSync'], reads: ['readFileSync', 'openSync'],
};
for (const [kind, names] of Object.entries(watched)) for (const name of names) {
  fs[name] = Object.assign((path, ...rest) => {
    if (inside || typeof path === 'number') return disk[name](path, ...rest);
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 2;
    note(kind, path, /[\\/]typescript[\\/]lib[\\/]/.test(`${new Error().stack}`.split('\n')[2])); // who calls this
    Error.stackTraceLimit = limit;
    inside = true;
    try { return disk[name](path, ...rest); } finally { inside = false; }
  }, disk[name]);
}
const unseen = { worker_threads: ['Worker'], child_process: ['spawn', 'spawnSync', 'execFileSync', 'execSync', 'fork', 'execFile', 'exec'], process: ['dlopen'] };
for (const [module, names] of Object.entries(unseen)) for (const name of names) {
  const of = require(`node:${module}`), heard = (how) => (...all) => ((why ||= `nobody knows what a plugin reads by its ${name}`), how(...all));
  of[name] = new Proxy(of[name], { apply: heard(Reflect.apply), construct: heard(Reflect.construct) });
}
syncBuiltinESMExports();
process.env.TSESTREE_SINGLE_RUN = 'false';

/** Note the modules that were loaded without these functions. */
const noteModules = () => {
  const session = new inspector.Session();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params: { url } }) => {
    if (!url.startsWith('file:')) return;
    note('reads', new URL(url), false);
    if (disk.statSync(new URL(url)).ctimeMs > began) process.exit();
  });
  session.post('Debugger.enable');
  session.disconnect();
};

/** Forget what was read and is another now, but for the text of the file that is given. */
const refresh = (file) => {
  const changed = [...known.values()].filter((one) => fact(one) !== one.was);
  if (changed.some((one) => !one.types)) process.exit();
  const own = changed.every(({ kind, path, was }) => kind === 'reads' && path === file && was !== 'ENOENT');
  for (const one of changed) one.was = fact(one);
  if (own) return;
  const parsers = Object.entries(require.cache).filter(([path]) => /@typescript-eslint[\\/]parser[\\/]dist[\\/]index\.js$/.test(path));
  for (const [, { exports }] of parsers) exports.clearCaches();
};

const said = { stdout: '', stderr: '' }, write = process.stdout.write.bind(process.stdout);
for (const name of ['stdout', 'stderr']) process[name].write = (text) => ((said[name] += text), true);
const call = (words, stdin) => require(cli).execute(['node', 'eslint', ...words], stdin, true).catch((error) => ((said.stderr += error), 2));
(async () => {
  for await (const line of createInterface({ input: process.stdin })) {
    const { words, stdin } = JSON.parse(line), first = !known.size, file = resolve(words.at(-1));
    refresh(file);
    note('reads', file, true);
    Object.assign(said, { stdout: '', stderr: '' });
    const code = await call(words, stdin);
    if (first) noteModules();
    write(`${JSON.stringify({ code, ...said, why })}\n`);
    if (stdin !== null) await call([...words.slice(0, -3), file], null); // TypeScript has another text of it
  }
})();
