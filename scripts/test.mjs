import { join } from 'node:path';
import { ROOT, runCommand } from './run-command.mjs';
import { ensureBubblewrap } from './sandbox-program.mjs';
import { setup } from './setup.mjs';

await setup();
await ensureBubblewrap();
// The Temporal server is found, fetched or built by test/global-setup.ts, which says what it does.
const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
process.exitCode = await runCommand(process.execPath, [vitest, 'run', ...process.argv.slice(2)]);
