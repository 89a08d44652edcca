import * as z from 'zod';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../../contract/limits.ts';
import { callEnvironment, type Environment } from '../shell/call-environment.ts';
import { clip } from '../clip.ts';
import { oneLine, quoted } from '../one-line.ts';
import { pathTouch } from './path-touch.ts';
import { ripgrep } from './ripgrep.ts';
import { defineTool, ToolError, type Tool } from '../tool.ts';

const FILES_MAX = 1_000;

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(4_000)
    .describe('Such as "**/*.ts" or "src/**/index.*". A pattern without "/" matches at any depth.'),
  path: z.string().min(1).default('.').describe('Folder to look in, relative to the workspace.'),
});

/** Finds files by name. Files ignored by git, `.git` and `.nightshift` are left out, links are not followed. */
export function createGlobTool(environment: Environment): Tool {
  return defineTool({
    name: 'glob',
    description:
      'Finds files of the workspace by a pattern for their paths, one a line, sorted. Leaves out files that git ignores.',
    input,
    effect: 'read',
    timeoutMs: 10_000,
    local: true,
    summarize: ({ pattern, path }) => `Find ${oneLine(pattern, 90)}${path === '.' ? '' : ` in ${oneLine(path, 90)}`}`,
    touches: async ({ path }, look) => await pathTouch(look, { path, access: 'read' }),
    async run({ pattern, path }, context) {
      const folder = await context.workspace.openFolder(path);
      try {
        const relative = await context.workspace.relative(path);
        const found = await ripgrep({
          options: ['--files', `--glob=${pattern}`],
          path: './',
          cwd: folder.self,
          environment: callEnvironment(environment, context),
          linesMax: FILES_MAX,
          signal: context.signal,
        });
        if (found.complaint !== '')
          throw new ToolError('invalid_params', `Cannot find ${quoted(pattern)}: ${found.complaint}`);
        return {
          text: shown(found.lines.map((line) => fromRoot(relative, line)).filter(context.mayRead), found.more),
        };
      } finally {
        await folder.close();
      }
    },
  });
}

function fromRoot(folder: string, line: string): string {
  const name = line.replace(/^\.\//, '');
  return folder === '' ? name : `${folder}/${name}`;
}

function shown(paths: readonly string[], more: boolean): string {
  if (paths.length === 0) return '[No file matches.]';
  const note = more ? `\n[Only the first ${paths.length} files are shown; use a narrower pattern.]` : '';
  return clip(paths.join('\n'), TOOL_OUTPUT_CHARACTERS_MAX - note.length) + note;
}
