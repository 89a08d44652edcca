import { describe, expect, test } from 'vitest';
import { capOf } from '../../../src/core/budget/keys.ts';

describe('capOf()', () => {
  const caps = [
    { key: 'day:2026-11-21', costUsd: 5 },
    { key: 'agent:x:2026-11-21', costUsd: 2 },
    { key: 'tree:r', costUsd: 3 },
  ];

  const keys: [key: string, costUsd: number | undefined][] = [
    ['day:2026-11-21', 5],
    ['day:2026-11-24', 5],
    ['agent:x:2026-11-24', 2],
    ['agent:y:2026-11-24', undefined],
    ['tree:r', 3],
    ['tree:2026-11-24', undefined],
  ];
  test.each(keys)('of %s is the one of $%s, whatever the day', (key, costUsd) => {
    expect(capOf(caps, key)?.costUsd).toBe(costUsd);
  });
});
