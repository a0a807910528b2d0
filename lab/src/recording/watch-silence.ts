import type { Recorder } from '@steploop/cassette/record'

/** Looks so often before it believes that nothing more comes: a machine that stands still says nothing of the server. */
const looks = 40

/** Calls back, again and again, while the latest answer is open and no byte of it comes. */
export function watchSilence(
  { exchanges }: Pick<Recorder, 'exchanges'>,
  ms = 10_000,
  onSilent: () => void,
): { readonly stop: () => void } {
  let heard = ''
  let unheard = 0
  const timer = setInterval(() => {
    const all = exchanges()
    const last = all.at(-1)?.response
    const now = `${all.length} ${last?.status} ${last?.body.length}`
    unheard = now === heard && last?.ending === 'abort' ? unheard + 1 : 0
    heard = now
    if (unheard >= looks) onSilent()
  }, ms / looks)
  return { stop: () => clearInterval(timer) }
}
