import { useEffect, useState } from 'preact/hooks'
import { viewHash, viewOf, type View } from './view.ts'

export type ChangeView = (change: Partial<View>) => void

/** The view, kept in the page's address: going back closes a case again. */
export function useView(): readonly [View, ChangeView] {
  const [view, setView] = useState(() => viewOf(location.hash))
  useEffect(() => {
    const read = (): void => setView(viewOf(location.hash))
    addEventListener('popstate', read)
    return () => removeEventListener('popstate', read)
  }, [])
  const change: ChangeView = (changed) => {
    const next = { ...view, ...changed }
    const opens = next.open !== '' && view.open === ''
    if (opens) history.pushState(undefined, '', viewHash(next))
    else history.replaceState(undefined, '', viewHash(next))
    setView(next)
  }
  return [view, change]
}
