import { existsSync } from 'node:fs';
import { runCommand } from './run-command.mjs';

const PLACES = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

/**
 * Installs bubblewrap, by which commands are confined, where it is missing and can be: it is a package of the system,
 * not of npm. Without it everything works, but each command needs a person's leave, and the tests then check just that.
 */
export async function ensureBubblewrap() {
  if (process.platform !== 'linux' || PLACES.some(existsSync)) return;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !existsSync('/usr/bin/apt-get')) {
    console.error('bubblewrap is not installed: commands cannot be confined here ("apt-get install bubblewrap")');
    return;
  }
  console.error('Installing bubblewrap (once)');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const quiet = { stdio: 'ignore', env };
  const install = ['install', '-y', '--no-install-recommends', 'bubblewrap'];
  if ((await runCommand('/usr/bin/apt-get', install, quiet)) === 0) return;
  await runCommand('/usr/bin/apt-get', ['update'], quiet);
  if ((await runCommand('/usr/bin/apt-get', install, quiet)) !== 0)
    console.error('bubblewrap could not be installed: commands cannot be confined here');
}
