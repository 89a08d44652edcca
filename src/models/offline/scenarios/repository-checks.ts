/** Files that tell how a repository is checked, most telling first. */
export const MANIFESTS = ['package.json', 'Makefile', 'go.mod', 'Cargo.toml', 'pyproject.toml'] as const;

/** Scripts and targets worth running, best first. Only these names can ever become part of a command. */
const WORTH_RUNNING = ['check', 'test', 'lint', 'build'];

/**
 * The command by which a repository checks itself, or null when it has none. `manifests` holds the text of each
 * file by its name.
 */
export function checkCommand(manifests: ReadonlyMap<string, string>): string | null {
  const script = WORTH_RUNNING.find((name) => scriptsOf(manifests.get('package.json')).includes(name));
  if (script !== undefined) return script === 'test' ? 'npm test' : `npm run ${script}`;
  const target = WORTH_RUNNING.find((name) => targetsOf(manifests.get('Makefile')).includes(name));
  if (target !== undefined) return `make ${target}`;
  if (manifests.has('go.mod')) return 'go vet ./... && go test ./...';
  if (manifests.has('Cargo.toml')) return 'cargo test';
  return manifests.has('pyproject.toml') ? 'python3 -m pytest' : null;
}

/** Names of npm scripts. A file that was cut, or has a mistake in it, is searched as text. */
function scriptsOf(text = ''): readonly string[] {
  try {
    const { scripts } = JSON.parse(text) as { readonly scripts?: unknown };
    return typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : [];
  } catch {
    const [, body = ''] = /"scripts"\s*:\s*\{([^}]*)/.exec(text) ?? [];
    return [...body.matchAll(/"([^"]+)"\s*:/g)].map(([, name = '']) => name);
  }
}

function targetsOf(text = ''): readonly string[] {
  return [...text.matchAll(/^([a-zA-Z0-9_-]+)\s*:(?!=)/gm)].map(([, name = '']) => name);
}
