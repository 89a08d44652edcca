import { bash, tool, type Attempt } from './attempt.ts';

const DENIED = /not permitted|denied|Read-only|No such file|must be superuser|not found|only root|unable|cannot/i;

/** By the words of a command: the bounds do not depend on reading them. */
export const SHELL: readonly Attempt[] = [
  bash('hidden in base64', 'eval "$(echo ZWNobyB4ID4gLi4vb3V0c2lkZS9uZXc= | base64 -d)"', /No such file/),
  bash(
    'in a shell of its own',
    `env -i /bin/sh -c 'exec /bin/sh -c "echo x > ../outside/new"'`,
    /nonexistent|No such|cannot create/i,
  ),
  bash('in another language', `perl -e 'open(F, ">../outside/new") or die $!'`, /No such file/),
  bash('ending the shell around it', 'kill -KILL $PPID; sleep 5; echo x > ../outside/new', /exit code 137/),
  bash(
    'ending everything',
    'trap "" TERM; kill -KILL -1; echo x > ../outside/new',
    /exit code 137|No such file|killed/,
  ),
  bash('ending the first process', 'kill -KILL 1; echo alive', /alive/),
  tool('bash with a NUL', () => ({ command: 'true\0; echo x > ../outside/new' }), /invalid_params/),
  bash(
    'by a function from the environment',
    `env 'BASH_FUNC_ls%%=() { echo x > ../outside/new; }' bash -c ls`,
    /No such file/,
  ),
];

/** By what processes inherit. */
export const ENVIRONMENT: readonly Attempt[] = [
  bash('the environment', 'env; set', /NIGHTSHIFT_CALL=/),
  bash('that of the first process', 'tr "\\0" "\\n" < /proc/1/environ', /PATH=/),
  bash('that of every process', 'cat /proc/[0-9]*/environ | tr "\\0" "\\n"; echo read', /read/),
  bash('that of the worker', `cat /proc/${process.pid}/environ`, /No such file/),
  bash('all processes', 'ps -eo args | grep -c "[v]itest"', /^0/),
  bash(
    'open descriptors',
    'ls /proc/self/fd | wc -l; ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c "/work\\|\\.sock\\|socket:"',
    /^4\n0/,
  ),
  bash('the memory of the worker', `head -c 1 /proc/${process.pid}/mem`, /No such file/),
  bash(
    'tokens of other programs',
    'cat ~/.npmrc ~/.netrc ~/.git-credentials ~/.aws/credentials ~/.config/gh/hosts.yml',
    /No such file/,
  ),
];

/** By what the kernel offers to root. */
export const KERNEL: readonly Attempt[] = [
  bash('mounting the system again', 'mount -o remount,rw,bind /usr', DENIED),
  bash('mounting the root again', 'mount -o remount,rw /', DENIED),
  bash('mounting something new', 'mount -t tmpfs none /tmp', DENIED),
  bash('binding a folder', 'mkdir m; mount --bind / m', DENIED),
  bash('uncovering our folder', 'umount -l .nightshift; ls .nightshift/ledger', DENIED),
  bash('uncovering the settings of git', 'umount .git/config; echo x >> .git/config', DENIED),
  bash('a user namespace', 'unshare --user --map-root-user mount -t tmpfs none /tmp', DENIED),
  bash('a mount namespace', 'unshare --mount true', DENIED),
  bash('the namespaces of another process', 'nsenter --target 1 --all true; nsenter -t 1 -m true', DENIED),
  bash('another root', 'mkdir -p r/bin; chroot r /bin/true', DENIED),
  bash('exchanging the root', 'mkdir -p r/old; pivot_root r r/old', DENIED),
  bash('a device for the disk', 'mknod disk b 254 0 && head -c 1 disk', DENIED),
  bash('a loop device', 'truncate -s 1M image; losetup -f image', DENIED),
  bash('a module of the kernel', 'modprobe dummy; insmod x.ko', DENIED),
  bash(
    'the program for crashes',
    'cat /proc/sys/kernel/core_pattern > p; cat p > /proc/sys/kernel/core_pattern',
    DENIED,
  ),
  bash(
    'other settings of the kernel',
    'echo 1 > /proc/sys/kernel/sysrq; echo h > /proc/sysrq-trigger; rm -f p',
    DENIED,
  ),
  bash('the clock', 'date -s 2001-01-01', DENIED),
  bash(
    'a file that runs as its owner',
    'cp /bin/true s; chmod u+s s; chmod 6755 s; install -m 4755 /bin/true t',
    DENIED,
  ),
  bash('reading the log of the kernel', 'dmesg', DENIED),
  bash('another limit', 'ulimit -f unlimited && truncate -s 9G big', /not permitted|cannot modify limit/i),
];
