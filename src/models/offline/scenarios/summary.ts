import type { Scenario } from '../scenario.ts';
import { counted, listed, oneLine } from './speech.ts';

/** The closing words of a run that ends before its goal: what was done, as the conversation shows it. */
export const summary: Scenario = ({ task, turn, results }) => {
  const tools = [...new Set(results.map(({ tool }) => tool))];
  const uses = tools.map((name) => `${name} (${results.filter(({ tool }) => tool === name).length})`);
  const failed = results.filter(({ isError }) => isError).length;
  const done =
    results.length === 0
      ? 'No tool was called.'
      : `These tools were called: ${listed(uses)}; ${counted(failed, 'call')} ended without success.`;
  return {
    thinking: 'Only words are wanted now.',
    text: `This is the offline model. The run ends before its goal, "${oneLine(task, 200)}". There were ${counted(turn, 'turn')}. ${done} What is left to do needs a new run.`,
  };
};
