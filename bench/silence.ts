import { Runtime } from '@temporalio/worker';

/** Keeps the logs of workers out of the figures. Once in a process, before any connection. */
export function silenceWorkers(): void {
  const ignore = (): void => undefined;
  Runtime.install({
    logger: { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
  });
}
