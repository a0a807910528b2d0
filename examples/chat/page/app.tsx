/** @jsxImportSource react */
import { useEffect, useState } from 'react'
import type { UIMessage } from 'ai'
import { ChatView } from './chat-view.tsx'

interface KnownChat {
  readonly id: string
  readonly title: string
}

/** What the server has of a chat. */
interface Loaded {
  readonly messages: UIMessage[]
  readonly writing?: string | undefined
}

const place = 'steploop-chats'

function readChats(): readonly KnownChat[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? '[]')
    return Array.isArray(kept) && kept.length > 0 ? (kept as KnownChat[]) : [newChat()]
  } catch {
    return [newChat()]
  }
}

function newChat(): KnownChat {
  return { id: crypto.randomUUID(), title: 'New chat' }
}

export function App() {
  const [chats, setChats] = useState(readChats)
  const [current, setCurrent] = useState(chats[0]?.id ?? '')
  useEffect(() => localStorage.setItem(place, JSON.stringify(chats)), [chats])
  const add = (): void => {
    const made = newChat()
    setChats([made, ...chats])
    setCurrent(made.id)
  }
  const rename = (id: string, title: string): void =>
    setChats((all) => all.map((one) => (one.id === id && one.title === 'New chat' ? { id, title } : one)))
  return (
    <div className="app">
      <nav aria-label="Chats">
        <button type="button" onClick={add}>
          New chat
        </button>
        <ul>
          {chats.map(({ id, title }) => (
            <li key={id}>
              <button type="button" aria-current={id === current ? 'page' : undefined} onClick={() => setCurrent(id)}>
                {title}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <main>
        <h1>Chat</h1>
        <LoadedChat key={current} id={current} onTitle={(title) => rename(current, title)} />
      </main>
    </div>
  )
}

/** Loads what is stored before the chat begins, and again when the page is behind. */
function LoadedChat({ id, onTitle }: { readonly id: string; readonly onTitle: (title: string) => void }) {
  const [loaded, setLoaded] = useState<Loaded | undefined>()
  const [problem, setProblem] = useState('')
  const [version, setVersion] = useState(0)
  useEffect(() => {
    const controller = new AbortController()
    const load = async (): Promise<void> => {
      try {
        const response = await fetch(`/api/chat/${id}`, { signal: controller.signal })
        if (!response.ok) throw new Error(`HTTP ${response.status}`)
        setLoaded((await response.json()) as Loaded)
        setProblem('')
      } catch (error) {
        if (!controller.signal.aborted) setProblem(`The chat cannot be loaded (${String(error)}).`)
      }
    }
    void load()
    return () => controller.abort()
  }, [id, version])
  const reload = (): void => {
    setLoaded(undefined)
    setVersion((before) => before + 1)
  }
  if (problem !== '')
    return (
      <p role="alert">
        {problem}{' '}
        <button type="button" onClick={reload}>
          Try again
        </button>
      </p>
    )
  if (loaded === undefined) return <p role="status">Loading …</p>
  return <ChatView id={id} messages={loaded.messages} writing={loaded.writing} onReload={reload} onTitle={onTitle} />
}
