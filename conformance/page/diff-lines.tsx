/** Text of which some lines may begin with `- ` (expected) and `+ ` (what came). Scrolls on its own. */
export function DiffLines({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre class="lines" tabIndex={0} role="region" aria-label={label}>
      {text.split('\n').map((line) => {
        if (line.startsWith('- ')) return <del>{`${line}\n`}</del>
        if (line.startsWith('+ ')) return <ins>{`${line}\n`}</ins>
        return line.startsWith('⋯ ') ? <span class="gap">{`${line}\n`}</span> : `${line}\n`
      })}
    </pre>
  )
}
