import { describe, expect, test } from 'vitest';
import type { HookResult } from '../../../src/contract/activities.ts';
import type { Hook } from '../../../src/contract/terms.ts';
import { applyHook } from '../../../src/core/hooks/apply-hook.ts';
import {
  aboutResult,
  contextOf,
  deniedByHook,
  deniesCall,
  hookEvent,
  hooksFor,
  hookTurn,
} from '../../../src/core/hooks/hooks.ts';
import type { JudgedCall } from '../../../src/core/policy/policy.ts';
import { jsonBytes } from '../../../src/core/sizes.ts';
import { after, fresh, reply, T0 } from '../builders.ts';

const hook = (changes: Partial<Hook> = {}): Hook => ({
  name: 'h',
  on: 'before_tool',
  command: 'true',
  effect: 'read',
  timeoutMs: 1_000,
  ...changes,
});

const result = (changes: Partial<HookResult> = {}): HookResult => ({
  status: 'ok',
  context: '',
  reason: '',
  durationMs: 1,
  ...changes,
});

const bash = (text: string): JudgedCall => ({
  tool: 'bash',
  effect: 'unsafe',
  input: { command: text },
  touches: [{ kind: 'command', text, bare: text }],
});

describe('hooksFor()', () => {
  test.each<[rule: string, call: JudgedCall, isAbout: boolean]>([
    ['bash(git push *)', bash('git push origin main'), true],
    ['bash(git push *)', bash('git status'), false],
    ['bash(git push *)', bash('git $what'), true],
    ['bash', bash('ls'), true],
    ['Read(.env)', bash('cat .env'), true],
    ['bash(git push *)', { tool: 'bash', effect: 'unsafe', input: { command: 'git push' } }, true],
    ['Edit(/src/**)', { tool: 'write_file', effect: 'idempotent', input: { path: 'src/a.ts' } }, true],
    ['Edit(/src/**)', { tool: 'mcp__a__b', effect: 'unsafe', input: { path: 'src/a.ts' }, origin: 'mcp' }, false],
    ['mcp__a', { tool: 'mcp__a__b', effect: 'unsafe', input: {}, origin: 'mcp' }, true],
  ])('a hook with the rule %s and the call %j: %s', (rule, call, isAbout) => {
    const one = hook({ match: [rule] });
    expect(hooksFor({ hooks: [one] }, 'before_tool', call)).toEqual(isAbout ? [one] : []);
  });

  test('only the hooks of the moment, in the order of the settings', () => {
    const hooks = [hook({ name: 'a' }), hook({ name: 'b', on: 'after_tool' }), hook({ name: 'c' })];
    expect(hooksFor({ hooks }, 'before_tool', bash('ls')).map(({ name }) => name)).toEqual(['a', 'c']);
  });

  test('a run of a version without hooks has none', () => {
    expect(hooksFor({}, 'before_model')).toEqual([]);
  });

  test('without a call, a hook with rules is about nothing', () => {
    expect(hooksFor({ hooks: [hook({ on: 'before_model', match: ['bash'] })] }, 'before_model')).toEqual([]);
  });
});

test.each<[on: Hook['on'], status: HookResult['status'], required: boolean | undefined, denies: boolean]>([
  ['before_tool', 'denied', undefined, true],
  ['before_tool', 'denied', true, true],
  ['before_tool', 'failed', true, true],
  ['before_tool', 'failed', false, false],
  ['before_tool', 'failed', undefined, false],
  ['before_tool', 'ok', true, false],
  ['after_tool', 'denied', true, false],
  ['before_stop', 'denied', undefined, false],
])('at %s, the status %s of a hook whose being required is %s denies the call: %s', (on, status, required, denies) => {
  expect(deniesCall(hook({ on, ...(required !== undefined && { required }) }), result({ status }))).toBe(denies);
});

describe('what the model is told', () => {
  test('a hook that denied and one that broke are two different words', () => {
    const denied = deniedByHook({ hook: hook(), result: result({ status: 'denied', reason: 'not at night' }) });
    const broken = deniedByHook({ hook: hook(), result: result({ status: 'failed', reason: 'exit code 1' }) });
    expect(denied).toMatchObject({
      status: 'denied',
      error: 'denied',
      content: expect.stringContaining('not at night'),
    });
    expect(broken).toMatchObject({ status: 'error', error: 'permission_denied' });
    expect(broken.content).toContain('Nobody refused it');
  });

  test('a context stands under the name of its hook, cut to size, and a silent hook says nothing', () => {
    expect(contextOf({ hook: hook({ name: 'a' }), result: result({ context: 'one' }) })).toBe('[Hook a]\none');
    expect(contextOf({ hook: hook(), result: result() })).toBe('');
    const bytes = jsonBytes(contextOf({ hook: hook(), result: result({ context: 'é'.repeat(10_000) }) }));
    expect(bytes).toBeGreaterThan(4_000);
    expect(bytes).toBeLessThanOrEqual(8 * 1_024 + 20);
  });

  test('fifty hooks that say all they may while a call is open stay within what they may together', () => {
    const open = after(fresh(), reply(1, '', [['read', {}]]));
    const told = Array.from({ length: 50 }, (_, number) => hook({ name: `h${number}`, on: 'after_model' })).reduce(
      (run, one) => applyHook(run, { due: { hook: one }, result: result({ context: 'é'.repeat(10_000) }) }, T0),
      open,
    );
    expect(told.messages).toEqual(open.messages);
    expect(jsonBytes(told.hooks.context)).toBeGreaterThan(16 * 1_024);
    expect(jsonBytes(told.hooks.context)).toBeLessThanOrEqual(32 * 1_024);
  });
});

test.each<[on: Hook['on'], turn: number]>([
  ['before_model', 4],
  ['after_model', 3],
  ['before_tool', 3],
  ['before_stop', 3],
])('after the reply of turn 3, a hook of %s is about turn %i', (on, turn) => {
  expect(hookTurn({ turn: 3 }, hook({ on }))).toBe(turn);
});

test('of a long result a hook is told head and tail', () => {
  const told = aboutResult({ status: 'success', content: `head${'x'.repeat(300_000)}tail`, durationMs: 5 });
  expect(told.content).toMatch(/^headx.*xtail$/s);
  expect(jsonBytes(told.content)).toBeLessThanOrEqual(16 * 1_024);
});

test.each<[HookResult, string]>([
  [result({ status: 'failed', reason: 'exit code 1' }), 'exit code 1'],
  [result({ status: 'denied', reason: 'no', context: 'more' }), 'no'],
  [result({ context: 'said' }), 'said'],
  [result(), ''],
])('the event of %j says "%s"', (ended, text) => {
  const { status } = ended;
  expect(hookEvent({ hook: hook(), result: ended })).toEqual({
    type: 'hook.ended',
    hook: 'h',
    on: 'before_tool',
    status,
    text,
    durationMs: 1,
  });
});
