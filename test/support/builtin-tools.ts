import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBuiltinTools } from '../../src/tools/builtin.ts';
import { createSandbox, type Sandbox } from '../../src/tools/sandbox/sandbox.ts';
import type { Tool } from '../../src/tools/tool.ts';

/** The built-in tools as a worker has them. The sandbox is one for all, because trying it takes a moment. */
export function builtinTools(environment: Readonly<Record<string, string | undefined>> = process.env): readonly Tool[] {
  const memory = join(tmpdir(), `nightshift-memory-${process.pid}`);
  return createBuiltinTools({
    environment,
    sandbox: environment === process.env ? shared : createSandbox({ environment }),
    memoryFolder: (agent) => join(memory, agent),
  });
}

const shared: Sandbox = createSandbox({ environment: process.env });
