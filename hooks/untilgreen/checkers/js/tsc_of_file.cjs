// What `tsc --noEmit` says of one file of a configuration: `node tsc_of_file.cjs TYPESCRIPT CONFIGURATION FILE`. Of the other files it reads those that the file imports, and those that may declare something for
// everybody. In any doubt it says why and ends with 9: then the whole project is to be looked at. Without FILE it stays, and is asked by lines of JSON, for the files that are `words`. Then it makes a program of all files, anew each
// time, of trees that it keeps of what was not written since.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { devNull } = require('node:os');
const { dirname, join, resolve } = require('node:path');
const { createInterface } = require('node:readline');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

const [lib, configuration, given] = process.argv.slice(2), kept = process.env.TSC_OF_FILE;
// a function of what soon ends is worth being optimised only if it is called very often: a fifth less in all
const often = parseInt(process.versions.node) < 22 ? ['--interrupt-budget=1000000'] : ['--invocation-count-for-turbofan=24000', '--invocation-count-for-maglev=3200'];
for (const flag of given ? often : []) setFlagsFromString(flag);
const doubt = (why) => { throw new Error(why); };

/** TypeScript, from what V8 made of it before: half of the time that it takes to load. */
const loaded = () => {
  const text = readFileSync(lib, 'utf8'), { size, mtimeMs } = statSync(lib), module = { exports: {} };
  const path = kept && join(kept, createHash('sha256').update([lib, size, mtimeMs, process.version].join()).digest('hex'));
  let cachedData;
  try { cachedData = readFileSync(path); } catch { /* there is none yet */ }
  const script = new Script(wrap(text), { filename: lib, cachedData });
  script.runInThisContext()(module.exports, createRequire(lib), module, lib, dirname(lib));
  const keep = () => {
    if (!kept || (cachedData && !script.cachedDataRejected)) return;
    try { mkdirSync(kept, { recursive: true }), writeFileSync(`${path}.${process.pid}`, script.createCachedData()), renameSync(`${path}.${process.pid}`, path); }
    catch { /* the next call is as slow */ }
  };
  return [module.exports, keep];
};

const [ts, keep] = loaded();
const told = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => doubt('the configuration cannot be read') };
const form = { noEmit: true, emitDeclarationOnly: false, incremental: true, tsBuildInfoFile: devNull };

/** The files of the project, and of packages, that may declare something without being imported by this one. */
const around = (file, names, options, host) => {
  const roots = new Set([file]), seen = new Set(), alone = options.moduleResolution >= 3 && options.moduleResolution < 100;
  const cache = ts.createModuleResolutionCache(process.cwd(), (name) => name, options);
  for (const name of names) {
    const text = ts.sys.readFile(name) ?? doubt(`${name} cannot be read`), code = text.replace(/\/\*[^]*?\*\//g, '');
    const named = [...text.matchAll(/^\s*\/\/\/\s*<.*$/gm)].map(([line]) => line.match(/\bpath=["']([^"']+)/)?.[1] ?? '');
    const global = named.some((path) => !names.has(join(dirname(name), path))) || /\bdeclare\b/.test(code);
    if (global || /\.d\.\w*\.?[cm]?ts$|\.json$/.test(name) || !/^(import|export)\b/m.test(code)) roots.add(name);
    for (const [, wanted] of text.matchAll(/\b(?:from|import|require)\s*\(?\s*['"]([^'"\n]+)['"]/g)) {
      const folder = dirname(name), near = /^\.\.?(\/|$)/.test(wanted) ? join(folder, wanted).replace(/\.[cm]?jsx?$/, '') : '';
      if (near && ['.ts', '.tsx', '.d.ts', '/index.ts', '/index.tsx'].some((end) => names.has(near + end))) continue;
      if (seen.size === seen.add(`${folder} ${wanted}`).size) continue;
      const found = ts.resolveModuleName(wanted, name, options, host, cache).resolvedModule?.resolvedFileName;
      if (found && !names.has(found)) roots.add(alone ? name : found); // there an import's meaning depends on its file
    }
  }
  return roots;
};

/** Have a host read no file again that nobody wrote since. */
const trees = new Map();
const remember = (host, options) => {
  const read = host.getSourceFile, kind = JSON.stringify({ ...options, configFile: undefined });
  host.getSourceFile = (name, how, ...rest) => {
    const { ctimeNs, size, ino } = statSync(name, { bigint: true, throwIfNoEntry: false }) ?? {};
    const what = [ctimeNs, size, ino, how.impliedNodeFormat, kind].join();
    if (trees.get(name)?.what !== what) trees.set(name, { what, tree: read(name, how, ...rest) });
    return trees.get(name).tree;
  };
};

/** What tsc prints of these files. */
const look = (given, stays) => {
  if (!/^[56]\./.test(ts.version ?? '')) doubt(`TypeScript ${ts.version} is another one`);
  const { fileNames, options, errors, projectReferences } = ts.getParsedCommandLineOfConfigFile(configuration, form, told);
  const files = given.map((one) => resolve(one).replaceAll('\\', '/')), names = new Set(fileNames);
  if (errors.length || projectReferences?.length || options.composite) doubt('a configuration for the whole to judge');
  if (!files.every((file) => names.has(file))) doubt('it is none of the files that the configuration names');
  const host = ts.createCompilerHost(options);
  host.jsDocParsingMode = ts.JSDocParsingMode?.ParseForTypeErrors;
  if (stays) remember(host, options);
  const rootNames = stays ? fileNames : [...around(files[0], names, options, host)];
  const program = ts.createProgram({ rootNames, options, host }), sources = files.map((file) => program.getSourceFile(file));
  const unread = program.getSyntacticDiagnostics();
  if (unread.some((one) => !sources.includes(one.file)) || program.getOptionsDiagnostics().length) doubt('another file, or the options');
  if (!unread.length && program.getGlobalDiagnostics().length) doubt('what is wrong is wrong with all files');
  const found = unread.length ? unread : sources.flatMap((source) => program.getSemanticDiagnostics(source));
  if (options.declaration && !found.length && sources.some((source) => program.getDeclarationDiagnostics(source).length)) doubt('its declarations');
  return ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(found), {
    getCurrentDirectory: () => process.cwd(), getNewLine: () => '\n', getCanonicalFileName: (name) => name,
  });
};

const said = (files, stays) => {
  try { return ((found) => ({ code: found ? 2 : 0, stdout: `${found}Total time:  ${process.uptime().toFixed(2)}s\n`, stderr: '' }))(look(files, stays)); }
  catch (why) { return { code: 9, stdout: '', stderr: `Error: ${why.message}\n` }; }
};
if (given) {
  const { code, stdout, stderr } = said([given]);
  process.stdout.write(stdout), process.stderr.write(stderr), keep();
  process.exitCode = code;
} else createInterface({ input: process.stdin }).on('line', (line) => console.log(JSON.stringify(said(JSON.parse(line).words, true))));
