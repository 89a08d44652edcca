import { expect, test } from 'vitest';
import { ReplyKeeper, type Progress } from '../../src/activities/reply-keeper.ts';
import type { ModelReply } from '../../src/models/model.ts';

const usage = (output: number): ModelReply['usage'] => ({ input: 9, output, cacheRead: 0, cacheWrite: 0, costUsd: 0 });
const reply: ModelReply = {
  message: { role: 'assistant', content: [{ type: 'text', text: 'hello' }] },
  stopReason: 'end_turn',
  usage: usage(3),
  model: 'offline',
  requestId: null,
};

interface Watched {
  readonly seen: [request: string, progress: Progress][];
  readonly watch: (request: string, progress: Progress) => void;
}

function watched(): Watched {
  const seen: Watched['seen'] = [];
  return { seen, watch: (request, progress) => void seen.push([request, progress]) };
}

interface Slow {
  readonly ask: (report: (progress: Progress) => void) => Promise<ModelReply>;
  readonly report: (progress: Progress) => void;
  readonly answer: () => void;
  readonly fail: (error: Error) => void;
  readonly asked: () => number;
}

/** A request that comes as far as the test lets it. */
function slow(): Slow {
  let [answer, fail]: [Slow['answer'], Slow['fail']] = [() => undefined, () => undefined];
  const end = new Promise<ModelReply>((resolve, reject) => {
    [answer, fail] = [() => resolve(reply), reject];
  });
  let reportTo: Slow['report'] = () => undefined;
  let asked = 0;
  return {
    async ask(report) {
      asked += 1;
      reportTo = report;
      return await end;
    },
    report: (progress) => reportTo(progress),
    answer: () => answer(),
    fail: (error) => fail(error),
    asked: () => asked,
  };
}

test('who joins a request watches the same one under the same name, from where it is, alone', async () => {
  const keeper = new ReplyKeeper();
  const [request, first, second] = [slow(), watched(), watched()];
  const early = keeper.once('call', first.watch, request.ask);
  request.report({ usage: usage(1) });
  const late = keeper.once('call', second.watch, request.ask);
  request.report({ usage: usage(2) });
  request.answer();
  const [one, other] = await Promise.all([early, late]);
  expect(other).toEqual(one);
  expect(request.asked()).toBe(1);
  expect(first.seen.map(([, progress]) => progress.usage?.output)).toEqual([undefined, 1]);
  expect(second.seen).toEqual([
    [one.request, { usage: usage(1) }],
    [one.request, { usage: usage(2) }],
  ]);
});

test('a reply that came is found under the name of its request; one that failed is asked for again under another', async () => {
  const keeper = new ReplyKeeper();
  const { watch } = watched();
  const failing = slow();
  const failed = keeper.once('call', watch, failing.ask);
  failing.fail(new Error('broken'));
  await expect(failed).rejects.toThrow('broken');
  const seen = watched();
  const came = await keeper.once('call', seen.watch, async () => await Promise.resolve(reply));
  const again = await keeper.once('call', seen.watch, async () => await Promise.reject(new Error('asked again')));
  expect(again).toEqual(came);
  expect(new Set(seen.seen.map(([request]) => request))).toEqual(new Set([came.request]));
});
