import { expect, test } from 'vitest'
import { quoted, typedCommand } from './typed-command.ts'

const npm = 'npm/11.19.1 node/v24.21.0 linux x64 workspaces/false'
const pnpm = 'pnpm/12.21.0 npm/? node/? linux x64'

test.each([
  ['a script of npm', { npm_config_user_agent: npm, npm_lifecycle_event: 'conformance' }, 'npm run conformance --'],
  ['a script of pnpm', { npm_config_user_agent: pnpm, npm_lifecycle_event: 'conformance' }, 'pnpm conformance'],
  ['npx', { npm_config_user_agent: npm, npm_lifecycle_event: 'npx', npm_command: 'exec' }, 'npx steploop conformance'],
  ['pnpm exec', { npm_config_user_agent: pnpm, npm_command: 'exec' }, 'pnpm exec steploop conformance'],
  ['a script of another name', { npm_config_user_agent: npm, npm_lifecycle_event: 'ci' }, 'steploop conformance'],
  ['a shell', {}, 'steploop conformance'],
])('what is reported can be typed again where %s started the command', (_, environment, typed) => {
  expect(typedCommand('conformance', environment)).toBe(typed)
})

test('each command is told by its own name', () => {
  expect(typedCommand('traffic', { npm_config_user_agent: npm, npm_command: 'exec' })).toBe('npx steploop traffic')
  expect(typedCommand('traffic', { npm_config_user_agent: pnpm, npm_lifecycle_event: 'traffic' })).toBe('pnpm traffic')
})

test.each([
  ['./steploop.config.ts', './steploop.config.ts'],
  ['Grün Tee/steploop.config.ts', '"Grün Tee/steploop.config.ts"'],
  ['a"$b`', '"a\\"\\$b\\`"'],
])('%s is one word of a shell', (word, shown) => {
  expect(quoted(word)).toBe(shown)
})
