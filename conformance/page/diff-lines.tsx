/**
 * Text of which some lines may begin with `- ` (expected) and `+ ` (what came). Scrolls on its own. Sentences wrap; lines with a form, such as
 * those of a diff and two texts side by side, keep it.
 */
export function DiffLines({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre class="lines" tabIndex={0} role="region" aria-label={label}>
      <code class="sheet">
        {text.split('\n').map((line) => {
          if (line.startsWith('- ')) return <del>{`${line}\n`}</del>
          if (line.startsWith('+ ')) return <ins>{`${line}\n`}</ins>
          return <span class={classOf(line)}>{`${line}\n`}</span>
        })}
      </code>
    </pre>
  )
}

function classOf(line: string): string {
  if (line.startsWith('⋯ ')) return 'gap'
  return /^[\s>]/.test(line) ? 'form' : 'said'
}
