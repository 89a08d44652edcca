import { thinkingText, type ThinkingTemplate } from './thinking-templates.ts';

export interface SystemPromptParts {
  readonly name: string;
  readonly workspace: string;
  readonly now: Date;
  readonly prompt: string;
  /** A way of working that is told behind the agent's own words. */
  readonly thinking?: ThinkingTemplate;
}

/** Frozen with the run: thinking is signed over it, so it can say nothing that changes, such as the time of day. */
export function systemPrompt({ name, workspace, now, prompt, thinking }: SystemPromptParts): string {
  return [
    `Agent: ${name}\nWorkspace: ${workspace}\nDate at the start: ${now.toISOString().slice(0, 10)} (UTC)`,
    prompt,
    ...(thinking === undefined ? [] : [thinkingText(thinking)]),
    HOW_CALLS_END,
  ].join('\n\n');
}

const HOW_CALLS_END = `How your tool calls are decided: a policy lets some run at once, refuses some, and puts the others before a person, \
who may take hours. You see only the result, and its first word says what happened. "denied": a person or the policy said no; do not try \
the same another way, go on without it or ask what to do instead. "expired": nobody answered in time; nobody said no either, and the call \
was not run. "cancelled": it was called off. "outcome_unknown": it may or may not have happened; look before you do it again. Any other \
first word is an ordinary error that you may correct. When something could not be done, say so in your final answer.`;
