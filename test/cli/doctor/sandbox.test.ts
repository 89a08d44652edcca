import { expect, test } from 'vitest';
import { sandboxFinding } from '../../../src/cli/doctor/sandbox.ts';

const start = { name: 'start', ok: true, said: 'a command runs' };
const kept = { name: 'read the passwords', ok: true, said: 'refused' };

const cases: [name: string, checks: Parameters<typeof sandboxFinding>[0], status: string, says: string][] = [
  ['all that was tried was refused', [start, kept], 'ok', 'all 2 checks'],
  [
    'there is no bubblewrap',
    [{ name: 'bubblewrap', ok: false, said: 'it is not installed (apt-get install bubblewrap)' }],
    'note',
    'apt-get install bubblewrap',
  ],
  ['it does not start', [{ ...start, ok: false, said: 'no permission' }], 'note', 'user namespaces'],
  ['something gets out', [start, { ...kept, ok: false, said: 'it was possible' }], 'missing', 'read the passwords'],
];

test.each(cases)('the sandbox, when %s', (_name, checks, status, says) => {
  const finding = sandboxFinding(checks);
  expect(finding.status).toBe(status);
  expect(finding.detail).toContain(says);
  if (status !== 'ok') expect(finding.detail).toContain('a person is asked about every command');
});
