/**
 * Whether tools never write this workspace-relative path.
 *
 * `.nightshift` holds the claims that keep effects from happening twice. `.git` is written by git alone: its
 * config and hooks run programs outside any grant, and a `.git` file or `commondir` points git at another config.
 * Compared without case, since some file systems do not know it.
 */
export function isProtected(path: string): boolean {
  return path.split('/').some((segment) => {
    const name = segment.toLowerCase();
    return name === '.git' || name === '.nightshift';
  });
}
