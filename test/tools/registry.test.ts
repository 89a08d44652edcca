import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { QUESTION_BYTES_MAX, RESULT_BYTES_MAX } from '../../src/contract/limits.ts';
import { toolDefinitionSchema } from '../../src/contract/spec.ts';
import { canonicalJson, digestOf } from '../../src/tools/digest.ts';
import { createRegistry, type Checked } from '../../src/tools/registry.ts';
import type { ToolCallResult } from '../../src/contract/tool-calls.ts';
import { defineTool, ToolError, type Tool, type ToolContext } from '../../src/tools/tool.ts';
import { builtinTools } from '../support/builtin-tools.ts';
import { situation } from './situation.ts';

const builtin = builtinTools();

function tool(changes: Partial<Parameters<typeof defineTool<{ text: string }>>[0]> = {}): Tool {
  return defineTool({
    name: 'echo',
    description: 'Says it again.',
    input: z.strictObject({ text: z.string() }),
    effect: 'read',
    timeoutMs: 1_000,
    local: true,
    summarize: ({ text }) => `Say ${text}`,
    run: async ({ text }) => await Promise.resolve({ text }),
    ...changes,
  });
}

describe('a registry', () => {
  test('refuses two tools of one name and says where each comes from', () => {
    expect(() => createRegistry([tool(), tool({ origin: 'MCP server "x"' })])).toThrow(
      'Cannot register "echo": both the built-in tools and MCP server "x" have a tool of this name',
    );
  });

  test('defines the built-in tools for the model, sorted and as the spec wants them', () => {
    const registry = createRegistry(builtin);
    expect(registry.names).toEqual(registry.names.toSorted());
    const definitions = registry.definitions(registry.names.toReversed());
    expect(definitions.map(({ name }) => name)).toEqual(registry.names);
    for (const definition of definitions) {
      expect(toolDefinitionSchema.parse(definition)).toEqual(definition);
      expect(definition.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(definition.inputSchema).not.toHaveProperty('$schema');
    }
    expect(definitions.filter(({ local }) => local).map(({ name }) => name)).toEqual([
      'glob',
      'grep',
      'ls',
      'read_file',
      'tool_search',
    ]);
    expect(Object.fromEntries(definitions.map(({ name, effect }) => [name, effect]))).toMatchObject({
      bash: 'unsafe',
      edit_file: 'checkable',
      glob: 'read',
      grep: 'read',
      ls: 'read',
      read_file: 'read',
      write_file: 'idempotent',
    });
    expect(() => registry.definitions(['none'])).toThrow('there is no such tool');
  });
});

describe('a check', () => {
  const registry = createRegistry([tool()]);
  const definitions = registry.definitions(registry.names);
  const check = async (name: string, input: unknown): Promise<Checked> =>
    await registry.check({ name, input }, { definitions });

  test('gives one honest line and a digest', async () => {
    const checked = await check('echo', { text: 'a\nb\u202E' });
    expect(checked).toEqual({
      summary: 'Say a ⏎ b\\u{202e}',
      digest: registry.digestOf('echo', { text: 'a\nb\u202E' }),
    });
  });

  test('says what is wrong and what is expected', async () => {
    const { problem } = await check('echo', { text: 1, more: 2 });
    expect(problem?.kind).toBe('invalid_params');
    expect(problem?.message).toContain('expected string, received number');
    expect(problem?.message).toContain('Unrecognized key: "more"');
    expect(problem?.message).toContain('"properties":{"text":{"type":"string"}}');
  });

  test('names the tools there are when there is none of that name', async () => {
    expect((await check('bsh', {})).problem).toEqual({
      kind: 'tool_not_registered',
      message: 'Cannot run "bsh": there is no such tool; there are echo',
    });
    for (const name of ['__proto__', 'constructor', 'toString', '', 'x'.repeat(1_000)])
      expect((await check(name, {})).problem?.kind).toBe('tool_not_registered');
  });

  test('refuses a tool that the worker has and the run has not', async () => {
    const all = createRegistry([tool(), tool({ name: 'other' })]);
    expect((await all.check({ name: 'other', input: { text: '' } }, { definitions })).problem?.kind).toBe(
      'tool_not_registered',
    );
  });

  test('never throws and always gives a digest and a line, whatever the input', async () => {
    const all = createRegistry(builtin);
    const { context } = await situation();
    const scene = { definitions: all.definitions(all.names), look: context };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...all.names, 'none'), fc.anything(), async (name, input) => {
        const { digest, summary } = await all.check({ name, input }, scene);
        expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
        expect(summary.length).toBeLessThanOrEqual(200);
      }),
    );
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect((await all.check({ name: 'bash', input: deep }, scene)).problem?.kind).toBe('invalid_params');
  });
});

describe('a digest', () => {
  test('does not depend on the order of keys at any level', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const reversed = JSON.parse(JSON.stringify(value), (_key, member: unknown) =>
          typeof member === 'object' && member !== null && !Array.isArray(member)
            ? Object.fromEntries(Object.entries(member).toReversed())
            : member,
        ) as unknown;
        expect(digestOf('t', reversed)).toBe(digestOf('t', value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('depends on everything else', () => {
    const inputs = [{ a: 1 }, { a: '1' }, { a: [1] }, { a: 1, b: null }, {}, [], null, { b: 1 }, [1, 2], [2, 1]];
    const digests = ['x', 'y'].flatMap((name) => inputs.map((input) => digestOf(name, input)));
    expect(new Set(digests).size).toBe(digests.length);
  });
});

/** Runs the only tool of a registry. */
async function runOnly(only: Tool, input: unknown, context: ToolContext): Promise<ToolCallResult> {
  const registry = createRegistry([only]);
  const ran = await registry.run(
    { name: only.name, input },
    { ...context, definitions: registry.definitions([only.name]) },
  );
  if (ran.kind === 'asks') throw new Error('it asks');
  return ran.result;
}

describe('a run', () => {
  const never = async (): Promise<never> => await new Promise(() => {});
  const endings: [name: string, changes: Parameters<typeof tool>[0], input: unknown, expected: object][] = [
    ['success', {}, { text: 'hi' }, { status: 'success', content: 'hi' }],
    [
      'wrong input',
      {},
      { text: 1 },
      {
        status: 'error',
        error: 'invalid_params',
        content: expect.stringMatching(/^invalid_params: Cannot run "echo"/),
      },
    ],
    [
      'a refusal',
      { run: async () => await Promise.reject(new ToolError('denied', 'no')) },
      { text: '' },
      { status: 'error', error: 'denied', content: 'denied: no' },
    ],
    [
      'a bug',
      { run: async () => await Promise.reject(new TypeError('x is not a function\n at line 1')) },
      { text: '' },
      {
        status: 'error',
        error: 'unhandled_exception',
        content: 'unhandled_exception: x is not a function ⏎  at line 1',
      },
    ],
    [
      'a failure as output',
      { run: async () => await Promise.resolve({ text: 'exit code 1', isError: true, error: 'shell_execute_error' }) },
      { text: '' },
      {
        status: 'error',
        error: 'shell_execute_error',
        content: 'exit code 1',
      },
    ],
  ];
  test.each(endings)('ends in %s', async (_name, changes, input, expected) => {
    const { context } = await situation();
    const result = await runOnly(tool(changes), input, context);
    expect(result).toEqual({ durationMs: expect.any(Number), ...expected });
  });

  test('of an unknown tool says so', async () => {
    const { run } = await situation();
    expect(await run('none', {})).toMatchObject({ status: 'error', error: 'tool_not_registered' });
  });

  test('that takes too long is told to stop and is a timeout', async () => {
    const { context } = await situation();
    const obedient = tool({
      timeoutMs: 20,
      run: async (_input, { signal }) =>
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    });
    expect(await runOnly(obedient, { text: '' }, context)).toMatchObject({
      status: 'error',
      error: 'timeout',
    });
  });

  test('that is cancelled rejects with the reason, however the tool words it', async () => {
    const { context } = await situation();
    const reason = new Error('cancelled');
    for (const word of [new Error('other'), new ToolError('execution_failed', 'other')]) {
      const cancel = new AbortController();
      const deaf = tool({
        run: async (_input, { signal }) =>
          await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(word))),
      });
      const running = runOnly(deaf, { text: '' }, { ...context, signal: cancel.signal });
      cancel.abort(reason);
      await expect(running).rejects.toBe(reason);
    }
    await expect(
      runOnly(tool({ run: never }), { text: '' }, { ...context, signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });

  test('never gives more than a result may hold', async () => {
    const { context } = await situation();
    for (const unit of ['x', '\u0000', '日', '🙂', '"', '\uD800']) {
      const result = await runOnly(tool(), { text: unit.repeat(400_000) }, context);
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(RESULT_BYTES_MAX);
      expect(result.content).toContain('characters are left out here');
    }
  });

  test('asks nobody what is too large to be kept while it is open', async () => {
    const { context } = await situation();
    const asking = (state: string): Tool =>
      tool({
        run: async () => await Promise.resolve({ text: '', question: { message: 'Which?', options: [], state } }),
      });
    await expect(runOnly(asking('s'.repeat(1_000)), { text: '' }, context)).rejects.toThrow('it asks');
    expect(await runOnly(asking('s'.repeat(QUESTION_BYTES_MAX)), { text: '' }, context)).toMatchObject({
      status: 'error',
      error: 'execution_failed',
      content: expect.stringMatching(/^execution_failed: Cannot ask what "echo" wants to know: it has \d+ bytes/),
    });
  });
});
