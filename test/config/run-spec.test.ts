import { describe, expect, test } from 'vitest';
import { type AgentFile, parseAgentFile } from '../../src/config/agent-file.ts';
import { type RunRequest, resolveRunSpec } from '../../src/config/run-spec.ts';
import { type RunSpec, runSpecSchema, type ToolDefinition } from '../../src/contract/spec.ts';

const tool = (name: string): ToolDefinition => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  effect: 'read',
  timeoutMs: 1_000,
  local: false,
});
const toolDefinitions = [tool('read_file'), tool('write_file'), tool('bash'), tool('ask_human')];
const models = {
  resolveModelAlias: (name: string) => (name === 'sonnet' ? 'claude-sonnet-9' : name),
  factsOf: () => ({ contextTokens: 200_000, maxOutputTokens: 64_000 }),
  offlineModelId: 'offline',
};

function agent(front: string): AgentFile {
  const knownTools = toolDefinitions.map(({ name }) => name);
  return parseAgentFile({ text: `---\n${front}\n---\nCheck the books.`, source: 'agents/auditor.md', knownTools });
}

function resolve(front: string, more: Partial<RunRequest> = {}): RunSpec {
  return resolveRunSpec({
    agentFile: agent(front),
    task: 'Look at May.\nThen at June.',
    workspace: '/work',
    settings: { anthropic: { apiKey: 'key' }, model: null, user: 'ada' },
    toolDefinitions,
    models,
    now: new Date('2026-11-21T23:59:00Z'),
    ...more,
  });
}

const names = (spec: RunSpec): readonly string[] => spec.tools.map(({ name }) => name);

describe('resolveRunSpec()', () => {
  test('fills in every default and gives a valid spec', () => {
    const spec = resolve('name: Auditor');
    expect(runSpecSchema.parse(spec)).toEqual(spec);
    expect(spec).toMatchObject({
      title: 'Look at May.',
      agent: { name: 'Auditor', source: 'agents/auditor.md' },
      model: { id: 'claude-sonnet-9', maxTokens: 16_000, contextTokens: 200_000, offline: false },
      limits: { turns: 50, toolCalls: 100, activeMs: 300_000 },
      approvals: { timeoutMs: 86_400_000, onTimeout: 'deny' },
      startedBy: 'ada',
    });
    expect(spec.runId).toMatch(/^auditor-[0-9a-f]{12}$/);
    expect(names(spec)).toEqual(['ask_human', 'bash', 'read_file', 'write_file']);
  });

  test('the system prompt says who, where, when, what, and how calls end, and nothing that changes', () => {
    const { system } = resolve('name: Auditor');
    expect(
      system.startsWith('Agent: Auditor\nWorkspace: /work\nDate at the start: 2026-11-21 (UTC)\n\nCheck the books.'),
    ).toBe(true);
    for (const word of ['"denied"', '"expired"', '"cancelled"', '"outcome_unknown"']) expect(system).toContain(word);
    expect(system).toBe(resolve('name: Auditor', { now: new Date('2026-11-21T00:00:00Z') }).system);
  });

  test('tools are those asked for without those taken away', () => {
    expect(names(resolve('tools: Read, Bash\ndisallowedTools: Bash'))).toEqual(['read_file']);
    expect(names(resolve('disallowedTools: AskUserQuestion'))).toEqual(['bash', 'read_file', 'write_file']);
  });

  test('the command stands above the environment, the environment above the file', () => {
    const settings = { anthropic: { apiKey: 'key' }, model: 'from-env', user: 'ada' };
    expect(resolve('model: from-file').model.id).toBe('from-file');
    expect(resolve('model: from-file', { settings }).model.id).toBe('from-env');
    expect(resolve('model: from-file', { settings, overrides: { model: 'from-command' } }).model.id).toBe(
      'from-command',
    );
    const front =
      'maxTurns: 7\nx-nightshift: {limits: {toolCalls: 8, activeTime: 10s}, timeouts: {acting: 1h}, approvals: {timeout: 20s}}';
    const spec = resolve(front, { overrides: { limits: { toolCalls: 9 }, approvals: { onTimeout: 'stop' } } });
    expect(spec.limits).toMatchObject({ turns: 7, toolCalls: 9, activeMs: 10_000 });
    expect(spec.timeouts.actingMs).toBe(3_600_000);
    expect(spec.approvals).toEqual({ timeoutMs: 20_000, onTimeout: 'stop', unknownOutcome: 'ask' });
  });

  test('without a key the offline model stands in, whatever model is named', () => {
    const settings = { anthropic: {}, model: null, user: 'ada' };
    expect(resolve('model: opus', { settings }).model).toMatchObject({ id: 'offline', offline: true });
    expect(resolve('model: offline-slow', { settings }).model).toMatchObject({ id: 'offline-slow', offline: true });
    expect(resolve('model: offline').model.offline).toBe(true);
  });

  test('rules from outside are added and can only narrow', () => {
    const front = 'x-nightshift: {policy: {allow: ["Bash(ls *)"], deny: [Write]}}';
    const { policy } = resolve(front, { overrides: { policy: { ask: ['Bash(ls -R *)'], deny: ['bash(rm *)'] } } });
    expect(policy).toEqual({ allow: ['bash(ls *)'], ask: ['bash(ls -R *)'], deny: ['Edit', 'bash(rm *)'] });
  });

  test('the digest is of the definition, not of the run', () => {
    const digest = (front: string, more: Partial<RunRequest> = {}): string => resolve(front, more).agent.digest;
    const first = digest('name: a');
    expect(first).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(digest('name: a', { task: 'Another', now: new Date(0), overrides: { title: 't', runId: 'r' } })).toBe(first);
    expect(digest('name: a\nmaxTurns: 51')).not.toBe(first);
    expect(digest('name: a\nmodel: opus')).not.toBe(first);
  });
});

const refused: [title: string, front: string, more: Partial<RunRequest>, message: string][] = [
  ['an empty task', '', { task: ' \n' }, 'Cannot use "task": it is empty; expected what the agent should do'],
  [
    'a task that is too large',
    '',
    { task: 'x'.repeat(131_071) },
    'Cannot use "task": it has 131073 bytes; expected at most 131072, so put the rest into a file',
  ],
  ['a relative workspace', '', { workspace: 'work' }, 'Cannot use "workspace": expected an absolute path, got "work"'],
  [
    'more tokens than the model gives',
    'x-nightshift: {maxTokens: 64001}',
    {},
    'Cannot use "agents/auditor.md": x-nightshift.maxTokens: expected at most 64000, which is what claude-sonnet-9 can give, got 64001',
  ],
  [
    'a rule about no tool',
    '',
    { overrides: { policy: { deny: ['Bosh'] } } },
    'Cannot use "policy": there is no tool "Bosh"; did you mean "Bash"?',
  ],
  ['a run id that is none', '', { overrides: { runId: '../x' } }, 'Cannot use "agents/auditor.md": runId: '],
  ['a limit out of bounds', 'maxTurns: 1000001', {}, 'Cannot use "agents/auditor.md": limits.turns: '],
  [
    'tools too large for a run',
    '',
    { toolDefinitions: [{ ...tool('read_file'), description: 'x'.repeat(400_000) }] },
    'Cannot use "agents/auditor.md": with its tools and task it has ',
  ],
];
test.each(refused)('resolveRunSpec() refuses %s', (_title, front, more, message) => {
  expect(() => resolve(front, more)).toThrow(message);
});

test('a title is cut between characters, never inside one', () => {
  const { title } = resolve('', { task: '🌙'.repeat(150) });
  expect([...title]).toHaveLength(100);
  expect(Buffer.from(title).toString()).toBe(title);
});
