import type { Policy, PolicyLayer, PolicyMode } from '../../../src/contract/spec.ts';
import type { Touch } from '../../../src/contract/tool-calls.ts';
import { decidePolicy, type JudgedCall } from '../../../src/core/policy/policy.ts';

export type Rules = Partial<Record<'allow' | 'ask' | 'deny', string[]>>;
export type Decision = 'allow' | 'ask' | 'deny';

export const layer = (name: PolicyLayer['layer'], rules: Rules): PolicyLayer => ({
  layer: name,
  source: `${name}.yaml`,
  allow: [],
  ask: [],
  deny: [],
  ...rules,
});
export const policyOf = (rules: Rules, mode?: PolicyMode, above: PolicyLayer[] = []): Policy => ({
  allow: [],
  ask: [],
  deny: [],
  ...rules,
  above,
  ...(mode && { mode }),
});

export const bash = (...commands: string[]): JudgedCall => ({
  tool: 'bash',
  effect: 'unsafe',
  input: {},
  touches: commands.map((text): Touch => {
    if (text === '?') return { kind: 'opaque', why: 'it does not parse' };
    if (/^[<>]/.test(text))
      return { kind: 'path', path: text.slice(1), access: text.startsWith('>') ? 'write' : 'read' };
    return { kind: 'command', text, bare: text.replace(/^\w+=\S+ /, '') };
  }),
});
export const write = (path: string, tool = 'write_file'): JudgedCall => ({
  tool,
  effect: 'idempotent',
  input: { path },
  touches: [{ kind: 'path', path, access: 'write' }],
});
export const read = (path: string): JudgedCall => ({
  tool: 'read_file',
  effect: 'read',
  input: { path },
  touches: [{ kind: 'path', path, access: 'read' }],
});
export const fetch = (host: string): JudgedCall => ({
  tool: 'web_fetch',
  effect: 'read',
  input: { url: `https://${host}/` },
  touches: [{ kind: 'domain', host }],
});
export const mcp = (input: unknown = {}, effect: JudgedCall['effect'] = 'unsafe'): JudgedCall => ({
  tool: 'mcp__docs__find',
  effect,
  input,
  origin: 'mcp',
});

export const decide = (policy: Policy, call: JudgedCall): Decision => decidePolicy(policy, call).decision;
