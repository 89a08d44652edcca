import { isRunByShell } from './builtins.ts';
import { findRuns } from './find.ts';
import { baseName, unread, type Inner } from './inner.ts';
import { shellRuns } from './shells.ts';
import { UNKNOWN_WORDS, type ShellWord } from './words.ts';

interface Prefix {
  /** Options that stand alone, and options that take a word; any other cannot be read. */
  readonly flags: readonly string[];
  readonly valued: readonly string[];
  /** Options after which nothing is run. */
  readonly quiet?: readonly string[];
  /** Words before the command. */
  readonly operands?: number;
  readonly assignments?: true;
  /** It adds words of its own. */
  readonly adds?: true;
}

function prefix(flags: string, valued: string, more: Omit<Prefix, 'flags' | 'valued'> = {}): Prefix {
  return { flags: flags.split(' '), valued: valued.split(' '), ...more };
}

/** Programs that run the command behind them. */
const PREFIXES: ReadonlyMap<string, Prefix> = new Map([
  ['env', prefix('- -i -0 -v --ignore-environment --null --debug', '-u --unset -C --chdir', { assignments: true })],
  ['command', prefix('-p', '', { quiet: ['-v', '-V'] })],
  ['builtin', prefix('', '')],
  ['exec', prefix('-c -l', '-a')],
  ['nohup', prefix('', '')],
  ['setsid', prefix('-c -f -w --ctty --fork --wait', '')],
  ['time', prefix('-p -v -a -q --portability --verbose --append --quiet', '-f -o --format --output')],
  ['nice', prefix('', '-n --adjustment')],
  ['timeout', prefix('-v --foreground --preserve-status --verbose', '-k -s --kill-after --signal', { operands: 1 })],
  ['stdbuf', prefix('', '-i -o -e --input --output --error')],
  ['ionice', prefix('-t', '-c -n')],
  ['caffeinate', prefix('-d -i -m -s -u', '-t')],
  ['busybox', prefix('', '')],
  ['toybox', prefix('', '')],
  ['doas', prefix('-n', '-u -C')],
  ['sudo', prefix('-n -E -H -S -k -b -P -A -B', '-u -g -h -p -C -r -t -T -D -R -U', { assignments: true })],
  [
    'xargs',
    prefix(
      // The last three take a word only behind `=`.
      '-0 -r -t -p -x --null --no-run-if-empty --verbose --interactive --exit --eof --max-lines --replace',
      '-n -P -d -E -s -a -L -I --max-args --max-procs --delimiter --eof --max-chars --arg-file --max-lines --replace',
      { adds: true },
    ),
  ],
]);

/** Programs that run words or text of theirs in ways that are not read here. */
const UNREAD: ReadonlySet<string> = new Set(
  (
    'parallel watch flock su sg runuser pkexec script unshare nsenter chroot strace ltrace zsh ksh mksh csh tcsh fish rbash ' +
    'pwsh taskset chrt choom setarch linux32 linux64 i386 x86_64 setpriv prlimit uclampset runcon capsh numactl fakeroot ' +
    'unbuffer systemd-run start-stop-daemon'
  ).split(' '),
);

/** What a command runs besides itself, as far as it can be told. */
export function innerOf([name, ...args]: readonly ShellWord[]): readonly Inner[] {
  const program = baseName(name?.value ?? '');
  if (UNREAD.has(program) || /^ld(?:-.*)?\.so/.test(program)) return [unread(program)];
  if (program === 'find') return findRuns(args);
  const wrapper = PREFIXES.get(program);
  return wrapper === undefined ? shellRuns(program, args) : prefixRuns(program, wrapper, args);
}

function prefixRuns(program: string, wrapper: Prefix, args: readonly ShellWord[]): readonly Inner[] {
  const start = commandStart(wrapper, args);
  if (start === 'quiet') return [];
  if (start === undefined) return [unread(program)];
  const words = args.slice(start);
  if (words.length === 0) return [];
  if (wrapper.adds !== true) return [{ kind: 'command', words }];
  // What `-I` puts in may stand anywhere, also inside of code.
  const replaces = args.slice(0, start).some(({ value }) => /^(?:-\w*I|--replace)/.test(value ?? ''));
  if (replaces && innerOf(words).some(({ kind }) => kind === 'code')) return [unread(program)];
  return [{ kind: 'command', words: [...words, UNKNOWN_WORDS] }];
}

/** The position of the command's name; undefined when an option cannot be read. */
function commandStart(wrapper: Prefix, args: readonly ShellWord[]): number | 'quiet' | undefined {
  const behind = afterOptions(wrapper, args);
  if (typeof behind !== 'number') return behind;
  let at = behind + (wrapper.operands ?? 0);
  while (wrapper.assignments === true && /=/.test(args[at]?.value ?? args[at]?.written ?? '')) at += 1;
  const before = args.slice(0, at);
  return before.some(({ splits, shown }) => splits || isRunByShell(shown.replace(/^'|=.*/gs, ''))) ? undefined : at;
}

function afterOptions(wrapper: Prefix, args: readonly ShellWord[]): number | 'quiet' | undefined {
  let at = 0;
  for (let option = args[at]; option !== undefined; option = args[at]) {
    const { value } = option;
    if (value === undefined) return undefined;
    if (value === '--') return at + 1;
    if (!value.startsWith('-')) return at;
    if (wrapper.quiet?.includes(value) === true) return 'quiet';
    const length = optionLength(wrapper, value);
    if (length === undefined) return undefined;
    at += length;
  }
  return at;
}

/** How many words an option takes up, its own included. */
function optionLength({ flags, valued }: Prefix, option: string): number | undefined {
  if (flags.includes(option) || /^-\d+$/.test(option)) return 1;
  if (valued.includes(option)) return 2;
  if (option.startsWith('--')) return /=/.test(option) && valued.includes(option.replace(/=.*/s, '')) ? 1 : undefined;
  const letters = option.slice(1).split('');
  const taking = letters.findIndex((letter) => valued.includes(`-${letter}`));
  const alone = taking < 0 ? letters : letters.slice(0, taking);
  if (!alone.every((letter) => flags.includes(`-${letter}`))) return undefined;
  return taking === letters.length - 1 ? 2 : 1;
}
