import pc from 'picocolors';
import { expect, test } from 'vitest';
import { answerCommands, approvalText } from '../../../src/cli/text/approval-text.ts';
import type { Approval } from '../../../src/contract/approvals.ts';

const approval: Approval = {
  id: 'run-1.1',
  kind: 'approve',
  callId: 'c',
  tool: 'bash',
  title: 'Run it\r\u001b[2K',
  arguments: { command: `echo a\nrm -rf ${'x'.repeat(5_000)}\u202e`, env: { deep: ['\u200b'] } },
  options: [],
  digest: 'sha256:00',
  reason: 'no rule allows bash',
  openedAt: 0,
  deadline: 60_000,
  onTimeout: 'deny',
  status: 'open',
};

test('a person sees every character of the arguments, and none that hides another', () => {
  const text = approvalText(approval, { colors: pc.createColors(false), now: 0 }).join('\n');
  expect(text).toContain('x'.repeat(5_000));
  expect(text).toContain('| echo a\n');
  expect(text).toContain('\\u202e');
  expect(text).toContain('\\u200b');
  expect(text).toContain('Run it\\x0d\\x1b[2K');
  expect(text).toContain('sha256:00');
  expect(text).toContain('denied as expired and the run goes on, at 1970-01-01 00:01:00 UTC (in 60 s)');
});

test.each([
  ['approve', 'nightshift approvals approve run-1.1'],
  ['choose', 'nightshift approvals answer run-1.1 --choice a|b'],
  ['answer', 'nightshift approvals answer run-1.1 "your words"'],
] as const)('the command that answers a question of kind %s', (kind, command) => {
  const options = ['a', 'b'].map((id) => ({ id, label: id }));
  expect(answerCommands({ ...approval, kind, options })[0]).toBe(command);
});

test('the lines of a diff are painted, and no other preview is', () => {
  const colors = pc.createColors(true);
  const shown = (preview: string): readonly string[] => approvalText({ ...approval, preview }, { colors, now: 0 });
  const diff = shown('--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n same\n-old\n+new\u001b[2K');
  expect(diff).toContain(`    | ${colors.red('-old')}`);
  expect(diff).toContain(`    | ${colors.green('+new\\x1b[2K')}`);
  expect(diff).toContain('    | --- a.ts');
  expect(shown('cat <<E\n-old\n+new\nE')).toContain('    | -old');
});
