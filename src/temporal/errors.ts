import type { Tried } from './find-server.ts';

/** No Temporal server can be found or built on this machine. The message says what was tried and what to install. */
export class NoServerError extends Error {
  override readonly name = 'NoServerError';
  readonly tried: readonly Tried[];

  constructor(tried: readonly Tried[]) {
    const lines = tried.map(({ step, outcome, detail }) => `  - ${step}: ${outcome}, ${detail}`);
    super(
      [
        'Cannot find a Temporal server: none of the usual places has one that runs',
        ...lines,
        'Do one of these: set TEMPORAL_ADDRESS to a running server, install the Temporal CLI',
        '(https://docs.temporal.io/cli), or install Go 1.25 or newer so that it can be built here',
      ].join('\n'),
    );
    this.tried = tried;
  }
}

/** Nothing answers at the address, or not in time. */
export class ServerUnreachable extends Error {
  override readonly name = 'ServerUnreachable';
  readonly address: string;

  constructor(address: string, reason: string, cause?: unknown) {
    super(`Cannot reach the Temporal server at "${address}": ${reason}`, { cause });
    this.address = address;
  }
}

/** The server answers, and refuses our credentials or what we may do with them. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';

  constructor(what: string, reason: string, cause?: unknown) {
    super(`Cannot ${what}: ${reason}`, { cause });
  }
}

/** The dev server's database cannot be trusted, so the server is not started on it. */
export class DatabaseDamaged extends Error {
  override readonly name = 'DatabaseDamaged';
  readonly path: string;

  constructor(path: string, found: string) {
    super(
      `Cannot start on the database "${path}": ${found}\n` +
        `Move it aside and start with an empty one: ${moveAsideCommand(path)}`,
    );
    this.path = path;
  }
}

/** The dev server's process ended or stayed silent instead of starting. */
export class ServerDidNotStart extends Error {
  override readonly name = 'ServerDidNotStart';

  constructor(reason: string, logFile: string) {
    super(`Cannot start the Temporal server: ${reason}\nIts log: ${logFile}`);
  }
}

/** The write-ahead log belongs to the file: left behind, it would be played into the new database. */
function moveAsideCommand(path: string): string {
  const quoted = `'${path.replaceAll("'", "'\\''")}'`;
  return `for f in ${quoted}*; do mv "$f" "$f.damaged-$(date +%s)"; done`;
}
