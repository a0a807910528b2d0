import { useRef, useState } from 'preact/hooks'

/** A command and a button that copies it; where that is not allowed, the command is selected. */
export function CopyCommand({ command }: { readonly command: string }) {
  const [copied, setCopied] = useState('')
  const code = useRef<HTMLElement>(null)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command)
      setCopied(command)
    } catch {
      if (code.current !== null) getSelection()?.selectAllChildren(code.current)
    }
  }
  return (
    <span class="command">
      <code ref={code}>{command}</code>{' '}
      <button type="button" class="plain" onClick={() => void copy()}>
        Copy
      </button>{' '}
      <span role="status" class="faint">
        {copied === command ? 'copied' : ''}
      </span>
    </span>
  )
}
