import type { Check } from '../../tools/sandbox/self-test.ts';
import { createSandbox } from '../../tools/sandbox/sandbox.ts';
import type { Context } from '../context.ts';
import { shortLine } from '../text/visible.ts';
import { missing, note, ok, type Finding } from './finding.ts';

/** Whether commands that agents run are confined here, by trying what they must not be able to do. */
export async function checkSandbox({ env, folder }: Context): Promise<readonly Finding[]> {
  const sandbox = createSandbox({ environment: env });
  try {
    const checks = await sandbox.selfTest();
    const finding = sandboxFinding(checks);
    if (finding.status !== 'ok') return [finding];
    const unfit = await sandbox.problem(folder);
    return unfit === undefined ? [finding] : [finding, note('sandbox, here', `${unfit}; ${ASKED}`)];
  } finally {
    await sandbox.close();
  }
}

const ASKED = 'a person is asked about every command';

/** Where nothing can be started, everything is asked; where something gets out, the sandbox says what is not so. */
export function sandboxFinding(checks: readonly Check[]): Finding {
  const failed = checks.filter((check) => !check.ok);
  const [first] = failed;
  if (first === undefined)
    return ok('sandbox', `commands are confined: all ${checks.length} checks of its self-test passed`);
  const whys = failed.map(({ name, said }) => `${name}: ${shortLine(said, 300)}`).join('; ');
  const escaped = checks.some((check) => check.ok);
  if (escaped) return missing('sandbox', `it does not hold: ${whys}; ${ASKED}`);
  return note('sandbox', `commands cannot be confined, so ${ASKED}: ${whys}${adviceOf(first)}`);
}

/** The system may forbid what bubblewrap needs; that there is none says by itself what to install. */
function adviceOf({ name }: Check): string {
  return name === 'start' ? '; bubblewrap needs unprivileged user namespaces, which the system may forbid' : '';
}
