import { expect, test } from 'vitest';
import { type AgentSettings, agentSettingsSchema } from '../../src/config/agent-settings.ts';
import { parseAgentFile } from '../../src/config/agent-file.ts';

const judgement: AgentSettings = {
  models: { light: 'haiku' },
  critique: {
    when: ['every_turn', 'after_errors'],
    everyTurns: 5,
    redoMax: 2,
    retriesPerStep: 1,
    askBelow: 0,
    tests: ['npm test*'],
    expectsChanges: true,
    calls: 20,
    costUsd: 0.5,
    model: 'opus',
  },
  thinking: 'debugging',
  loops: {
    allow: ['bash(sleep *)'],
    cycleRepeats: 2,
    chantRepeats: 12,
    sameReplies: 3,
    noProgressTurns: 20,
    judgeAfterTurns: 1,
  },
  outputs: [
    { name: 'total', description: 'In euros', schema: { type: 'number' } },
    { name: '_a-1', schema: {} },
  ],
  compaction: { windowShare: 0.5, keptShare: 0.99, by: 'api' },
  completionCheck: true,
  remindAfterTurns: 3,
  limits: { consecutiveErrors: 4 },
  reuseReads: false,
};

test('everything about judgement may stand in an agent file, and none of it must', () => {
  expect(agentSettingsSchema.parse(judgement)).toEqual(judgement);
  expect(agentSettingsSchema.parse({})).toEqual({});
});

test.each(['never', 'before_complete', 'every_turn', 'after_errors'])('critique.when may be %s alone', (when) => {
  expect(agentSettingsSchema.parse({ critique: { when } })).toEqual({ critique: { when } });
});

const WHEN = 'expected never, one of before_complete, every_turn, after_errors, or a list of those';
const NAME = 'expected a name of 1 to 64 letters, digits, "_" or "-", beginning with a letter or "_"';

const refused: readonly [settings: string, problem: string][] = [
  ['{critique: {when: sometimes}}', `critique.when: ${WHEN}, got "sometimes"`],
  ['{critique: {when: [never]}}', `critique.when: ${WHEN}, got ["never"]`],
  ['{critique: {askBelow: 101}}', 'critique.askBelow: expected a whole number from 0 to 100, got 101'],
  ['{critique: {tests: npm test}}', 'critique.tests: expected a list of texts, got "npm test"'],
  ['{critique: {tests: [""]}}', 'critique.tests.0: expected a list of texts, got ""'],
  ['{critique: {expectsChanges: maybe}}', 'critique.expectsChanges: expected true or false, got "maybe"'],
  ['{critique: {costUsd: 0}}', 'critique.costUsd: expected an amount in US dollars above 0, got 0'],
  ['{critique: {model: " "}}', 'critique.model: expected the name or id of a model, got " "'],
  ['{critique: {redMax: 3}}', 'critique.redMax: there is no such key; did you mean "redoMax"?'],
  ['{models: {light: 4}}', 'models.light: expected the name or id of a model, got 4'],
  ['{models: {ligt: haiku}}', 'models.ligt: there is no such key; did you mean "light"?'],
  ['{thinking: fast}', 'thinking: expected one of general, debugging, research, got "fast"'],
  ['{loops: {cycleRepeats: 1}}', 'loops.cycleRepeats: expected a whole number of at least 2, got 1'],
  ['{loops: {judgeAfterTurns: 0}}', 'loops.judgeAfterTurns: expected a whole number of at least 1, got 0'],
  ['{loops: {allow: bash}}', 'loops.allow: expected a list of rules such as "bash(git log *)", got "bash"'],
  ['{outputs: {total: {}}}', 'outputs: expected a list of outputs, each with a name and a schema, got {"total":{}}'],
  ['{outputs: [total]}', 'outputs.0: expected a name and a schema, got "total"'],
  ['{outputs: [{name: 1a, schema: {}}]}', `outputs.0.name: ${NAME}, got "1a"`],
  ['{outputs: [{name: a}]}', 'outputs.0.schema: expected a JSON schema, such as {type: string}, got nothing'],
  [
    '{outputs: [{name: a, schema: {}}, {name: a, schema: {}}]}',
    'outputs: expected each output to have a name of its own, got [{"name":"a","schema":{}},{"name":"a","schema":{}}]',
  ],
  ['{compaction: {windowShare: 1}}', 'compaction.windowShare: expected a share between 0 and 1, such as 0.6, got 1'],
  ['{compaction: {keptShare: 60}}', 'compaction.keptShare: expected a share between 0 and 1, such as 0.6, got 60'],
  ['{compaction: {by: me}}', 'compaction.by: expected one of api, model, rule, got "me"'],
  ['{completionCheck: 1}', 'completionCheck: expected true or false, got 1'],
  ['{remindAfterTurns: 0}', 'remindAfterTurns: expected a whole number of at least 1, got 0'],
  [
    '{limits: {consecutiveErrors: none}}',
    'limits.consecutiveErrors: expected a whole number of at least 1, got "none"',
  ],
  ['{reuseReads: "yes"}', 'reuseReads: expected true or false, got "yes"'],
];

test.each(refused)('an agent file is refused for %s', (settings, problem) => {
  const text = `---\nx-nightshift: ${settings}\n---\nDo the work.\n`;
  expect(() => parseAgentFile({ text, source: 'a.md', knownTools: ['bash'] })).toThrow(
    `Cannot use "a.md": x-nightshift.${problem}`,
  );
});
