import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { touchesOfShell } from '../../../src/tools/shell/shell-line.ts';
import { table } from './shell-touches.ts';

describe('touchesOfShell()', () => {
  table('what does not parse cannot be told', [
    ["echo 'x", '?', 'echo x'],
    ['echo "x', '?', 'echo x'],
    ['a )', '?', 'a'],
    ['fi', '?'],
    ['a >', '?', 'a'],
    ['a &&', '?', 'a'],
    ['$(a', '$(a', '?', 'a'],
    ['cat <<E\nx', '?', 'cat'],
    ['ls !(x)', '?', 'ls !(x)'],
    ['a\rb', "'a\rb'", '?'],
    ['a \r\n rm x', '?', "a '\r'", 'rm x'],
    ['a\0b', '?', 'a\0b'],
    ['a\u00a0b', '?', "'a\u00a0b'"],
    ['a \u202e b', '?', 'a \u202e b'],
    ['a\u001b[2K', '?', 'a\u001b[2K'],
  ]);

  test('more parts than can be judged are not passed over', () => {
    const line = Array.from({ length: 51 }, (_, index) => `a ${index}`).join('; ');
    const touches = touchesOfShell(`${line}; rm x`);
    expect(touches).toHaveLength(51);
    expect(touches.at(-1)).toEqual({ kind: 'opaque', why: 'it has more than 50 parts' });
    expect(touchesOfShell(line.replace('; a 50', '')).every(({ kind }) => kind === 'command')).toBe(true);
  });

  test('the variables set for a command stand apart from it', () => {
    expect(touchesOfShell("A='b c' npm test")).toEqual([
      { kind: 'command', text: "'A=b c' npm test", bare: 'npm test' },
    ]);
  });

  test.each([
    ['deep nesting', '$('.repeat(5_000) + ')'.repeat(5_000)],
    ['many wrappers', `${'env '.repeat(20_000)}rm x`],
    ['one long word', `echo ${'x'.repeat(99_000)}`],
    ['many commands', 'a;'.repeat(50_000)],
    ['many unlike commands', Array.from({ length: 10_000 }, (_, index) => `a${index}`).join('|')],
    ['many folders', Array.from({ length: 10_000 }, (_, index) => `cd a${index}`).join(';')],
    [
      'code in code',
      Array.from({ length: 12 }).reduce((code: string) => `eval '${code.replaceAll("'", `'\\''`)}'`, 'rm x'),
    ],
    ['brackets', '['.repeat(100_000)],
    ['arithmetic', `echo $(( ${'('.repeat(10_000)}1${')'.repeat(10_000)} ))`],
  ])('%s is judged in little space, and not passed over', (_name, line) => {
    const touches = touchesOfShell(line);
    expect(JSON.stringify(touches).length).toBeLessThan(60_000);
    expect(touches.length).toBeGreaterThan(0);
  });

  test('no line makes it throw or leaves nothing to judge', () => {
    const words = [
      'rm x',
      '$(',
      '`',
      '"',
      "'",
      '<<E\n',
      'E\n',
      '\\',
      '<(',
      '((',
      '))',
      '[[',
      ']]',
      'bash -c ',
      'eval ',
      '${x',
    ];
    const marks = [...') ; && | > { } = a # ! * ~ $x if then fi case in esac do done'.split(' '), '\n', ' ', '\r'];
    const piece = fc.constantFrom(...words, ...marks);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const line = pieces.join('');
        const touches = touchesOfShell(line);
        return touches.length > 0 || /^(?:[ \t]*(?:#.*)?\n?)*$/.test(line);
      }),
      { numRuns: 3_000 },
    );
  });
});

/** Lines of which bash runs the command `probe`; a reading must name it, or say that it cannot tell. */
test('whatever way a command is hidden in, if bash runs it, it is read or cannot be told', () => {
  const wrap = fc.constantFrom<(inner: string) => string>(
    (inner) => `echo $(${inner})`,
    (inner) => `true && ${inner}`,
    (inner) => `(${inner})`,
    (inner) => `{ ${inner}\n}`,
    (inner) => `bash -c '${inner.replaceAll("'", `'\\''`)}'`,
    (inner) => `eval '${inner.replaceAll("'", `'\\''`)}'`,
    (inner) => `f() { ${inner}\n}; f`,
    (inner) => `x=$(${inner})`,
    (inner) => `cat <<E\n$(${inner})\nE`,
    (inner) => `echo "\${y:-$(${inner})}"`,
    (inner) => `if true; then ${inner}\nfi`,
    (inner) => `cat <(${inner})`,
    (inner) => `echo $(( 1 + $(${inner}; echo 1) ))`,
    (inner) => `case a in a) ${inner}\nesac`,
    (inner) => `for i in 1; do ${inner}\ndone`,
    (inner) => `trap '${inner.replaceAll("'", `'\\''`)}' EXIT`,
  );
  const name = fc.constantFrom('probe', 'pro\\be', "p'rob'e", "$'\\x70robe'", '"probe"', 'pr\\\nobe');
  const call = fc.constantFrom('', 'command ', 'A=1 ', 'builtin command ', 'exec ');
  fc.assert(
    fc.property(fc.array(wrap, { maxLength: 4 }), name, call, (wraps, program, how) => {
      const line = wraps.reduce((inner, next) => next(inner), `${how.includes('exec') ? '' : how}${program}`);
      const ran = spawnSync('bash', ['-c', `probe() { echo RAN >&2; }; export -f probe\n${line}`], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const found = touchesOfShell(line);
      const told = found.some(
        (touch) => touch.kind === 'opaque' || (touch.kind === 'command' && touch.bare === 'probe'),
      );
      expect({ line, told: told || !ran.stderr.includes('RAN') }).toEqual({ line, told: true });
    }),
    { numRuns: 150 },
  );
});
