/** Settings that neither start a program nor lead to other settings. */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  core: /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)$/i,
  user: /^(name|email)$/i,
  init: /^defaultbranch$/i,
  extensions: /^(objectformat|refstorage)$/i,
  remote: /^(url|fetch)$/i,
  branch: /^(remote|merge|rebase)$/i,
  pull: /^(rebase|ff)$/i,
  commit: /^gpgsign$/i,
};

/**
 * Whether git can be used in a repository with these settings without starting anything. An allowlist of plain lines:
 * whatever is written in another way counts as harmful.
 */
export function isHarmlessGitConfig(text: string): boolean {
  let section = '';
  return text.split('\n').every((line) => {
    const heading = /^\s*\[([a-z]+)(?: "[\w./-]+")?\]\s*$/i.exec(line)?.[1];
    if (heading === undefined) return /^\s*([#;].*)?$/.test(line) || isHarmlessSetting(section, line);
    section = heading.toLowerCase();
    return section in HARMLESS;
  });
}

function isHarmlessSetting(section: string, line: string): boolean {
  const [, name, value] = /^\s*([a-z]+)\s*=\s*([^\\"]*)$/i.exec(line) ?? [];
  if (name === undefined || value === undefined || value.includes('::') || value.startsWith('-')) return false;
  return HARMLESS[section]?.test(name) ?? false;
}
