// What `tsc --noEmit` of TypeScript 7 says of one file of a configuration: `node tsc7_of_file.mjs API CONFIGURATION FILE`. Its server reads the project and checks the types of this file alone. In any doubt it says why
// and ends with 9: then the whole project is to be looked at.
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [library, configuration, given] = process.argv.slice(2), file = resolve(given);
const errors = (some) => some.filter((one) => one.category === 1);
let api;
try {
  api = new (await import(pathToFileURL(library).href)).API({ cwd: process.cwd() });
  const project = api.updateSnapshot({ openProjects: [configuration] }).getProject(configuration);
  const { program, rootFiles, compilerOptions: options } = project;
  if (!rootFiles.includes(file)) throw 'it is none of the files that the configuration names';
  if (options.composite) throw 'a configuration for the whole to judge';
  if (errors([...program.getConfigFileParsingDiagnostics(), ...program.getProgramDiagnostics()]).length) throw 'the options';
  // what is wrong with all files is known only once all are checked: it is a library without the language's own types
  if (options.noLib || options.lib?.every((name) => !/^lib\.es/.test(name))) throw 'the library is none of a whole';
  const unread = errors(program.getSyntacticDiagnostics(file));
  const found = unread.length ? unread : errors([...program.getBindDiagnostics(file), ...program.getSemanticDiagnostics(file)]);
  if (options.declaration && !found.length && errors(program.getDeclarationDiagnostics(file)).length) throw 'its declarations';
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  for (const { pos, code, text: message } of found.sort((one, other) => one.pos - other.pos)) {
    const before = text.slice(0, pos).split(/\r\n|[\n\r\u2028\u2029]/);
    console.log(`${relative('', file)}(${before.length},${before.at(-1).length + 1}): error TS${code}: ${message}`);
  }
  console.log(`Total time:  ${process.uptime().toFixed(2)}s`);
  process.exitCode = found.length ? 2 : 0;
} catch (why) {
  console.error(`Error: ${why}`);
  process.exitCode = 9;
}
api?.close();
