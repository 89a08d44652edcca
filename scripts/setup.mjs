import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, runCommand, seconds } from './run-command.mjs';

/** Below this, packages we need refuse to run. */
const NODE_VERSION_MIN = [20, 19];

/** Makes sure that Node is new enough and that the packages of the lock file are installed. */
export async function setup() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < NODE_VERSION_MIN[0] || (major === NODE_VERSION_MIN[0] && minor < NODE_VERSION_MIN[1])) {
    fail(
      `Cannot run on Node ${process.versions.node}: expected ${NODE_VERSION_MIN.join('.')} or newer, from https://nodejs.org`,
    );
  }
  if (await isInstalled()) return;
  const startedAt = performance.now();
  console.error('Installing packages (once)');
  if (!(await install())) fail('Cannot install packages: npm says why above');
  console.error(`Installed packages in ${seconds(startedAt)}`);
}

/**
 * `npm ci` wants the packages of every platform in the lock file; where a registry had only some when it was written,
 * it refuses. `npm install` takes the same versions from the same file, and leaves the file as it is.
 */
async function install() {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  if ((await runCommand('npm', ['ci', ...quiet], { stdio: 'ignore' })) === 0) return true;
  return (await runCommand('npm', ['install', '--no-save', ...quiet])) === 0;
}

/** npm writes down what it installed, last of all; an install that was cut off has no such list, or an older one. */
async function isInstalled() {
  const [wanted, installed] = await Promise.all([
    readPackages(join(ROOT, 'package-lock.json')),
    readPackages(join(ROOT, 'node_modules', '.package-lock.json')),
  ]);
  return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
    if (path === '' || (optional ?? devOptional) === true) return true;
    return installed[path]?.version === version;
  });
}

async function readPackages(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await setup();
