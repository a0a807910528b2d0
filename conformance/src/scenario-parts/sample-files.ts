import type { FilePart } from '@steploop/core'

/** A real image: two by two pixels, three of them red. */
export const image: FilePart & { readonly data: string } = {
  type: 'file',
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAE0lEQVR42mO4I2IDRAz///8HUgAr0waC+o1DoQAAAABJRU5ErkJggg==',
}

/** A real document: one page that reads "IC 8 leaves at 12:34". */
export const document: FilePart & { readonly data: string } = {
  type: 'file',
  mediaType: 'application/pdf',
  filename: 'Fahrplan Zürich–東京.pdf',
  data: 'JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+ZW5kb2JqCjIgMCBvYmo8PC9UeXBlL1BhZ2VzL0tpZHNbMyAwIFJdL0NvdW50IDE+PmVuZG9iagozIDAgb2JqPDwvVHlwZS9QYWdlL1BhcmVudCAyIDAgUi9NZWRpYUJveFswIDAgMjAwIDUwXS9Db250ZW50cyA0IDAgUi9SZXNvdXJjZXM8PC9Gb250PDwvRiA1IDAgUj4+Pj4+PmVuZG9iago0IDAgb2JqPDwvTGVuZ3RoIDQ2Pj5zdHJlYW0KQlQvRiAxMiBUZiAxMCAyMCBUZChJQyA4IGxlYXZlcyBhdCAxMjozNClUaiBFVAplbmRzdHJlYW1lbmRvYmoKNSAwIG9iajw8L1R5cGUvRm9udC9TdWJ0eXBlL1R5cGUxL0Jhc2VGb250L0hlbHZldGljYT4+ZW5kb2JqCnhyZWYKMCA2CjAwMDAwMDAwMDAgNjU1MzUgZiAKMDAwMDAwMDAwOSAwMDAwMCBuIAowMDAwMDAwMDUyIDAwMDAwIG4gCjAwMDAwMDAxMDEgMDAwMDAgbiAKMDAwMDAwMDIwOSAwMDAwMCBuIAowMDAwMDAwMzAwIDAwMDAwIG4gCnRyYWlsZXI8PC9TaXplIDYvUm9vdCAxIDAgUj4+CnN0YXJ0eHJlZgozNjEKJSVFT0YK',
}
