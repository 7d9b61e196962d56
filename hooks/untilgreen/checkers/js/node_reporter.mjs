// A reporter of Node's test runner: one JSON object a line for each test that ended, and {"end": true} after the last.
// The built-in ones leave out the file (junit), or do not tell a test from a file that exited before its tests (tap).
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';

const KEPT = 8_000; // characters of what a file said on stderr

function reason(error) {
  const { cause, failureType, message } = error;
  const thrown = typeof cause?.message === 'string' ? `${cause.name}: ${cause.message}` : cause;
  const text = typeof thrown === 'string' ? thrown : inspect(thrown);
  return failureType === 'hookFailed' ? `${message}: ${text}` : text;
}

export default async function* report(events) {
  const said = new Map();
  for await (const { type, data } of events) {
    if (type === 'test:stderr' || (type === 'test:diagnostic' && data.nesting === 0)) {
      const from = data.entryFile ?? data.file ?? ''; // of the file whose events come just now
      said.set(from, `${said.get(from) ?? ''}${data.message}\n`.slice(0, KEPT));
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { error, type: kind } = data.details;
    const file = data.file?.startsWith('file:') ? fileURLToPath(data.file) : data.file;
    // a file stands for itself where it failed as a whole, or named no tests
    const whole = data.nesting === 0 && data.line === 1 && file?.endsWith(data.name);
    const skipped = [data.skip, data.todo].some((why) => why !== undefined && why !== false);
    yield `${JSON.stringify({
      name: data.name,
      nesting: data.nesting,
      file,
      line: data.line,
      suite: kind === 'suite',
      status: skipped ? 'skipped' : type.slice('test:'.length),
      ...(error && { failure: error.failureType, exit: error.exitCode, message: reason(error) }),
      ...(whole && { whole, said: [file, data.name, ''].map((from) => said.get(from) ?? '').join('') }),
    })}\n`;
    if (whole) said.delete('');
  }
  yield '{"end": true}\n';
}
