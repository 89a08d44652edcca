import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { readEnvironment } from '../../../src/config/environment.ts';
import { findFolders } from '../../../src/config/folders.ts';
import { findServerBinary } from '../../../src/temporal/find-server.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const AUDITOR = join(ROOT, 'examples', 'auditor', 'auditor.md');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when stderr holds the text. */
  readonly said: (text: string) => Promise<void>;
}

/** The compiled command line in a home of its own, without a terminal, as scripts and other programs call it. */
export interface CommandLine {
  readonly folder: string;
  readonly workspace: string;
  readonly dataFolder: string;
  readonly start: (words: readonly string[], more?: StartOptions) => Running;
  readonly run: (words: readonly string[], more?: StartOptions) => Promise<Ended>;
  /** Ends every service and removes everything. */
  readonly close: () => Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

export interface CommandLineOptions {
  /** `host:port`; left out, the command line finds and starts a server of its own. */
  readonly temporalAddress?: string;
  readonly workflowBundle: string;
}

export async function openCommandLine(options: CommandLineOptions): Promise<CommandLine> {
  const folder = await mkdtemp(join(tmpdir(), 'nightshift-cli-'));
  const workspace = join(folder, 'workspace');
  const dataFolder = join(folder, 'data');
  const build = await compile(options.workflowBundle);
  await Promise.all([fillWorkspace(workspace), provideServerBinary(join(folder, 'bin'))]);
  const env = {
    HOME: folder,
    PATH: [join(folder, 'bin'), process.env['PATH'] ?? ''].join(delimiter),
    NIGHTSHIFT_HOME: dataFolder,
    NIGHTSHIFT_USER: 'tester',
    NIGHTSHIFT_TASK_QUEUE: `cli-${randomBytes(4).toString('hex')}`,
    ...(options.temporalAddress === undefined ? {} : { TEMPORAL_ADDRESS: options.temporalAddress }),
  };
  const start: CommandLine['start'] = (words, more = {}) => {
    const child = spawn(process.execPath, [join(build, 'dist', 'cli', 'main.js'), ...words], {
      cwd: workspace,
      env: { ...env, ...more.env },
      stdio: 'pipe',
    });
    child.stdin.end(more.stdin ?? '');
    return watch(child);
  };
  return {
    folder,
    workspace,
    dataFolder,
    start,
    run: async (words, more) => await start(words, more).ended,
    async close() {
      await start(['down']).ended;
      await Promise.all([folder, build].map(async (path) => await rm(path, { recursive: true, force: true })));
    },
  };
}

function watch(child: ChildProcess): Running {
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => (text[name] += chunk));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...text }));
  return {
    child,
    ended,
    async said(wanted) {
      while (!text.stderr.includes(wanted)) {
        if (child.exitCode !== null) throw new Error(`It ended without saying "${wanted}": ${text.stderr}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

/** Compiled beside the packages, so that it finds them. */
async function compile(workflowBundle: string): Promise<string> {
  const cache = join(ROOT, 'node_modules', '.cache', 'nightshift');
  await mkdir(cache, { recursive: true });
  const build = await mkdtemp(join(cache, 'cli-test-'));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const words = [tsc, '-p', join(ROOT, 'tsconfig.build.json'), '--outDir', join(build, 'dist')];
  await once(spawn(process.execPath, words, { stdio: 'ignore' }), 'close');
  await copyFile(workflowBundle, join(build, 'dist', 'workflow-bundle.js'));
  return build;
}

async function fillWorkspace(workspace: string): Promise<void> {
  await mkdir(join(workspace, 'agents'), { recursive: true });
  const manifest = { name: 'fixture', scripts: { check: 'echo all is well' } };
  await Promise.all([
    copyFile(AUDITOR, join(workspace, 'agents', 'auditor.md')),
    writeFile(join(workspace, 'agents', 'broken.md'), '---\nallowed-tools: bash\n---\nText\n'),
    writeFile(join(workspace, 'package.json'), JSON.stringify(manifest)),
    writeFile(join(workspace, 'index.js'), 'console.log("fixture");\n'),
  ]);
}

/** The binary that the other tests use, on the path, so that nothing is built anew in the empty home. */
async function provideServerBinary(folder: string): Promise<void> {
  const env = readEnvironment();
  const { found } = await findServerBinary({ ...findFolders(env), env, onProgress: () => undefined });
  if (found === null) throw new Error('Cannot test the command line: there is no Temporal server');
  await mkdir(folder, { recursive: true });
  await symlink(found.path, join(folder, 'temporal'));
}
