import { expect, test } from 'vitest';
import { checkCommand } from '../../../../src/models/offline/scenarios/repository-checks.ts';

const cases: readonly [Readonly<Record<string, string>>, string | null][] = [
  [{}, null],
  [{ 'package.json': '{"scripts":{"test":"t","check":"c"}}' }, 'npm run check'],
  [{ 'package.json': '{"scripts":{"test":"t"}}' }, 'npm test'],
  [{ 'package.json': '{"scripts":{"deploy":"d"}}', Makefile: 'test: a\n\techo' }, 'make test'],
  [{ 'package.json': '{"scripts":null}' }, null],
  [{ 'package.json': '{ "name": "x", "scripts": { "lint": "l" }, "dep' }, 'npm run lint'],
  [{ Makefile: 'check := 1\nall:\n' }, null],
  [{ Makefile: 'build: all\ncheck:\n' }, 'make check'],
  [{ 'go.mod': 'module x' }, 'go vet ./... && go test ./...'],
  [{ 'Cargo.toml': '' }, 'cargo test'],
  [{ 'pyproject.toml': '' }, 'python3 -m pytest'],
];

test.each(cases)('checkCommand(): %o gives %s', (manifests, command) => {
  expect(checkCommand(new Map(Object.entries(manifests)))).toBe(command);
});
