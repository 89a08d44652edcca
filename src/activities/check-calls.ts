import * as z from 'zod';
import type { CheckedCall } from '../contract/activities.ts';
import { CONTROL_TOOLS, EMIT_VALUE } from '../contract/control-tools.ts';
import { PREVIEW_BYTES_MAX, TURN_PREVIEWS_BYTES_MAX } from '../contract/limits.ts';
import type { ToolUseBlock } from '../contract/messages.ts';
import type { RunSpec } from '../contract/spec.ts';
import type { Output } from '../contract/terms.ts';
import { judgedCall } from '../core/policy/judged-call.ts';
import { decidePolicy } from '../core/policy/policy.ts';
import { fitText, jsonBytes, oneLine } from '../core/sizes.ts';
import { effectiveUse, type EffectiveUse } from '../core/calls/use-tool.ts';
import { textDigest } from '../tools/digest.ts';
import { foreignType } from '../tools/foreign-schema.ts';
import type { Scene } from '../tools/registry.ts';
import { openWorkspace } from '../tools/files/workspace.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Looks at the calls of a reply before anything is decided: whether they fit, what they reach for, and what those who
 * approve should see. Secrets are taken out here, once, before any of it is history.
 */
export async function checkCalls(
  dependencies: Dependencies,
  spec: RunSpec,
  uses: readonly ToolUseBlock[],
): Promise<readonly CheckedCall[]> {
  if (uses.length === 0) return [];
  const workspace = await openWorkspace(spec.workspace).catch(() => undefined);
  const scene: Scene = {
    definitions: spec.tools,
    ...(workspace !== undefined && { look: { workspace, agent: spec.agent.name } }),
  };
  const checked: CheckedCall[] = [];
  let room = TURN_PREVIEWS_BYTES_MAX;
  for (const use of uses) {
    const check = await checkCall({ dependencies, spec, scene }, use, room);
    room -= jsonBytes(check.preview ?? '');
    checked.push(check);
  }
  return checked;
}

interface Check {
  readonly dependencies: Dependencies;
  readonly spec: RunSpec;
  readonly scene: Scene;
}

async function checkCall(check: Check, block: ToolUseBlock, room: number): Promise<CheckedCall> {
  const { registry, redactor } = check.dependencies;
  const use = effectiveUse(block);
  if (isControl(check, use)) return controlCall(check, block.id, use);
  const checked = await registry.check(use, check.scene);
  const { summary, problem } = checked;
  const found = {
    ...checked,
    id: block.id,
    summary: redactor.text(summary),
    ...(problem && { problem: { ...problem, message: redactor.text(problem.message) } }),
  };
  return isAsked(check, use, checked) ? { ...found, ...(await shownTo(check, use, room)) } : found;
}

function isControl({ spec }: Check, { name }: EffectiveUse): boolean {
  return CONTROL_TOOLS.includes(name) && spec.tools.some((tool) => tool.name === name);
}

/** The workflow answers these itself; all it needs is a name for them, and whether a value fits its schema. */
function controlCall(
  { spec, dependencies: { registry, redactor } }: Check,
  id: string,
  { name, input }: EffectiveUse,
): CheckedCall {
  const { question, name: output, status } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const said = [question, output, status].find((words) => typeof words === 'string');
  const words = said === undefined ? name : `${name}: ${said}`;
  const problem = name === EMIT_VALUE ? outputProblem(spec.outputs ?? [], input) : undefined;
  const found = { id, digest: registry.digestOf(name, input), summary: oneLine(redactor.text(words), 200) };
  return problem === undefined ? found : { ...found, problem: { kind: 'invalid_params', message: problem } };
}

function outputProblem(outputs: readonly Output[], input: unknown): string | undefined {
  const { name, value } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const output = outputs.find((one) => one.name === name);
  if (output === undefined) return undefined;
  const parsed = (foreignType(output.schema) ?? z.unknown()).safeParse(value);
  return parsed.success ? undefined : `"${output.name}" does not fit its schema: ${parsed.error.message}`;
}

/** Only what a person will look at is worth a preview: it costs time, and bytes of history. */
function isAsked(
  { spec }: Check,
  { name, input }: EffectiveUse,
  checked: Pick<CheckedCall, 'touches' | 'unconfined' | 'problem'>,
): boolean {
  if (checked.problem !== undefined) return false;
  const effect = spec.tools.find((tool) => tool.name === name)?.effect ?? 'unsafe';
  return (
    decidePolicy(spec.policy, judgedCall(spec, { tool: name, effect }, { input, check: checked })).decision === 'ask'
  );
}

async function shownTo(
  { dependencies: { registry, redactor }, scene }: Check,
  use: EffectiveUse,
  room: number,
): Promise<Pick<CheckedCall, 'preview' | 'previewDigest' | 'shown'>> {
  const preview = await registry.foretell(use, scene);
  const shown = redactor.value(use.input);
  const hidden = shown === use.input ? {} : { shown };
  if (preview === undefined) return hidden;
  const text = fitText(redactor.text(preview), Math.max(0, Math.min(PREVIEW_BYTES_MAX, room)));
  return { ...hidden, preview: text, previewDigest: textDigest(preview) };
}
