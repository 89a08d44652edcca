import { loadClientConnectConfig } from '@temporalio/envconfig';
import { userHome } from './folders.ts';
import type { Environment } from './environment.ts';
import { ConfigError } from './config-error.ts';

type ConnectionOptions = ReturnType<typeof loadClientConnectConfig>['connectionOptions'];

/** A server that somebody named. It is used as it is; nothing is started. */
export interface TemporalTarget {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string;
  readonly tls?: NonNullable<ConnectionOptions['tls']>;
  readonly metadata?: NonNullable<ConnectionOptions['metadata']>;
}

/**
 * Reads the address from Temporal's own variables and file (`TEMPORAL_ADDRESS`, `TEMPORAL_PROFILE`, `temporal.toml`).
 * Null when they name none.
 *
 * @throws {ConfigError} the file or the profile cannot be read
 */
export function readTemporalTarget(env: Environment): TemporalTarget | null {
  const { namespace, connectionOptions } = load(env);
  const { address, apiKey, tls, metadata } = connectionOptions;
  if (address === undefined || address === '') return null;
  return {
    address,
    namespace: namespace ?? 'default',
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls === undefined || tls === null ? {} : { tls }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function load(env: Environment): ReturnType<typeof loadClientConnectConfig> {
  const variables = Object.entries({ ...env, HOME: userHome(env) }).filter(isSet);
  try {
    return loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(variables) });
  } catch (error) {
    throw new ConfigError('Temporal settings', [error instanceof Error ? error.message : String(error)]);
  }
}

function isSet(entry: [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}
