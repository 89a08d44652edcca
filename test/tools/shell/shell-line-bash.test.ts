import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { touchesOfShell } from '../../../src/tools/shell/shell-line.ts';
import { temporaryFolder } from '../situation.ts';

/** Each line hides a call of the command `probe` in its own way: JSON strings, one a line. */
const hidden = readFileSync(new URL('hidden-commands.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as string);

/** Whether bash runs `probe` when it is given the line. */
async function runsProbe(line: string, folder: string): Promise<boolean> {
  await mkdir(folder);
  const trace = join(folder, 'ran');
  const env = { PATH: process.env['PATH'], 'BASH_FUNC_probe%%': `() { echo RAN >&2; echo RAN >> '${trace}'; }` };
  const child = spawn('bash', ['-c', line], { cwd: folder, timeout: 10_000, stdio: 'ignore', env });
  await once(child, 'close');
  return await access(trace).then(
    () => true,
    () => false,
  );
}

test('whatever way a command is hidden in, if bash runs it, it is read or cannot be told', async () => {
  const folder = await temporaryFolder();
  const ran: string[] = [];
  const missed: string[] = [];
  for (const [index, line] of hidden.entries()) {
    if (!(await runsProbe(line, join(folder, String(index))))) continue;
    ran.push(line);
    const isTold = touchesOfShell(line).some(
      (touch) => touch.kind === 'opaque' || (touch.kind === 'command' && touch.bare.split(' ')[0] === 'probe'),
    );
    if (!isTold) missed.push(line);
  }
  expect(missed).toEqual([]);
  // Some need a newer bash, or are mistakes that must not hide the command before them.
  expect(ran.length).toBeGreaterThan(200);
});

const ordinary: string[] = [
  'npm ci && npm test 2>&1 | tail -n 20',
  'git status --porcelain | head -n 20',
  'git log --oneline -n 5 -- src/a.ts',
  "git commit -m 'Say why' -m \"It's so\"",
  'for f in src/*.ts; do wc -l "$f"; done',
  'grep -rn "foo(bar)" src | sort | uniq -c | sort -rn',
  "grep -E '^(a|b)+[0-9]{2,}$' f || true",
  'python3 - <<\'EOF\'\nprint(f"{1 + 1}")\nEOF',
  "cat > src/a.ts <<'EOF'\nexport const a = `x${1}`;\nEOF",
  'cd web && npm run build',
  'if [ -f package.json ]; then cat package.json; else echo none; fi',
  "find . -name '*.ts' -not -path './node_modules/*' | xargs wc -l",
  'find . -type f -print0 | xargs -0 -n 1 -P 4 gzip',
  "sed -i 's/a\\(b\\)/\\1/g' f",
  "awk -F: '{print $1, a[NR]}' f",
  'jq \'.a[] | select(.b == "c")\' f',
  'x=$(git rev-parse HEAD); echo "$x"',
  '[ "$x" = y ] || exit 1',
  'export FOO=bar; make -j4',
  'printf \'%s\\n\' "$x"',
  'while IFS= read -r line; do echo "$line"; done < f',
  'set -euo pipefail\nmake',
  'echo "${x:-default} ${#x} ${x%.*} ${x##*/}"',
  'files=(a b); echo "${files[@]}"',
  'for i in $(seq 1 3); do echo $((i * 2)); done',
  'n=0; while [ $n -lt 3 ]; do n=$((n + 1)); done',
  "trap 'rm -f tmp' EXIT; touch tmp",
  'source .venv/bin/activate && pip list',
  'timeout 60 npm test',
  'NODE_ENV=test npm test',
  'ls -la; echo "done: $(date +%F)"',
  'mkdir -p a/{b,c} && touch a/b/x',
  '[[ $name == *.ts && -n $name ]] && echo yes',
  'f() { echo "$1"; }; f x',
  'sleep 1 & wait',
  'echo a > out/a.txt; echo b >> out/a.txt',
  'diff <(sort a) <(sort b)',
];
test.each(ordinary)('an ordinary line can be told: %s', (line) => {
  expect(touchesOfShell(line).filter(({ kind }) => kind === 'opaque')).toEqual([]);
});
