import type { ServicesRecord } from '../services/record.ts';
import { visible } from './visible.ts';

/** Addresses of the services, for people. */
export function servicesText(record: ServicesRecord, { offline }: { readonly offline: boolean }): readonly string[] {
  const { address, namespace, uiUrl, taskQueue, logPath, idleStopMs, process: supervisor } = record;
  const model = offline
    ? 'OFFLINE model (no ANTHROPIC_API_KEY): it follows a fixed script'
    : 'through the configured API key';
  const rows: readonly (readonly [string, string])[] = [
    ['Temporal UI', uiUrl ?? 'not known for this server'],
    ['Temporal', `${address}, namespace ${namespace}`],
    ['Task queue', taskQueue],
    ['Model', model],
    ['Process', `${supervisor.pid}${logPath === null ? '' : `, log ${logPath}`}`],
    ...(idleStopMs === 0 ? [] : [['Ends itself', `after ${Math.round(idleStopMs / 1_000)} s without a run`] as const]),
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(12)} ${visible(value)}`);
}
