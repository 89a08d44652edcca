import { onTestFinished } from 'vitest';
import { createBashTool } from '../../../src/tools/shell/bash.ts';
import { createRegistry } from '../../../src/tools/registry.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/tools/sandbox/sandbox.ts';
import { situation, type Situation } from '../situation.ts';

export type Bounds = 'confined' | 'unconfined';

const NOWHERE = '/nonexistent/bwrap';

/** Whether this machine can confine at all; where it cannot, only the refusal can be tested, and this says why. */
export const cannotConfine = await createSandbox({ environment: process.env }).problem('/nonexistent/workspace');
if (cannotConfine !== undefined) console.warn(`Confined commands are not tested here: ${cannotConfine}`);

/** What can be tested on this machine. */
export const boundsHere: readonly Bounds[] = cannotConfine === undefined ? ['confined', 'unconfined'] : ['unconfined'];

/** All tools over a new workspace, with bash in a new sandbox of these options. */
export async function confinedSituation(options: Partial<SandboxOptions> = {}): Promise<Situation> {
  const environment = options.environment ?? process.env;
  const sandbox = createSandbox({ environment, ...options });
  onTestFinished(async () => await sandbox.close());
  return await situationIn(sandbox, environment);
}

/** All tools over a new workspace, with bash in this sandbox. */
export async function situationIn(
  sandbox: Sandbox,
  environment: SandboxOptions['environment'] = process.env,
): Promise<Situation> {
  const made = await situation(environment);
  const others = made.registry.names.flatMap((name) => (name === 'bash' ? [] : (made.registry.get(name) ?? [])));
  const registry = createRegistry([createBashTool(environment, sandbox), ...others]);
  const context = { ...made.context, definitions: registry.definitions(registry.names) };
  return {
    ...made,
    registry,
    context,
    async run(name, input, changes) {
      const ran = await registry.run({ name, input }, { ...context, ...changes });
      if (ran.kind === 'ended') return ran.result;
      throw new Error(`Cannot end "${name}": it asks "${ran.question.message}"`);
    },
  };
}

/** As above; unconfined as on a machine without bubblewrap, with a person's leave. */
export async function boundSituation(
  bounds: Bounds,
  environment: SandboxOptions['environment'] = process.env,
): Promise<Situation> {
  if (bounds === 'confined') return await confinedSituation({ environment });
  const made = await confinedSituation({ environment, bwrapPath: NOWHERE });
  return {
    ...made,
    run: async (name, input, changes) => await made.run(name, input, { unconfined: true, ...changes }),
  };
}
