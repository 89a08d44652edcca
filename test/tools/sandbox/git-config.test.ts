import { expect, test } from 'vitest';
import { isHarmlessGitConfig } from '../../../src/tools/sandbox/git-config.ts';

const cases: [name: string, text: string, harmless: boolean][] = [
  ['nothing', '', true],
  [
    'what git init writes',
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n',
    true,
  ],
  ['a name', '[user]\n\tname = Ada L\n\temail = a@b.c\n', true],
  [
    'what git clone writes',
    '[remote "origin"]\n\turl = https://x.org/y.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n',
    true,
  ],
  ['a program that watches files', '[core]\n\tfsmonitor = touch x\n', false],
  ['a folder of hooks', '[core]\n\thooksPath = x\n', false],
  ['a program after a harmless line', '[core]\n\tbare = false\n\tsshCommand = x\n', false],
  ['other settings', '[include]\n\tpath = ../x\n', false],
  ['other settings on a condition', '[includeIf "gitdir:/"]\n\tpath = ../x\n', false],
  ['a filter', '[filter "x"]\n\tclean = touch x\n', false],
  ['an alias', '[alias]\n\tst = !touch x\n', false],
  ['a heading and a setting in one line', '[core] fsmonitor = x\n', false],
  ['a line that goes on', '[user]\n\tname = a\\\n\tfsmonitor = x\n', false],
  ['an address that is a program', '[remote "origin"]\n\turl = ext::sh -c x\n', false],
  ['an address that is an option', '[remote "origin"]\n\turl = --upload-pack=x\n', false],
  ['a setting without a value', '[core]\n\tfsmonitor\n', false],
  ['a setting in another section', '[user]\n\tfsmonitor = x\n', false],
];
test.each(cases)('isHarmlessGitConfig(): %s', (_name, text, harmless) => {
  expect(isHarmlessGitConfig(text)).toBe(harmless);
});
