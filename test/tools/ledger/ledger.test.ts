import { mkdir, readFile, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openLedger, type Finding, type Holder, type Kept } from '../../../src/tools/ledger/ledger.ts';
import { bench, type Bench } from './ledger-bench.ts';
import { temporaryFolder } from '../situation.ts';

describe('a call', () => {
  test('is performed once and its result is given to whoever asks again', async () => {
    const { ledger, call, root } = await bench();
    let times = 0;
    const perform = async (): Promise<unknown> => ({ times: (times += 1) });
    expect(await ledger.once(call('unsafe'), perform)).toEqual({ kind: 'done', value: { times: 1 } });
    expect(await ledger.once(call('unsafe'), perform)).toEqual({ kind: 'stored', value: { times: 1 } });
    expect(await (await openLedger(root)).once(call('unsafe'), perform)).toEqual({
      kind: 'stored',
      value: { times: 1 },
    });
  });

  test('that is still being performed here is joined, not begun again', async () => {
    const { ledger, call, root } = await bench();
    let times = 0;
    const perform = async (): Promise<number> => {
      times += 1;
      await setTimeout(50);
      return times;
    };
    const other = await openLedger(root);
    const all = await Promise.all([
      ledger.once(call('unsafe'), perform),
      ledger.once(call('unsafe'), perform),
      other.once(call('unsafe'), perform),
    ]);
    expect(all).toEqual(Array.from({ length: 3 }, () => ({ kind: 'done', value: 1 })));
  });

  test.each(['unsafe', 'checkable'] as const)('of effect %s that broke off is unknown ever after', async (effect) => {
    const { ledger, call } = await bench();
    const before = Date.now();
    await expect(ledger.once(call(effect), async () => await Promise.reject(new Error('bug')))).rejects.toThrow('bug');
    for (let times = 0; times < 2; times += 1) {
      const kept = await ledger.once(call(effect), async () => await Promise.resolve('again'));
      expect(kept).toEqual({ kind: 'unknown', since: expect.any(Number) });
      expect(kept.kind === 'unknown' && kept.since >= before).toBe(true);
    }
  });

  test.each(['read', 'idempotent', 'keyed'] as const)(
    'of effect %s that broke off is performed again',
    async (effect) => {
      const { ledger, call } = await bench();
      for (let times = 0; times < 3; times += 1) {
        await expect(ledger.once(call(effect), async () => await Promise.reject(new Error('bug')))).rejects.toThrow(
          'bug',
        );
      }
      expect(await ledger.once(call(effect), async () => await Promise.resolve('again'))).toEqual({
        kind: 'done',
        value: 'again',
      });
      expect(await ledger.once(call(effect), async () => await Promise.resolve('no'))).toEqual({
        kind: 'stored',
        value: 'again',
      });
    },
  );

  describe('that can be checked and broke off', () => {
    const breakOff = async (): Promise<never> => await Promise.reject(new Error('bug'));

    async function probing(found: Finding): Promise<{ kept: Kept<unknown>; again: Kept<unknown>; performed: number }> {
      const { ledger, call } = await bench();
      await expect(ledger.once(call('checkable'), breakOff)).rejects.toThrow('bug');
      let performed = 0;
      const perform = async (): Promise<string> => {
        performed += 1;
        return await Promise.resolve('done anew');
      };
      const claim = { ...call('checkable'), probe: async () => await Promise.resolve(found) };
      const kept = await ledger.once<unknown>(claim, perform);
      return { kept, again: await ledger.once<unknown>(claim, perform), performed };
    }

    test('and did happen gives what the probe found, also to whoever asks later', async () => {
      const { kept, again, performed } = await probing({ kind: 'happened', value: 'seen' });
      expect([kept, again, performed]).toEqual([
        { kind: 'stored', value: 'seen' },
        { kind: 'stored', value: 'seen' },
        0,
      ]);
    });

    test('and did not happen is performed, once', async () => {
      const { kept, again, performed } = await probing({ kind: 'not_happened' });
      expect([kept, again, performed]).toEqual([
        { kind: 'done', value: 'done anew' },
        { kind: 'stored', value: 'done anew' },
        1,
      ]);
    });

    test('and cannot be told stays unknown and is not performed', async () => {
      const { kept, performed } = await probing({ kind: 'unknown' });
      expect([kept.kind, performed]).toEqual(['unknown', 0]);
    });
  });

  test('whose result is absurdly large is refused, and not performed again', async () => {
    const { ledger, call } = await bench();
    await expect(ledger.once(call('unsafe'), async () => await Promise.resolve('x'.repeat(1_100_000)))).rejects.toThrow(
      'larger than 1 MiB',
    );
    expect(await ledger.once(call('unsafe'), async () => await Promise.resolve('again'))).toMatchObject({
      kind: 'unknown',
    });
  });

  test('may have any name: none leads out of the ledger or to another call', async () => {
    const { ledger, holder, root } = await bench();
    const names = [
      '',
      '.',
      '..',
      '../../../evil',
      'a/b',
      'a\0b',
      'A',
      'a',
      'ä',
      'x'.repeat(5_000),
      'call.claim',
      'call.result',
      'call',
    ];
    for (const run of names) {
      for (const call of names)
        expect(
          await ledger.once(
            { run, call, effect: 'unsafe', holder },
            async () => await Promise.resolve(`${run}|${call}`),
          ),
        ).toMatchObject({ kind: 'done' });
    }
    for (const run of names) {
      for (const call of names)
        expect(
          await ledger.once({ run, call, effect: 'unsafe', holder }, async () => await Promise.resolve('')),
        ).toEqual({ kind: 'stored', value: `${run}|${call}` });
    }
    expect(await readdir(root)).toEqual(['.nightshift']);
    expect(await readdir(join(root, '.nightshift', 'ledger'))).toHaveLength(names.length);
  });

  test('survives a loss of power when that is wanted', async () => {
    const { root, call } = await bench();
    const ledger = await openLedger(root, { durable: 'power' });
    expect(await ledger.once(call('unsafe'), async () => await Promise.resolve(1))).toEqual({ kind: 'done', value: 1 });
    expect(await ledger.once(call('unsafe'), async () => await Promise.resolve(2))).toEqual({
      kind: 'stored',
      value: 1,
    });
  });
});

test.each([
  ['unsafe', 'unknown'],
  ['idempotent', 'done'],
] as const)(
  'a result of effect %s that a loss of power emptied makes the call %s, and stops no other',
  async (effect, kind) => {
    const { ledger, root, call } = await bench();
    await ledger.once(call(effect), async () => await Promise.resolve('lost'));
    const folder = join(root, '.nightshift', 'ledger', (await readdir(join(root, '.nightshift', 'ledger')))[0] ?? '');
    await writeFile(join(folder, 'call.result'), '');
    await writeFile(join(folder, 'open', 'call.here'), '');
    expect(await ledger.abandoned(call(effect).run, 'another')).toEqual([]);
    expect(await ledger.once(call(effect), async () => await Promise.resolve('anew'))).toMatchObject({ kind });
  },
);

describe('a claim', () => {
  async function claimBy(made: Bench, change: Partial<Holder>, ageMs = 0): Promise<void> {
    const { run } = made.call('read');
    await made.ledger.once({ ...made.call('read'), call: 'x' }, async () => await Promise.resolve(1));
    const [name = ''] = await readdir(join(made.root, '.nightshift', 'ledger'));
    const claim = { holder: { ...made.holder, ...change }, since: Date.now() - ageMs };
    await writeFile(join(made.root, '.nightshift', 'ledger', name, 'call.claim'), JSON.stringify(claim));
    expect(run).toBeTruthy();
  }
  const perform = async (): Promise<string> => await Promise.resolve('mine');

  test.each([
    ['of an earlier boot is over', { bootId: 'earlier' }, 0, 'done'],
    ['of an earlier process with the same id is over', { startTime: '1' }, 0, 'done'],
    ['of another host counts', { host: 'elsewhere' }, 0, 'busy'],
    ['of another host counts for an hour', { host: 'elsewhere' }, 3_700_000, 'done'],
    ['of a living process counts however old it is', { pid: 1, startTime: 'of 1' }, 9e9, 'busy'],
  ] as const)('%s', async (_name, change, ageMs, kind) => {
    if (process.platform !== 'linux' && !('host' in change)) return;
    const made = await bench();
    const startTime = 'startTime' in change && change.startTime === 'of 1' ? await startOfFirst() : undefined;
    await claimBy(made, startTime === undefined ? change : { ...change, startTime }, ageMs);
    expect(await made.ledger.once(made.call('idempotent'), perform)).toMatchObject({ kind });
  });

  test('that was not written to the end counts while it is young', async () => {
    const made = await bench();
    await claimBy(made, {});
    const [name = ''] = await readdir(join(made.root, '.nightshift', 'ledger'));
    const path = join(made.root, '.nightshift', 'ledger', name, 'call.claim');
    await writeFile(path, '{"hol');
    expect(await made.ledger.once(made.call('idempotent'), perform)).toMatchObject({ kind: 'busy' });
    await utimes(path, new Date(0), new Date(0));
    expect(await made.ledger.once(made.call('idempotent'), perform)).toEqual({ kind: 'done', value: 'mine' });
  });
});

test('what old runs left is removed, but never under a call that may still run', async () => {
  const { ledger, root, holder } = await bench();
  const base = join(root, '.nightshift', 'ledger');
  for (const run of ['old', 'held', 'young'])
    await ledger.once({ run, call: 'c', effect: 'read', holder }, async () => await Promise.resolve(1));
  await writeFile(
    join(base, 'held', 'd.claim'),
    JSON.stringify({ holder: { ...holder, host: 'elsewhere' }, since: Date.now() }),
  );
  await writeFile(join(base, 'held', 'open', 'd'), '');
  for (const run of ['old', 'held']) await utimes(join(base, run), new Date(0), new Date(0));
  expect(await ledger.prune(60_000)).toBe(1);
  expect((await readdir(base)).toSorted()).toEqual(['held', 'young']);
});

test('a ledger is not led elsewhere by a link', async () => {
  const root = await temporaryFolder();
  await mkdir(join(root, 'elsewhere'));
  await symlink('elsewhere', join(root, '.nightshift'));
  await expect(openLedger(root)).rejects.toThrow('it is not a folder');
  await expect(openLedger(join(root, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
});

async function startOfFirst(): Promise<string> {
  const text = await readFile('/proc/1/stat', 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
