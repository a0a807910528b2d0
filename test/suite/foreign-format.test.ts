import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCassette, writeCassette } from '@steploop/cassette'
import { runConformance, type Subject } from '@steploop/conformance'
import { expect, test } from 'vitest'
import { scratchFolder, subjectNamed } from '../scratch.ts'

/** What an author tells of a provider whose wire format the suite does not know. */
const reported: Readonly<Record<string, Partial<Subject>>> = {
  openai: {
    sampleOptions: { metadata: { ticket: 'Zürich-東京-42' } },
    cacheOptions: { prompt_cache_key: 'Zürich-東京-42' },
    providerTools: {
      web_search: { type: 'web_search' },
      code_interpreter: { type: 'code_interpreter', container: { type: 'auto' } },
    },
  },
  anthropic: {
    sampleOptions: { metadata: { user_id: 'kunde-zürich-42' } },
    cacheOptions: { cacheControl: { system: true, tools: true, messages: true } },
    providerTools: {
      web_search: { type: 'web_search_20250305', name: 'web_search' },
      code_execution: { type: 'code_execution_20250825', name: 'code_execution' },
    },
  },
  gemini: {
    sampleOptions: { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' }] },
    providerTools: { google_search: { googleSearch: {} }, code_execution: { codeExecution: {} } },
  },
  ollama: { sampleOptions: { keep_alive: '10m', num_ctx: 8192 } },
}

/** A correct subject, as if its wire format were one that the suite has never heard of. */
function asForeign(subject: Subject): Subject {
  const cassettes = scratchFolder()
  const wire = 'foreign-chat'
  const from = fileURLToPath(subject.cassettes)
  for (const name of readdirSync(from)) {
    const { header, exchanges } = readCassette(join(from, name))
    if (header.origin.kind !== 'simulated') continue
    writeCassette(join(cassettes, name), { header: { ...header, wire, provider: 'foreign' }, exchanges })
  }
  return { ...subject, ...reported[subject.name], name: 'foreign', wire, cassettes }
}

test.each(Object.keys(reported))(
  'no check blames %s for what the suite cannot read of its wire format',
  async (name) => {
    const subject = subjectNamed(name)
    // How a cassette answers is no matter of its wire format: one front-end shows it.
    const { cases } = await runConformance([asForeign(subject)], { stress: [], frontEnds: ['fetch'] })
    const red = cases.flatMap(({ checks }) => checks.filter(({ verdict }) => /fail|error/.test(verdict)))
    // Its cassettes lack what its own format has no words for.
    const wrong = red.filter(({ id }) => id !== 'cassette')
    expect(wrong.map(({ address, failures }) => `${address}: ${failures[0]?.message.slice(0, 200)}`)).toEqual([])
    expect(cases.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(100)
  },
)
