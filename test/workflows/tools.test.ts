import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { answerApproval } from '../../src/client.ts';
import type { Approval } from '../../src/contract/approvals.ts';
import { TOOL_SEARCH, USE_TOOL, useToolDefinition } from '../../src/contract/control-tools.ts';
import type { ToolDefinition } from '../../src/contract/spec.ts';
import { steps, type Scenario, type ScriptedReply } from '../../src/models/offline/scenario.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { defineTool, ToolError, type Tool } from '../../src/tools/tool.ts';
import { builtinTools } from '../support/builtin-tools.ts';
import { openHouse, replay, type House, type LiveRun } from '../support/house.ts';
import { askingTool, lostTool } from '../support/uncertain-tools.ts';

const SECRET = 'canary-7f3a9c1e5b2d4860';
const keysSeen = new Map<string, string[]>();

/** Fails for a while in a way that passes, and remembers the keys it was given. */
function flakyTool(effect: Tool['effect']): Tool {
  return defineTool({
    name: `flaky_${effect}`,
    description: 'Works the third time.',
    input: z.strictObject({ name: z.string() }),
    effect,
    timeoutMs: 5_000,
    local: false,
    summarize: ({ name }) => name,
    async run({ name }, { key }) {
      const seen = [...(keysSeen.get(name) ?? []), key];
      keysSeen.set(name, seen);
      if (seen.length < 3) throw new ToolError('execution_failed', 'the line is busy', { passing: true });
      return await Promise.resolve({ text: `worked at attempt ${seen.length}` });
    },
  });
}

const leakyTool = defineTool({
  name: 'leaky',
  description: 'Says more than it should.',
  input: z.strictObject({ note: z.string() }),
  effect: 'unsafe',
  timeoutMs: 5_000,
  local: false,
  summarize: ({ note }) => `Note ${note}`,
  preview: ({ note }) => `writes ${note}`,
  run: async () => await Promise.resolve({ text: `the key is ${SECRET}, ${Buffer.from(SECRET).toString('base64')}` }),
});

/** Names its key in all it says but results: while it fails, and when it asks. */
const mutteringTool = defineTool({
  name: 'muttering',
  description: 'Talks to itself.',
  input: z.strictObject({}),
  effect: 'idempotent',
  timeoutMs: 5_000,
  local: false,
  summarize: () => 'Mutter',
  async run(_input, { key, answers }) {
    const tries = (keysSeen.get(key)?.length ?? 0) + 1;
    keysSeen.set(
      key,
      Array.from({ length: tries }, () => key),
    );
    if (tries === 1) throw new ToolError('execution_failed', `the line of ${SECRET} is busy`, { passing: true });
    const question = { message: `Use ${SECRET}?`, options: [{ id: 'a', label: `Yes, ${SECRET}` }], state: '' };
    return await Promise.resolve(answers.length === 0 ? { text: '', question } : { text: 'done' });
  },
});

const tools = [
  ...(['read', 'idempotent', 'keyed', 'unsafe'] as const).map(flakyTool),
  lostTool,
  askingTool,
  leakyTool,
  mutteringTool,
];

let house: House;
beforeAll(async () => {
  house = await openHouse({ tools, environment: { ...process.env, CANARY_API_KEY: SECRET } });
});
afterAll(async () => {
  await house.close();
});

const call = (name: string, input: unknown = {}): ScriptedReply => ({ calls: [{ name, input }] });
const thenSay: ScriptedReply | Scenario = (seen) => ({ text: seen.lastResults[0]?.text ?? 'nothing' });
const once = (name: string, input: unknown = {}): Scenario => steps([call(name, input), thenSay]);
const freely = { policy: { allow: tools.map(({ name }) => name) } } as const;

async function question(run: LiveRun): Promise<Approval> {
  const view = await run.until(({ approvals }) => approvals.some(({ status }) => status === 'open'));
  return view.approvals.find(({ status }) => status === 'open')!;
}

async function answer(run: LiveRun, given: Omit<Parameters<typeof answerApproval>[2], 'by'>): Promise<unknown> {
  return await answerApproval(house.client, run.runId, { by: 'ann', ...given });
}

describe('a passing failure', () => {
  test.each(['read', 'idempotent', 'keyed'] as const)(
    'of effect %s is tried again, under the same key',
    async (effect) => {
      const name = `again-${effect}`;
      const run = await house.start(once(`flaky_${effect}`, { name }), freely);
      expect((await run.result()).answer).toBe('worked at attempt 3');
      expect(new Set(keysSeen.get(name)).size).toBe(1);
    },
  );

  test('of effect unsafe is not tried again', async () => {
    const run = await house.start(once('flaky_unsafe', { name: 'unsafe' }), freely);
    expect((await run.result()).answer).toContain('execution_failed: the line is busy');
    expect(keysSeen.get('unsafe')).toHaveLength(1);
  });
});

describe('an unknown outcome', () => {
  test('is asked about, and a call that did not happen is done under a new key', async () => {
    const run = await house.start(once('lost'), { ...freely, approvals: { unknownOutcome: 'ask' } });
    const { id, kind, digest, title } = await question(run);
    expect([kind, title]).toEqual(['outcome', 'Did it happen? Send the mail']);
    expect(await answer(run, { id, decision: 'answer', choice: 'repeat' })).toMatchObject({
      kind: 'refused',
      refusal: { reason: 'wrong_digest' },
    });
    expect(await answer(run, { id, decision: 'answer', choice: 'repeat', digest })).toEqual({ kind: 'applied' });
    expect(await run.result()).toMatchObject({ answer: 'sent', totals: { unknown: 0, toolCalls: 2 } });
    await replay(house.client, run.runId);
  });

  test('is told to the model when nobody can be asked', async () => {
    const run = await house.start(once('lost'), {
      policy: { ...freely.policy, mode: 'unattended' },
      approvals: { unknownOutcome: 'ask' },
    });
    expect(await run.result()).toMatchObject({ totals: { unknown: 1 } });
  });
});

test('a question of a tool waits for a person, and the call goes on with the answer', async () => {
  const run = await house.start(once('asking'), freely);
  const { id, kind, options } = await question(run);
  expect([kind, options]).toEqual(['choose', [{ id: 'a', label: 'Row A' }]]);
  await answer(run, { id, decision: 'answer', choice: 'a' });
  expect(JSON.parse((await run.result()).answer)).toEqual({ action: 'accept', text: 'a', state: 'row' });
  await replay(house.client, run.runId);
});

describe('what is approved', () => {
  test('is shown as the change it makes', async () => {
    await writeFile(join(house.workspace, 'shown.txt'), 'one\ntwo\n');
    const run = await house.start(once('edit_file', { path: 'shown.txt', old: 'two', new: 'three' }));
    const { id, digest, preview } = await question(run);
    expect(preview).toContain('-two\n+three');
    await answer(run, { id, decision: 'approve', digest });
    await run.result();
    expect(await readFile(join(house.workspace, 'shown.txt'), 'utf8')).toBe('one\nthree\n');
  });

  test('does not run when it would do something else by then', async () => {
    const path = join(house.workspace, 'moved.txt');
    await writeFile(path, 'one\ntwo\n');
    const run = await house.start(once('edit_file', { path: 'moved.txt', old: 'two', new: 'three' }));
    const { id, digest } = await question(run);
    await writeFile(path, 'rm -rf two\n');
    await answer(run, { id, decision: 'approve', digest });
    expect((await run.result()).answer).toContain('permission_denied: this call was approved, but');
    expect(await readFile(path, 'utf8')).toBe('rm -rf two\n');
  });
});

test('a secret of the worker is seen by nobody: not in a question, not in a result, not in an event', async () => {
  const run = await house.start(once('leaky', { note: `use ${SECRET}` }));
  const { id, digest, preview, title, arguments: shown } = await question(run);
  expect([title, preview, shown]).toEqual([
    'Note use [redacted: known secret]',
    'writes use [redacted: known secret]',
    { note: 'use [redacted: known secret]' },
  ]);
  await answer(run, { id, decision: 'approve', digest });
  const { answer: said } = await run.result();
  expect(said).toBe('the key is [redacted: known secret], [redacted: known secret]');
  expect(JSON.stringify(await run.events())).not.toContain(SECRET);
});

test('a secret is taken out of what a call says while it fails, asks, or is refused', async () => {
  const run = await house.start(once('muttering'), freely);
  const { id, title, options } = await question(run);
  expect([title, options]).toEqual([
    'Use [redacted: known secret]?',
    [{ id: 'a', label: 'Yes, [redacted: known secret]' }],
  ]);
  await answer(run, { id, decision: 'answer', choice: 'a' });
  await run.result();
  const { events } = await run.handle.fetchHistory();
  const failures = events?.flatMap(({ activityTaskStartedEventAttributes: started }) => started?.lastFailure ?? []);
  const messages = new Set(failures?.map(({ message }) => message));
  expect([...messages]).toEqual(['execution_failed: the line of [redacted: known secret] is busy']);
  const refused = await house.start(once('web_fetch', { url: `http://localhost/?token=${SECRET}` }), freely);
  expect((await refused.result()).answer).toMatch(/^permission_denied: .*token=\[redacted: known secret\]/);
});

test('a tool that is not sent to the model is found by search and called through another', async () => {
  const registry = createRegistry([...builtinTools(), ...tools]);
  const hidden = registry
    .definitions(['lost', 'flaky_keyed'])
    .map((definition): ToolDefinition => ({ ...definition, deferred: true }));
  const definitions = [...registry.definitions(['ls', TOOL_SEARCH]), useToolDefinition, ...hidden];
  const script = steps([
    call(TOOL_SEARCH, { query: 'works the third time' }),
    call(USE_TOOL, { tool: 'flaky_keyed', input: { name: 'found' } }),
    thenSay,
  ]);
  const run = await house.start(script, { ...freely, tools: definitions });
  expect((await run.result()).answer).toBe('worked at attempt 3');
  const sent = house.model.requests(run.spec.model.id).map(({ body }) => JSON.stringify(body));
  expect(new Set(sent.map((text) => /"tools":(\[.*?\]),"tool_choice/.exec(text)?.[1]))).toHaveLength(1);
  expect(sent[0]).not.toContain('flaky_keyed');
  const started = (await run.events()).flatMap((event) => (event.type === 'tool.started' ? [event.tool] : []));
  expect(started).toEqual([TOOL_SEARCH, 'flaky_keyed']);
  await replay(house.client, run.runId);
});

test('a tool that the run was not given is not there for it, though the worker has it', async () => {
  const registry = createRegistry(builtinTools());
  const run = await house.start(once('bash', { command: 'id' }), { tools: registry.definitions(['ls']) });
  expect((await run.result()).answer).toContain('tool_not_registered');
});

test('a search leaves out what the policy denies to read, by whatever path it is reached', async () => {
  await mkdir(join(house.workspace, 'hidden'), { recursive: true });
  await writeFile(join(house.workspace, 'hidden', 'a.txt'), 'needle in hidden\n');
  await writeFile(join(house.workspace, 'open.txt'), 'needle in open\n');
  const script = steps([
    {
      calls: [
        { name: 'grep', input: { pattern: 'needle' } },
        { name: 'glob', input: { pattern: '*.txt' } },
        { name: 'read_file', input: { path: 'hidden/a.txt' } },
        { name: 'grep', input: { pattern: 'needle', path: 'hidden' } },
      ],
    },
    (seen) => ({ text: JSON.stringify(seen.lastResults.map(({ text }) => text)) }),
  ]);
  const run = await house.start(script, { policy: { deny: ['Read(/hidden/**)'] } });
  const [found = '', listed = '', read = '', inside = ''] = JSON.parse((await run.result()).answer) as string[];
  expect([found.includes('open.txt:1:needle in open'), listed.includes('open.txt')]).toEqual([true, true]);
  expect([found, listed].filter((text) => text.includes('hidden'))).toEqual([]);
  expect(read).toMatch(/^denied: /);
  expect(inside).not.toContain('needle in hidden');
});

test('a spec that says yolo counts only on a machine whose operator enabled it', async () => {
  const run = await house.start(once('lost'), { policy: { mode: 'yolo' } });
  expect((await run.result()).answer).toContain('the mode "yolo" is not enabled by the operator of this machine');
  const settings = join(house.dataFolder, 'operator.yaml');
  await writeFile(settings, 'allowYolo: true\n');
  const enabled = await openHouse({ tools, environment: { ...process.env, NIGHTSHIFT_OPERATOR_SETTINGS: settings } });
  try {
    const allowed = await enabled.start(once('flaky_keyed', { name: 'yolo' }), { policy: { mode: 'yolo' } });
    expect((await allowed.result()).answer).toBe('worked at attempt 3');
  } finally {
    await enabled.close();
  }
});
