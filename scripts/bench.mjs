import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, TSC } from './build.mjs';
import { ROOT, runCommand } from './run-command.mjs';
import { ensureBubblewrap } from './sandbox-program.mjs';
import { setup } from './setup.mjs';
import { hashOf, readStamp } from './stamp.mjs';

const OUT = join(ROOT, 'dist', 'bench');
const STAMP = join(OUT, '.stamp');

await setup();
await ensureBubblewrap();
await build();
const given = process.argv.slice(2);
const isNamed = given[0] !== undefined && !given[0].startsWith('-');
const [name = 'main', ...args] = isNamed ? given : ['main', ...given];
if (existsSync(join(ROOT, 'bench', `${name}.ts`))) process.exitCode = await runBench();
else process.exitCode = await listBenches();

/** `npm run bench -- <name> <arguments>` runs `bench/<name>.ts`; without a name, `bench/main.ts`. */
async function runBench() {
  const hash = await hashOf(['src', 'bench', 'tsconfig.json', 'tsconfig.bench.json', 'package-lock.json']);
  if ((await readStamp(STAMP)) !== hash) {
    await rm(OUT, { recursive: true, force: true });
    const code = await runCommand(process.execPath, [TSC, '-p', 'tsconfig.bench.json']);
    if (code !== 0) return code;
    await writeFile(STAMP, hash);
  }
  return await runCommand(process.execPath, [join(OUT, 'bench', `${name}.js`), ...args]);
}

async function listBenches() {
  const files = await readdir(join(ROOT, 'bench'));
  const names = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length));
  console.error(`Cannot run "${name}": there is no bench/${name}.ts; there are: ${names.join(', ') || 'none'}`);
  return 2;
}
