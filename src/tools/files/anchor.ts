import { constants, existsSync } from 'node:fs';
import { open, readlink, realpath, stat } from 'node:fs/promises';

/**
 * A folder that is held open. Names are looked up in the folder itself and not along its path, so exchanging a
 * part of the path for a link after the check changes nothing.
 */
export interface Anchor {
  /** Real absolute path of the folder when it was opened. */
  readonly path: string;
  /** A path that leads to the held folder itself. */
  readonly self: string;
  /** A path that leads to the entry `name` of the held folder. */
  readonly at: (name: string) => string;
  /** Rejects with `ELOOP` when `at` may no longer lead into the folder; always passes where descriptors hold it. */
  readonly check: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How folders are held: by file descriptor, or by comparing before and after. */
export type Anchoring = 'descriptor' | 'comparison';

/** Descriptors need Linux's `/proc`; elsewhere a swap is only noticed, and a short gap remains. */
export function availableAnchoring(): Anchoring {
  return process.platform === 'linux' && existsSync('/proc/self/fd') ? 'descriptor' : 'comparison';
}

/** Opens a folder, following links. Where it really is, `path` says; the caller must look before using it. */
export async function openAnchor(path: string, anchoring: Anchoring): Promise<Anchor> {
  return anchoring === 'descriptor' ? await holdByDescriptor(path) : await holdByComparison(path);
}

async function holdByDescriptor(path: string): Promise<Anchor> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const self = `/proc/self/fd/${handle.fd}`;
    return {
      path: await readlink(self),
      self,
      at: (name) => `${self}/${name}`,
      check: async () => {},
      close: async () => await handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function holdByComparison(path: string): Promise<Anchor> {
  const real = await realpath(path);
  const before = await stat(real);
  if (!before.isDirectory()) throw systemError('ENOTDIR');
  return {
    path: real,
    self: real,
    at: (name) => `${real}/${name}`,
    check: async () => {
      const after = await stat(real);
      const same = after.dev === before.dev && after.ino === before.ino && (await realpath(real)) === real;
      if (!same) throw systemError('ELOOP');
    },
    close: async () => {},
  };
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'open' });
}
