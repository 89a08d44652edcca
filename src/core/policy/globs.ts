/** `*` stands for any characters. Linear in space, and never slower than the product of the lengths. */
export function matchesGlob(pattern: string, text: string): boolean {
  let [at, star, resume] = [0, -1, 0];
  let position = 0;
  while (position < text.length) {
    if (pattern[at] === '*') {
      star = at;
      resume = position;
      at += 1;
    } else if (at < pattern.length && pattern[at] === text[position]) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      resume += 1;
      position = resume;
      at = star + 1;
    } else return false;
  }
  return pattern.slice(at).replaceAll('*', '') === '';
}

/** Two patterns longer than this count as having a text in common. */
const CELLS_MAX = 1_000_000;

/** Whether any text fits both patterns. */
export function globsMeet(left: string, right: string): boolean {
  if (!prefixesMeet(left, right)) return false;
  if (left.length * right.length > CELLS_MAX) return true;
  let above: readonly boolean[] = [];
  for (let row = 0; row <= left.length; row += 1) above = nextRow(above, { letter: left[row - 1], right });
  return above.at(-1) === true;
}

/** For every beginning of `right`, whether the beginning of the other pattern up to `letter` has a text in common with it. */
function nextRow(
  above: readonly boolean[],
  { letter, right }: { readonly letter: string | undefined; readonly right: string },
): readonly boolean[] {
  const row: boolean[] = [];
  for (let column = 0; column <= right.length; column += 1) {
    const other = right[column - 1];
    const stars = (letter === '*' || other === '*') && (above[column] === true || row[column - 1] === true);
    const same = letter === undefined ? other === undefined : letter === other && above[column - 1] === true;
    row.push(stars || same);
  }
  return row;
}

function prefixesMeet(left: string, right: string): boolean {
  const [a, b] = [left.split('*', 1)[0] ?? '', right.split('*', 1)[0] ?? ''];
  return a.startsWith(b) || b.startsWith(a);
}

/**
 * Globs of paths as in a gitignore file: `**` crosses folders, `*` and `?` do not. A pattern with a slash at its start
 * or in its middle begins at the workspace; one without stands for a name in any folder. Two slashes begin an absolute
 * path. `widely` also takes what lies below a match, as a rule that restricts must.
 */
export function matchesPath(pattern: string, path: string, how: 'widely' | 'strictly'): boolean {
  const { source, absolute } = anchored(pattern);
  const outside = isOutside(path);
  if (absolute !== path.startsWith('/') && !(how === 'widely' && outside && !absolute)) return false;
  if (how === 'strictly' && outside && !absolute) return false;
  const names = parts(path);
  const ends = endsOf(source, { names, how });
  return how === 'strictly' ? ends.has(names.length) : ends.size > 0;
}

/** Absolute, or above the workspace. */
export function isOutside(path: string): boolean {
  return /^(?:\/|\.\.(?:\/|$)|~|[a-zA-Z]:[\\/])/u.test(path);
}

function anchored(pattern: string): { readonly source: readonly string[]; readonly absolute: boolean } {
  if (pattern.startsWith('//')) return { source: parts(pattern), absolute: true };
  const below = pattern.endsWith('/') ? `${pattern}**` : pattern;
  const rooted = /^\.?\//u.test(below);
  const anywhere = !rooted && !below.replace(/\/\*\*$/u, '').includes('/');
  return { source: [...(anywhere ? ['**'] : []), ...parts(below)], absolute: false };
}

function parts(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/** How many of the names the pattern can take up. A `**` at the end takes at least one, where it allows. */
function endsOf(
  pattern: readonly string[],
  { names, how }: { readonly names: readonly string[]; readonly how: 'widely' | 'strictly' },
): ReadonlySet<number> {
  let ends: ReadonlySet<number> = new Set([0]);
  for (const [index, part] of pattern.entries()) {
    if (ends.size === 0) return ends;
    const needed = how === 'strictly' && index === pattern.length - 1 ? 1 : 0;
    ends = part === '**' ? from(Math.min(...ends) + needed, names.length) : oneMore(part, { names, ends });
  }
  return ends;
}

function from(first: number, last: number): ReadonlySet<number> {
  return new Set(Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index));
}

function oneMore(
  part: string,
  { names, ends }: { readonly names: readonly string[]; readonly ends: ReadonlySet<number> },
): ReadonlySet<number> {
  return new Set([...ends].filter((at) => at < names.length && matchesName(part, names[at] ?? '')).map((at) => at + 1));
}

function matchesName(pattern: string, name: string): boolean {
  if (!pattern.includes('?')) return matchesGlob(pattern, name);
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\/]/gu, '\\$&')
    .replaceAll(/\*+/gu, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su').test(name);
}
