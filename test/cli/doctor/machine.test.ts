import { expect, test } from 'vitest';
import { checkModelAccess, checkNode } from '../../../src/cli/doctor/machine.ts';

test.each([
  ['18.20.0', 'missing'],
  ['20.18.9', 'missing'],
  ['20.19.0', 'ok'],
  ['22.0.0', 'ok'],
] as const)('Node %s is %s', (version, status) => {
  expect(checkNode(version).status).toBe(status);
});

test('a key is never shown, only that there is one', () => {
  expect(checkModelAccess({}).detail).toContain('OFFLINE');
  const detail = checkModelAccess({ apiKey: 'sk-secret', baseURL: 'http://gateway' }).detail;
  expect(detail).toContain('http://gateway');
  expect(detail).not.toContain('secret');
});
