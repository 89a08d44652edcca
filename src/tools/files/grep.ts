import * as z from 'zod';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../../contract/limits.ts';
import { callEnvironment, type Environment } from '../shell/call-environment.ts';
import { clip } from '../clip.ts';
import { oneLine, quoted } from '../one-line.ts';
import { pathTouch } from './path-touch.ts';
import { ripgrep, type Found, type Search } from './ripgrep.ts';
import { defineTool, ToolError, type Tool, type ToolContext } from '../tool.ts';

/** Longer lines are cut, as in minified files. */
const LINE_CHARACTERS_MAX = 1_000;

const input = z.strictObject({
  pattern: z.string().min(1).max(10_000).describe('A regular expression, as ripgrep takes it.'),
  path: z.string().min(1).default('.').describe('File or folder to search, relative to the workspace.'),
  glob: z.string().min(1).max(4_000).optional().describe('Only files whose path matches, such as "*.ts".'),
  ignoreCase: z.boolean().optional(),
  context: z.int().min(0).max(20).optional().describe('Lines to show around each match.'),
  maxResults: z.int().min(1).max(2_000).default(200).describe('Lines of output to show at most.'),
});

type Input = z.infer<typeof input>;

/** Searches by regular expression. Nothing found is a success that says so. */
export function createGrepTool(environment: Environment): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Searches files of the workspace by regular expression; gives "path:line:text". Leaves out binary files and files that git ignores.',
    input,
    effect: 'read',
    timeoutMs: 10_000,
    local: true,
    summarize: ({ pattern, path }) =>
      `Search for "${oneLine(pattern, 90)}"${path === '.' ? '' : ` in ${oneLine(path, 80)}`}`,
    touches: async ({ path }, look) => await pathTouch(look, { path, access: 'read' }),
    async run(wish, context) {
      const { kind } = await context.workspace.stat(wish.path);
      const search = { wish, context, environment: callEnvironment(environment, context) };
      const found = kind === 'folder' ? await searchFolder(search) : await searchFile(search);
      if (found.complaint !== '')
        throw new ToolError('invalid_params', `Cannot search for ${quoted(wish.pattern)}: ${found.complaint}`);
      return { text: shown(found) };
    },
  });
}

interface Task {
  readonly wish: Input;
  readonly context: ToolContext;
  readonly environment: Readonly<Record<string, string>>;
}

async function searchFolder({ wish, context, environment }: Task): Promise<Found> {
  const folder = await context.workspace.openFolder(wish.path);
  try {
    const relative = await context.workspace.relative(wish.path);
    const prefix = relative === '' ? '' : `${relative}/`;
    const search = searchOf({ wish, context, environment });
    const found = await ripgrep({ ...search, options: ['--null', ...search.options], path: './', cwd: folder.self });
    return { ...found, lines: found.lines.flatMap((line) => fromFolder(line, { prefix, mayRead: context.mayRead })) };
  } finally {
    await folder.close();
  }
}

/** A line of a file that the policy denies is left out. The NUL behind the path parts it from a text with colons. */
function fromFolder(
  line: string,
  { prefix, mayRead }: { readonly prefix: string; readonly mayRead: ToolContext['mayRead'] },
): readonly string[] {
  const end = line.indexOf('\0');
  if (end < 0) return [line];
  const path = prefix + line.slice(line.startsWith('./') ? 2 : 0, end);
  const rest = line.slice(end + 1);
  return mayRead(path) ? [`${path}${/^\d+-/.test(rest) ? '-' : ':'}${rest}`] : [];
}

/** The file is handed over open, so that what is searched is what was checked. */
async function searchFile({ wish, context, environment }: Task): Promise<Found> {
  const { handle, relative } = await context.workspace.openFile(wish.path);
  try {
    const found = await ripgrep({ ...searchOf({ wish, context, environment }), path: '-', cwd: '/', input: handle.fd });
    return {
      ...found,
      lines: found.lines.map((line) =>
        line.replace(/^(\d+)([:-])/, (start, _line, mark: string) => `${relative}${mark}${start}`),
      ),
    };
  } finally {
    await handle.close();
  }
}

function searchOf({ wish, context, environment }: Task): Omit<Search, 'path' | 'cwd'> {
  const options = ['--line-number', '--no-heading', `--max-columns=${LINE_CHARACTERS_MAX}`, '--max-columns-preview'];
  if (wish.ignoreCase === true) options.push('--ignore-case');
  if (wish.context !== undefined) options.push(`--context=${wish.context}`);
  if (wish.glob !== undefined) options.push(`--glob=${wish.glob}`);
  // The pattern is one argument with its option, so it can never be taken for an option itself.
  return {
    options: [...options, `--regexp=${wish.pattern}`],
    environment,
    linesMax: wish.maxResults,
    signal: context.signal,
  };
}

function shown({ lines, more }: Found): string {
  if (lines.length === 0) return '[No line matches.]';
  const note = more ? `\n[Only the first ${lines.length} lines are shown; use a narrower pattern or path.]` : '';
  return clip(lines.join('\n'), TOOL_OUTPUT_CHARACTERS_MAX - note.length) + note;
}
