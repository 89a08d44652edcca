import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { budgetOf, type BudgetSettings } from '../../src/config/budgets.ts';
import { priceOf, type PriceQuestion } from '../../src/config/prices.ts';
import { readSettingsLayers, type SettingsLayers } from '../../src/config/settings-files.ts';
import { budgetSchema, type Budget } from '../../src/contract/terms.ts';
import { priceUsd } from '../../src/models/prices.ts';

interface Texts {
  readonly operator?: string;
  readonly user?: string;
  readonly project?: string;
}

async function read({ operator = '', user = '', project = '' }: Texts, isTrusted = false): Promise<SettingsLayers> {
  const folder = await mkdtemp(join(tmpdir(), 'nightshift-test-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  await Promise.all(['project', 'home'].map(async (name) => await mkdir(join(folder, name))));
  await Promise.all([
    writeFile(join(folder, 'operator.yaml'), operator),
    writeFile(join(folder, 'home', 'settings.yaml'), user),
    writeFile(join(folder, 'project', 'nightshift.yaml'), project),
  ]);
  return await readSettingsLayers({
    folder: join(folder, 'project'),
    env: { NIGHTSHIFT_OPERATOR_SETTINGS: join(folder, 'operator.yaml'), NIGHTSHIFT_HOME: join(folder, 'home') },
    home: folder,
    knownTools: ['bash'],
    isTrusted: () => isTrusted,
  });
}

const now = new Date('2026-11-21T23:59:59Z');
const budgetFor = (budgets: readonly BudgetSettings[], agent = 'auditor'): Budget | undefined =>
  budgetOf({ settings: { budgets }, agent, runId: 'r1', now });

describe('budgetOf()', () => {
  const day = 'day:2026-11-21';
  const auditor = 'agent:auditor:2026-11-21';

  const layers: [name: string, budgets: BudgetSettings[], caps: Budget['caps']][] = [
    [
      'each kind of cap has its key',
      [{ perDay: { costUsd: 5 }, perAgentPerDay: { tokens: 9 }, perRunTree: { costUsd: 1, tokens: 2 } }],
      [
        { key: day, costUsd: 5 },
        { key: auditor, tokens: 9 },
        { key: 'tree:r1', costUsd: 1, tokens: 2 },
      ],
    ],
    [
      'a layer below lowers a cap',
      [{ perDay: { costUsd: 5 } }, { perDay: { costUsd: 2 } }],
      [{ key: day, costUsd: 2 }],
    ],
    [
      'a layer below cannot raise a cap',
      [{ perDay: { costUsd: 5 } }, { perDay: { costUsd: 50 } }],
      [{ key: day, costUsd: 5 }],
    ],
    [
      'money and tokens are lowered each for itself',
      [{ perDay: { costUsd: 5, tokens: 10 } }, { perDay: { tokens: 3 } }],
      [{ key: day, costUsd: 5, tokens: 3 }],
    ],
    [
      'what is said of one agent stands instead of what is said of all',
      [{ perAgentPerDay: { costUsd: 1, tokens: 7 }, agents: { auditor: { costUsd: 4 } } }],
      [{ key: auditor, costUsd: 4, tokens: 7 }],
    ],
    [
      'but not instead of what a layer above says',
      [{ perAgentPerDay: { costUsd: 1 } }, { agents: { auditor: { costUsd: 4 } } }],
      [{ key: auditor, costUsd: 1 }],
    ],
    ['nothing is said of another agent', [{ agents: { other: { costUsd: 4 }, constructor: { costUsd: 1 } } }], []],
  ];
  test.each(layers)('%s', (_name, budgets, caps) => {
    const budget = budgetFor(budgets);
    expect(budget?.caps).toEqual(caps);
    expect(budget?.ledger).toBe(caps.length === 0 ? undefined : 'nightshift-budget');
    expect(budgetSchema.parse(budget)).toEqual(budget);
  });

  test('an agent named as what every object has gets no cap of it', () => {
    expect(budgetFor([{ agents: { other: { costUsd: 1 } } }], 'constructor')?.caps).toEqual([]);
  });

  test('runs stop at a cap when any layer says so, else a person is asked', () => {
    expect(budgetFor([{ atCap: 'ask' }, { atCap: 'stop' }])?.atCap).toBe('stop');
    expect(budgetFor([{ atCap: 'stop' }, { atCap: 'ask' }])?.atCap).toBe('stop');
    expect(budgetFor([{}])?.atCap).toBe('ask');
  });

  test('without a layer that says something there is no budget', () => {
    expect(budgetFor([])).toBeUndefined();
    expect(budgetOf({ settings: {}, agent: 'a', runId: 'r', now })).toBeUndefined();
  });
});

describe('the settings', () => {
  test('of every layer may say budgets, also those of a project nobody trusts', async () => {
    const { budgets, notices } = await read({
      operator: 'budgets: {perDay: {costUsd: 5}, atCap: stop}',
      user: 'budgets: {agents: {auditor: {tokens: 1000}}}',
      project: 'budgets: {perDay: {costUsd: 1}}',
    });
    expect(budgets).toEqual([
      { perDay: { costUsd: 5 }, atCap: 'stop' },
      { agents: { auditor: { tokens: 1_000 } } },
      { perDay: { costUsd: 1 } },
    ]);
    expect(notices).toEqual([]);
  });

  test('of a project say nothing about prices, trusted or not, and it is said', async () => {
    const project = 'prices: {m: {input: 0, output: 0, cacheRead: 0, cacheWrite: 0}}\nallowUnpriced: true';
    for (const isTrusted of [true, false]) {
      const layers = await read({ project }, isTrusted);
      expect([layers.prices, layers.allowUnpriced]).toEqual([undefined, undefined]);
      expect(layers.notices.map((notice) => notice.replace(/^.*nightshift\.yaml: /u, ''))).toEqual([
        "prices is not used: only the operator's and the user's settings can say it",
        "allowUnpriced is not used: only the operator's and the user's settings can say it",
      ]);
    }
  });

  test('of the operator decide a price, and whether one is needed, before those of the user', async () => {
    const price = (input: number): string => `{input: ${input}, output: 1, cacheRead: 0, cacheWrite: 0}`;
    const layers = await read({
      operator: `prices: {m: ${price(2)}}\nallowUnpriced: false`,
      user: `prices: {m: ${price(9)}, n: ${price(3)}}\nallowUnpriced: true`,
    });
    expect([layers.prices?.['m']?.input, layers.prices?.['n']?.input]).toEqual([2, 3]);
    expect(layers.allowUnpriced).toBe(false);
  });

  const broken: [text: string, problem: RegExp][] = [
    ['budgets: {perDay: {costUsd: 0}}', /budgets\.perDay\.costUsd: expected dollars above 0/u],
    ['budgets: {perDay: {tokens: 1.5}}', /budgets\.perDay\.tokens: expected a whole number of tokens above 0/u],
    [
      'budgets: {perDay: {tokens: 9007199254740991}}',
      /budgets\.perDay\.tokens: expected .* at most 1,000,000,000,000/u,
    ],
    ['budgets: {perRunTree: {costUsd: 1.0e+16}}', /budgets\.perRunTree\.costUsd: expected dollars .* at most/u],
    ['budgets: {perDay: 5}', /budgets\.perDay: expected keys with values/u],
    ['budgets: {atCap: wait}', /budgets\.atCap: expected "ask" or "stop"/u],
    ['budgets: {perday: {costUsd: 1}}', /budgets\.perday.*perDay/u],
    ['prices: {m: {input: 1}}', /prices\.m\.output: expected dollars for a million tokens/u],
    ['prices: {m: {input: -1, output: 1, cacheRead: 1, cacheWrite: 1}}', /prices\.m\.input: expected dollars/u],
    ['allowUnpriced: sometimes', /allowUnpriced: expected true or false/u],
  ];
  test.each(broken)('that say %s are refused with what is expected', async (operator, problem) => {
    await expect(read({ operator })).rejects.toThrow(problem);
  });
});

describe('priceOf()', () => {
  const price = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 };
  const ask = (id: string, settings: PriceQuestion['settings'] = {}, offline = false): ReturnType<typeof priceOf> =>
    priceOf({ model: { id, offline }, settings, priceUsd });

  const known: [name: string, given: Parameters<typeof ask>, expected: ReturnType<typeof priceOf>][] = [
    ['an offline model costs nothing', ['offline-audit', {}, true], { kind: 'free', price: null }],
    [
      'a price of the settings holds for a model nobody knows',
      ['new', { prices: { new: price } }],
      { kind: 'configured', price },
    ],
    [
      'and before the price that is listed',
      ['claude-opus-5', { prices: { 'claude-opus-5': price } }],
      { kind: 'configured', price },
    ],
    [
      'a listed price is known',
      ['claude-opus-5'],
      { kind: 'listed', price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 } },
    ],
    [
      'of a price with steps the dearest is taken',
      ['claude-haiku-5-5'],
      { kind: 'listed', price: { input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 } },
    ],
    ['no price is needed where that is allowed', ['new', { allowUnpriced: true }], { kind: 'unpriced', price: null }],
  ];
  test.each(known)('%s', (_name, given, expected) => {
    expect(ask(...given)).toEqual(expected);
  });

  test.each(['new', 'constructor', '__proto__'])('a model "%s" without a price is refused with what to do', (id) => {
    expect(() => ask(id, { prices: { other: price } })).toThrow(
      new RegExp(`the price of the model "${id}" is not known.*expected .*prices.*or allowUnpriced: true`, 'u'),
    );
  });
});
