import { bash, python, type Attempt } from './attempt.ts';

const UNREACHABLE = /refused|unreachable|not permitted|Failed to connect|resolve|No such file|not supported/i;

const connect = (path: string): string =>
  `import socket\ns = socket.socket(socket.AF_UNIX)\ns.settimeout(3)\ns.connect(${path})\nprint("connected")`;

/** By the network, which is also where Temporal and our own API listen. */
export const NETWORK: readonly Attempt[] = [
  bash('a port of this machine', ({ port }) => `: 3<>/dev/tcp/127.0.0.1/${port}`, UNREACHABLE),
  bash('the same by name', ({ port }) => `: 3<>/dev/tcp/localhost/${port}`, UNREACHABLE),
  bash(
    'the same in other spellings',
    ({ port }) =>
      `for h in 127.1 0.0.0.0 2130706433 '[::1]' '[::ffff:127.0.0.1]'; do curl -sS -m 2 "http://$h:${port}/"; done`,
    UNREACHABLE,
  ),
  bash(
    'the words of Temporal’s clients',
    ({ port }) => `{ printf 'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n' >&3; } 3<>/dev/tcp/127.0.0.1/${port}`,
    UNREACHABLE,
  ),
  bash(
    'Temporal’s own command',
    ({ port }) => `temporal workflow list --address 127.0.0.1:${port}`,
    /refused|unreachable|not found|failed/i,
  ),
  bash(
    'an address of this machine in its network',
    ({ port }) =>
      `for a in $(hostname -I 2>/dev/null) 169.254.169.254 10.0.0.1; do curl -sS -m 2 http://$a:${port}/; done; curl -sS -m 2 http://169.254.169.254/`,
    UNREACHABLE,
  ),
  bash('the name service', 'getent hosts example.com || curl -sS -m 5 https://example.com', /resolve/i),
  bash('a name server by hand', 'echo x > /dev/udp/1.1.1.1/53', UNREACHABLE),
  bash(
    'a new way out',
    'ip link add v type veth; ip addr add 10.9.9.9/24 dev lo; ip route add default dev lo',
    /not permitted|not found/i,
  ),
  bash('a proxy of the worker', 'echo "[$http_proxy$https_proxy$HTTP_PROXY$HTTPS_PROXY$ALL_PROXY]"', /^\[\]/),
  bash(
    'the socket of the container service',
    'ls /var/run/docker.sock /run/docker.sock /run/dbus /run/systemd',
    /No such file/,
  ),
  python(
    'a packet to this machine',
    ({ udpPort }) =>
      `import socket\nfor a in ("127.0.0.1", "127.255.255.255"):\n  s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n  try: s.sendto(b"x", (a, ${udpPort}))\n  except OSError as e: print(e)\nprint("sent into nothing")`,
    /sent into nothing/,
  ),
  python('a socket outside', ({ sockets }) => connect(JSON.stringify(sockets.outside)), UNREACHABLE),
  python('a socket in the workspace', () => connect('"socket"'), UNREACHABLE),
  python('a socket without a file', ({ sockets }) => connect(`"\\0${sockets.abstract.slice(1)}"`), UNREACHABLE),
  python('raw packets', 'import socket\nsocket.socket(socket.AF_INET, socket.SOCK_RAW, 1)', UNREACHABLE),
  python('packets of the wire', 'import socket\nsocket.socket(17, socket.SOCK_RAW)', UNREACHABLE),
  python(
    'the host of a virtual machine',
    'import socket\nsocket.socket(40, socket.SOCK_STREAM).connect((2, 22))',
    UNREACHABLE,
  ),
];

const call = (number: number, rest: string): string =>
  `import ctypes, os\nc = ctypes.CDLL(None, use_errno=True)\nr = c.syscall(${number}, ${rest})\nprint("opened" if r >= 0 else os.strerror(ctypes.get_errno()))`;

/** By calls for which there is no command; their numbers are those of x86-64. */
export const CALLS: readonly Attempt[] = [
  python('keys of the worker’s session', call(250, '0, -3, 1, 0, 0'), /not permitted/),
  python('asking for a key', call(249, 'b"user", b"x", None, 0'), /not permitted/),
  python('io_uring, which no filter sees', call(425, '8, ctypes.create_string_buffer(120)'), /not implemented/),
  python('a file by its handle', call(304, '-100, ctypes.create_string_buffer(64), 0'), /not permitted|invalid/i),
  python('a program in the kernel', call(321, '5, ctypes.create_string_buffer(120), 120'), /not permitted/),
  python('counters of the processor', call(298, 'ctypes.create_string_buffer(120), -1, 0, -1, 0'), /not permitted/),
  python('a new process in a user namespace', call(56, '0x10000011, 0, 0, 0, 0'), /not permitted/),
  python('the same by the newer call', call(435, 'ctypes.create_string_buffer(88), 88'), /not implemented/),
  python('calls of another convention', call(0x4000_0000 + 41, '40, 1, 0'), /not implemented/),
  python('stopping the worker', `import os\nos.kill(${process.pid}, 9)`, /No such process/),
  python('tracing the worker', call(101, `16, ${process.pid}, 0, 0`), /No such process|not permitted/),
  python(
    'typing into a terminal',
    'import fcntl, termios, os\nf = os.open("/dev/tty", os.O_RDWR)\nfcntl.ioctl(f, termios.TIOCSTI, b"x")',
    /No such device/,
  ),
];
