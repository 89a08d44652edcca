import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { callKey } from '../../src/tools/ledger/ledger.ts';
import { digestOf } from '../../src/tools/digest.ts';
import { safeName } from '../../src/tools/safe-name.ts';
import { chainOf, keyOfCall } from './call-key.ts';
import type { House, LiveRun } from './house.ts';
import type { Note } from './strike-recorder.ts';
import type { Strike } from './strike-tool.ts';

/** One call as three witnesses have it: the run, the recorder, and the ledger beside the workspace. */
export interface JudgedStrike {
  readonly key: string;
  /** What the run told the model. */
  readonly status: string;
  readonly toldAt: number;
  readonly starts: readonly Note[];
  readonly ends: readonly Note[];
  /** When its result was stored; undefined when there is none. */
  readonly storedAt: number | undefined;
}

/** Sets side by side what the run says of each of its calls and what was seen of it. */
export async function judgeStrikes(
  house: House,
  run: LiveRun,
  notes: readonly Note[],
): Promise<readonly JudgedStrike[]> {
  const chain = await chainOf(house.client, run.runId);
  const keys = new Map<string, string>();
  const told: { callId: string; status: string; at: number }[] = [];
  let place = { turn: 0, index: 0 };
  for (const event of await run.events()) {
    if (event.type === 'model.replied') place = { turn: event.turn, index: 0 };
    if (event.type === 'tool.ended') told.push(event);
    if (event.type !== 'tool.proposed') continue;
    const { turn, index } = place;
    keys.set(event.callId, keyOfCall(chain, { turn, index, tool: 'strike', input: inputAt(run, { turn, index }) }));
    place = { turn, index: index + 1 };
  }
  return await Promise.all(
    told.map(async ({ callId, status, at }) => {
      const key = keys.get(callId) ?? '';
      const seen = notes.filter((note) => note.key === callKey(run.runId, key));
      const [starts, ends] = [seen.filter(({ kind }) => kind === 'start'), seen.filter(({ kind }) => kind === 'end')];
      return { key, status, toldAt: at, starts, ends, storedAt: await storedAt(house, run, key) };
    }),
  );
}

/** What the scripts of the campaign ask for at one place; the work takes between 50 and 400 ms. */
export function inputAt({ runId }: Pick<LiveRun, 'runId'>, { turn, index }: { turn: number; index: number }): Strike {
  const mark = `${runId}/${turn}/${index}`;
  return { mark, workMs: 50 + (Number.parseInt(digestOf('strike', mark).slice(7, 15), 16) % 351) };
}

async function storedAt({ workspace }: House, { runId }: LiveRun, key: string): Promise<number | undefined> {
  const file = join(workspace, '.nightshift', 'ledger', safeName(runId), `${safeName(key)}.result`);
  return await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}
