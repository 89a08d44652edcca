import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The folder of the project; every command runs there, wherever it was called from. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Runs a command with the terminal's own input and output, and gives its exit code. Ctrl-C reaches the command by
 * itself; we stay until it has ended, so that its last words are not cut off.
 */
export async function runCommand(file, args, options = {}) {
  const child = spawn(file, args, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32', ...options });
  const forward = (signal) => child.kill(signal);
  const stay = () => undefined;
  process.on('SIGINT', stay);
  process.on('SIGTERM', forward);
  try {
    return await new Promise((resolve) => {
      child.once('error', (error) => {
        console.error(`Cannot run "${file}": ${error.message}`);
        resolve(127);
      });
      child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 143)));
    });
  } finally {
    process.off('SIGINT', stay);
    process.off('SIGTERM', forward);
  }
}

export function seconds(since) {
  return `${((performance.now() - since) / 1_000).toFixed(1)} s`;
}
