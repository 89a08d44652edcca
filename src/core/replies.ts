import type { AssistantMessage, ToolUseBlock } from '../contract/messages.ts';

/** The calls a reply asks for, in its order. */
export function toolUses(message: AssistantMessage): readonly ToolUseBlock[] {
  return message.content.filter((block) => block.type === 'tool_use');
}

/** The words of a reply, without thinking and calls. */
export function textOf(message: AssistantMessage): string {
  const texts = message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts.join('\n').trim();
}

/** What the model thought before it spoke, as far as the API shows it. */
export function thoughtOf(message: AssistantMessage): string {
  const thoughts = message.content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []));
  return thoughts.join('\n').trim();
}
