import { BlockList, isIP } from 'node:net'

/** Networks that are closed to tools: this machine, private ones, link-local with the clouds' metadata, multicast, documentation. */
const inner = new BlockList()
const networks: readonly (readonly [address: string, bits: number, family: 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 9, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
]
for (const [address, bits, family] of networks) inner.addSubnet(address, bits, family)

/** Whether an address belongs to the inside of some network. IPv4 within IPv6 counts as what it is. */
export function isInnerAddress(address: string): boolean {
  const family = isIP(address)
  return family === 0 || inner.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
