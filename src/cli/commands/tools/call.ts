import { randomUUID } from 'node:crypto';
import { controlDefinitions, USE_TOOL } from '../../../contract/control-tools.ts';
import type { ToolAnswer, ToolQuestion } from '../../../contract/tool-calls.ts';
import { createLiveTail } from '../../../tools/live-tail.ts';
import type { Call } from '../../../tools/registry.ts';
import type { Ran } from '../../../tools/run-tool.ts';
import type { ToolContext } from '../../../tools/tool.ts';
import { openWorkspace } from '../../../tools/files/workspace.ts';
import { openTooling, type Tooling } from '../../../worker/tooling.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { isYes } from '../../following/ask-person.ts';
import { onStopRequest } from '../../stop-signal.ts';
import { previewLines } from '../../text/approval-text.ts';
import { safeJson, shortLine, visible, visibleLines } from '../../text/visible.ts';
import type { FolderFlags } from './folder.ts';
import { readInput } from './input.ts';
import { findTool, type FoundTool } from './show.ts';

export interface CallFlags extends FolderFlags {
  readonly yes?: true;
  readonly unconfined?: true;
  readonly json?: true;
}

/** Questions of one call; a tool that asks on and on must end. */
const QUESTIONS_MAX = 20;

/** Of the newest output, of which the last line is shown while it comes. */
const FLASHED_CHARACTERS = 1_000;

/** The agent that a call by hand stands for: its memory is that of no other. */
const BY_HAND = 'by-hand';

const RUNS_OWN: readonly string[] = [...controlDefinitions.map(({ name }) => name), USE_TOOL];

interface Calling {
  readonly context: Context;
  readonly flags: CallFlags;
  readonly found: FoundTool;
  readonly tooling: Tooling;
  readonly call: Call;
  /** Everything that is started carries it. */
  readonly worker: string;
  /** Fires when the person wants no more of it. */
  readonly signal: AbortSignal;
}

/** Runs one tool once, outside any run. */
export async function callTool(
  context: Context,
  { tool, json }: { readonly tool: string; readonly json: string | undefined },
  flags: CallFlags,
): Promise<number> {
  const input = await readInput(json);
  const found = await findTool(context, tool, flags);
  const { name } = found.definition;
  if (RUNS_OWN.includes(name))
    throw new CommandFailure(EXIT.usage, `Cannot run "${name}" by hand: the workflow of a run answers it`);
  const { settings, env } = context;
  const worker = `by-hand-${randomUUID()}`;
  const tooling = await openTooling({ environment: env, dataFolder: settings.folders.dataFolder, worker });
  const signal = onStopRequest();
  try {
    return await perform({ context, flags, found, tooling, worker, signal, call: { name, input } });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CommandFailure(EXIT.cancelled, `"${name}" was stopped; what it did until then is done`);
  } finally {
    await tooling.close();
  }
}

async function perform(calling: Calling): Promise<number> {
  const { context, found, tooling, call, worker, signal } = calling;
  const { registry, redactor } = tooling;
  const { definition, catalog } = found;
  const look = { workspace: await openWorkspace(found.workspace), agent: BY_HAND };
  const definitions = [...new Set([...catalog.definitions, definition])];
  const { problem, unconfined } = await registry.check(call, { definitions, look });
  if (problem !== undefined) throw new CommandFailure(EXIT.usage, redactor.text(problem.message));
  const preview = await registry.foretell(call, { definitions, look });
  if (preview !== undefined)
    for (const line of previewLines(redactor.text(preview), context.terminal.colors)) context.terminal.say(line);
  if (!(await isWanted(calling, unconfined))) {
    context.terminal.say('Nothing was run.');
    return EXIT.done;
  }
  if ((await registry.foretell(call, { definitions, look })) !== preview)
    throw new CommandFailure(
      EXIT.conflict,
      `Cannot run "${call.name}": by now it would do something else than was shown`,
    );
  const tailWith = createLiveTail(redactor.text, FLASHED_CHARACTERS);
  const { result } = await runToEnd(calling, {
    ...look,
    definitions,
    signal,
    key: randomUUID(),
    worker,
    live: (text) => flashLast(context, tailWith(text)),
    permits: () => true,
    mayRead: () => true,
    mayReach: () => true,
    unconfined: unconfined !== undefined,
    answers: [],
  });
  return report(context, { ...result, content: redactor.text(result.content) }, calling.flags);
}

/** Whoever runs it has seen what it does, or said that they know. */
async function isWanted({ context, found, flags, signal }: Calling, unconfined: string | undefined): Promise<boolean> {
  const { terminal } = context;
  const { name, effect } = found.definition;
  const isConfined = unconfined === undefined || flags.unconfined === true;
  if ((effect === 'read' || flags.yes === true) && isConfined) return true;
  if (!terminal.canAsk) throw new CommandFailure(EXIT.usage, refusalOf(name, flags, unconfined));
  if (unconfined !== undefined)
    terminal.say(terminal.colors.yellow(`It cannot be confined here: ${visible(unconfined)}`));
  const typed = await terminal.ask(`Run ${name} here, outside any run? [y/N] `, signal);
  return typed !== null && isYes(typed);
}

function refusalOf(name: string, { yes }: CallFlags, unconfined: string | undefined): string {
  if (yes !== true)
    return `Cannot run "${name}" without a terminal: it is not a read, and nobody can be asked; --yes says that you want it`;
  return `Cannot run "${name}": it cannot be confined here: ${visible(unconfined ?? '')}; --unconfined runs it all the same`;
}

type Ended = Extract<Ran, { kind: 'ended' }>;

/** A tool may ask before it goes on; it is then called again with the answers. */
async function runToEnd({ tooling, call, context, signal }: Calling, first: ToolContext): Promise<Ended> {
  const answers: ToolAnswer[] = [];
  while (answers.length < QUESTIONS_MAX) {
    const ran = await tooling.registry.run(call, { ...first, answers: [...answers] });
    if (ran.kind === 'ended') return ran;
    answers.push(await answerHere(context, ran.question, signal));
  }
  throw new CommandFailure(EXIT.failed, `Cannot finish "${call.name}": it asks more than ${QUESTIONS_MAX} questions`);
}

async function answerHere(
  { terminal }: Context,
  { message, options, state }: ToolQuestion,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  if (!terminal.canAsk)
    throw new CommandFailure(
      EXIT.failed,
      `Cannot answer the tool without a terminal; it asks: ${shortLine(message, 1_000)}`,
    );
  for (const line of visibleLines(message)) terminal.say(line);
  for (const { id, label } of options) terminal.say(`  ${visible(id)}: ${visible(label)}`);
  for (;;) {
    const text = await terminal.ask('Your answer (Enter declines): ', signal);
    if (text === null || text === '') return { action: 'decline', state };
    if (options.length === 0 || options.some(({ id }) => id === text)) return { action: 'accept', text, state };
    terminal.say(`There is no option "${visible(text)}"`);
  }
}

function flashLast({ terminal }: Context, text: string): void {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  terminal.flash(terminal.colors.dim(shortLine(last, (process.stderr.columns ?? 80) - 1)));
}

function report({ terminal }: Context, result: Ended['result'], { json }: CallFlags): number {
  const { status, content, error, durationMs } = result;
  const asJson = { status, ...(error && { error }), content, duration_ms: durationMs };
  terminal.print(json === true ? safeJson(asJson, 2) : visibleLines(content).join('\n'));
  return status === 'success' ? EXIT.done : EXIT.failed;
}
