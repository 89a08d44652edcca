import { expect, test } from 'vitest';
import { play, type Played, type ToolAnswer, type Tools } from './playing.ts';

const system = 'You look after repositories.\n\nAgent: auditor\n';

const ok = (text: string): ToolAnswer => ({ text });
const failed = (text: string): ToolAnswer => ({ text, isError: true });

const hits: Readonly<Record<string, string>> = {
  'eval\\(': 'src/run.ts:44:  return eval(code); // `careful`',
  'console\\.log':
    'src/run.ts:7:console.log("here");\nsrc/app/main.ts:3:console.log("up");\n[Only the first 2 lines are shown; use a narrower pattern or path.]',
  'TODO|FIXME|XXX':
    'reports/audit.md:9:- `src/old.ts:1` TODO\nsrc/notes.ts:120:// TODO: a: b\npackage.json:2:  "description": "TODO"',
};

/** A small repository, in the formats that the tools document. */
function repository(check: ToolAnswer, changes: Tools = {}): Tools {
  return {
    ls: () => ok('README.md\nlink.md -> README.md\npackage.json\nsrc/\nreports/'),
    bash: ({ command }) => (command === 'git log --oneline -n 20' ? ok('abc1234 Add eval\ndef5678 Begin') : check),
    glob: () => ok('src/app/main.ts\nsrc/notes.ts\nsrc/run.ts'),
    grep: ({ pattern }) => ok(hits[String(pattern)] ?? '[No line matches.]'),
    read_file: ({ path }) =>
      ok(
        path === 'package.json' ? '{"name":"x","scripts":{"lint":"l","check":"c"}}' : 'one\ntwo\n[Lines 1 to 2 of 90.]',
      ),
    write_file: ({ path, content }) => ok(`Wrote ${String(content).length} bytes to ${String(path)}.`),
    ...changes,
  };
}

function reportIn({ calls }: Played): string {
  const reports = calls.flatMap(({ name, input }) => (name === 'write_file' ? [input as { content: string }] : []));
  expect(reports).toHaveLength(1);
  return reports[0]?.content ?? '';
}

test('the auditor looks around, asks for leave to run the checks, and reports what it really found', async () => {
  const played = await play({ system, tools: repository(ok('all good\n12 passed')) });
  expect(played.turns).toEqual([
    ['ls .'],
    ['bash git log --oneline -n 20'],
    [expect.stringContaining('glob **/*.{ts,')],
    ['grep eval\\(', 'grep console\\.log', 'grep TODO|FIXME|XXX'],
    ['read_file src/run.ts', 'read_file src/app/main.ts', 'read_file src/notes.ts'],
    ['read_file package.json'],
    ['bash npm run check'],
    ['write_file reports/audit.md'],
    [],
  ]);
  expect(played.calls.find(({ input }) => (input as { path?: string }).path === 'src/notes.ts')?.input).toMatchObject({
    offset: 110,
    limit: 40,
  });
  const report = reportIn(played);
  expect(report).toContain('I saw 2 commits and 3 source files');
  expect(report).toContain('- `abc1234 Add eval`');
  expect(report).toContain("- `src/run.ts:44` `return eval(code); // 'careful'`");
  expect(report).toContain('### Output left from debugging: at least 2 hits');
  expect(report).toContain('### Notes left in the code: 2 hits');
  expect(report).not.toContain('src/old.ts');
  expect(report).toContain('The checks (`npm run check`) were allowed, were run and passed.');
  expect(report).toContain('    12 passed');
  expect(played.said.at(-1)).toMatch(/^This is the offline model.*The report is in reports\/audit\.md\./s);
});

const checks: readonly [name: string, check: ToolAnswer, says: string][] = [
  ['failed', failed('1 failing\nexit code 3'), 'were allowed and run, and failed with exit code 3.'],
  ['failed, with a note below', failed('1 failing\nexit code 1\n[… cut …]'), 'failed with exit code 1.'],
  [
    'denied',
    failed('denied: ada denied this call, and it was not run. They said: "not on Fridays".'),
    'were not run, because leave was denied: ada denied this call, and it was not run. They said: "not on Fridays".',
  ],
  [
    'expired',
    failed('expired: nobody answered within 1 day, so this call was not run.'),
    'were not run, because nobody answered in time: nobody answered within 1 day',
  ],
  [
    'unknown',
    failed('outcome_unknown: it is not known whether this call happened'),
    'may or may not have run: it is not known',
  ],
  ['strange', failed('constructor: what'), 'came to no end that I know (constructor): what'],
];

test.each(checks)(
  'checks that ended as %s are told as such, once, in report and answer',
  async (_name, check, says) => {
    const played = await play({ system, tools: repository(check) });
    expect(played.turns.flat().filter((call) => call === 'bash npm run check')).toHaveLength(1);
    expect(reportIn(played)).toContain(says);
    expect(played.said.at(-1)).toContain(says);
    expect(played.said.at(-1)).toContain('The report is in');
  },
);

test('without hits it reads what a newcomer would, and a repository without checks asks nobody', async () => {
  const tools = repository(ok(''), {
    ls: () => ok('readme.txt\nsrc/'),
    grep: () => ok('[No line matches.]'),
    read_file: () => ok('Hello'),
  });
  const played = await play({ system, tools });
  expect(played.turns.flat()).toEqual(expect.arrayContaining(['read_file readme.txt']));
  expect(played.turns.flat().filter((call) => call.startsWith('bash'))).toEqual(['bash git log --oneline -n 20']);
  expect(reportIn(played)).toContain('I found no checks of the repository.');
});

test('a repository where every tool fails still ends with an honest report', async () => {
  const broken = (): ToolAnswer => failed('execution_failed: the disk is on fire');
  const played = await play({
    system,
    tools: { ls: broken, bash: broken, glob: broken, grep: broken, read_file: broken, write_file: broken },
  });
  expect(played.turns.at(-1)).toEqual([]);
  expect(reportIn(played)).toContain('did not succeed: execution_failed: the disk is on fire');
  expect(played.said.at(-1)).toContain('The report could not be written: execution_failed: the disk is on fire');
});

test('an auditor without tools answers at once', async () => {
  const played = await play({ system, tools: {} });
  expect(played.turns).toEqual([[]]);
  expect(played.said[0]).toContain('I have no tool to write files with');
});

test('what a person says is heard in the next turn and stands in the report', async () => {
  const played = await play({
    system,
    tools: repository(ok('fine')),
    interjections: { 3: 'ada says: look at src/run.ts' },
  });
  expect(played.said[3]).toContain('I heard this: "ada says: look at src/run.ts"');
  expect(played.said[4]).not.toContain('I heard this');
  expect(reportIn(played)).toContain('- ada says: look at src/run.ts');
});

test('strange names and huge outputs are only ever text', async () => {
  const many = Array.from({ length: 200 }, (_, index) => `src/[id] $(rm -rf).ts:${index + 1}:${'😀'.repeat(90)}`).join(
    '\n',
  );
  const tools = repository(ok('x\n'.repeat(50_000)), {
    grep: () => ok(many),
    read_file: ({ path }) =>
      ok(path === 'package.json' ? 'not json "scripts": {"test": "rm -rf /", "__proto__": 1' : 'x'),
  });
  const played = await play({ system, tools });
  expect(played.turns.flat()).toContain('bash npm test');
  const report = reportIn(played);
  expect(report).toContain('- and 150 more');
  expect(report.length).toBeLessThan(100_000);
});

test.each([
  ['was run', ok('all good'), 'completed'],
  ['was denied', failed('denied: ann denied this call, and it was not run.'), 'blocked'],
])('with a to-do list the auditor keeps its plan, in which a check that %s says so', async (_name, check, expected) => {
  const played = await play({ system, tools: repository(check, { todo: () => ok('The plan is now: …') }) });
  const plans = played.calls.flatMap(({ name, input }) => (name === 'todo' ? [(input as Plan).items] : []));
  expect(plans.map((items) => items.findIndex(({ status }) => status === 'in_progress'))).toEqual([0, 1, 2, 3, 4, -1]);
  expect(plans.at(-1)?.map(({ status }) => status)).toEqual([
    'completed',
    'completed',
    'completed',
    expected,
    'completed',
  ]);
});

interface Plan {
  readonly items: readonly { readonly status: string }[];
}
