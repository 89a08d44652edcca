import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCommandTool, discoverCommandTools } from '../../../src/tools/commands/command-tools.ts';
import { createRegistry, type Registry } from '../../../src/tools/registry.ts';
import { createSandbox } from '../../../src/tools/sandbox/sandbox.ts';
import type { ToolDefinition } from '../../../src/contract/spec.ts';
import { cannotConfine } from '../sandbox/confined-situation.ts';
import { situation, type Situation } from '../situation.ts';

const environment = process.env;
const sandbox = createSandbox({ environment });
const lost = createSandbox({ environment, bwrapPath: '/nonexistent/bwrap' });

const WORD_COUNT = {
  name: 'word_count',
  description: 'Counts words.',
  input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

/** Prints its declarations, and does what the name says. */
const TOOLS = `#!/bin/bash
case "$1 $2" in
  "call word_count") cat > got.json; wc -w < got.json ;;
  "call fail") echo "part of it"; echo "no such luck" >&2; exit 3 ;;
  "call slow") sleep 100 ;;
  "call leave") (env -i setsid sleep 8123.5 &) ; echo done ;;
  "call escape") echo x > ../outside/new; cat ../outside/canary ;;
  "call large") seq 1 1000000 ;;
esac
`;

interface Tools extends Situation {
  readonly discover: (printed: unknown, using?: typeof sandbox) => ReturnType<typeof discoverCommandTools>;
  readonly call: (definition: ToolDefinition, input: unknown, unconfined?: boolean) => ReturnType<Situation['run']>;
}

async function tools(): Promise<Tools> {
  const made = await situation();
  await writeFile(join(made.root, 'tools.sh'), TOOLS);
  await chmod(join(made.root, 'tools.sh'), 0o755);
  await writeFile(join(made.outside, 'canary'), 'canary-of-a-file');
  const { root, context } = made;
  return {
    ...made,
    async discover(printed, using = sandbox) {
      await writeFile(join(root, 'printed'), typeof printed === 'string' ? printed : JSON.stringify(printed));
      const wish = { discover: 'cat printed', call: './tools.sh call', source: 'nightshift.yaml', root, environment };
      return await discoverCommandTools({ ...wish, sandbox: using, signal: context.signal });
    },
    async call(definition, input, unconfined = false) {
      const make = (wanted: ToolDefinition) =>
        createCommandTool(wanted, { environment, sandbox: unconfined ? lost : sandbox });
      const registry: Registry = createRegistry([], make);
      const ran = await registry.run(
        { name: definition.name, input },
        { ...context, unconfined, definitions: [definition] },
      );
      if (ran.kind !== 'ended') throw new Error('Cannot go on: the tool asks');
      return ran.result;
    },
  };
}

const declared = (name: string, more: object = {}): object => ({ name, description: name, ...more });

const argument = (name: string, schema: object = {}): object => ({ type: 'object', properties: { [name]: schema } });

const nested = (depth: number): object =>
  Array.from({ length: depth }).reduce<object>((inner) => argument('a', inner), { type: 'string' });

const wide = (count: number): object => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, { type: 'string' }])),
});

describe.runIf(cannotConfine === undefined)('discovery', () => {
  test('takes a list of declarations, in each of the ways to name a schema', async () => {
    const { discover } = await tools();
    const schema = WORD_COUNT.input_schema;
    const { definitions, problems } = await discover([
      WORD_COUNT,
      declared('b', { inputSchema: schema, effect: 'read' }),
      declared('c', { parameters: schema, effect: 'idempotent' }),
      declared('d'),
    ]);
    expect(problems).toEqual([]);
    expect(definitions.map(({ name, effect, inputSchema }) => [name, effect, inputSchema['type']])).toEqual([
      ['word_count', 'unsafe', 'object'],
      ['b', 'read', 'object'],
      ['c', 'idempotent', 'object'],
      ['d', 'unsafe', 'object'],
    ]);
    expect(definitions[0]).toMatchObject({
      timeoutMs: 60_000,
      local: false,
      origin: { kind: 'command', call: './tools.sh call', tool: 'word_count', source: 'nightshift.yaml' },
    });
  });

  test('leaves out of a schema what the API refuses at its top', async () => {
    const { discover } = await tools();
    const schema = { ...argument('a'), anyOf: [{ required: ['a'] }], $schema: 'x' };
    const { definitions } = await discover([declared('a', { inputSchema: schema })]);
    expect(definitions.map(({ inputSchema }) => inputSchema)).toEqual([argument('a')]);
  });

  test('takes groups of declarations, as Gemini’s API has them', async () => {
    const { discover } = await tools();
    const { definitions } = await discover([{ functionDeclarations: [declared('a'), declared('b')] }, declared('c')]);
    expect(definitions.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  const broken: [name: string, entry: unknown, problem: RegExp][] = [
    ['a name with a blank', declared('a b'), /tool 2: a name has/],
    ['a name with an order to the shell', declared('a;rm -rf x'), /tool 2: a name has/],
    ['a name that is too long', declared('a'.repeat(65)), /tool 2: a name has/],
    ['no name', { description: 'x' }, /tool 2: /],
    ['no object', 'bash', /tool 2: /],
    ['a schema of something else', declared('b', { inputSchema: { type: 'string' } }), /its input is not an object/],
    ['a schema that nests without end', declared('b', { inputSchema: nested(1_000) }), /nests too deep/],
    ['a schema that fills a request', declared('b', { inputSchema: wide(2_000) }), /bytes, more than 32768/],
    ['an argument that the API refuses', declared('b', { inputSchema: argument('a b') }), /cannot be told of .*"a b"/],
    ['a name that a server would have', declared('mcp__docs__find'), /only tools of MCP servers/],
    ['an effect we do not know', declared('b', { effect: 'keyed' }), /tool 2: /],
    ['a name twice', declared('good'), /two tools named "good"/],
  ];
  test.each(broken)('reports %s, and keeps the others', async (_name, entry, problem) => {
    const { discover } = await tools();
    const { definitions, problems } = await discover([declared('good'), entry, declared('last')]);
    expect(definitions.map(({ name }) => name)).toEqual(['good', 'last']);
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  const refused: [name: string, printed: string, message: RegExp][] = [
    ['no JSON', 'hello', /what it prints is not JSON/],
    ['no list', '{"name":"a"}', /it prints no list/],
    ['more than 1 MiB', `[${'{"name":"a"},'.repeat(90_000)}{}]`, /more than 1 MiB/],
  ];
  test.each(refused)('refuses %s', async (_name, printed, message) => {
    const { discover } = await tools();
    await expect(discover(printed)).rejects.toThrow(message);
  });

  test('says what a command that fails said', async () => {
    const { root, context } = await tools();
    const wish = { discover: 'echo [] ; echo broken >&2; exit 4', call: 'x', source: 'x', root, environment, sandbox };
    await expect(discoverCommandTools({ ...wish, signal: context.signal })).rejects.toThrow(
      /exit code 4; it said: broken$/,
    );
  });

  test('takes at most two hundred tools', async () => {
    const { discover } = await tools();
    const { definitions, problems } = await discover(Array.from({ length: 201 }, (_, index) => declared(`t${index}`)));
    expect(definitions).toHaveLength(200);
    expect(problems).toEqual(['nightshift.yaml: only the first 200 of 201 tools are used']);
  });
});

test('discovery runs nothing that cannot be confined', async () => {
  const { discover } = await tools();
  await expect(discover([], lost)).rejects.toThrow(/it cannot be confined here: "\/nonexistent\/bwrap" does not run/);
});

describe.runIf(cannotConfine === undefined)('a discovered tool', () => {
  const define = async ({ discover }: Tools, name: string, more: object = {}): Promise<ToolDefinition> => {
    const { definitions } = await discover([{ ...WORD_COUNT, name, ...more }]);
    if (definitions[0] === undefined) throw new Error('Cannot go on: the tool is not declared');
    return definitions[0];
  };
  const cases: [name: string, tool: string, result: object][] = [
    ['gives what it prints', 'word_count', { status: 'success', content: '2\n' }],
    ['that fails says why', 'fail', { status: 'error', content: 'part of it\n\nno such luck\n\n[exit code 3]' }],
    ['leaves nothing running', 'leave', { status: 'success', content: 'done\n' }],
    ['does not get out', 'escape', { status: 'error', content: expect.stringMatching(/(No such file[^]*){2}/) }],
    [
      'is cut at the limit',
      'large',
      { status: 'success', content: expect.stringMatching(/^1\n[^]*are left out here[^]*1000000\n$/) },
    ],
  ];
  test.each(cases)('%s', async (_name, name, result) => {
    const made = await tools();
    const got = await made.call(await define(made, name), { text: 'one two' });
    expect(got).toMatchObject(result);
    expect(await readdir(made.outside)).toEqual(['canary']);
  });

  test('that takes too long is killed', async () => {
    const made = await tools();
    const definition = { ...(await define(made, 'slow')), timeoutMs: 11_000 };
    expect(await made.call(definition, { text: '' })).toMatchObject({ status: 'error', error: 'timeout' });
  });

  test('gets only input that fits its schema', async () => {
    const made = await tools();
    const definition = await define(made, 'word_count');
    expect(await made.call(definition, { text: 1 })).toMatchObject({ error: 'invalid_params' });
    expect(await readdir(made.root)).not.toContain('got.json');
  });

  test('has no pattern that could keep the worker busy', async () => {
    const made = await tools();
    const input_schema = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
    const definition = await define(made, 'word_count', { input_schema });
    expect(await made.call(definition, { text: `${'a'.repeat(40)}!` })).toMatchObject({ status: 'success' });
  });

  test('runs unconfined only with leave, and shows the very command and input', async () => {
    const made = await tools();
    const definition = await define(made, 'word_count');
    const tool = createCommandTool(definition, { environment, sandbox: lost });
    expect(await tool.unconfined?.(made.context)).toContain('does not run');
    await expect(tool.run({ text: 'x' }, made.context)).rejects.toThrow(/cannot be confined here/);
    expect(await made.call(definition, { text: 'one two' }, true)).toMatchObject({ content: '2\n' });
    const preview = await tool.preview?.({ text: 'one' }, made.context);
    expect(preview).toMatch(/NOT CONFINED[^]*\.\/tools\.sh call word_count[^]*"text": "one"/);
  });
});
