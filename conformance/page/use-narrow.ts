import { useEffect, useState } from 'preact/hooks'

/** The same as in the style sheet. */
const query = '(max-width: 40rem)'

/** Whether the page is as narrow as a phone. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const media = matchMedia(query)
    const read = (): void => setNarrow(media.matches)
    media.addEventListener('change', read)
    return () => media.removeEventListener('change', read)
  }, [])
  return isNarrow
}
