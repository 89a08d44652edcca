import type { RunSpec } from '../../contract/spec.ts';
import type { Rebuilt } from '../../worker/rebuild/rebuilt.ts';
import { envelope } from '../following/output.ts';
import { safeJson } from './visible.ts';

/** One JSON object about a piece of a run. Events have the shape that `-o stream-json` gives them. */
export function jsonLine(runId: string, item: Exclude<Rebuilt, { readonly kind: 'end' }>): string {
  switch (item.kind) {
    case 'spec':
      return safeJson({ v: 1, type: 'run', ...shownSpec(item.spec) });
    case 'event':
      return safeJson(envelope(runId, item.event));
    default: {
      const { kind, ...rest } = item;
      return safeJson({ v: 1, type: kind, ...rest });
    }
  }
}

/** What was asked, of whom and within what limits; of the tools only their names. */
function shownSpec({ system: _system, instructions: _instructions, tools, ...spec }: RunSpec): object {
  return { ...spec, tools: tools.map(({ name }) => name) };
}
