import { USE_TOOL } from '../../contract/control-tools.ts';
import type { ToolUseBlock } from '../../contract/messages.ts';
import { fieldsOf } from '../fields.ts';

export interface EffectiveUse {
  readonly name: string;
  readonly input: unknown;
}

/** The call that is meant: `use_tool` only carries another, and that one is judged, shown and run. */
export function effectiveUse({ name, input }: Pick<ToolUseBlock, 'name' | 'input'>): EffectiveUse {
  if (name !== USE_TOOL) return { name, input };
  const { tool, input: inner } = fieldsOf(input);
  return typeof tool === 'string' && tool !== '' && tool !== USE_TOOL
    ? { name: tool, input: inner ?? {} }
    : { name, input };
}
