import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { repository } from '../repository/source-files.ts'
import { runProgram } from './run-program.ts'

/** A copy with what git knows or would add, without the cassettes, which nothing published needs, and with its dependencies. */
export async function copyRepository(folder: string): Promise<void> {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: repository, encoding: 'utf8' })
  const files = listed.split('\n').filter((path) => path !== '' && !path.startsWith('cassettes/'))
  for (const file of files.filter((path) => existsSync(join(repository, path)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(repository, file), join(folder, file))
  }
  await runProgram('pnpm', ['install', '--prefer-offline', '--frozen-lockfile'], { cwd: folder })
}
