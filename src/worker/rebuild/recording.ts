import type { RunEvent } from '../../contract/events.ts';
import type { Message } from '../../contract/messages.ts';
import type { RunSpec } from '../../contract/spec.ts';
import type { Rebuilt, RebuiltMessage, RebuiltSegment } from './rebuilt.ts';
import { createSegments } from './segments.ts';

/** Takes what a replayed workflow hands over, and tells it as one story through all executions of a run. */
export interface Recording {
  /** Another execution is about to be replayed. */
  readonly begin: () => void;
  readonly open: (spec: RunSpec) => void;
  readonly append: (from: number, messages: readonly Message[]) => void;
  readonly noted: (events: readonly RunEvent[]) => void;
  /** What was told since it was last taken, in the order of time. */
  readonly take: () => readonly Rebuilt[];
}

type Said = RebuiltMessage | RebuiltSegment;

export function createRecording(): Recording {
  const segments = createSegments();
  let told: Rebuilt[] = [];
  let said: Said[] = [];
  let last = 0;
  let hasSpec = false;
  let isFirstOpen = true;
  return {
    begin: () => void (isFirstOpen = true),
    open(spec) {
      if (!hasSpec) told.push({ kind: 'spec', spec });
      hasSpec = true;
      segments.open(isFirstOpen ? 'continued' : 'compacted');
      isFirstOpen = false;
    },
    append: (from, messages) => void said.push(...segments.append(from, messages)),
    noted(events) {
      const fresh = events.filter(({ seq }) => seq > last);
      const [first] = fresh;
      if (first !== undefined && first.seq > last + 1) told.push({ kind: 'gap', from: last + 1, to: first.seq - 1 });
      told.push(...inOrder(fresh, said));
      last = fresh.at(-1)?.seq ?? last;
      said = [];
    },
    take() {
      const all = [...told, ...said];
      [told, said] = [[], []];
      return all;
    },
  };
}

/** A reply stands behind the event that tells of it. */
const REPLIES: ReadonlySet<RunEvent['type']> = new Set(['model.replied', 'plan.made']);

/** What was said before the run went on to its next step stands before that. */
const STEPS: ReadonlySet<RunEvent['type']> = new Set(['run.state', 'run.ended', 'run.continued']);

/** Events and messages of one step come apart; here each message finds its place among the events. */
function inOrder(events: readonly RunEvent[], said: readonly Said[]): readonly Rebuilt[] {
  const waiting = [...said];
  const told: Rebuilt[] = [];
  for (const event of events) {
    if (STEPS.has(event.type)) told.push(...waiting.splice(0));
    told.push({ kind: 'event', event });
    if (REPLIES.has(event.type)) told.push(...waiting.splice(0, isReply(waiting[0]) ? 1 : 0));
  }
  return [...told, ...waiting];
}

function isReply(said: Said | undefined): boolean {
  return said?.kind === 'message' && said.message.role === 'assistant';
}
