import { join } from 'node:path';
import { identify, type ProcessIdentity } from '../../temporal/process-identity.ts';
import { claimLock, releaseLock } from '../../temporal/server-lock.ts';

export type ServicesClaim =
  | { readonly kind: 'held'; readonly identity: ProcessIdentity; readonly release: () => Promise<void> }
  | { readonly kind: 'taken' };

/** At most one supervisor serves a data folder. Its lock is one of the same make as that of the server. */
export async function claimServices(dataFolder: string): Promise<ServicesClaim> {
  const identity = await identify(process.pid);
  if (identity === null) throw new Error('Cannot identify this process');
  const content = { holder: identity, state: 'running', ports: { grpc: 0, ui: 0 }, database: '' } as const;
  const claim = await claimLock(join(dataFolder, 'services'), content);
  if (claim.kind === 'taken') return { kind: 'taken' };
  return { kind: 'held', identity, release: async () => await releaseLock(claim.lock) };
}
