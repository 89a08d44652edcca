import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type IPv4 = ReturnType<typeof ipaddr.IPv4.parse>;
type IPv6 = ReturnType<typeof ipaddr.IPv6.parse>;

/** Azure answers for its host here, in the middle of addresses that are public elsewhere. */
const HOST_SERVICES: readonly string[] = ['168.63.129.16'];

/**
 * Whether an address belongs to the public internet. Everything else (this machine, its networks, metadata services,
 * ranges that are reserved) is reachable only because we stand where we stand, and must not be lent to a model.
 * Forms that carry an IPv4 address are judged by it. What is not the plain spelling of an address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return isPublicIPv4(ipaddr.IPv4.parse(address));
  // A zone names an interface of this machine.
  return family === 6 && !address.includes('%') && isPublicIPv6(ipaddr.IPv6.parse(address));
}

function isPublicIPv4(address: IPv4): boolean {
  return address.range() === 'unicast' && !HOST_SERVICES.includes(address.toString());
}

function isPublicIPv6(address: IPv6): boolean {
  const { parts } = address;
  switch (address.range()) {
    case 'unicast':
      // The library calls unicast whatever it has no name for, but only 2000::/3 is given out.
      return ((parts[0] ?? 0) & 0xe000) === 0x2000;
    case 'ipv4Mapped':
    case 'rfc6145':
      return isPublicIPv4(carried(parts, 6));
    case 'rfc6052':
      // Of the translation prefixes, 64:ff9b:1::/48 is for use inside a network.
      return parts[2] === 0 && isPublicIPv4(carried(parts, 6));
    case '6to4':
      return isPublicIPv4(carried(parts, 1));
    case 'teredo':
      // The server stands in clear, the client with its bits turned.
      return (
        isPublicIPv4(carried(parts, 2)) &&
        isPublicIPv4(
          carried(
            parts.map((part) => part ^ 0xffff),
            6,
          ),
        )
      );
    default:
      return false;
  }
}

/** The IPv4 address in two of the eight parts. */
function carried(parts: readonly number[], at: number): IPv4 {
  const [high = 0, low = 0] = parts.slice(at, at + 2);
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
