import type { ToolCallResult } from '../../../src/contract/tool-calls.ts';
import type { EscapeScene } from './scene.ts';

/** One try to get out, and what it gets instead. */
export interface Attempt {
  readonly name: string;
  readonly by: (scene: EscapeScene) => Promise<ToolCallResult>;
  /** Must be in what the model reads. */
  readonly gets: RegExp;
}

/** An attempt with bash. */
export function bash(name: string, command: string | ((scene: EscapeScene) => string), gets: RegExp): Attempt {
  const text = (scene: EscapeScene): string => (typeof command === 'string' ? command : command(scene));
  return { name, by: async (scene) => await scene.bash(text(scene)), gets };
}

/** The same for one that would not end by itself. */
export function briefly(attempt: Attempt): Attempt {
  return {
    ...attempt,
    by: async (scene) => await attempt.by({ ...scene, bash: async (command) => await scene.bash(command, 3) }),
  };
}

/** An attempt with a tool that works in the worker itself. */
export function tool(name: string, input: (scene: EscapeScene) => unknown, gets: RegExp): Attempt {
  const [verb = ''] = name.split(' ');
  return { name, by: async (scene) => await scene.run(verb, input(scene)), gets };
}

/** Runs Python, where bash has no words for it. */
export function python(name: string, lines: string | ((scene: EscapeScene) => string), gets: RegExp): Attempt {
  const text = (scene: EscapeScene): string => (typeof lines === 'string' ? lines : lines(scene));
  return {
    name,
    by: async (scene) => await scene.bash(`python3 - <<'END' 2>&1 | tail -n 3\n${text(scene)}\nEND`),
    gets,
  };
}
