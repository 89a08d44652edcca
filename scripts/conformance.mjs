import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { ROOT } from './run-command.mjs';
import { setup } from './setup.mjs';

// Runs the client scenarios of the public MCP conformance suite that apply to a client nobody sits in front of.
// `docs/mcp.md` says which are left out and why. `--only NAME` runs one, `--verbose` shows what the suite says.

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const SCENARIO_MS = 120_000;

/** Each scenario with the revisions of the protocol it is run at: passing at one says nothing about another. */
const SCENARIOS = {
  initialize: ['2025-06-18', '2025-11-25'],
  tools_call: ['2025-06-18', '2025-11-25', '2026-07-28'],
  'sse-retry': ['2025-11-25'],
  'json-schema-2020-12-preservation': ['2025-11-25', '2026-07-28'],
  'request-metadata': ['2026-07-28'],
  'sep-2322-client-request-state': ['2026-07-28'],
  'http-standard-headers': ['2026-07-28'],
  'http-custom-headers': ['2026-07-28'],
  'http-invalid-tool-headers': ['2026-07-28'],
  'json-schema-ref-no-deref': ['2026-07-28'],
  'auth/client-credentials-basic': ['extension'],
  'auth/client-credentials-jwt': ['extension'],
  'auth/pre-registration': ['2025-11-25', '2026-07-28'],
};

const flag = (name) => {
  const index = process.argv.indexOf(name);
  return index < 0 ? undefined : process.argv[index + 1];
};
const only = flag('--only');
const isVerbose = process.argv.includes('--verbose');
const dist = flag('--dist') ?? join(ROOT, 'dist');

if (flag('--dist') === undefined) {
  await setup();
  await build();
}

const results = await mkdtemp(join(tmpdir(), 'nightshift-conformance-'));
let passed = 0;
let failed = 0;
try {
  const names = only === undefined ? Object.keys(SCENARIOS) : [only];
  const runs = names.flatMap((name) => (SCENARIOS[name] ?? ['default']).map((revision) => [name, revision]));
  for (const [scenario, revision] of runs) {
    const { code, output } = await run(scenario, revision);
    const summary = /Passed: [^\n]*/u.exec(output)?.[0] ?? '';
    // A scenario that checked nothing has shown nothing.
    const isPassed = code === 0 && /Passed: [1-9]/u.test(summary);
    if (isPassed) passed += 1;
    else failed += 1;
    console.log(`${isPassed ? 'passed' : 'FAILED'}  ${scenario} (${revision})  ${summary}`);
    if (!isPassed || isVerbose) console.log(output.replaceAll(/^/gmu, '    '));
  }
} finally {
  await rm(results, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/** The suite needs Node 22, which npm provides; our client runs on the Node that runs this. */
async function run(scenario, revision) {
  const client = `${process.execPath} ${join(ROOT, 'scripts', 'conformance-client.mjs')} ${dist}`;
  const packages = ['-y', '-p', 'node@22', '-p', SUITE];
  const at = /^\d/u.test(revision) ? ['--spec-version', revision] : [];
  const suite = ['conformance', 'client', '--command', client, '--scenario', scenario, ...at, '-o', results];
  // Outside the repository, so that none of its packages are taken for the suite's.
  const child = spawn('npx', [...packages, ...suite], { cwd: results, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const timer = setTimeout(() => child.kill('SIGKILL'), SCENARIO_MS);
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('close', resolve);
  });
  clearTimeout(timer);
  return { code, output };
}
