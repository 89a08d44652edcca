import { expect, test } from 'vitest';
import { CommandFailure } from '../../../src/cli/command-failure.ts';
import { matchDigest } from '../../../src/cli/commands/approvals/name-call.ts';
import { filterOf, stateOf } from '../../../src/cli/commands/runs/ls.ts';
import { partsOf } from '../../../src/cli/named-approval.ts';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

test.each([digest, 'sha256:0123456789ab', '0123456789ab', 'SHA256:0123456789AB'])(
  'the digest %s names the call',
  (given) => {
    expect(matchDigest({ id: 'r.1', digest }, given)).toBe(digest);
  },
);

test.each([
  ['too few digits', 'sha256:0123', 2],
  ['no digits', 'sha256:', 2],
  ['not hex', 'sha256:zzzzzzzzzzzz', 2],
  ['another call', 'sha256:ffffffffffff', 6],
])('a digest is refused: %s', (_name, given, exitCode) => {
  expect(() => matchDigest({ id: 'r.1', digest }, given)).toThrow(expect.objectContaining({ exitCode }));
});

test.each([
  ['auditor-1.2', { run: 'auditor-1', number: '2' }],
  ['@last.3', { run: '@last', number: '3' }],
  ['auditor-1', { run: 'auditor-1', number: null }],
  ['a.b', { run: 'a.b', number: null }],
])('the question %s', (name, parts) => {
  expect(partsOf(name)).toEqual(parts);
});

test.each([
  [{}, ''],
  [{ state: 'thinking' }, "NightshiftState = 'running' AND ExecutionStatus = 'Running'"],
  [{ state: 'failed', agent: 'a b' }, "NightshiftState = 'failed' AND NightshiftAgent = 'a b'"],
])('a list filter from %j', (flags, filter) => {
  expect(filterOf(flags)).toBe(filter);
});

test.each([{ state: "x' OR 1=1" }, { agent: "x' OR 'a'='a" }])(
  'a filter that could say more than it should is refused: %j',
  (flags) => {
    expect(() => filterOf(flags)).toThrow(CommandFailure);
  },
);

test("a run that was ended from outside has Temporal's word as its state", () => {
  expect(stateOf({ status: 'TERMINATED', memo: null })).toBe('terminated');
});
