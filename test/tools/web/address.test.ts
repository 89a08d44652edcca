import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../../src/tools/web/address.ts';

describe('public', () => {
  const addresses = `1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0
    2606:4700:4700::1111 2a00:1450:4001:81b::200e ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1`;
  test.each(addresses.split(/\s+/))('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('not public', () => {
  const kinds: [kind: string, addresses: string][] = [
    ['this machine, or nothing at all', '127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 ::1 :: 255.255.255.255'],
    ['a private network', '10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 fc00::1 fd12:3456::1 fec0::1'],
    ['a link', '169.254.0.1 fe80::1 fe80::1%eth0 2606:4700:4700::1111%1'],
    ["a provider's network", '100.64.0.1 100.127.255.255'],
    ['metadata', '169.254.169.254 fd00:ec2::254 100.100.100.200 192.0.0.192 168.63.129.16 fd20:ce::254'],
    ['reserved', '192.0.0.1 240.0.0.1 4000::1 5f00::1 100::1 ::7f00:1 ::127.0.0.1 2001:2::1 198.18.0.1'],
    ['for documentation', '192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1'],
    ['many receivers', '224.0.0.1 239.1.1.1 ff02::1'],
    ['mapped', '::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1'],
    ['translated', '64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b:1::808:808'],
    ['tunnelled', '2002:7f00:1::1 2002:a9fe:a9fe::1 2001:0:7f00:1::f7f7:f7f7 2001:0:808:808::80ff:fffe'],
    ['another spelling', '127.1 0x7f.0.0.1 0177.0.0.1 2130706433 010.8.8.8 8.8.8.8. 8.8.8.8/32 [2606:4700::1111]'],
    ['no address', 'example.com 8.8.8 1.2.3.256 :'],
  ];
  const cases = kinds.flatMap(([kind, addresses]) => addresses.split(' ').map((address) => [address, kind] as const));
  test.each<readonly [string, string]>([...cases, ['', 'nothing'], [' 8.8.8.8', 'spaces']])(
    'is "%s": %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );
});
