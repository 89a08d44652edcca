import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, seconds } from './run-command.mjs';
import { setup } from './setup.mjs';

/** The tools are called by their files, because npm's links to them are not there on every system. */
const bin = (path) => join(ROOT, 'node_modules', path);
const folders = (...names) => names.filter((name) => existsSync(join(ROOT, name)));

const GATES = [
  ['types of everything', bin('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.json'],
  ['types without the world', bin('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.pure.json'],
  ['lint', bin('oxlint/bin/oxlint'), '--type-aware', ...folders('src', 'test', 'bench', 'examples', 'scripts')],
  ['format', bin('oxfmt/bin/oxfmt'), '--check', '.'],
  ['dead code', bin('knip/bin/knip.js'), '--no-progress'],
];

await setup();
let failed = 0;
for (const [name, file, ...args] of GATES) {
  const startedAt = performance.now();
  const { code, output } = await run(file, args);
  if (code !== 0) failed += 1;
  if (code !== 0) console.log(output.trimEnd());
  console.log(`${code === 0 ? 'passed' : 'FAILED'}  ${name}, ${seconds(startedAt)}`);
}
console.log(`gates: ${GATES.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Runs one gate quietly; what it said matters only when it failed. */
async function run(file, args) {
  const child = spawn(process.execPath, [file, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(127);
    });
    child.once('close', resolve);
  });
  return { code, output };
}
