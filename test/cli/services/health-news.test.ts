import { expect, test } from 'vitest';
import { healthNews } from '../../../src/cli/services/health-news.ts';
import { restartWait } from '../../../src/cli/services/worker-child.ts';

const well = { openRuns: 1, stuck: [], unpolled: [] };
const ill = {
  openRuns: 2,
  stuck: [{ runId: 'r1', attempts: 4, error: 'boom\u001b[2J' }],
  unpolled: [{ taskQueue: 'q', runs: 1 }],
};

test('a trouble is said once while it lasts, and once when it is over', () => {
  const first = healthNews(new Set(), ill);
  expect(first.lines).toEqual([
    'r1 is stuck: its workflow task failed 4 times, last with: boom\\x1b[2J',
    'No worker polls the queue "q": 1 open run waits on it',
  ]);
  const second = healthNews(first.told, ill);
  expect(second.lines).toEqual([]);
  const third = healthNews(second.told, well);
  expect(third.lines).toEqual(['run r1: the trouble is over', 'queue q: the trouble is over']);
  expect(healthNews(third.told, well).lines).toEqual([]);
});

test('a worker that dies is replaced at once, and one that dies again and again is given time', () => {
  expect([0, 1, 2, 3, 4, 9].map(restartWait)).toEqual([0, 0, 1_000, 2_000, 4_000, 30_000]);
});
