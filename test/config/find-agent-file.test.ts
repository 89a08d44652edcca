import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentFile } from '../../src/config/agent-file.ts';
import { findAgentFile, listAgentFiles } from '../../src/config/find-agent-file.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'nightshift-agents-'));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function put(path: string, description = path): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), `---\ndescription: "${description}"\n---\nDo it.\n`);
}

async function find(name: string): Promise<AgentFile> {
  return await findAgentFile(name, { folder: join(root, 'project'), home: join(root, 'home'), knownTools: ['bash'] });
}

describe('findAgentFile()', () => {
  test('takes the first place and names the files it shadows', async () => {
    await put('home/.claude/agents/a.md');
    await put('project/.claude/agents/a.md');
    await put('project/agents/a.md');
    const { source, notices } = await find('a');
    expect(source).toBe('agents/a.md');
    expect(notices).toEqual([
      '.claude/agents/a.md is not used: agents/a.md comes first',
      '~/.claude/agents/a.md is not used: agents/a.md comes first',
    ]);
  });

  test.each([
    'project/agents/a.md',
    'project/.agents/agents/a.md',
    'project/.claude/agents/a.md',
    'home/.claude/agents/a.md',
  ])('looks in %s', async (path) => {
    await put(path);
    expect((await find('a')).description).toBe(path);
  });

  test.each(['./special/a.md', 'special/a.md', '../outside/a.md'])('takes the path %s', async (path) => {
    await put('project/special/a.md');
    await put('outside/a.md');
    expect((await find(path)).name).toBe('a');
  });

  test('lists all files in the order in which they win, and only Markdown', async () => {
    await put('home/.claude/agents/a.md');
    await put('project/agents/b.md');
    await put('project/agents/b.txt');
    const places = { folder: join(root, 'project'), home: join(root, 'home'), knownTools: [] };
    expect(await listAgentFiles(places)).toEqual([
      join(root, 'project/agents/b.md'),
      join(root, 'home/.claude/agents/a.md'),
    ]);
  });

  test('a name that is not there is refused with the places and the nearest name', async () => {
    await put('project/agents/auditor.md');
    await expect(find('auditer')).rejects.toThrow(
      'Cannot use "auditer": there is no agent of this name in agents, .agents/agents, .claude/agents, ~/.claude/agents; did you mean "auditor"?',
    );
  });

  test('a path that is not there, a folder and a huge file are refused', async () => {
    await mkdir(join(root, 'project', 'folder.md'), { recursive: true });
    await writeFile(join(root, 'project', 'huge.md'), 'x'.repeat(400_000));
    await expect(find('./no.md')).rejects.toThrow('Cannot use "no.md": there is no such file');
    await expect(find('./folder.md')).rejects.toThrow('Cannot use "folder.md": it is not a file');
    await expect(find('./huge.md')).rejects.toThrow(
      'Cannot use "huge.md": it has 400000 bytes; expected at most 393216',
    );
  });
});
