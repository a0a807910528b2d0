import { expect, test } from 'vitest'
import { isInnerAddress } from './inner-address.ts'

test.each([
  '127.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '255.255.255.255',
  '224.0.0.1',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fd00::1',
  'fe80::1',
  'ff02::1',
  'nonsense',
])('the address %s is inside, and not fetched', (address) => {
  expect(isInnerAddress(address)).toBe(true)
})

test.each(['93.184.216.34', '172.32.0.1', '2606:4700::1111', '::ffff:93.184.216.34'])(
  'the address %s is outside, and may be fetched',
  (address) => {
    expect(isInnerAddress(address)).toBe(false)
  },
)
