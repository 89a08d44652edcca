import { build } from './build.mjs';
import { runCommand } from './run-command.mjs';
import { setup } from './setup.mjs';

await setup();
await build();
const demo = ['run', 'examples/auditor/auditor.md', '--on-approval', 'wait'];
process.exitCode = await runCommand(process.execPath, ['dist/cli/main.js', ...demo, ...process.argv.slice(2)]);
