import type { RunIntroduction } from '../following/output.ts';
import type { KnownReading } from '../named-run.ts';

/** What is said of a run that somebody else started. Its tools are known only to itself. */
export function introductionOf(runId: string, reading: KnownReading, temporalUrl: string | null): RunIntroduction {
  const source = reading.kind === 'live' ? reading.view : reading.memo;
  return {
    runId,
    agent: source?.agent ?? 'not known',
    model: source?.model ?? 'not known',
    offline: source?.offline ?? false,
    tools: [],
    notices: [],
    temporalUrl,
  };
}
