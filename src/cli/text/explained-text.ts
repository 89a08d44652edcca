import type { Touch } from '../../contract/tool-calls.ts';
import type { Explained, Judgement } from '../../prepare/judge-call.ts';
import type { Colors } from '../terminal.ts';
import { visible, visibleLines } from './visible.ts';

/** What would become of a call and why, for people. Nothing is cut: what is left out could be what matters. */
export function explainedText(explained: Explained, colors: Colors): readonly string[] {
  const { tool, input, agent, mode, effect, unconfined, parts, notes, reason } = explained;
  const row = (title: string, value: string): string => `  ${colors.dim(title.padEnd(12))} ${visible(value)}`;
  return [
    `${paintedDecision(explained, colors)}  ${colors.bold(visible(tool))} ${visible(JSON.stringify(input))}`,
    row('Why', reason),
    ...(explained.rule === undefined ? [] : [row('Rule', explained.rule)]),
    ...(explained.layer === undefined ? [] : [row('Of', layerText(explained))]),
    ...(unconfined === undefined ? [] : [row('Unconfined', unconfined)]),
    row('Agent', agent ?? 'none: only what stands above every agent counts'),
    row('Mode', mode),
    row('Effect', effect),
    ...(parts.length === 0 ? [row('Reaches for', 'nothing that is known')] : [`  ${colors.dim('Reaches for')}`]),
    ...parts.flatMap((part) => partLines(part, part.judgement, colors)),
    ...notes.map((note) => row('Note', note)),
  ];
}

function partLines(touch: Touch, judgement: Judgement, colors: Colors): readonly string[] {
  const [first = '', ...more] = visibleLines(touchText(touch));
  const from = judgement.source === undefined ? '' : `, ${judgement.source}`;
  return [
    `    ${paintedDecision(judgement, colors)}  ${first}`,
    ...more.map((line) => `           ${line}`),
    colors.dim(`           ${visible(judgement.reason + from)}`),
  ];
}

function touchText(touch: Touch): string {
  switch (touch.kind) {
    case 'command':
      return `run ${touch.text}`;
    case 'path':
      return `${touch.access} ${touch.path === '' ? '.' : touch.path}`;
    case 'domain':
      return `reach ${touch.host}`;
    case 'opaque':
      return `something that cannot be told: ${touch.why}`;
  }
}

function layerText({ layer, source }: Judgement): string {
  return `${layer}${source === undefined ? '' : `, ${source}`}`;
}

function paintedDecision({ decision }: Judgement, colors: Colors): string {
  const paint = { allow: colors.green, ask: colors.yellow, deny: colors.red }[decision];
  return paint(decision.padEnd(5));
}
