/** What the package manager tells the programs that it starts. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * How `steploop <name>` is started here, so that a command that is told can be copied: by a script of that name, by `npx`, or by itself.
 * The variables are those of https://docs.npmjs.com/cli/v11/using-npm/scripts#environment, which pnpm and yarn set too.
 */
export function typedCommand(name: 'conformance' | 'traffic', environment: Environment): string {
  const { npm_config_user_agent: agent = '', npm_lifecycle_event: script = '', npm_command: command } = environment
  const manager = /^(?:npm|pnpm|yarn|bun)(?=\/)/.exec(agent)?.[0] ?? 'pnpm'
  if (script === name || (name === 'conformance' && script === 'verify')) {
    return manager === 'npm' ? `npm run ${name} --` : `${manager} ${name}`
  }
  if (command !== 'exec') return `steploop ${name}`
  return manager === 'npm' ? `npx steploop ${name}` : `${manager} exec steploop ${name}`
}

/** Quotes a word as a shell takes it for one word. */
export function quoted(word: string): string {
  return /^[\w./\\:@+-]+$/.test(word) ? word : `"${word.replace(/["$`]/g, '\\$&')}"`
}
