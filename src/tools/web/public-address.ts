import { BlockList, isIP } from "node:net";

/**
 * Networks that are not the public internet: private, loopback, link-local, shared by a provider's customers, multicast,
 * for documentation and for tests, and tunnels to IPv4. So the addresses of cloud metadata are in here, too.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const closedNetworks = networks([
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // Azure answers its virtual machines here.
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** All that IPv6 has given to the public internet. */
const openNetworks = networks([["2000::", 3]]);

/** Tells whether an IP address belongs to the public internet. An IPv4 address within IPv6 counts as itself. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !closedNetworks.check(address, "ipv4");
  if (isIP(address) !== 6 || address.includes("%")) return false;
  const inner = innerAddress(address);
  if (inner !== undefined) return isPublicAddress(inner);
  return openNetworks.check(address, "ipv6") && !closedNetworks.check(address, "ipv6");
}

/** Returns the IPv4 address that a mapped address (`::ffff:…`) or one of NAT64 (`64:ff9b::…`) stands for. */
function innerAddress(address: string): string | undefined {
  const { hostname } = new URL(`http://[${address}]`);
  const [, high = "0", low] = /^\[(?:::ffff|64:ff9b:):(?:([\da-f]+):)?([\da-f]+)\]$/.exec(hostname) ?? [];
  if (low === undefined) return undefined;
  return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]).join(".");
}

function networks(list: readonly (readonly [address: string, bits: number])[]): BlockList {
  const blocks = new BlockList();
  for (const [address, bits] of list) blocks.addSubnet(address, bits, isIP(address) === 4 ? "ipv4" : "ipv6");
  return blocks;
}
