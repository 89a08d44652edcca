import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readSettingsLayers, type SettingsLayers } from '../../src/config/settings-files.ts';
import { hookSchema } from '../../src/contract/terms.ts';

const knownTools = ['bash', 'read_file', 'write_file', 'web_fetch'];

type Texts = Readonly<Partial<Record<'operator' | 'user' | 'project', string>>>;

interface Read {
  readonly files: Readonly<Record<'operator' | 'user' | 'project', string>>;
  readonly settings: Promise<SettingsLayers>;
}

async function read(texts: Texts, trusted = true): Promise<Read> {
  const folder = await mkdtemp(join(tmpdir(), 'nightshift-test-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const files = {
    operator: join(folder, 'operator.yaml'),
    user: join(folder, 'settings.yaml'),
    project: join(folder, 'project', 'nightshift.yaml'),
  };
  await mkdir(join(folder, 'project'));
  await writeFile(files.operator, texts.operator ?? '');
  for (const layer of ['user', 'project'] as const)
    if (texts[layer] !== undefined) await writeFile(files[layer], texts[layer]);
  const env = { NIGHTSHIFT_OPERATOR_SETTINGS: files.operator, NIGHTSHIFT_HOME: folder };
  const places = { folder: join(folder, 'project'), env, home: folder, knownTools, isTrusted: () => trusted };
  const settings = readSettingsLayers(places);
  settings.catch(() => undefined);
  return { files, settings };
}

const hook = (fields: string): string => `hooks: [{ ${fields} }]`;
const plain = (name: string): string => hook(`name: ${name}, on: before_stop, command: ./tell`);

describe('hooks in settings', () => {
  test('a hook of three keys is idempotent and has thirty seconds', async () => {
    const { hooks, hooksUnconfined } = await (await read({ user: plain('tell') })).settings;
    expect(hooks).toEqual([
      { name: 'tell', on: 'before_stop', command: './tell', effect: 'idempotent', timeoutMs: 30_000 },
    ]);
    expect(hooksUnconfined).toBe(false);
  });

  test('a hook with all keys has its rules in our names, and fits the spec', async () => {
    const all =
      'name: no-push, on: before_tool, match: ["Bash(git push:*)", mcp__mail], command: ./c, effect: keyed, timeout: 2m, required: true';
    const { hooks } = await (await read({ user: hook(all) })).settings;
    expect(hooks.map((one) => hookSchema.parse(one))).toEqual([
      {
        name: 'no-push',
        on: 'before_tool',
        match: ['bash(git push *)', 'mcp__mail'],
        command: './c',
        effect: 'keyed',
        timeoutMs: 120_000,
        required: true,
      },
    ]);
  });

  test('the hooks of all layers are run, those of the operator first', async () => {
    const texts = { operator: plain('a'), user: plain('b'), project: plain('c') };
    const { hooks } = await (await read(texts)).settings;
    expect(hooks.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  test('the hooks of a project that nobody trusts are not run, and that is said', async () => {
    const { files, settings } = await read({ user: plain('b'), project: plain('b') }, false);
    const { hooks, notices } = await settings;
    expect(hooks.map(({ name }) => name)).toEqual(['b']);
    expect(notices).toEqual([
      `${files.project}: hooks is not used: the folder is not trusted; "nightshift mcp trust" trusts it`,
    ]);
  });

  test.each([
    ['operator', 'user'],
    ['operator', 'project'],
    ['user', 'project'],
  ] as const)('one name in the files of %s and %s is an error that names both', async (one, other) => {
    const { files, settings } = await read({ [one]: plain('tell'), [other]: plain('tell') });
    await expect(settings).rejects.toMatchObject({
      problems: [`hooks: two are named "tell", in "${files[one]}" and in "${files[other]}"; expected one`],
    });
  });

  test('one name twice in one file is an error', async () => {
    const two = 'hooks: [{name: a, on: after_model, command: x}, {name: a, on: before_model, command: y}]';
    await expect((await read({ user: two })).settings).rejects.toMatchObject({
      problems: [expect.stringMatching(/^hooks: two are named "a", in "(.+)" and in "\1"; expected one$/)],
    });
  });

  test('more than fifty hooks in all files are an error', async () => {
    const many = (letter: string): string =>
      `hooks: [${Array.from({ length: 26 }, (_, at) => `{name: ${letter}${at}, on: after_model, command: x}`).join(', ')}]`;
    await expect((await read({ operator: many('a'), user: many('b') })).settings).rejects.toMatchObject({
      problems: ['hooks: expected a list of at most 50 hooks, got 52 in all files together'],
    });
  });

  test.each<[title: string, fields: string, problems: readonly string[]]>([
    [
      'an unknown moment',
      'name: a, on: before_lunch, command: x',
      [
        'hooks.0.on: expected one of before_model, after_model, before_tool, after_tool, after_critique, before_stop, got "before_lunch"',
      ],
    ],
    [
      'no command',
      'name: a, on: before_stop',
      ['hooks.0.command: expected a command of at most 4,000 characters, got nothing'],
    ],
    [
      'a name with blanks',
      'name: "a b", on: before_stop, command: x',
      ['hooks.0.name: expected a name of a letter and up to 63 letters, digits, "-" and "_", got "a b"'],
    ],
    [
      'a mistyped key',
      'name: a, on: before_stop, command: x, requird: true',
      ['hooks.0.requird: there is no such key'],
    ],
    [
      'too long a time',
      'name: a, on: before_stop, command: x, timeout: 2h',
      ['hooks.0.timeout: expected a duration of at most "1h", such as "30s", got "2h"'],
    ],
    [
      'an effect that no hook can have',
      'name: a, on: before_stop, command: x, effect: checkable',
      ['hooks.0.effect: expected one of read, idempotent, keyed, unsafe, got "checkable"'],
    ],
    [
      'rules at a moment without a call',
      'name: a, on: before_model, command: x, match: [Bash]',
      ['hooks.0.match: expected none, because only before_tool and after_tool are about a call, got ["Bash"]'],
    ],
    [
      'an empty list of rules, which would be about nothing',
      'name: a, on: before_tool, command: x, match: []',
      ['hooks.0.match: expected a list of 1 to 100 rules such as "bash(git push *)", got []'],
    ],
    [
      'required where nothing can be kept from running',
      'name: a, on: after_tool, command: x, required: true',
      ['hooks.0.required: expected none, because only a hook of before_tool can keep a call from running, got true'],
    ],
    [
      'a rule about no tool',
      'name: a, on: before_tool, command: x, match: ["Bosh(ls)"]',
      ['hooks: match of "a": there is no tool "Bosh"; did you mean "Bash"?'],
    ],
  ])('%s is an error', async (_title, fields, problems) => {
    await expect((await read({ user: hook(fields) })).settings).rejects.toMatchObject({ problems });
  });

  test.each<[layer: keyof Texts, unconfined: boolean, notices: number]>([
    ['operator', true, 0],
    ['user', false, 1],
    ['project', false, 1],
  ])('that hooks may run unconfined, said by the %s, counts: %s', async (layer, unconfined, count) => {
    const { hooksUnconfined, notices } = await (await read({ [layer]: 'hooksUnconfined: true' })).settings;
    expect([hooksUnconfined, notices.length]).toEqual([unconfined, count]);
  });
});
