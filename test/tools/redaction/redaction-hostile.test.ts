import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/tools/redaction/redaction.ts';

describe('hostile text of a megabyte takes less than five seconds', () => {
  const parts = [
    'eyJ',
    '-eyJ',
    'eyJaaaaaaaaaaa.',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\naaaa',
    '://',
    '://a:',
    '://a:b',
    'a://a:b@',
    'sk-',
    '-sk-',
    'SG.',
    'SG.aaaaaaaaaaaaaaaaaaaaaa',
    'password=',
    'password="',
    'password:=',
    'password        ',
    'token token=',
    '--token ',
    '--a-',
    'secret_',
    'authorization: ',
    'authorization bearer ',
    'bearer bearer    ',
    'bearer aaaaaaaaaaaaaaaaaaaaaa',
    'AKIA',
    'a',
    'A1',
    ' ',
    '\\',
    '"',
    'a.',
    'key=a.b.c.d.e',
    'api_key=aaaaaaaaa1A/',
    'glpat-',
    'xoxb-',
  ];
  test.each(parts)('made of "%s"', (part) => {
    const redactor = createRedactor({
      secrets: ['hunter22', 'aB3dE5gH7jK9mN1pQaB3dE5gH7jK9', 'aaaaaaaaaaaaaaaab', 'secret_secret_x'],
    });
    const hostile = part.repeat(Math.ceil(1_000_000 / part.length));
    expect(redactor.text(hostile).length).toBeGreaterThan(0);
  });
});
