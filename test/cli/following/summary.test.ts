import pc from 'picocolors';
import { expect, test } from 'vitest';
import { createOutput, type RunIntroduction } from '../../../src/cli/following/output.ts';
import type { RunEnd } from '../../../src/cli/following/run-end.ts';
import { summaryText } from '../../../src/cli/following/summary.ts';
import type { RunResult, Totals } from '../../../src/contract/run.ts';

const usage = { input: 1_000, output: 200, cacheRead: 0, cacheWrite: 0, costUsd: 0.5 };
const totals: Totals = {
  turns: 3,
  toolCalls: 4,
  activeMs: 1_000,
  usage,
  unpricedCalls: 0,
  denied: 0,
  expired: 0,
  unknown: 0,
};
const introduction: RunIntroduction = {
  runId: 'r',
  agent: 'auditor',
  model: 'm',
  offline: false,
  tools: [],
  notices: [],
  temporalUrl: null,
};
const result: RunResult = {
  runId: 'r',
  outcome: { status: 'completed', reason: 'outputs_complete' },
  answer: 'done',
  totals: { ...totals, reusedReads: 2, reusedBytes: 9_000 },
  stopReason: 'outputs_complete',
  outputs: { score: 7, note: 'a\u001b[2J' },
  blocked: ['Ask ana'],
};

function ended(more: RunResult): RunEnd {
  return { kind: 'ended', closedAs: 'COMPLETED', result: more };
}

test('the end of a run tells what was delivered, what was blocked and what was spared', () => {
  const lines = summaryText(introduction, ended(result), pc.createColors(false));
  expect(lines.map((line) => line.replace(/\s+/gu, ' '))).toEqual(
    expect.arrayContaining([
      ' Outcome completed: every declared output is there',
      ' Output score = 7',
      ' Output note = "a\\u001b[2J"',
      ' Blocked Ask ana',
      ' Reused 2 reads found nothing new; 9,000 bytes saved',
    ]),
  );
});

test('a run of an earlier version tells of no outputs', () => {
  const { outputs: _outputs, blocked: _blocked, stopReason: _stopReason, ...earlier } = result;
  const lines = summaryText(introduction, ended({ ...earlier, totals }), pc.createColors(false));
  expect(lines.join('\n')).not.toMatch(/Output |Blocked|Reused/u);
});

test('as JSON, outputs are values, and the reason of the end is one word', () => {
  const printed: string[] = [];
  const output = createOutput('json', introduction, { print: (text) => void printed.push(text) });
  output.end(ended(result));
  expect(JSON.parse(printed.join('\n'))).toMatchObject({
    status: 'completed',
    stop_reason: 'outputs_complete',
    outputs: result.outputs,
    blocked: ['Ask ana'],
  });
});
