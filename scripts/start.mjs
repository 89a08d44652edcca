import { build } from './build.mjs';
import { runCommand } from './run-command.mjs';
import { setup } from './setup.mjs';

const TASK =
  'Audit the repository in this workspace. Write what you find, with counts and places, to reports/audit.md. ' +
  'Ask for leave before you run its own checks.';

/** The main job: an agent audits this repository, and asks a person for leave on the way. */
const JOB = [
  'run',
  'examples/auditor/auditor.md',
  TASK,
  '--on-approval',
  'wait',
  '--approval-timeout',
  '20s',
  '--allow-denied',
];

await setup();
await build();
process.exitCode = await runCommand(process.execPath, ['dist/cli/main.js', ...JOB, ...process.argv.slice(2)]);
