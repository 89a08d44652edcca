import { bash, briefly, python, type Attempt } from './attempt.ts';
import type { EscapeScene } from './scene.ts';

const sleeper = ({ seconds }: EscapeScene): string => `sleep ${seconds}`;

/** By processes that go on when the call is over. */
export const PROCESSES: readonly Attempt[] = [
  bash('in the background', (scene) => `${sleeper(scene)} & echo done`, /^done/),
  bash('deaf to hanging up', (scene) => `nohup ${sleeper(scene)} >/dev/null 2>&1 & disown -a; echo done`, /^done/),
  bash('in a session of its own', (scene) => `setsid ${sleeper(scene)} & echo done`, /^done/),
  bash(
    'detached twice, without a trace in the environment',
    (scene) => `(env -i setsid bash -c "(env -i setsid ${sleeper(scene)} &) &" &) ; sleep 0.3; echo done`,
    /^done/,
  ),
  bash(
    'deaf to every signal',
    (scene) => `(trap '' TERM INT HUP QUIT; setsid bash -c 'trap "" TERM HUP; ${sleeper(scene)}; :' &) ; echo done`,
    /^done/,
  ),
  bash('stopped', (scene) => `${sleeper(scene)} & kill -STOP $!; echo done`, /^done/),
  briefly(
    bash(
      'past the end of its time',
      (scene) => `(env -i setsid ${sleeper(scene)} &) ; ${sleeper(scene)}`,
      /Killed after 3 s/,
    ),
  ),
  bash(
    'through the scheduler of the system',
    (scene) =>
      `echo "${sleeper(scene)}" | at now; echo "* * * * * ${sleeper(scene)}" | crontab -; systemd-run ${sleeper(scene)}; echo x > /var/spool/cron/x`,
    /not found|No such file|bus/i,
  ),
  bash(
    'copying itself',
    (scene) =>
      `for i in $(seq 20); do (setsid bash -c '(exec ${sleeper(scene)}) & (exec ${sleeper(scene)})' &) ; done >/dev/null 2>&1; echo done`,
    /done/,
  ),
];

/** By taking all there is. */
export const RESOURCES: readonly Attempt[] = [
  bash('of processes: a fork bomb', ':(){ :|:& };:; sleep 100', /more than \d+ processes/),
  python(
    'of threads',
    'import threading, time\nfor i in range(20000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\ntime.sleep(60)',
    /more than \d+ threads|start new thread/,
  ),
  bash(
    'of memory',
    `python3 -c 'a = []\nwhile True: a.append(bytearray(b"x" * 20_000_000))'`,
    /more than 300 MiB of memory/,
  ),
  bash(
    'of memory, as files',
    'fallocate -l 3G /dev/shm/x; fallocate -l 3G /tmp/x; fallocate -l 2M /run/x; truncate -s 1M /dev/x',
    /(No space left[^]*){3}(Read-only|Permission)/,
  ),
  bash(
    'of the disk, as one file',
    'head -c 1 /dev/zero | dd of=big bs=1 seek=9G',
    /File too large|SIGXFSZ|exit code 153/,
  ),
  briefly(
    bash(
      'of what we keep: 1 GB of output',
      'head -c 1000000000 /dev/zero | tr "\\0" "x"',
      /The beginning of the output, up to 64 MiB/,
    ),
  ),
  briefly(bash('of what we keep, without end', 'yes', /Killed after \d+ s/)),
];

/** By what other programs do with the workspace afterwards. `scene.nothingEscaped` runs git in it. */
export const AFTERWARDS: readonly Attempt[] = [
  bash(
    'a program in the settings of git',
    ({ outside }) => `git config core.fsmonitor 'touch ${outside}/started'; echo x >> .git/config`,
    /busy|Read-only/,
  ),
  bash('a hook', 'echo "#!/bin/sh" > .git/hooks/post-index-change', /Read-only file system/),
  bash(
    'other settings for git',
    ({ outside }) =>
      `mkdir e; printf '[core]\\n\\tfsmonitor = touch ${outside}/started\\n\\trepositoryformatversion = 0\\n' > e/config; cp -r .git/objects .git/refs .git/HEAD e/; echo ../e > .git/commondir`,
    /quarantine.*\.git\/commondir/,
  ),
  bash(
    'settings for one work tree',
    ({ outside }) => `printf '[core]\\n\\tfsmonitor = touch ${outside}/started\\n' > .git/config.worktree`,
    /quarantine.*config\.worktree/,
  ),
  bash(
    'the folder itself as a repository',
    ({ outside }) =>
      `mkdir -p objects refs/heads; echo "ref: refs/heads/main" > HEAD; printf '[core]\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = touch ${outside}/started\\n' > config; rm .git/HEAD`,
    /quarantine.*HEAD/,
  ),
  bash(
    'a repository within, which git looks into',
    ({ outside }) =>
      `git init -q in && cd in && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git config core.fsmonitor 'touch ${outside}/started' && cd .. && git add in 2>/dev/null`,
    /quarantine.*in\/\.git/,
  ),
  bash(
    'a repository within a repository within',
    ({ outside }) =>
      `for r in in/deep in; do git init -q $r && git -C $r -c user.name=a -c user.email=b commit -q --allow-empty -m x; done; git -C in/deep config core.fsmonitor 'touch ${outside}/started'; git -C in add deep 2>/dev/null; git add in 2>/dev/null`,
    /quarantine.*in\/deep\/\.git/,
  ),
  bash(
    'a repository within, kept elsewhere under a name of two lines',
    ({ outside }) =>
      `mkdir in && git init -q --separate-git-dir="$(printf 'e\nf')" in && cd in && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git config core.fsmonitor 'touch ${outside}/started' && cd .. && git add in 2>/dev/null`,
    /quarantine.*in\/\.git/,
  ),
  bash(
    'a pipe that nobody writes to, as settings',
    'rm -rf .git/index; git init -q in && git -C in -c user.name=a -c user.email=b commit -q --allow-empty -m x && rm in/.git/config && mkfifo in/.git/config && git update-index --add --cacheinfo 160000,$(cat in/.git/refs/heads/*),in',
    /quarantine.*in\/\.git/,
  ),
  bash(
    'an agent',
    'mkdir -p agents .claude/agents; echo x > agents/helper.md; echo x > .claude/agents/y.md',
    /quarantine.*agents\/helper\.md|quarantine.*\.claude/,
  ),
  bash(
    'servers for the next run',
    'echo "{}" > .mcp.json; echo x > nightshift.yaml',
    /quarantine.*\.mcp\.json.*nightshift\.yaml/,
  ),
  bash(
    'tasks of the editor, and of the shell',
    'mkdir .vscode .idea; echo "{}" > .vscode/tasks.json; echo "touch x" > .envrc',
    /quarantine.*\.vscode.*\.envrc/,
  ),
];
