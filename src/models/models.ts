import type { ModelChoice } from '../contract/terms.ts';
import { createAnthropicModel } from './anthropic.ts';
import { ModelError, type Model } from './model.ts';
import { startOfflineModel, type OfflineModel } from './offline/server.ts';

/** How models are reached. Without a key, only runs that chose the offline model can call one. */
export interface ModelAccess {
  readonly apiKey?: string;
  readonly baseURL?: string;
  /** Milliseconds of silence in a reply until the call is given up and retried. */
  readonly idleMs?: number;
  /** Milliseconds until a reply has begun; then the call is given up and retried. */
  readonly connectMs?: number;
}

export interface Models {
  readonly choose: (choice: ModelChoice) => Model;
  readonly close: () => Promise<void>;
}

/** The models of a worker; an embedding program may bring its own. The offline model is started when a run first needs it, and ends with the worker. */
export function createModels(access: ModelAccess | Models): Models {
  if ('choose' in access) return access;
  let offline: Promise<{ readonly server: OfflineModel; readonly model: Model }> | undefined;
  const { apiKey } = access;
  const online = apiKey === undefined ? withoutKey : createAnthropicModel({ ...access, apiKey });
  const offlineModel: Model = {
    call: async (request, options) => await (await (offline ??= startOffline())).model.call(request, options),
    check: async (modelId, signal) => await (await (offline ??= startOffline())).model.check(modelId, signal),
  };
  return {
    choose: (choice) => (choice.offline ? offlineModel : online),
    close: async () => await (await offline)?.server.close(),
  };
}

/** Milliseconds between two pieces of an offline reply, so that people see live text as from a real model. */
const OFFLINE_PAUSE_MS = 15;

async function startOffline(): Promise<{ readonly server: OfflineModel; readonly model: Model }> {
  const server = await startOfflineModel({ pauseMs: OFFLINE_PAUSE_MS });
  return { server, model: createAnthropicModel({ apiKey: 'offline', baseURL: server.url }) };
}

const withoutKey: Model = { call: refuse, check: refuse };

async function refuse(): Promise<never> {
  const message =
    'Cannot call the model: this worker has no ANTHROPIC_API_KEY; set it, restart the worker, then resume the run';
  throw new ModelError(message, { kind: 'operator', operator: 'credentials' });
}
