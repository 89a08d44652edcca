import { extname, join } from 'node:path';
import type { WorkerOptions } from '@temporalio/worker';

/**
 * For one activation of a workflow; thousands of messages at once take two seconds. Beyond it the SDK ends the thread of
 * all workflows, and with it the process, so a slow machine must stay far from it. The SDK takes the option (5 s if it
 * is not given), but its types do not show it.
 */
const ACTIVATION_LIMIT = '60s';

/** The workflow code and how long it may take at once. The code is what the build bundled, or else what lies beside this file. */
export function workflowSource(
  bundlePath: string | undefined,
): Pick<WorkerOptions, 'workflowsPath' | 'workflowBundle'> & { readonly isolateExecutionTimeout: string } {
  const code = bundlePath === undefined ? { workflowsPath: beside() } : { workflowBundle: { codePath: bundlePath } };
  return { ...code, isolateExecutionTimeout: ACTIVATION_LIMIT };
}

function beside(): string {
  return join(import.meta.dirname, '..', 'workflows', `index${extname(import.meta.filename)}`);
}
