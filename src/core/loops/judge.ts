import { oneLine } from '../sizes.ts';
import { jsonObjects, readConfidence } from '../json-objects.ts';
import {
  JUDGE_ANSWER_CHARACTERS_MAX,
  JUDGE_INTERVAL_TURNS,
  JUDGE_INTERVAL_TURNS_MAX,
  JUDGE_INTERVAL_TURNS_MIN,
  JUDGE_REASON_CHARACTERS_MAX,
} from './thresholds.ts';

export { STUCK_AT } from './thresholds.ts';

/** When a model is asked next whether the run is stuck. */
export interface JudgeSchedule {
  /** Turn of the latest judgement; 0 before the first. */
  readonly turn: number;
  /** Turns from that one to the next. */
  readonly interval: number;
}

export interface LoopJudgement {
  /** That the run is stuck, 0 to 1. */
  readonly confidence: number;
  readonly reason: string;
}

export const newJudgeSchedule: JudgeSchedule = { turn: 0, interval: JUDGE_INTERVAL_TURNS };

/** `judgeAfterTurns` is of the spec: turns before the first judgement. */
export function isJudgeDue(schedule: JudgeSchedule, turn: number, judgeAfterTurns: number): boolean {
  return turn >= (schedule.turn === 0 ? judgeAfterTurns : schedule.turn + schedule.interval);
}

/**
 * Takes a judgement into account: the surer that the run is stuck, the sooner it is judged again. With two judgements,
 * give the lower confidence; with one that could not be had or read, give null, and the interval stays.
 */
export function judged(
  schedule: JudgeSchedule,
  { turn, confidence }: { readonly turn: number; readonly confidence: number | null },
): JudgeSchedule {
  if (confidence === null) return { turn, interval: schedule.interval };
  const moved = (JUDGE_INTERVAL_TURNS_MAX - JUDGE_INTERVAL_TURNS_MIN) * (1 - clamped(confidence));
  return { turn, interval: Math.round(JUDGE_INTERVAL_TURNS_MIN + moved) };
}

/** Put to a model that is shown the latest turns. */
export const LOOP_QUESTION = [
  'Look at the latest turns above as an observer. Is the agent stuck: does it repeat itself without getting closer to the',
  'task? It is stuck when it makes the same or nearly the same calls over and over, goes back and forth between states,',
  'tries again and again what failed in the same way, or plans anew without acting. It is not stuck when similar steps each',
  'treat something else (one file, page or test after another), when each try differs and something is learnt from it,',
  'when it waits for something by looking again, or when the task itself asks for repetition. Long or slow work is not stuck.',
  'Answer with one JSON object and nothing else:',
  '{"stuck": true or false, "confidence": 0 to 100, "reason": "one sentence"}',
  '"confidence" is how sure you are that it IS stuck: 0 is surely not stuck, 100 is surely stuck. In "reason" name what is',
  'repeated, as you would tell the agent.',
].join('\n');

/** Of the answer to `LOOP_QUESTION`. Bounds of numbers stand in words, because structured output refuses them. */
export const LOOP_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    stuck: { type: 'boolean' },
    confidence: { type: 'integer', description: 'That it is stuck: 0 is surely not, 100 is surely.' },
    reason: { type: 'string' },
  },
  required: ['stuck', 'confidence', 'reason'],
  additionalProperties: false,
};

/** Reads the first JSON object with a confidence, whatever stands around it; null when there is none. */
export function readLoopJudgement(text: string): LoopJudgement | null {
  for (const answer of jsonObjects(text.slice(-JUDGE_ANSWER_CHARACTERS_MAX))) {
    const share = readConfidence(answer['confidence']);
    if (share === null) continue;
    const { stuck, reason } = answer;
    return {
      // Who says "not stuck" and is very sure means sure of that, whatever was asked.
      confidence: stuck === false ? Math.min(share, 1 - share) : share,
      reason: typeof reason === 'string' ? oneLine(reason, JUDGE_REASON_CHARACTERS_MAX) : '',
    };
  }
  return null;
}

function clamped(share: number): number {
  return Math.min(1, Math.max(0, share));
}
