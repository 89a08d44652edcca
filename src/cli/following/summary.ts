import type { RunResult, Totals } from '../../contract/run.ts';
import { spanText } from '../text/times.ts';
import { group } from '../text/spending-text.ts';
import { safeJson, shortLine, visible } from '../text/visible.ts';
import type { Colors } from '../terminal.ts';
import type { RunIntroduction } from './output.ts';
import { outcomeText, type RunEnd } from './run-end.ts';
import { answerCommands } from '../text/approval-text.ts';

/** What a person reads at the end of following: what came of the run, what it took, where to look, what to do next. */
export function summaryText(introduction: RunIntroduction, end: RunEnd, colors: Colors): readonly string[] {
  const { runId, agent, model, offline, temporalUrl } = introduction;
  const totals = totalsOf(end);
  const rows: readonly (readonly [string, string])[] = [
    ['Run', runId],
    ['Outcome', headline(end, runId)],
    ['Agent', agent],
    ['Model', offline ? `${model} — OFFLINE: a fixed script stands in; set ANTHROPIC_API_KEY for a real model` : model],
    ...(totals === null ? [] : totalRows(totals)),
    ...(end.kind === 'ended' && end.result !== null ? deliveryRows(end.result) : []),
    ...(temporalUrl === null ? [] : [['Temporal UI', temporalUrl] as const]),
  ];
  return [
    '',
    ...rows.map(([name, value]) => `  ${colors.dim(name.padEnd(12))} ${visible(value)}`),
    ...nextLines(end, runId).map((line) => `  ${line}`),
  ];
}

function headline(end: RunEnd, runId: string): string {
  switch (end.kind) {
    case 'ended':
      return end.result === null
        ? `${end.closedAs.toLowerCase()}, from outside the run`
        : shortLine(outcomeText(end.result.outcome), 400);
    case 'waiting':
      return shortLine(
        end.view.parked == null ? end.view.now : `parked (${end.view.parked.reason}): ${end.view.parked.message}`,
        400,
      );
    case 'timeout':
      return 'the time for following is up; the run goes on';
    case 'detached':
      return 'detached; the run goes on';
    case 'gone':
      return `there is no run "${runId}"`;
    case 'unreachable':
      return shortLine(`the server does not answer: ${end.message}`, 400);
  }
}

function totalsOf(end: RunEnd): Totals | null {
  if (end.kind === 'waiting') return end.view.totals;
  return end.kind === 'ended' ? (end.result?.totals ?? null) : null;
}

/** Turns, calls, tokens and cost; what was reused or denied only when something was. */
export function totalRows({
  turns,
  toolCalls,
  activeMs,
  usage,
  unpricedCalls,
  denied,
  expired,
  unknown,
  reusedReads = 0,
  reusedBytes = 0,
}: Totals): readonly (readonly [string, string])[] {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const cost = usage.costUsd === null ? 'not known' : `$${usage.costUsd.toFixed(4)}`;
  const undone = [
    [denied, 'denied'],
    [expired, 'expired'],
    [unknown, 'of unknown outcome'],
  ] as const;
  const notDone = undone.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return [
    ['Turns', `${turns}, ${toolCalls} tool calls, ${spanText(activeMs)} of work`],
    ['Tokens', `${group(prompt)} prompt (${group(usage.cacheRead)} from cache), ${group(usage.output)} reply`],
    ['Cost', `${cost}${unpricedCalls > 0 ? ` (without ${unpricedCalls} calls of no known price)` : ''}`],
    ...(reusedReads === 0
      ? []
      : [['Reused', `${group(reusedReads)} reads found nothing new; ${group(reusedBytes)} bytes saved`] as const]),
    ...(notDone.length === 0 ? [] : [['Not done', `tool calls: ${notDone.join(', ')}`] as const]),
  ];
}

/** Declared outputs as they were delivered, and items of the plan that nobody could do. */
export function deliveryRows({
  outputs = {},
  blocked = [],
}: Pick<RunResult, 'outputs' | 'blocked'>): readonly (readonly [string, string])[] {
  const values = Object.entries(outputs).map(
    ([name, value]) => ['Output', `${shortLine(name, 64)} = ${shortLine(safeJson(value), VALUE_CHARACTERS)}`] as const,
  );
  return [...values, ...blocked.map((item) => ['Blocked', shortLine(item, VALUE_CHARACTERS)] as const)];
}

/** A value is shown whole by `-o json`. */
const VALUE_CHARACTERS = 300;

function nextLines(end: RunEnd, runId: string): readonly string[] {
  if (end.kind === 'timeout') return [`Follow it again: nightshift runs tail ${runId}`];
  if (end.kind !== 'waiting') return [];
  const open = end.view.approvals.filter(({ status }) => status === 'open');
  if (end.view.parked != null) return [`When that is mended: nightshift runs resume ${runId}`];
  if (open.length === 0) return [`Go on: nightshift runs resume ${runId}`];
  return [
    'The run stays parked and loses nothing. Answer, then follow it again:',
    ...open.flatMap(answerCommands).map((command) => `  ${command}`),
    `  nightshift runs tail ${runId}`,
  ];
}
