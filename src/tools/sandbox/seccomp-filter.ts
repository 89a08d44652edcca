import { endianness } from 'node:os';

/**
 * What no namespace covers: kernel keyrings belong to the user, VM sockets lead to the machine's host whatever the
 * network namespace is, io_uring does what a filter cannot see, a set-user-id file is dangerous outside.
 */
const ERRNO = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;

/** Unix, IPv4, IPv6 and netlink: those that network and mount namespaces confine. */
const SOCKET_FAMILIES = [1, 2, 10, 16];

const SET_ID_BITS = 0o6000;
const NEW_USER_NAMESPACE = 0x1000_0000;

interface Machine {
  /** `AUDIT_ARCH_…` of the kernel. */
  readonly audit: number;
  /** Numbers from here on are another calling convention (x32). */
  readonly numberMax: number;
  readonly calls: Readonly<Record<string, number | undefined>>;
}

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000_003e,
    numberMax: 0x4000_0000,
    calls: {
      socket: 41,
      socketpair: 53,
      clone: 56,
      ptrace: 101,
      syslog: 103,
      unshare: 272,
      setns: 308,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      bpf: 321,
      perf_event_open: 298,
      userfaultfd: 323,
      open: 2,
      creat: 85,
      openat: 257,
      chmod: 90,
      fchmod: 91,
      fchmodat: 268,
      mknod: 133,
      mknodat: 259,
    },
  },
  arm64: {
    audit: 0xc000_00b7,
    numberMax: 0xffff_ffff,
    calls: {
      socket: 198,
      socketpair: 199,
      clone: 220,
      ptrace: 117,
      syslog: 116,
      unshare: 97,
      setns: 268,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      bpf: 280,
      perf_event_open: 241,
      userfaultfd: 282,
      openat: 56,
      fchmod: 52,
      fchmodat: 53,
      mknodat: 33,
    },
  },
};

/** Numbers that are the same everywhere. */
const COMMON = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  clone3: 435,
  openat2: 437,
  fchmodat2: 452,
};

const REFUSED = ['syslog', 'setns', 'add_key', 'request_key', 'keyctl', 'bpf', 'perf_event_open', 'userfaultfd'];
/** Programs fall back to older calls, whose arguments a filter can see. */
const UNKNOWN = ['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'clone3', 'openat2'];

/** Calls and the argument in which these bits are refused. */
const MASKED: readonly (readonly [call: string, argument: number, bits: number])[] = [
  ['clone', 0, NEW_USER_NAMESPACE],
  ['unshare', 0, NEW_USER_NAMESPACE],
  ['open', 2, SET_ID_BITS],
  ['creat', 1, SET_ID_BITS],
  ['openat', 3, SET_ID_BITS],
  ['mknod', 1, SET_ID_BITS],
  ['mknodat', 2, SET_ID_BITS],
  ['chmod', 1, SET_ID_BITS],
  ['fchmod', 1, SET_ID_BITS],
  ['fchmodat', 2, SET_ID_BITS],
  ['fchmodat2', 2, SET_ID_BITS],
];

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_BITS = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
const FAIL = 0x0005_0000;

/** Offsets into the kernel's `seccomp_data`. */
const NUMBER_AT = 0;
const MACHINE_AT = 4;
const argumentAt = (index: number): number => 16 + index * 8;

/** A filter of system calls for this kind of machine, as the kernel reads it; undefined for a machine we do not know. */
export function seccompFilter(arch: string = process.arch): Buffer | undefined {
  const machine = MACHINES[arch];
  if (machine === undefined || endianness() !== 'LE') return undefined;
  const numbers: Readonly<Record<string, number | undefined>> = { ...machine.calls, ...COMMON };
  const program: Instruction[] = [
    [LOAD, 0, 0, MACHINE_AT],
    [JUMP_EQUAL, 1, 0, machine.audit],
    fail(ERRNO.ENOSYS),
    [LOAD, 0, 0, NUMBER_AT],
    [JUMP_AT_LEAST, 0, 1, machine.numberMax],
    fail(ERRNO.ENOSYS),
    ...REFUSED.flatMap((call) => refuse(numbers[call], ERRNO.EPERM)),
    ...UNKNOWN.flatMap((call) => refuse(numbers[call], ERRNO.ENOSYS)),
    ...MASKED.flatMap(([call, argument, bits]) => refuseBits(numbers[call], argument, bits)),
    ...onlyFamilies(numbers['socket']),
    ...onlyFamilies(numbers['socketpair']),
    [RETURN, 0, 0, ALLOW],
  ];
  return encoded(program);
}

function fail(errno: number): Instruction {
  return [RETURN, 0, 0, FAIL | errno];
}

function refuse(number: number | undefined, errno: number): readonly Instruction[] {
  return number === undefined ? [] : [[JUMP_EQUAL, 0, 1, number], fail(errno)];
}

function refuseBits(number: number | undefined, argument: number, bits: number): readonly Instruction[] {
  if (number === undefined) return [];
  return [
    [JUMP_EQUAL, 0, 4, number],
    [LOAD, 0, 0, argumentAt(argument)],
    [JUMP_BITS, 0, 1, bits],
    fail(ERRNO.EPERM),
    [LOAD, 0, 0, NUMBER_AT],
  ];
}

function onlyFamilies(number: number | undefined): readonly Instruction[] {
  if (number === undefined) return [];
  const families = SOCKET_FAMILIES.length;
  return [
    [JUMP_EQUAL, 0, families + 3, number],
    [LOAD, 0, 0, argumentAt(0)],
    ...SOCKET_FAMILIES.map((family, index): Instruction => [JUMP_EQUAL, families - index, 0, family]),
    fail(ERRNO.EAFNOSUPPORT),
    [LOAD, 0, 0, NUMBER_AT],
  ];
}

function encoded(program: readonly Instruction[]): Buffer {
  const buffer = Buffer.alloc(program.length * 8);
  for (const [index, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    buffer.writeUInt16LE(code, index * 8);
    buffer.writeUInt8(jumpTrue, index * 8 + 2);
    buffer.writeUInt8(jumpFalse, index * 8 + 3);
    buffer.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return buffer;
}
