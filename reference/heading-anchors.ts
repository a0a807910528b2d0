import { MarkdownPageEvent, type MarkdownApplication } from 'typedoc-plugin-markdown'

/** The plugin takes the `code` of an `XError` for a heading beside the type `XErrorCode`, whose anchor it then numbers. */
export function load({ renderer }: MarkdownApplication): void {
  renderer.on(MarkdownPageEvent.END, (page: MarkdownPageEvent) => {
    page.contents = page.contents?.replaceAll(/(#\w+errorcode)-1\)/g, '$1)')
  })
}
