import { expect, test } from 'vitest';
import type { Policy } from '../../../src/contract/spec.ts';
import { decidePolicy } from '../../../src/core/policy/policy.ts';
import { touchesOfShell } from '../../../src/tools/shell/shell-line.ts';

const policy: Policy = {
  allow: ['bash(npm run *)', 'bash(git log *)', 'bash(cd *)', 'bash(echo *)', 'bash(tail *)', 'Edit(/out/**)'],
  ask: ['bash(git push *)'],
  deny: ['bash(rm *)', 'Edit(.env)'],
};

const lines: [line: string, decision: 'allow' | 'ask' | 'deny'][] = [
  ['npm run build', 'allow'],
  ['cd web && npm run build 2>&1 | tail -n 5', 'allow'],
  ["bash -c 'npm run a; npm run b'", 'allow'],
  ["bash -euo pipefail -c 'npm run a | tail -n 1'", 'allow'],
  ['npm run build > out/log.txt', 'allow'],
  ['npm run build > log.txt', 'ask'],
  ['cd out; npm run build > log.txt', 'ask'],
  ['echo x > out/.env', 'deny'],
  ['npm run build; make', 'ask'],
  ['npm run build && rm -rf out', 'deny'],
  ['npm run "$(rm -rf out)"', 'deny'],
  ['echo `\\rm -rf out`', 'deny'],
  ["bash -c 'echo a\n/bin/rm b'", 'deny'],
  ['echo a | xargs rm', 'deny'],
  ['git push', 'ask'],
  ['git log $(git push)', 'ask'],
  ['git log; git $x', 'ask'],
  ['NODE_OPTIONS=--require=./x.js npm run build', 'ask'],
  ['$x run build', 'ask'],
  ['npm run build\rrm x', 'ask'],
  ['npm run build | bash', 'ask'],
  ["bash -- -c 'npm run a'", 'ask'],
  [Array.from({ length: 60 }, (_, index) => `echo ${index}`).join(';'), 'ask'],
];
test.each(lines)('a line is parsed and judged: %j', (line, decision) => {
  const touches = touchesOfShell(line);
  expect(decidePolicy(policy, { tool: 'bash', effect: 'unsafe', input: { command: line }, touches }).decision).toBe(
    decision,
  );
});
