import { controlDefinitions } from '../../../contract/control-tools.ts';
import type { PolicyMode } from '../../../contract/spec.ts';
import type { Checked, Registry } from '../../../tools/registry.ts';
import type { LookContext } from '../../../tools/tool.ts';
import { openWorkspace } from '../../../tools/files/workspace.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { explainedText } from '../../text/explained-text.ts';
import { safeJson, shortLine } from '../../text/visible.ts';
import { termsOf, toolsOfFolder, type FolderFlags, type Terms } from './folder.ts';
import { judgeCall, judgeParts, type Explained, type Judgement } from '../../../prepare/judge-call.ts';
import { readWrittenCall, type WrittenCall } from './written-call.ts';

export interface ExplainFlags extends FolderFlags {
  readonly agent?: string;
  readonly mode?: PolicyMode;
  readonly json?: true;
}

/** Never runs anything: what is not built in is judged by its name. */
export async function explainCall(context: Context, written: string, flags: ExplainFlags): Promise<number> {
  const { workspace, catalog } = await toolsOfFolder(context, { ...flags, startsOthers: false });
  const { layers, registry, definitions, searchDefinitions } = catalog;
  const known = { definitions: [...definitions, ...searchDefinitions], commands: layers.tools };
  const read = readWrittenCall(written, known);
  if (read.kind === 'problem') throw cannotExplain(written, read.problem);
  const { call } = read;
  const terms = await termsOf(context, { ...flags, workspace, layers, definition: call.definition });
  const look: LookContext = { workspace: await openWorkspace(workspace), agent: terms.agent ?? 'nobody' };
  const check = await checkCall(registry, call, look);
  if (check.problem !== undefined) throw cannotExplain(written, check.problem.message);
  const explained = explain(call, { terms, check, notices: [...layers.notices, ...terms.notices] });
  const { terminal } = context;
  if (flags.json === true) terminal.print(safeJson(asJson(explained), 2));
  else terminal.print(explainedText(explained, terminal.outColors).join('\n'));
  return EXIT.done;
}

function cannotExplain(written: string, why: string): CommandFailure {
  return new CommandFailure(EXIT.usage, `Cannot explain "${shortLine(written, 200)}": ${why}`);
}

/** As the worker looks at a call before anything is decided. */
async function checkCall(registry: Registry, call: WrittenCall, look: LookContext): Promise<Checked> {
  const { definition, input } = call;
  const { name, origin } = definition;
  if (origin === undefined && !isControl(name))
    return await registry.check({ name, input }, { definitions: [definition], look });
  // What cannot confine one command confines no other.
  const unconfined = origin?.kind === 'command' ? await registry.get('bash')?.unconfined?.(look) : undefined;
  return {
    summary: `${name} ${JSON.stringify(input)}`,
    digest: registry.digestOf(name, input),
    ...(unconfined !== undefined && { unconfined }),
  };
}

function isControl(tool: string): boolean {
  return controlDefinitions.some(({ name }) => name === tool);
}

interface FoundOut {
  readonly terms: Terms;
  readonly check: Checked;
  readonly notices: readonly string[];
}

function explain({ definition, input, madeUp, isKnown }: WrittenCall, { terms, check, notices }: FoundOut): Explained {
  const { name: tool, effect } = definition;
  const { touches = [], unconfined, summary } = check;
  const found = { ...check, input };
  const judgements = judgeParts(terms, definition, found);
  const notes = [
    ...(terms.agent === null || terms.isGiven ? [] : [`the agent is not given ${tool}, so it cannot call it`]),
    ...(isKnown ? [] : ['nothing was started to explain this: whether there is such a tool was not looked up']),
    ...(madeUp.length === 0 ? [] : [`not written, so made up here: ${madeUp.join(', ')}`]),
    ...notices,
  ];
  return {
    tool,
    input,
    summary,
    effect,
    agent: terms.agent,
    mode: terms.policy.mode ?? 'default',
    ...(isControl(tool) ? CONTROL : judgeCall(terms, definition, found)),
    ...(unconfined !== undefined && { unconfined }),
    parts: touches.map((touch, index) => ({ ...touch, judgement: judgements[index] ?? CONTROL })),
    notes,
  };
}

const CONTROL: Judgement = { decision: 'allow', reason: 'the run answers it by itself, and no rule is asked' };

function asJson({ parts, ...rest }: Explained): unknown {
  return { ...rest, parts: parts.map(({ judgement, ...touch }) => ({ ...touch, ...judgement })) };
}
