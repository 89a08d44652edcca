import { expect, test } from 'vitest';
import { systemPrompt } from '../../src/config/system-prompt.ts';
import { THINKING_TEMPLATES, thinkingText } from '../../src/config/thinking-templates.ts';

const parts = { name: 'a', workspace: '/w', now: new Date('2026-11-21T12:00:00Z'), prompt: 'Check the books.' };

test.each(THINKING_TEMPLATES)('the way of thinking "%s" stands behind the words of the agent, and once', (thinking) => {
  const text = thinkingText(thinking);
  const plain = systemPrompt(parts);
  expect(systemPrompt({ ...parts, thinking })).toBe(plain.replace(parts.prompt, `${parts.prompt}\n\n${text}`));
  expect(plain).not.toContain(text);
});

test.each(THINKING_TEMPLATES)('the way of thinking "%s" is short enough to be sent with every call', (thinking) => {
  const lines = thinkingText(thinking).split('\n');
  expect(lines.length).toBeLessThanOrEqual(25);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(140);
});
