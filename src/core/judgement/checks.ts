import type { Verdict } from '../../contract/run.ts';
import type { ToolCall } from '../../contract/tool-calls.ts';
import { inputOf } from '../calls/calls.ts';
import { fieldsOf } from '../fields.ts';
import { matchesGlob } from '../policy/globs.ts';
import type { Run } from '../run.ts';
import { oneLine } from '../sizes.ts';
import type { CheckState } from './state.ts';

/** Takes in the calls of a turn, once all of them have ended. */
export function checkTurn(run: Run): CheckState {
  const { checks, calls } = run;
  const effects = calls.filter(({ effect, result }) => effect !== 'read' && result?.status === 'success').length;
  const tests = Object.fromEntries(calls.flatMap((call) => testsIn(run, call)));
  return { tests: { ...checks.tests, ...tests }, effects: checks.effects + effects };
}

/** A call that was refused ran nothing, and leaves what is known as it was. */
function testsIn(run: Run, call: ToolCall): readonly (readonly [string, boolean | undefined])[] {
  const globs = run.spec.critique.tests ?? [];
  const { command } = fieldsOf(inputOf(run, call.id));
  const status = call.result?.status ?? 'denied';
  if (globs.length === 0 || typeof command !== 'string' || status === 'denied' || status === 'expired') return [];
  const isKnown = status === 'success' || status === 'error';
  return globs
    .filter((glob) => stands(glob, command))
    .map((glob) => [glob, isKnown && decides(glob, command) ? status === 'success' : undefined]);
}

/** A test may stand anywhere in a line, such as behind `cd project &&`. */
function stands(glob: string, command: string): boolean {
  return matchesGlob(`*${glob}*`, oneLine(command, 4_000));
}

const SEPARATOR = /[\n;|]/u;

/** Whether the exit code of the line is that of the test: `npm test | tail` succeeds whatever becomes of the tests. */
function decides(glob: string, command: string): boolean {
  const parts = command.trim().split(SEPARATOR);
  return SEPARATOR.test(glob) || stands(glob, parts.at(-1) ?? '');
}

/** What a rule says of a turn that had errors: the failed call is done again, knowing why; null where it cannot tell. */
export function judgeErrors(calls: readonly ToolCall[]): Verdict | null {
  const failed = calls.filter(({ result }) => result?.status === 'error');
  const [first] = failed;
  if (first?.result === undefined || failed.length < calls.length) return null;
  const reason = `${first.summary} failed: ${oneLine(first.result.content, 300)}`;
  return { action: 'retry', reason, confidence: 100 };
}

/** What a rule says of a run that wants to complete; null where nothing speaks against it. */
export function judgeCompletion({ spec, checks }: Run): Verdict | null {
  const { tests = [], expectsChanges = false } = spec.critique;
  const unrun = tests.filter((glob) => checks.tests[glob] === undefined);
  const failing = tests.filter((glob) => checks.tests[glob] === false);
  if (failing.length > 0) return sendBack(`the newest run of ${failing.join(', ')} failed`);
  if (unrun.length > 0)
    return sendBack(`${unrun.join(', ')} has not been run alone or last in its line, where its exit code can be seen`);
  if (expectsChanges && checks.effects === 0) return sendBack('nothing was changed, but the task wants a change');
  return null;
}

function sendBack(reason: string): Verdict {
  return { action: 'continue', reason, confidence: 100 };
}
