import type { PolicyMode } from '../contract/spec.ts';

/** From the strictest to the loosest. */
const ORDER: readonly PolicyMode[] = ['plan', 'unattended', 'default', 'auto-edit', 'yolo'];

/** The strictest of the modes that were asked for; undefined when none was. */
export function strictestMode(modes: readonly (PolicyMode | undefined)[]): PolicyMode | undefined {
  return ORDER.find((mode) => modes.includes(mode));
}

/** Whether a mode lets more run than having none. */
export function isLoose(mode: PolicyMode): boolean {
  return mode === 'auto-edit' || mode === 'yolo';
}

/** Claude Code's `permissionMode`; `default` asks for nothing. */
export const CLAUDE_MODES: ReadonlyMap<unknown, PolicyMode | undefined> = new Map([
  [undefined, undefined],
  [null, undefined],
  ['default', undefined],
  ['acceptEdits', 'auto-edit'],
  ['plan', 'plan'],
  ['dontAsk', 'unattended'],
]);
