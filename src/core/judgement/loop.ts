import type { CallModelResult } from '../../contract/activities.ts';
import type { ToolCall } from '../../contract/tool-calls.ts';
import { countCall } from '../apply-reply.ts';
import { stop } from '../ending.ts';
import { isJudgeDue, judged, readLoopJudgement, STUCK_AT } from '../loops/judge.ts';
import { climb, newLadder } from '../loops/ladder.ts';
import {
  allowPattern,
  isPatternAllowed,
  observeTurn,
  startAnew,
  warned,
  type LoopFound,
  type SeenCall,
} from '../loops/observe.ts';
import { instruct } from '../people/inbox.ts';
import { isUnattended } from '../people/questions.ts';
import { textOf, thoughtOf } from '../replies.ts';
import { note, sayAsUser, type Run } from '../run.ts';
import { textHash } from '../text-hash.ts';
import { told } from '../told.ts';
import { replan } from './critique.ts';
import { askAboutRun, type Decided } from './question.ts';

/** Looks at the turn that has just ended, and climbs the ladder where it goes round in circles. */
export function watchForLoops(run: Run, calls: readonly ToolCall[], now: number): Run {
  const { loops } = run.spec;
  const reply = run.messages.findLast(({ role }) => role === 'assistant');
  if (loops === undefined || reply?.role !== 'assistant') return run;
  const turn = { text: textOf(reply), thinking: thoughtOf(reply), calls: calls.map((call) => seenCall(run, call)) };
  const { memory, found } = observeTurn(run.loop.memory, turn, loops);
  const observed = { ...run, loop: { ...run.loop, memory } };
  return found === null ? observed : climbLadder(observed, found, now);
}

function seenCall({ reads }: Run, { digest, summary, effect, repeats, result }: ToolCall): SeenCall {
  return {
    digest,
    summary,
    effect,
    status: result?.status ?? 'error',
    // A read that found the same again is told in other words; what it found is what counts.
    resultHash: reads.find((read) => read.digest === digest)?.hash ?? textHash(result?.content ?? ''),
    isAllowed: repeats === true,
  };
}

/** One rung: tell the model what was seen, have it plan anew, ask a person, stop. */
function climbLadder(run: Run, found: LoopFound, now: number): Run {
  const { ladder, rung } = climb(run.loop.ladder, found, { turn: run.turn, canAsk: !isUnattended(run) });
  const memory = warned(run.loop.memory, found.pattern);
  const { detector, what } = found;
  const climbed = note({ ...run, loop: { ...run.loop, ladder, memory } }, now, {
    type: 'loop.detected',
    detector,
    what,
    rung,
  });
  switch (rung) {
    case 'nudge':
      return sayAsUser(climbed, told.loopNudge(what));
    case 'replan':
      return replan(climbed, told.loopReplan(what));
    case 'ask':
      return askAboutLoop(climbed, found, now);
    case 'stop':
      return stop(climbed, 'loop', `The run went round in circles, and neither a nudge nor a new plan helped: ${what}`);
  }
}

function askAboutLoop(run: Run, found: LoopFound, now: number): Run {
  return askAboutRun(
    run,
    {
      matter: { about: 'loop', found },
      title: `The run goes round in circles: ${found.what}`,
      reason: 'it went on after a nudge and a new plan',
      options: [
        { id: 'continue', label: 'Go on, and never ask again about this pattern' },
        { id: 'redirect', label: 'Go another way; your words are told to the agent' },
        { id: 'stop', label: 'Stop the run' },
      ],
      fallback: 'stop',
    },
    now,
  );
}

/** Follows what a person decided about a loop. */
export function settleLoop(run: Run, found: LoopFound, { choice, by, words, isByPerson }: Decided): Run {
  const loop = { ...run.loop, ladder: newLadder };
  switch (choice) {
    case 'continue':
      return { ...run, loop: { ...loop, memory: allowPattern(loop.memory, found.pattern) } };
    case 'redirect':
      return redirect({ ...run, loop: { ...loop, memory: startAnew(loop.memory) } }, by, words);
    default:
      return isByPerson
        ? stop(run, 'person', `${by} stopped the run, because it went round in circles: ${found.what}`)
        : stop(run, 'loop', `Nobody answered, and the run went round in circles: ${found.what}`);
  }
}

function redirect(run: Run, by: string, words: string): Run {
  return sayAsUser(words === '' ? run : instruct(run, { by, text: words }), told.redirected(by, words));
}

/** Has a model judge between two turns whether the run is stuck, when it is time and nobody let it go on for good. */
export function askLoopJudge(run: Run): Run {
  const after = run.spec.loops?.judgeAfterTurns;
  if (after === undefined || !isJudgeDue(run.loop.schedule, run.turn, after)) return run;
  return isPatternAllowed(run.loop.memory, JUDGED) ? run : { ...run, reflectOn: 'loop' };
}

/** Takes the model's judgement. One that finds the run stuck is confirmed by the run's own model before it counts. */
export function applyLoopJudgement(
  run: Run,
  { kind, result }: { readonly kind: 'loop' | 'loop_confirm'; readonly result: CallModelResult | null },
  now: number,
): Run {
  const counted = result === null ? run : countCall(run, result, kind);
  const judgement = result === null ? null : readLoopJudgement(textOf(result.message));
  const confidence = judgement?.confidence ?? null;
  const schedule = judged(run.loop.schedule, { turn: run.turn, confidence });
  const next: Run = { ...counted, reflectOn: null, loop: { ...run.loop, schedule } };
  if (judgement === null) return next;
  const { reason } = judgement;
  const noted = note(next, now, { type: 'loop.judged', confidence: Math.round(judgement.confidence * 100), reason });
  if (judgement.confidence < STUCK_AT) return noted;
  if (kind === 'loop') return { ...noted, reflectOn: 'loop_confirm' };
  return climbLadder(noted, { detector: 'judge', pattern: JUDGED, what: reason }, now);
}

/** What a model finds has no shape of its own, so all of it is one pattern. */
const JUDGED = 'judged';
