import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { tool, type Adapter, type Message } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { Executor, ServerOptions } from '@steploop/server'
import type { OpenStore } from '@steploop/store'

export interface NotingOptions {
  readonly store: OpenStore
  /** Where each run of a tool leaves a line: the tool, a space, and the id of its call. */
  readonly log: string
  /** Called wherever a process may die: around each write, each tool, and each turn. */
  readonly moment?: (() => void) | undefined
}

/**
 * A server with tools whose runs can be counted. The model asks for one that writes and one that reads, then for one that writes, and then
 * says `Done.`; to `quick` it says so at once, to `slow` after a while. Ids of calls are made of what the user said.
 */
export function notingServer({ store, log, moment = () => undefined }: NotingOptions): ServerOptions {
  return { models: { m: model(moment) }, store: watched(store, moment), executors: [notes(log, moment)] }
}

function model(moment: () => void): Adapter {
  const plain = scriptedAdapter([])
  return {
    ...plain,
    turn: (request, context) => {
      const { turn, waits } = turnOf(request.messages)
      const inner = scriptedAdapter([turn]).turn(request, context)
      return (async function* () {
        if (waits) await sleep(300)
        moment()
        yield* inner
        moment()
        return undefined
      })()
    },
  }
}

function turnOf(messages: readonly Message[]): { readonly turn: ScriptedTurn; readonly waits: boolean } {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const said = JSON.stringify(messages[asked]?.content ?? '').replaceAll(/[^a-z0-9-]/g, '')
  const answered = messages.slice(asked).filter(({ role }) => role === 'tool').length
  const call = (toolName: string, id: string) => ({ type: 'call', toolName, input: {}, id: `${said}-${id}` }) as const
  const turns: readonly ScriptedTurn[] = [
    [{ type: 'text', text: 'I look.' }, call('note', '1'), call('look', '2')],
    [call('note', '3')],
  ]
  const waits = said.includes('slow')
  return { turn: waits || said.includes('quick') ? 'Done.' : (turns[answered] ?? 'Done.'), waits }
}

function notes(log: string, moment: () => void): Executor {
  const noting = (name: string, effect: 'read' | 'write') =>
    tool({
      description: name,
      inputSchema: { type: 'object', properties: {} },
      effect,
      execute: async (_input, { toolCallId }) => {
        moment()
        appendFileSync(log, `${name} ${toolCallId}\n`)
        moment()
        return 'noted'
      },
    })
  return {
    types: ['notes'],
    open: async () => ({
      tools: { note: noting('note', 'write'), look: noting('look', 'read') },
      view: (name) => ({
        type: 'mcp_call',
        asks: false,
        show: ({ inputText, output }) => ({ name, server_label: 'notes', arguments: inputText, output: output?.value }),
      }),
    }),
  }
}

function watched(store: OpenStore, moment: () => void): OpenStore {
  const around = async <T>(write: Promise<T>): Promise<T> => {
    const done = await write
    moment()
    return done
  }
  return {
    ...store,
    accept: (tenant, response) => (moment(), around(store.accept(tenant, response))),
    save: (tenant, id, progress) => (moment(), around(store.save(tenant, id, progress))),
    addEvents: (tenant, id, events) => (moment(), around(store.addEvents(tenant, id, events))),
  }
}
