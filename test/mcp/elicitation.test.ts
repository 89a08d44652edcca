import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, describe } from 'vitest';
import type { McpServer } from '../../src/contract/mcp-server.ts';
import type { ToolAnswer, ToolQuestion } from '../../src/contract/tool-calls.ts';
import type { ToolOutput } from '../../src/tools/tool.ts';
import {
  everythingOverHttp,
  failure,
  processServer,
  realServer,
  rogue,
  rogueOverNetwork,
  setting,
  type Setting,
} from './setting.ts';

const everything = processServer('everything', [realServer('everything'), 'stdio']);

/** Calls a tool as a run does: each answer is given to a new call, through a pool of its own as after a restart. */
async function answering(server: McpServer, name: string, input: object = {}) {
  const answers: ToolAnswer[] = [];
  const run = async (): Promise<ToolOutput> => {
    const place: Setting = await setting([server]);
    const tool = await place.tool(name);
    const output = await tool.run(input, await place.context({ answers }));
    await place.pool.close();
    return output;
  };
  return {
    run,
    answer: async (question: ToolQuestion | undefined, said: Omit<ToolAnswer, 'state'>): Promise<ToolOutput> => {
      if (question === undefined) throw new Error('Cannot answer: nothing was asked');
      answers.push({ ...said, state: question.state });
      return await run();
    },
  };
}

const accept = (text: string): Omit<ToolAnswer, 'state'> => ({ action: 'accept', text });

const eras: [era: string, server: () => Promise<McpServer>][] = [
  ['2025-11-25 over stdio', async () => rogue()],
  ['2026-07-28 over stdio', async () => rogue(['modern'])],
  [
    '2026-07-28 over HTTP',
    async () => {
      const { port } = await rogueOverNetwork('http', ['modern']);
      return { type: 'http', name: 'rogue', url: `http://127.0.0.1:${port}/`, headers: {} };
    },
  ],
];

describe.each(eras)('a server of %s', (_era, serverOf) => {
  test('asks for a choice, and gets it with a later call from another client', async () => {
    const { run, answer } = await answering(await serverOf(), 'mcp__rogue__color');
    const { question, text } = await run();
    expect(text).toBe('');
    expect(question).toMatchObject({
      message: 'Which color?',
      options: [
        { id: 'red', label: 'red' },
        { id: 'green', label: 'green' },
      ],
    });
    const { text: result } = await answer(question, accept('green'));
    expect(result).toContain('{"action":"accept","content":{"color":"green"}}');
  });

  test('is told that the person declines', async () => {
    const { run, answer } = await answering(await serverOf(), 'mcp__rogue__color');
    const { text } = await answer((await run()).question, { action: 'decline' });
    expect(text).toContain('{"action":"decline"}');
  });

  test('gets no answer that does not fit: the person is asked again and told why', async () => {
    const { run, answer } = await answering(await serverOf(), 'mcp__rogue__form');
    const first = (await run()).question;
    expect(first?.options).toEqual([]);
    expect(first?.message).toContain('- name: text');
    expect(first?.message).toContain('- kind: text, may be left out, "cat" if left out');
    const second = (await answer(first, accept('Ada'))).question;
    expect(second?.message).toMatch(/^The answer did not fit: expected a JSON object\nWhich form\?/);
    const third = (await answer(second, accept('{"name":"A","age":"old"}'))).question;
    expect(third?.message).toMatch(/^The answer did not fit: .*age/);
    const { text } = await answer(third, accept('{"name":"Ada","age":36}'));
    expect(JSON.parse(text.slice(text.indexOf('{"action"'), text.indexOf('}}') + 2))).toEqual({
      action: 'accept',
      content: { name: 'Ada', age: 36, kind: 'cat' },
    });
  });
});

test('a server that asks two things at once gets both answers together', async () => {
  const { run, answer } = await answering(rogue(['modern']), 'mcp__rogue__pair');
  const first = (await run()).question;
  expect(first?.message).toContain('Which color?');
  const second = (await answer(first, accept('red'))).question;
  expect(second?.message).toContain('Which name?');
  const { text } = await answer(second, accept('{"name":"Ada","age":36}'));
  expect(JSON.parse(text)).toEqual({
    requestState: 'state of pair',
    inputResponses: {
      first: { action: 'accept', content: { color: 'red' } },
      second: { action: 'accept', content: { name: 'Ada', age: 36, kind: 'cat' } },
    },
  });
});

test('the same question, asked twice in one call, is two questions', async () => {
  const { run, answer } = await answering(rogue(), 'mcp__rogue__twice');
  const first = (await run()).question;
  expect(first?.options.map(({ id }) => id)).toEqual(['true', 'false']);
  const second = (await answer(first, accept('true'))).question;
  expect(second?.state).not.toBe(first?.state);
  const { text } = await answer(second, accept('false'));
  expect(JSON.parse(text)).toEqual([
    { action: 'accept', content: { sure: true } },
    { action: 'accept', content: { sure: false } },
  ]);
});

test('a number is asked for in words', async () => {
  const { run, answer } = await answering(rogue(), 'mcp__rogue__pair');
  const first = (await run()).question;
  const second = (await answer(first, accept('eleven'))).question;
  const third = (await answer(second, accept('11'))).question;
  expect(third?.message).toMatch(/did not fit.*10/);
  expect((await answer(third, accept('7.5'))).text).toContain('{"amount":7.5}');
});

test('calls that run beside one that asks are not disturbed', async () => {
  const { tool, context } = await setting([rogue()]);
  const steps = await tool('mcp__rogue__steps');
  const color = await tool('mcp__rogue__color');
  const given = await context();
  const [first, second, third] = await Promise.all([
    steps.run({ steps: 10 }, given),
    color.run({}, given),
    steps.run({ steps: 5 }, given),
  ]);
  expect(first.text).toBe('all steps done');
  expect(second.question?.message).toBe('Which color?');
  expect(third.text).toBe('all steps done');
});

test('two calls that ask at once both end with a question', async () => {
  const { tool, context } = await setting([rogue()]);
  const color = await tool('mcp__rogue__color');
  const pair = await tool('mcp__rogue__pair');
  const given = await context();
  const outputs = await Promise.all([color.run({}, given), pair.run({}, given)]);
  const messages = outputs.map(({ question }) => question?.message.split('\n')[0]);
  expect(new Set(messages)).toEqual(new Set(['Which color?', 'Which pair?']));
});

test('what a call asks that is given up meanwhile ends no other call, which would be made twice', async () => {
  const place = await setting([rogue()]);
  const [steps, color] = [await place.tool('mcp__rogue__steps'), await place.tool('mcp__rogue__color')];
  const stop = new AbortController();
  const long = steps.run({ steps: 60, ms: 50 }, await place.context());
  const asking = failure(color.run({}, await place.context({ signal: stop.signal })));
  await sleep(500);
  // While a question waits to be told whose it is, others wait as well, and can be cancelled.
  const waiting = failure(color.run({}, await place.context({ signal: stop.signal })));
  await sleep(100);
  const reason = new Error('a person said stop');
  stop.abort(reason);
  expect(await Promise.all([asking, waiting])).toEqual([reason, reason]);
  expect(await long).toEqual({ text: 'all steps done' });
  // Later questions are those of the calls that ask them.
  const { question } = await color.run({}, await place.context());
  expect(question?.message).toBe('Which color?');
});

async function remote(type: 'http' | 'sse'): Promise<McpServer> {
  const { port } = await everythingOverHttp(type === 'http' ? 'streamableHttp' : 'sse');
  return { type, name: 'everything', url: `http://127.0.0.1:${port}/${type === 'http' ? 'mcp' : 'sse'}`, headers: {} };
}

test.each(['stdio', 'http', 'sse'] as const)('server-everything asks over %s for a form and gets it', async (kind) => {
  const { run, answer } = await answering(
    kind === 'stdio' ? everything : await remote(kind),
    'mcp__everything__trigger-elicitation-request',
  );
  const { question } = await run();
  expect(question?.message).toContain('Please provide inputs');
  expect(question?.message).toContain('hero-2 (Green Lantern)');
  const { text } = await answer(
    question,
    accept('{"name":"Ada Lovelace","check":true,"titledSingleSelectEnum":"hero-2"}'),
  );
  expect(text).toContain('Ada Lovelace');
  expect(text).toContain('hero-2');
});

test.each([false, true])(
  'server-everything wants an address opened (refusing the call first: %s)',
  async (errorPath) => {
    // One process: the server remembers that it asked.
    const place = await setting([everything]);
    const tool = await place.tool('mcp__everything__trigger-url-elicitation');
    const answers: ToolAnswer[] = [];
    const input = { url: 'https://example.com/consent?state=1', errorPath };
    const run = async (): Promise<ToolOutput> => await tool.run(input, await place.context({ answers: [...answers] }));
    let output = await run();
    for (let asked = 0; output.question !== undefined && asked < 3; asked += 1) {
      expect(output.question.message).toContain('Open this address');
      expect(output.question.options.map(({ id }) => id)).toEqual(['done', 'decline']);
      answers.push({ action: 'accept', text: 'done', state: output.question.state });
      output = await run();
    }
    expect(answers).toHaveLength(errorPath ? 2 : 1);
    expect(output.isError).toBeUndefined();
    expect(output.text).toMatch(/accept|completed|consent/i);
  },
);
