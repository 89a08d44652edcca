import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseAgentFile } from '../../src/config/agent-file.ts';
import { readSettingsLayers, type SettingsLayers } from '../../src/config/settings-files.ts';
import { resolveTerms } from '../../src/config/terms.ts';
import type { PolicyMode } from '../../src/contract/spec.ts';

const knownTools = ['bash', 'read_file', 'write_file', 'web_fetch'];

interface Texts {
  readonly operator?: string;
  readonly user?: string;
  readonly project?: string;
}

async function place(texts: Texts): Promise<{ folder: string; read: (trusted?: boolean) => Promise<SettingsLayers> }> {
  const folder = await mkdtemp(join(tmpdir(), 'nightshift-test-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'project'));
  await mkdir(join(folder, 'config', 'nightshift'), { recursive: true });
  const operator = join(folder, 'operator.yaml');
  await writeFile(operator, texts.operator ?? '');
  if (texts.user !== undefined) await writeFile(join(folder, 'config', 'nightshift', 'settings.yaml'), texts.user);
  if (texts.project !== undefined) await writeFile(join(folder, 'project', 'nightshift.yaml'), texts.project);
  const env = { NIGHTSHIFT_OPERATOR_SETTINGS: operator, XDG_CONFIG_HOME: join(folder, 'config') };
  return {
    folder,
    read: async (trusted = false) =>
      await readSettingsLayers({
        folder: join(folder, 'project'),
        env,
        home: folder,
        knownTools,
        isTrusted: () => trusted,
      }),
  };
}

const read = async (texts: Texts, trusted = false): Promise<SettingsLayers> => await (await place(texts)).read(trusted);

describe('readSettingsLayers()', () => {
  test('without files there is nothing above the agent', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nightshift-test-'));
    onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
    const env = { NIGHTSHIFT_HOME: join(folder, 'none') };
    const layers = await readSettingsLayers({ folder, env, home: folder, knownTools, isTrusted: () => true });
    expect(layers).toEqual({
      layers: [],
      yoloEnabled: false,
      sandbox: { allowedDomains: [] },
      tools: [],
      hooks: [],
      hooksUnconfined: false,
      notices: [],
    });
  });

  test('the layers stand in order, with rules in our names and where they are from', async () => {
    const { folder, read } = await place({
      operator: 'policy: {deny: ["Bash(rm:*)"]}',
      user: 'policy: {allow: [Bash], ask: ["WebFetch(domain:example.com)"]}',
      project: 'policy: {deny: ["Write(/dist/**)"]}',
    });
    const { layers, notices } = await read();
    expect(layers.map(({ layer, allow, ask, deny }) => [layer, allow, ask, deny])).toEqual([
      ['operator', [], [], ['bash(rm *)']],
      ['user', ['bash'], ['web_fetch(domain:example.com)'], []],
      ['project', [], [], ['Edit(/dist/**)']],
    ]);
    expect(layers.at(-1)?.source).toBe(join(folder, 'project', 'nightshift.yaml'));
    expect(notices).toEqual([]);
  });

  test('an untrusted project may narrow, and neither allow nor start anything', async () => {
    const project = 'policy: {allow: [Bash], deny: [Edit]}\nmode: auto-edit\ntools: {discover: ./d, call: ./c}';
    const { folder, read } = await place({ project });
    const untrusted = await read(false);
    const path = join(folder, 'project', 'nightshift.yaml');
    expect(untrusted).toMatchObject({ layers: [{ allow: [], deny: ['Edit'] }], tools: [] });
    expect(untrusted.mode).toBeUndefined();
    expect(untrusted.notices).toEqual(
      ['policy.allow', 'mode', 'tools'].map(
        (key) => `${path}: ${key} is not used: the folder is not trusted; "nightshift mcp trust" trusts it`,
      ),
    );
    expect(await read(true)).toMatchObject({
      layers: [{ allow: ['bash'], deny: ['Edit'] }],
      mode: 'auto-edit',
      tools: [{ discover: './d', call: './c', source: path }],
      notices: [],
    });
  });

  test('trust is asked about exactly the bytes that were read', async () => {
    const { folder } = await place({ project: 'mode: plan\n' });
    const seen: unknown[] = [];
    const env = { NIGHTSHIFT_HOME: join(folder, 'none') };
    const isTrusted = (files: unknown): boolean => seen.push(files) === 0;
    const { mode } = await readSettingsLayers({
      folder: join(folder, 'project'),
      env,
      home: folder,
      knownTools,
      isTrusted,
    });
    expect(seen).toEqual([{ 'nightshift.yaml': expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }]);
    expect(mode).toBe('plan');
  });

  const modes: [texts: Texts, mode: PolicyMode | undefined, notices: number][] = [
    [{ operator: 'mode: default', user: 'mode: auto-edit' }, 'default', 0],
    [{ operator: 'mode: auto-edit', user: 'mode: plan' }, 'plan', 0],
    [{ user: 'mode: unattended', project: 'mode: plan' }, 'plan', 0],
    [{ operator: 'mode: yolo' }, 'yolo', 0],
    [{ operator: 'mode: yolo', user: 'mode: default' }, 'default', 0],
    [{ operator: 'allowYolo: true', user: 'mode: yolo' }, 'yolo', 0],
    [{ operator: 'allowYolo: true' }, undefined, 0],
    [{ user: 'mode: yolo' }, undefined, 1],
    [{ user: 'allowYolo: true\nmode: yolo' }, undefined, 2],
    [{ project: 'allowYolo: true\nmode: yolo' }, undefined, 2],
  ];
  test.each(modes)('of %j the mode is %s', async (texts, mode, notices) => {
    const settings = await read(texts, true);
    expect(settings.mode).toBe(mode);
    expect(settings.notices).toHaveLength(notices);
  });

  const domains: [texts: Texts, open: string[]][] = [
    [{ user: 'sandbox: {allowedDomains: [a.org]}' }, ['a.org']],
    [
      { operator: 'sandbox: {allowedDomains: ["*.a.org"]}', user: 'sandbox: {allowedDomains: [x.a.org, b.org]}' },
      ['x.a.org'],
    ],
    [
      { operator: 'sandbox: {allowedDomains: [x.a.org]}', project: 'sandbox: {allowedDomains: ["*.a.org"]}' },
      ['x.a.org'],
    ],
    [{ operator: 'sandbox: {allowedDomains: []}', user: 'sandbox: {allowedDomains: [a.org]}' }, []],
    [{ project: 'sandbox: {allowedDomains: [a.org]}' }, []],
    [{ user: 'sandbox: {allowedDomains: [a.org]}', project: 'policy: {}' }, ['a.org']],
  ];
  test.each(domains)('of %j commands may reach %j', async (texts, open) => {
    expect((await read(texts, true)).sandbox.allowedDomains).toEqual(open);
  });

  test('a web search is set up by operator or user, never by a project', async () => {
    const search = 'webSearch: {url: "https://search.example/api", keyVariable: SEARCH_KEY}';
    expect((await read({ user: search })).webSearch).toEqual({
      url: 'https://search.example/api',
      keyVariable: 'SEARCH_KEY',
    });
    const project = await read({ project: search }, true);
    expect([project.webSearch, project.notices.length]).toEqual([undefined, 1]);
  });

  const broken: [title: string, text: string, problems: string[]][] = [
    ['a mistyped key', 'polcy: {}', ['polcy: there is no such key; did you mean "policy"?']],
    ['a mistyped part', 'policy: {alow: []}', ['policy.alow: there is no such key; did you mean "allow"?']],
    ['a rule about no tool', 'policy: {deny: [Bosh]}', ['policy.deny: there is no tool "Bosh"; did you mean "Bash"?']],
    ['an unknown mode', 'mode: fast', ['mode: expected one of default, auto-edit, plan, unattended, yolo, got "fast"']],
    ['half of the commands', 'tools: {discover: ./x}', ['tools.call: expected a command, got nothing']],
    [
      'an address that is none',
      'webSearch: {url: "file:///etc/passwd"}',
      ['webSearch.url: expected an address that begins with https://, got "file:///etc/passwd"'],
    ],
    [
      'two things at once',
      'mode: x\nallowYolo: 1',
      [
        'mode: expected one of default, auto-edit, plan, unattended, yolo, got "x"',
        'allowYolo: expected true or false, got 1',
      ],
    ],
    ['a list', '- a', ['expected keys with values, got ["a"]']],
    [
      'no YAML',
      'a: [',
      [
        'it is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 5',
      ],
    ],
    ['a key given twice', 'mode: plan\nmode: yolo', ['it is not YAML: Map keys must be unique at line 2, column 1']],
  ];
  test.each(broken)('a file with %s is an error, in every layer', async (_title, text, problems) => {
    for (const layer of ['operator', 'user', 'project'] as const)
      await expect(read({ [layer]: text })).rejects.toMatchObject({ problems });
  });

  test('what is wrong in several files is said at once', async () => {
    await expect(read({ operator: 'mode: x', user: 'mode: y' })).rejects.toMatchObject({
      problems: [expect.stringContaining('operator.yaml: mode: '), expect.stringContaining('settings.yaml: mode: ')],
    });
  });

  test('an operator file that is named and not there is an error, and so is one that cannot be read', async () => {
    const { folder, read } = await place({});
    await rm(join(folder, 'operator.yaml'));
    await expect(read()).rejects.toMatchObject({ problems: ['there is no such file'] });
    await mkdir(join(folder, 'operator.yaml'));
    await expect(read()).rejects.toMatchObject({ problems: [expect.stringContaining('it is not a regular file')] });
  });

  test('a project file that never ends is refused, not read', async () => {
    const { folder, read } = await place({});
    await symlink('/dev/zero', join(folder, 'project', 'nightshift.yaml'));
    await expect(read()).rejects.toMatchObject({ problems: [expect.stringContaining('it is not a regular file')] });
  });
});

describe('resolveTerms() joins the layers', () => {
  const agent = (front: string): ReturnType<typeof parseAgentFile> =>
    parseAgentFile({ text: `---\n${front}\n---\nWork.`, source: 'a.md', knownTools });
  const above = (mode?: PolicyMode, yoloEnabled = false): Pick<SettingsLayers, 'layers' | 'mode' | 'yoloEnabled'> => ({
    layers: [{ layer: 'user', source: 'u', allow: [], ask: ['bash'], deny: [] }],
    yoloEnabled,
    ...(mode && { mode }),
  });

  const modes: [
    front: string,
    settings: PolicyMode | undefined,
    flag: PolicyMode | undefined,
    mode: PolicyMode | undefined,
  ][] = [
    ['name: a', undefined, undefined, undefined],
    ['permissionMode: default', 'auto-edit', undefined, 'auto-edit'],
    ['permissionMode: acceptEdits', undefined, undefined, 'auto-edit'],
    ['permissionMode: acceptEdits', 'default', undefined, 'default'],
    ['permissionMode: plan', 'auto-edit', 'auto-edit', 'plan'],
    ['permissionMode: dontAsk', undefined, undefined, 'unattended'],
    ['permissionMode: bypassPermissions', undefined, undefined, undefined],
    ['permissionMode: plan\nx-nightshift: {mode: auto-edit}', undefined, undefined, 'auto-edit'],
    ['x-nightshift: {mode: yolo}', undefined, undefined, undefined],
    ['name: a', undefined, 'unattended', 'unattended'],
  ];
  test.each(modes)('of the agent "%s", settings %s and flag %s the mode is %s', (front, settings, flag, mode) => {
    const overrides = flag === undefined ? {} : { mode: flag };
    const { policy } = resolveTerms({ agentFile: agent(front), overrides, knownTools, above: above(settings) });
    expect(policy.mode).toBe(mode);
    expect(policy.above).toEqual(above().layers);
  });

  test('the mode yolo needs the settings of the operator', () => {
    const question = { agentFile: agent('name: a'), overrides: { mode: 'yolo' }, knownTools } as const;
    expect(() => resolveTerms(question)).toThrow(
      'Cannot use "mode": only the settings of the operator can enable "yolo"',
    );
    expect(resolveTerms({ ...question, above: above(undefined, true) }).policy.mode).toBe('yolo');
    expect(agent('x-nightshift: {mode: yolo}').notices).toHaveLength(1);
    expect(agent('permissionMode: bypassPermissions').notices).toHaveLength(1);
  });
});
