import { expect, test } from 'vitest';
import { startOfflineModel } from '../../../../src/models/offline/server.ts';
import { modelAt, quiet, requestTo, textIn } from '../calling.ts';
import { play } from './playing.ts';

test('any other agent gets an honest stand-in that shows that the tools work', async () => {
  const played = await play({
    system: 'You write poems.',
    task: 'Write a poem.',
    tools: { ls: () => ({ text: '.env\nsrc/\nREADME.md' }), read_file: () => ({ text: '# Poems\n\nAll of them.' }) },
  });
  expect(played.turns).toEqual([['ls .'], ['read_file README.md'], []]);
  expect(played.said.at(-1)).toContain('I did not work on the task "Write a poem."');
  expect(played.said.at(-1)).toContain('In the workspace I saw .env, src/ and README.md.');
  expect(played.said.at(-1)).toContain('I read 2 lines of README.md, which begins with "# Poems".');
  expect(played.said.at(-1)).toContain('ANTHROPIC_API_KEY');
});

test.each([
  ['no tools', {}, 'I have no tools.'],
  ['tools it does not know', { fetch: () => ({ text: '' }) }, 'My tools are fetch.'],
  [
    'an empty workspace',
    { ls: () => ({ text: '[The folder is empty.]' }), read_file: () => ({ text: '' }) },
    'I could list nothing in the workspace.',
  ],
  [
    'a list that is refused',
    { glob: () => ({ text: 'denied: no', isError: true }) },
    'I could list nothing in the workspace.',
  ],
])('the stand-in says what it could not do: %s', async (_name, tools, says) => {
  const played = await play({ system: '', tools });
  expect(played.turns.at(-1)).toEqual([]);
  expect(played.said.at(-1)).toContain(says);
});

test('the closing words use no tools and count what was done', async () => {
  const offline = await startOfflineModel();
  const { messages } = await play({
    system: 'x',
    tools: { ls: () => ({ text: 'a.txt' }), read_file: () => ({ text: 'denied: no', isError: true }) },
  });
  const request = requestTo('offline', { system: 'y', messages: messages.map(withoutThinking), toolChoice: 'none' });
  const reply = await modelAt(offline).call(
    { ...request, messages: [...request.messages, { role: 'user', content: [{ type: 'text', text: 'Sum up.' }] }] },
    quiet(),
  );
  await offline.close();
  expect(reply.stopReason).toBe('end_turn');
  expect(textIn(reply)).toContain(
    'There were 3 turns. These tools were called: ls (1) and read_file (1); 1 call ended without success.',
  );
});

function withoutThinking(message: Awaited<ReturnType<typeof play>>['messages'][number]): typeof message {
  return message.role === 'user'
    ? message
    : { role: 'assistant', content: message.content.filter(({ type }) => type !== 'thinking') };
}
